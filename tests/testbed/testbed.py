#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real training traffic against predictions.

Trainers (testbed_trainer: parameter servers over TCP and gRPC, ring all-reduce) run in network namespaces whose links are shaped with
`tc tbf`; computing is a sleep. `simcal net` calibrates one link; simrun then predicts every configuration from that calibration alone.

  sudo python3 tests/testbed/testbed.py --bin build/dev/bin --out results/testbed      # the whole grid, about 15 minutes
  ... --short                                                                          # a few configurations, for ctest -L testbed

Needs root, iproute2 and network namespaces; ends with 77 where they lack. Points during which the trainers and the kernel's packet work
together used more than 60 % of the processors are marked `cpu` and left out of the statistics: there the machine was measured, not the
network. Trainers go before all other work (real-time scheduling, SCHED_FIFO): raised priority alone lets a busy machine hold back threads that
wake up in each round of a ring, by a fifth of the step at a load of 13 on two cores. How busy the machine was is noted too.
"""
import argparse
import csv
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import grid  # noqa: E402

USE_LIMIT = 0.6
PREFIX = "tytb"
NODES = 8
BURST, QUEUE = "10kb", "128kb"
CALIBRATION_RATE = 100  # Mbit/s
FIDELITIES = {"flow": "    queue: 131072 B", "tcp": "    queue: 131072 B\n    burst: 10240 B"}  # and what the network section says of the links besides


def sh(command, check=True, **options):
    return subprocess.run(command, shell=True, check=check, capture_output=True, text=True, **options)


def unusable():
    """Why this machine cannot run the testbed; empty = it can."""
    if os.geteuid() != 0:
        return "needs root (network namespaces)"
    for program in ("ip", "tc"):
        if shutil.which(program) is None:
            return f"'{program}' is not installed (Debian: iproute2)"
    if sh("chrt --fifo 10 true", check=False).returncode != 0:
        return "real-time scheduling (chrt --fifo, Debian: util-linux) is not allowed here"
    probe = sh(f"ip netns add {PREFIX}-probe && ip -n {PREFIX}-probe link set lo up && "
               f"ip netns exec {PREFIX}-probe tc qdisc add dev lo root tbf rate 1mbit burst 32kb limit 64kb", check=False)
    sh(f"ip netns del {PREFIX}-probe", check=False)
    return "" if probe.returncode == 0 else "network namespaces with tc tbf do not work here: " + probe.stderr.strip().splitlines()[-1]


class Network:
    """Nodes 1..NODES, each a namespace with one link to one of two bridges, which a further link joins."""

    def __enter__(self):
        self.clean()
        for bridge in (0, 1):
            sh(f"ip link add {PREFIX}br{bridge} type bridge; ip link set {PREFIX}br{bridge} up")
        sh(f"ip link add {PREFIX}x0 type veth peer name {PREFIX}x1")
        for end in (0, 1):
            sh(f"ip link set {PREFIX}x{end} master {PREFIX}br{end}; ip link set {PREFIX}x{end} up")
        for node in range(1, NODES + 1):
            space, port = self.space(node), f"{PREFIX}v{node}"
            sh(f"ip netns add {space}; ip link add {port} type veth peer name eth0 netns {space}; ip link set {port} up; "
               f"ip -n {space} link set lo up; ip -n {space} link set eth0 up; ip -n {space} addr add 10.77.0.{node}/24 dev eth0; "
               f"ip -n {space} route replace 10.77.0.0/24 dev eth0 src 10.77.0.{node} congctl cubic")
        return self

    def __exit__(self, *_):
        self.clean()

    @staticmethod
    def clean():
        for node in range(1, NODES + 1):
            sh(f"ip netns del {PREFIX}{node}", check=False)
        for link in [f"{PREFIX}v{n}" for n in range(1, NODES + 1)] + [f"{PREFIX}x0", f"{PREFIX}br0", f"{PREFIX}br1"]:
            sh(f"ip link del {link}", check=False)

    @staticmethod
    def space(node):
        return f"{PREFIX}{node}"

    @staticmethod
    def address(node):
        return f"10.77.0.{node}"

    def shape(self, rates, second_rack, between):
        """rates: Mbit/s by node; second_rack: nodes there; between: Mbit/s of the link that joins the racks, 0 = unlimited."""
        tbf = f"root tbf burst {BURST} limit {QUEUE} rate"
        for node in range(1, NODES + 1):
            rate = rates.get(node, 1000)
            sh(f"ip link set {PREFIX}v{node} master {PREFIX}br{1 if node in second_rack else 0}; "
               f"tc qdisc replace dev {PREFIX}v{node} {tbf} {rate}mbit; "
               f"ip netns exec {self.space(node)} tc qdisc replace dev eth0 {tbf} {rate}mbit")
        for end in (0, 1):
            if between:
                sh(f"tc qdisc replace dev {PREFIX}x{end} {tbf} {between}mbit")
            else:
                sh(f"tc qdisc del dev {PREFIX}x{end} root", check=False)


def processor_times():
    """All, idle, and interrupt (packet) time of all processors so far, in ticks."""
    with open("/proc/stat") as file:
        fields = [int(word) for word in file.readline().split()[1:]]
    return sum(fields[:8]), fields[3] + fields[4], fields[5] + fields[6]


def own_ticks():
    """Processor time of the children that have ended, in ticks."""
    times = os.times()
    return (times.children_user + times.children_system) * os.sysconf("SC_CLK_TCK")


def scenario(config, calibration, fidelity):
    """The scenario that says what the trainers do."""
    switches = "[rack-0, rack-1]" if config["second_rack"] else "[rack-0]"
    names, wires = [], []
    for node, role in sorted(config["roles"].items()):
        names.append(f"    - {{name: n{node}, type: {'worker' if role == 'worker' else 'server'}, count: 1}}")
        rack = 1 if node in config["second_rack"] else 0
        wires.append(f"      - {{from: n{node}, to: rack-{rack}, bandwidth: {config['rates'][node]} Mbit/s, latency: 1 us}}")
    if config["second_rack"]:
        wires.append(f"      - {{from: rack-0, to: rack-1, bandwidth: {config['between']} Mbit/s, latency: 1 us}}")
    jobs = []
    for job in config["jobs"]:
        lines = [f"  - name: {job['name']}",
                 f"    model: {{name: {job['model']}, elements: {job['elements']}}}",
                 "    batch_per_gpu: 1",
                 f"    workers: {len(job['workers'])}",
                 f"    nodes: [{', '.join(f'n{n}-0' for n in job['workers'])}]",
                 f"    single_gpu_step: {job['compute']} s",
                 "    steps: 40"]
        if job["slow"] != 1:
            lines.append(f"    stragglers: [{{worker: 0, slow_down: {job['slow']}}}]")
        if job["kind"] == "ring":
            lines.append(f"    training: {{mode: all_reduce, transport: tcp, collective: ring, ring_order: ranks, kernel_wait: 0, fusion: buckets, "
                         f"bucket_size: {job['bucket']} B, first_bucket_size: {job['bucket']} B}}")
        else:
            rule = job["rule"] + (f", staleness: {job['staleness']}" if job["rule"] == "bounded" else "")
            order = "messages_in_flight: 1, pull_order: layer"  # both trainers ask in the order of layers, over one connection per server
            part = f", partition_size: {job['partition']} B" if job["placement"] == "partitioned" else ""
            lines.append(f"    training: {{mode: parameter_server, spread: none, servers: {len(job['servers'])}, update_rule: {rule}, "
                         f"transport: {job['transport']}, variable_placement: {job['placement']}{part}, {order}, one_represents_all: 'no'}}")
        jobs.append("\n".join(lines))
    return "\n".join(["trainyard: 1", f"name: {config['name']}", f"calibration: {calibration}",
                      # What the calibration does not measure: the ring of the testbed runs between hosts, and no processor limits a server here.
                      "transports:", "  tcp: {endpoint_limit: 100 GB/s, supports: {gpu: {all_reduce: 'yes'}}}", "  grpc: {endpoint_limit: 100 GB/s}",
                      "cluster:", "  node_types:",
                      "    worker: {gpu: V100-PCIe-16GB, gpus: 1}", "    server: {cpu_cores: 2}", "  nodes:", *names,
                      "  network:", "    topology: graph", f"    bandwidth: {max(config['rates'].values())} Mbit/s", "    latency: 1 us",
                      f"    switches: {switches}", *filter(None, [FIDELITIES[fidelity]]), "    wires:", *wires, "jobs:", *jobs,
                      f"run: {{fidelity: {fidelity}}}", ""])


def predict(binaries, folder, config, calibration, fidelity):
    path = os.path.join(folder, config["name"] + ".yaml")
    with open(path, "w") as file:
        file.write(scenario(config, calibration, fidelity))
    run = subprocess.run([os.path.join(binaries, "simrun"), path, "--json", "--no-files", "--progress=none"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"simrun {path}: {run.stderr}")
    rows = {row["job"]: row for row in json.loads(run.stdout)["jobs"]}
    return {job["name"]: predicted_step(rows[job["name"]], len(job["workers"])) for job in config["jobs"]}


def predicted_step(row, workers):
    """Seconds per worker step, with the interval where the calibration's bars give one."""
    rate = row["samples_per_second"]
    get = (lambda key: rate[key]) if isinstance(rate, dict) else (lambda key: rate)
    bound = lambda key: workers / get(key) if get(key) > 0 else float("inf")
    return {"mean": workers / get("mean"), "low": bound("high"), "high": bound("low")}


def wanders(config):
    """Its workers, or its jobs, are not synchronised: the measurement depends on the positions in the step at which they start."""
    return len(config["jobs"]) > 1 or any(job["rule"] != "sync" for job in config["jobs"])


def places(config, predicted, draw):
    """Seconds that each worker waits before its first step, by (job, worker): a random place in the step, as the prediction has it too."""
    draws = random.Random(f"{config['name']}/{draw}")
    result = {}
    for job in config["jobs"]:
        step = predicted[job["name"]]["mean"]
        together = draws.uniform(0, step) if len(config["jobs"]) > 1 else 0
        for index in range(len(job["workers"])):
            result[(job["name"], index)] = together + (draws.uniform(0, step) if job["rule"] != "sync" else 0)
    return result


def launch(network, binaries, folder, config, seconds, predicted, draw=0):
    """Starts all processes of all jobs; returns step ends by (job, worker), how busy the machine was, and what the job used of it."""
    delays = places(config, predicted, draw)
    processes, outputs = [], {}
    trainer = os.path.join(binaries, "testbed_trainer")
    for number, job in enumerate(config["jobs"]):
        plan = os.path.join(folder, f"{config['name']}.{job['name']}.plan")
        words = [os.path.join(binaries, "testbed_plan"), job["model"], str(job["elements"]), str(job["compute"]),
                 str(len(job["servers"])), job["placement"], str(job["partition"])]
        with open(plan, "w") as file:
            subprocess.run(words, stdout=file, check=True)
        steps = max(6, math.ceil(seconds / predicted[job["name"]]["mean"]) + (4 if wanders(config) else 2))
        common = [f"plan={plan}", f"workers={len(job['workers'])}", f"port={7000 + 100 * number}", f"steps={steps}"]
        staleness = {"sync": 0, "async": -1, "bounded": job["staleness"]}[job["rule"]]

        def start(node, role, words):
            command = ["chrt", "--fifo", "10", "ip", "netns", "exec", network.space(node), trainer, role, *common, *words]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        peers = job["workers"] if job["kind"] == "ring" else job["servers"]
        addresses = "addresses=" + ",".join(network.address(n) for n in peers)
        for index, node in enumerate(job["servers"]):
            processes.append(start(node, job["transport"] + "-server", [f"index={index}", f"staleness={staleness}"]))
        time.sleep(0.15 if job["servers"] else 0)
        for index, node in enumerate(job["workers"]):
            role = "ring" if job["kind"] == "ring" else job["transport"] + "-worker"
            slow = job["slow"] if index == 0 else 1
            process = start(node, role, [f"index={index}", addresses, f"slow={slow}", f"bucket={job['bucket']}",
                                          f"delay={delays[(job['name'], index)]:.6f}"])
            outputs[(job["name"], index)] = process
            processes.append(process)
    total, idle, packets = processor_times()
    own = own_ticks()
    deadline = time.time() + 240
    ends, faults = {}, []
    try:
        for key, process in outputs.items():
            out, err = process.communicate(timeout=max(1, deadline - time.time()))
            if process.returncode != 0:
                faults.append(f"{key}: {err.strip()}")
            ends[key] = [float(line.split()[2]) for line in out.splitlines() if line.startswith("step ")]
    except subprocess.TimeoutExpired:
        faults.append("time limit")
    finally:
        total_after, idle_after, packets_after = processor_times()
        for process in processes:
            if process.poll() is None:
                try:
                    process.wait(timeout=3)
                except subprocess.TimeoutExpired:
                    process.kill()
            process.stdout.close()
            process.stderr.close()
    if faults:
        raise RuntimeError("; ".join(faults))
    window = max(1, total_after - total)
    # The time of a process holds that of interrupts which come while it runs: these are not counted again.
    used, interrupted = (own_ticks() - own) / window, (packets_after - packets) / window
    return ends, 1 - (idle_after - idle) / window, used + interrupted * (1 - used)


def steps_by(ends, time_at):
    """Steps of one worker until a time, with the fraction of the one under way."""
    done = sum(1 for end in ends if end <= time_at)
    if done == 0 or done >= len(ends):
        return float(done)
    return done + (time_at - ends[done - 1]) / (ends[done] - ends[done - 1])


def measured_steps(config, ends):
    """Mean step of each job in the time in which all its workers, and all jobs, were at work; the first steps warm up."""
    warm_up = {job["name"]: 0 if job["rule"] == "sync" else 2 for job in config["jobs"]}
    begin = max(times[warm_up[job]] for (job, _), times in ends.items())
    finish = min(times[-1] for times in ends.values())
    if finish <= begin:
        raise RuntimeError("there was no time in which all were at work")
    result = {}
    for job in config["jobs"]:
        workers = [ends[(job["name"], index)] for index in range(len(job["workers"]))]
        done = sum(steps_by(times, finish) - steps_by(times, begin) for times in workers)
        gaps = [b - a for times in workers for a, b in zip(times, times[1:]) if a >= begin - 1e-9 and b <= finish + 1e-9]
        result[job["name"]] = {"step": len(workers) * (finish - begin) / done if done > 0 else float("nan"), "steps": done / len(workers),
                               "spread": statistics.pstdev(gaps) / statistics.mean(gaps) if len(gaps) > 1 else 0}
    return result


def measure(network, options, scratch, config, predicted):
    """Means over the starts: of all processes anew; without a barrier from random positions."""
    runs, busy, used = [], [], []
    starts = options.starts if wanders(config) else options.repeats
    for draw in range(starts):
        seconds = options.seconds if starts == 1 else max(3, 2 * options.seconds / starts)
        for attempt in (0, 1):  # a start that fails is tried once more
            try:
                ends, busy_now, used_now = launch(network, options.bin, scratch, config, seconds, predicted, draw)
                runs.append(measured_steps(config, ends))
                break
            except RuntimeError as error:
                if attempt:
                    raise
                print(f"{config['name']}: start {draw + 1}: {error}; trying again", flush=True)
        busy.append(busy_now)
        used.append(used_now)
    result = {}
    for job in config["jobs"]:
        of_job = [run[job["name"]] for run in runs]
        rates = [1 / run["step"] for run in of_job]
        result[job["name"]] = {"step": 1 / statistics.mean(rates), "steps": sum(run["steps"] for run in of_job),
                               "spread": statistics.mean(run["spread"] for run in of_job), "starts": starts,
                               "start_spread": statistics.pstdev(rates) / statistics.mean(rates)}
    return result, statistics.mean(busy), max(used)


TOKEN = "testbed-token"  # the network namespaces are ours alone


def calibrate(network, binaries, folder):
    """simcal net over one link; nothing else is fitted."""
    network.shape({n: CALIBRATION_RATE for n in range(1, NODES + 1)}, set(), 0)
    simcal = os.path.join(binaries, "simcal")
    server = subprocess.Popen(["ip", "netns", "exec", network.space(1), simcal, "serve", "--quiet", "--for", "300 s", "--token", TOKEN])
    time.sleep(0.5)
    simcal, path = os.path.abspath(simcal), os.path.join(folder, "link.json")
    try:
        subprocess.run(["ip", "netns", "exec", network.space(2), simcal, "net", network.address(1), "--token", TOKEN, "--line-rate",
                        f"{CALIBRATION_RATE} Mbit/s", "--name", "testbed link", "--fresh", "--quiet", "--out", "link.json"], check=True, cwd=folder)
    finally:
        server.terminate()
        server.wait(timeout=5)
    return path


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def summary(rows):
    counted = [abs(float(row["error_percent"])) for row in rows if row["counted"] == "yes"]
    lines = [f"{len(rows)} rows, {len(counted)} counted, {sum(row['counted'] == 'cpu' for row in rows)} limited by the processors, "
             f"{sum(row['counted'] == 'failed' for row in rows)} failed"]
    if counted:
        lines.append(f"|error| of the step time: median {quantile(counted, 0.5):.1f} %, p90 {quantile(counted, 0.9):.1f} %, "
                     f"worst {max(counted):.1f} %")
    groups = {}
    for row in rows:
        if row["counted"] == "yes":
            groups.setdefault(row["group"], []).append(float(row["error_percent"]))
    for group, errors in sorted(groups.items()):
        lines.append(f"  {group:24s} {len(errors):3d} rows, mean {statistics.mean(errors):+6.1f} %, median |error| "
                     f"{quantile([abs(e) for e in errors], 0.5):5.1f} %, worst {max(errors, key=abs):+6.1f} %")
    return "\n".join(lines)


def plot(rows, path):
    """Measured over predicted, both logarithmic, as SVG."""
    points = [(float(r["predicted_step_s"]), float(r["measured_step_s"]), r["counted"], r["group"]) for r in rows if r["counted"] != "failed"]
    low = min(min(p[0], p[1]) for p in points) / 1.2
    high = max(max(p[0], p[1]) for p in points) * 1.2
    size, left, top = 460, 70, 30
    x = lambda v: left + size * math.log(v / low) / math.log(high / low)
    y = lambda v: top + size - size * math.log(v / low) / math.log(high / low)
    colours = ["#1f6fb4", "#d2691e", "#2e8b57", "#8b3a8b", "#b03030", "#708090", "#c0a000", "#008080", "#556b2f", "#e377c2"]
    groups = sorted({p[3] for p in points})
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + size + 210}" height="{top + size + 60}" font-family="DejaVu Sans, sans-serif">',
           '<rect width="100%" height="100%" fill="white"/>']
    for value in [m * 10 ** e for e in range(-3, 3) for m in (1, 2, 5)]:
        if low < value < high:
            out.append(f'<path d="M{x(value):.1f} {top}V{top + size}M{left} {y(value):.1f}H{left + size}" stroke="#dddddd"/>'
                       f'<text x="{x(value):.1f}" y="{top + size + 16}" font-size="11" text-anchor="middle">{value:g}</text>'
                       f'<text x="{left - 5}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end">{value:g}</text>')
    for factor, dash in ((1, ""), (1.1, "4 4"), (1 / 1.1, "4 4")):
        a, b = low * max(1, 1 / factor), high * min(1, 1 / factor)
        out.append(f'<path d="M{x(a):.1f} {y(a * factor):.1f}L{x(b):.1f} {y(b * factor):.1f}" stroke="#444444" stroke-dasharray="{dash}" fill="none"/>')
    for predicted, measured, counted, group in points:
        colour = colours[groups.index(group) % len(colours)] if counted == "yes" else "#bbbbbb"
        out.append(f'<circle cx="{x(predicted):.1f}" cy="{y(measured):.1f}" r="4" fill="{colour}" fill-opacity="0.8"/>')
    for index, group in enumerate(groups):
        out.append(f'<circle cx="{left + size + 20}" cy="{top + 20 + 20 * index}" r="4" fill="{colours[index % len(colours)]}"/>'
                   f'<text x="{left + size + 30}" y="{top + 24 + 20 * index}" font-size="12">{group}</text>')
    out.append(f'<text x="{left + size / 2}" y="{top + size + 40}" font-size="13" text-anchor="middle">predicted step (s)</text>'
               f'<text x="20" y="{top + size / 2}" font-size="13" text-anchor="middle" transform="rotate(-90 20 {top + size / 2})">measured step (s)</text>'
               f'<text x="{left}" y="18" font-size="13">measured over predicted step time; dashed: 10 %</text></svg>')
    with open(path, "w") as file:
        file.write("\n".join(out))


COLUMNS = ["name", "group", "job", "workers", "servers", "transport", "rule", "model", "elements", "rate_Mbit_per_s", "compute_s", "measured_step_s",
           "measured_spread", "starts", "start_spread", "predicted_step_s", "predicted_low_s", "predicted_high_s", "error_percent", "steps", "cpu_used", "cpu_busy", "counted"]


def write(rows, folder, stem):
    text = summary(rows)
    print(text)
    with open(os.path.join(folder, stem + ".csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with open(os.path.join(folder, stem + ".txt"), "w") as file:
        file.write(text + "\n")
    if any(row["counted"] != "failed" for row in rows):
        plot(rows, os.path.join(folder, stem + ".svg"))


def predict_again(options):
    configs = {c["name"]: c for c in grid.configurations()}
    with open(options.predict_only) as file:
        rows = [row for row in csv.DictReader(file) if any(word in row["name"] for word in options.only.split(","))]
    known = {}
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            if row["counted"] == "failed":
                continue
            if row["name"] not in known:
                known[row["name"]] = predict(options.bin, scratch, configs[row["name"]], os.path.abspath(options.calibration), options.fidelity)
            p, measured = known[row["name"]][row["job"]], float(row["measured_step_s"])
            row.update(predicted_step_s=f"{p['mean']:.4f}", predicted_low_s=f"{p['low']:.4f}", predicted_high_s=f"{p['high']:.4f}",
                       error_percent=f"{100 * (p['mean'] / measured - 1):.2f}")
            print(f"{row['name']:46s} {row['job']:4s} measured {measured:7.3f} s  predicted {p['mean']:7.3f} s "
                  f"[{p['low']:.3f}, {p['high']:.3f}]  error {float(row['error_percent']):+6.1f} %", flush=True)
    os.makedirs(options.out, exist_ok=True)
    write(rows, options.out, "measured_vs_predicted" if not options.only else "part")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of simrun, simcal, testbed_trainer, testbed_plan")
    parser.add_argument("--out", required=True, help="folder of the results")
    parser.add_argument("--short", action="store_true", help="only a few configurations; fail if the median error is above 10 %%")
    parser.add_argument("--only", default="", help="configurations whose name contains one of these words (separated by commas)")
    parser.add_argument("--calibration", default="", help="use this calibration file instead of measuring the link")
    parser.add_argument("--seconds", type=float, default=5, help="duration of each measurement")
    parser.add_argument("--starts", type=int, default=5, help="runs from random positions, whose mean counts, for workers without a barrier")
    parser.add_argument("--repeats", type=int, default=1, help="runs, whose mean counts, for workers with a barrier")
    parser.add_argument("--predict-only", default="", help="a table of this program: keep its measurements and predict again (needs --calibration)")
    parser.add_argument("--fidelity", choices=FIDELITIES, default="flow", help="how simrun shares the links")
    options = parser.parse_args()
    if options.predict_only:
        return predict_again(options)
    why = unusable()
    if why:
        print("testbed skipped: " + why)
        return 77
    os.makedirs(options.out, exist_ok=True)
    configs = [c for c in grid.configurations() if any(word in c["name"] for word in options.only.split(","))]
    if options.short:
        configs = [c for c in configs if c["name"] in grid.SHORT]
    rows = []
    with Network() as network, tempfile.TemporaryDirectory() as scratch:
        calibration = os.path.abspath(options.calibration) if options.calibration else calibrate(network, options.bin, options.out)
        for config in configs:
            network.shape(config["rates"], config["second_rack"], config["between"])
            base = {"name": config["name"], "group": config["group"], "rate_Mbit_per_s": max(config["rates"].values())}
            try:
                predicted = predict(options.bin, scratch, config, os.path.abspath(calibration), options.fidelity)
                measured, busy, used = measure(network, options, scratch, config, predicted)
            except (RuntimeError, subprocess.CalledProcessError, ValueError, KeyError) as error:
                print(f"{config['name']}: failed: {error}", flush=True)
                rows.append({**{c: "" for c in COLUMNS}, **base, "counted": "failed"})
                continue
            for job in config["jobs"]:
                p, m = predicted[job["name"]], measured[job["name"]]
                error = 100 * (p["mean"] / m["step"] - 1)
                counted = "cpu" if used > USE_LIMIT else "yes"
                rows.append({**base, "job": job["name"], "workers": len(job["workers"]), "servers": len(job["servers"]),
                             "transport": job["transport"], "rule": job["rule"] if job["kind"] == "ps" else "ring", "model": job["model"],
                             "elements": job["elements"], "compute_s": job["compute"], "measured_step_s": f"{m['step']:.4f}",
                             "measured_spread": f"{m['spread']:.3f}", "starts": m["starts"], "start_spread": f"{m['start_spread']:.3f}", "predicted_step_s": f"{p['mean']:.4f}",
                             "predicted_low_s": f"{p['low']:.4f}", "predicted_high_s": f"{p['high']:.4f}", "error_percent": f"{error:.2f}",
                             "steps": f"{m['steps']:.1f}", "cpu_used": f"{used:.2f}", "cpu_busy": f"{busy:.2f}", "counted": counted})
                print(f"{config['name']:40s} {job['name']:6s} measured {m['step']:7.3f} s (spread {100 * m['spread']:4.1f} %, of {m['starts']} starts {100 * m['start_spread']:4.1f} %)  predicted "
                      f"{p['mean']:7.3f} s  error {error:+6.1f} %  cpu {100 * used:3.0f} of {100 * busy:3.0f} %  {counted}", flush=True)
    write(rows, options.out, "short" if options.short else "measured_vs_predicted" if not options.only else "part")
    counted = [abs(float(row["error_percent"])) for row in rows if row["counted"] == "yes"]
    failed = any(row["counted"] == "failed" for row in rows)
    return 1 if failed or (options.short and counted and quantile(counted, 0.5) > 10) else 0


if __name__ == "__main__":
    sys.exit(main())
