#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch and TensorFlow against predictions.

PyTorch DistributedDataParallel over Gloo, and TensorFlow's parameter servers (replica_device_setter, SyncReplicasOptimizer, asynchronous
workers), both from PyPI wheels, run in network namespaces whose links are shaped with `tc tbf`; layers sleep instead of computing. One link is
calibrated for each framework (a pair of processes, one tensor); simrun then predicts every configuration from that calibration alone.

  python3 -m venv venv && venv/bin/pip install torch tensorflow-cpu
  sudo python3 tests/frameworks/frameworks.py --python venv/bin/python --bin build/release/bin --out results/frameworks   # about half an hour
  python3 tests/frameworks/frameworks.py --bin build/release/bin --out results/frameworks --predict-only        # measurements of before

Needs root, iproute2 and network namespaces. As in tests/testbed, trainers go before all other work (real-time scheduling, SCHED_FIFO), and points
during which they and the kernel's packet work together used more than 60 % of the processors are marked `cpu` and left out of the statistics. How busy
the machine was is noted, too.
"""
import argparse
import csv
import json
import math
import os
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "testbed")]
import grid  # noqa: E402
import testbed  # noqa: E402

CALIBRATION_RATE = 100  # Mbit/s
CALIBRATION_ELEMENTS = 2_000_000


class Nodes:
    """Processes that stay alive, one for each framework's role and node; they run one job after another."""

    def __init__(self, python, framework):
        self.python, self.program, self.processes, self.port = python, os.path.join(here, framework + ".py"), {}, 20000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the processes; a faulty one's last words are in its standard error."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}

    def of(self, node):
        if node not in self.processes:
            self.processes[node] = subprocess.Popen(["chrt", "--fifo", "10", "ip", "netns", "exec", testbed.Network.space(node), self.python, self.program],
                                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self.processes[node]

    def times(self):
        """Time of the processors so far, in ticks: of all kinds, idle, of packets, and of these processes."""
        own = 0
        for process in self.processes.values():
            with open(f"/proc/{process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            own += int(fields[11]) + int(fields[12])
        return dict(zip(("all", "idle", "packets"), testbed.processor_times()), own=own)

    def run(self, jobs, limit=240):
        """jobs: {node: job}. Step ends by node."""
        for node, job in jobs.items():
            self.of(node).stdin.write(json.dumps(job) + "\n")
            self.of(node).stdin.flush()
        deadline, result = time.time() + limit, {}
        try:
            trainers = [node for node, job in jobs.items() if job.get("role") != "ps"]
            for node in trainers:
                self.line(node, deadline)
            before = self.times()
            for node in trainers:  # all are ready
                self.of(node).stdin.write("go\n")
                self.of(node).stdin.flush()
            for node in jobs:
                result[node] = json.loads(self.line(node, deadline))["ends"]
            after = self.times()
        except RuntimeError:
            self.end()
            raise
        return result, (before, after)

    def line(self, node, deadline):
        """The next line of a process."""
        process = self.of(node)
        ready, _, _ = select.select([process.stdout], [], [], max(0.1, deadline - time.time()))
        line = process.stdout.readline() if ready else ""
        if not line:
            process.kill()
            raise RuntimeError(f"node {node}: " + (process.communicate()[1].strip().splitlines() or ["no answer"])[-1])
        return line


def jobs_of(config, nodes, steps, draws):
    """What each node is told: {node: job}."""
    nodes.port += 50
    address = testbed.Network.address
    told = {}
    for number, job in enumerate(config["jobs"]):
        port = nodes.port + 10 * number
        common = {"layers": job["layers"], "steps": steps[job["name"]], "port": port, "rule": job["rule"], "placement": job["placement"],
                  "resource": job["resource"], "workers": len(job["workers"]), "servers": len(job["servers"])}
        if job["framework"] == "ddp":
            for index, node in enumerate(job["workers"]):
                told[node] = {**common, "index": index, "world": len(job["workers"]), "master": address(job["workers"][0]),
                              "bucket_mb": job["bucket_mb"], "slow": job["slow"] if index == 0 else 1, "delay": 0}
        else:
            cluster = {"ps": [f"{address(n)}:{port}" for n in job["servers"]], "worker": [f"{address(n)}:{port + 1}" for n in job["workers"]]}
            for index, node in enumerate(job["servers"]):
                told[node] = {**common, "cluster": cluster, "role": "ps", "index": index}
            for index, node in enumerate(job["workers"]):
                told[node] = {**common, "cluster": cluster, "role": "worker", "index": index, "slow": job["slow"] if index == 0 else 1,
                              "delay": draws.uniform(0, job["compute"]) if job["rule"] == "async" else 0}
    return told


def calibration_file(links):
    """The links as a calibration file: then intervals hold what the model leaves out, too (docs/calibration.md). The unit of the latency is the second."""
    constants = [{"name": f"transport.{name}.{what}", "value": value, "low": value, "high": value, "unit": unit, "provenance": "measured", "samples": 1}
                 for name in ("gloo", "grpc")
                 for what, unit, value in (("latency", "s", round(links[name]["latency"], 6)), ("efficiency", "1", round(links[name]["efficiency"], 4)))]
    return {"trainyard_calibration": 1, "name": "links", "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "provenance": "measured", "complete": True,
            "quick": False, "command": "frameworks.py", "program": "frameworks.py", "machine": {}, "warnings": [], "missing": [], "constants": constants, "curves": []}


def scenario(config, fidelity, steps):
    """The scenario that says what the processes do. Jobs that begin together meet from their first step on, as long as they run: steps, by job. In so few
    of them chance decides much, where it decides which packets are lost: the mean of several runs counts."""
    names, wires, jobs = [], [], []
    for node in sorted(config["roles"]):
        kind = config["roles"][node]
        names.append(f"    - {{name: n{node}, type: {kind}, count: 1}}")
        wires.append(f"      - {{from: n{node}, to: {'rack-1' if node in config['second_rack'] else 'rack-0'}, "
                     f"bandwidth: {config['rates'][node]} Mbit/s, latency: 1 us}}")
    if config["second_rack"]:
        wires.append(f"      - {{from: rack-0, to: rack-1, bandwidth: {config['between']} Mbit/s, latency: 1 us}}")
    for job in config["jobs"]:
        layers = ", ".join(f"{{name: l{i}, parameters: {spec['parameters']}, forward: {spec['forward']} s, backward: {spec['backward']} s}}"
                           for i, spec in enumerate(job["layers"]))
        lines = [f"  - name: {job['name']}", f"    model: {{name: {job['model']}, layers: [{layers}]}}", "    batch_per_gpu: 1",
                 f"    workers: {len(job['workers'])}", f"    nodes: [{', '.join(f'n{n}-0' for n in job['workers'])}]",
                 f"    steps: {steps.get(job['name'], 40)}"]
        if job["slow"] != 1:
            lines.append(f"    stragglers: [{{worker: 0, slow_down: {job['slow']}}}]")
        if job["framework"] == "ddp":
            lines.append(f"    training: {{mode: all_reduce, transport: gloo, collective: ring, ring_order: ranks, kernel_wait: 0, fusion: buckets, "
                         f"bucket_size: {job['bucket_mb']} MiB}}")
        else:
            order = "arbitrary" if job["resource"] else "random"
            lines.append(f"    training: {{mode: parameter_server, spread: none, servers: {len(job['servers'])}, update_rule: {job['rule']}, transport: grpc, "
                         f"server_nodes: [{', '.join(f'n{n}-0' for n in job['servers'])}], "
                         f"variable_placement: {job['placement']}, pull_order: {order}}}")
        jobs.append("\n".join(lines))
    switches = "[rack-0, rack-1]" if config["second_rack"] else "[rack-0]"
    return "\n".join(["trainyard: 1", f"name: {config['name']}", "calibration: links.json", "transports:", "  gloo: {endpoint_limit: 100 GB/s}",
                      "  grpc: {endpoint_limit: 100 GB/s}",
                      "cluster:", "  node_types:", "    worker: {gpu: V100-PCIe-16GB, gpus: 1}", "    server: {cpu_cores: 2}", "  nodes:", *names,
                      "  network:", "    topology: graph", f"    bandwidth: {max(config['rates'].values())} Mbit/s", "    latency: 1 us",
                      f"    switches: {switches}", *filter(None, [testbed.FIDELITIES[fidelity]]), "    wires:", *wires, "jobs:", *jobs,
                      f"run: {{fidelity: {fidelity}, replicas: {8 if steps else 1}}}", ""])


def predict(binaries, folder, config, links, fidelity, steps=None):
    with open(os.path.join(folder, "links.json"), "w") as file:
        json.dump(calibration_file(links), file)
    path = os.path.join(folder, config["name"] + ".yaml")
    with open(path, "w") as file:
        file.write(scenario(config, fidelity, steps or {}))
    run = subprocess.run([os.path.join(binaries, "simrun"), path, "--json", "--no-files", "--progress=none"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"simrun {path}: {run.stderr}")
    rows = {row["job"]: row for row in json.loads(run.stdout)["jobs"]}
    return {job["name"]: testbed.predicted_step(rows[job["name"]], len(job["workers"])) for job in config["jobs"]}


def measured_step(job, ends):
    """Mean step over the time in which all workers were at work; the first steps warm up (DDP builds its buckets anew in the second)."""
    workers = [ends[node] for node in job["workers"]]
    if min(len(times) for times in workers) < 4:
        raise RuntimeError(f"too few steps: {[len(times) for times in workers]}")
    begin, finish = max(times[2] for times in workers), min(times[-1] for times in workers)
    if finish <= begin:
        raise RuntimeError("there was no time in which all were at work")
    done = sum(testbed.steps_by(times, finish) - testbed.steps_by(times, begin) for times in workers)
    gaps = [b - a for times in workers for a, b in zip(times[2:], times[3:])]
    return len(workers) * (finish - begin) / done, statistics.pstdev(gaps) / statistics.mean(gaps), done / len(workers)


WARM_UP = 3  # steps that a measurement leaves out


def steps_of(predicted, seconds):
    """How many steps each job is told to make."""
    return {name: max(6, math.ceil(seconds / p["mean"]) + WARM_UP) for name, p in predicted.items()}


def measure(nodes, config, steps, starts):
    """{job: (step, spread, steps, starts, spread of starts)}, shares of the processors that were busy, and that the trainers used."""
    runs, busy, used = {job["name"]: [] for job in config["jobs"]}, [], []
    for draw in range(starts):
        ends, (before, after) = nodes.run(jobs_of(config, nodes, steps, random.Random(f"{config['name']}/{draw}")))
        window = max(1, after["all"] - before["all"])
        busy.append(1 - (after["idle"] - before["idle"]) / window)
        # The time of a process holds that of interrupts which come while it runs: these are not counted again.
        own, interrupted = (after["own"] - before["own"]) / window, (after["packets"] - before["packets"]) / window
        used.append(min(own + interrupted * (1 - own), busy[-1]))
        for job in config["jobs"]:
            runs[job["name"]].append(measured_step(job, ends))
    result = {}
    for name, of_job in runs.items():
        rates = [1 / step for step, _, _ in of_job]
        result[name] = (1 / statistics.mean(rates), statistics.mean(spread for _, spread, _ in of_job), sum(steps for _, _, steps in of_job), starts,
                        statistics.pstdev(rates) / statistics.mean(rates))
    return result, statistics.mean(busy), max(used)


def calibrate(network, python, folder):
    """One link of each framework: efficiency (payload over line rate) of one large tensor, and latency of small ones."""
    network.shape({n: CALIBRATION_RATE for n in range(1, testbed.NODES + 1)}, set(), 0)
    line = CALIBRATION_RATE * 1e6 / 8
    result = {}
    with Nodes(python, "ddp") as nodes:
        def took(elements, steps):
            nodes.port += 50
            jobs = {n: {"index": n - 1, "world": 2, "master": testbed.Network.address(1), "port": nodes.port, "elements": elements, "steps": steps} for n in (1, 2)}
            return statistics.median(max(pair) for pair in zip(*nodes.run(jobs)[0].values()))
        small, large = took(1, 30), took(CALIBRATION_ELEMENTS, 5)
        # Two ranks: two rounds, in each of which half of the tensor goes each way.
        result["gloo"] = {"latency": small / 2, "efficiency": 4 * CALIBRATION_ELEMENTS / line / (large - small), "small_s": small, "large_s": large}
    with Nodes(python, "parameter_servers") as nodes:
        def step(elements, steps):
            job = grid.job("ps", [2], [1], layers=[{"parameters": [elements], "forward": 0.0, "backward": 0.0}])
            config = grid.config("calibration", "calibration", CALIBRATION_RATE, [job])
            return statistics.median(gap for gap in gaps(nodes.run(jobs_of(config, nodes, {"job": steps}, random.Random(1)))[0][2]))
        small, large = step(1, 30), step(CALIBRATION_ELEMENTS, 8)
        # A pull and a push one after the other.
        result["grpc"] = {"latency": small / 2, "efficiency": 8 * CALIBRATION_ELEMENTS / line / (large - small), "small_s": small, "large_s": large}
    versions = subprocess.run([python, "-c", "import importlib.metadata as m; print(m.version('torch'), m.version('tensorflow-cpu'))"], capture_output=True, text=True, check=True)
    torch, tensorflow = versions.stdout.split()
    result["versions"] = {"torch": torch, "tensorflow": tensorflow, "kernel": os.uname().release}
    with open(os.path.join(folder, "links.json"), "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    return result


def gaps(times):
    return [b - a for a, b in zip(times[2:], times[3:])]


COLUMNS = ["name", "group", "job", "framework", "workers", "servers", "rule", "placement", "variables", "model", "rate_Mbit_per_s", "compute_s", "measured_step_s",
           "measured_spread", "starts", "start_spread", "steps", "cpu_used", "cpu_busy", "predicted_step_s", "predicted_low_s", "predicted_high_s", "error_percent", "counted"]


def row_of(config, job):
    return {**{c: "" for c in COLUMNS}, "name": config["name"], "group": config["group"], "job": job["name"], "framework": job["framework"],
            "workers": len(job["workers"]), "servers": len(job["servers"]) or "", "rule": job["rule"] if job["servers"] else "",
            "placement": job["placement"] if job["servers"] else "", "variables": ("resource" if job["resource"] else "reference") if job["servers"] else "",
            "model": job["model"], "rate_Mbit_per_s": max(config["rates"].values()), "compute_s": f"{job['compute']:g}", "counted": "failed"}


def fill(row, predicted):
    measured = float(row["measured_step_s"])
    row.update(predicted_step_s=f"{predicted['mean']:.4f}", predicted_low_s=f"{predicted['low']:.4f}", predicted_high_s=f"{predicted['high']:.4f}",
               error_percent=f"{100 * (predicted['mean'] / measured - 1):.2f}")
    print(f"{row['name']:44s} {row['job']:4s} measured {measured:7.3f} s (spread {100 * float(row['measured_spread']):4.1f} %)  predicted {predicted['mean']:7.3f} s "
          f"[{predicted['low']:.3f}, {predicted['high']:.3f}]  error {float(row['error_percent']):+6.1f} %  used {row['cpu_used']} busy {row['cpu_busy']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of simrun")
    parser.add_argument("--python", help="Python with torch and tensorflow-cpu")
    parser.add_argument("--out", required=True, help="folder of the results")
    parser.add_argument("--only", default="", help="configurations whose name contains one of these words (separated by commas); other rows of the table stay")
    parser.add_argument("--seconds", type=float, default=6, help="duration of each measurement")
    parser.add_argument("--starts", type=int, default=3, help="starts from random places, whose mean counts, for workers without a barrier")
    parser.add_argument("--links", default="", help="use this file instead of calibrating the links")
    parser.add_argument("--fidelity", choices=testbed.FIDELITIES, default="flow", help="how simrun shares the links")
    parser.add_argument("--predict-only", action="store_true", help="keep the measurements of --out and predict again")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    table = os.path.join(options.out, "measured_vs_predicted.csv")
    chosen = [c for c in grid.configurations() if any(word in c["name"] for word in options.only.split(","))]
    rows = []
    if options.predict_only:
        with open(os.path.join(options.out, "links.json")) as file:
            links = json.load(file)
        configs, known, steps = {c["name"]: c for c in chosen}, {}, {}
        with open(table) as file:
            old = [row for row in csv.DictReader(file) if row["name"] in configs]
        for row in old:
            if len(configs[row["name"]]["jobs"]) > 1 and row["measured_step_s"]:
                steps.setdefault(row["name"], {})[row["job"]] = round(float(row["steps"]) / int(row["starts"])) + WARM_UP
        with tempfile.TemporaryDirectory() as scratch:
            for row in old:
                if row["name"] not in known:
                    known[row["name"]] = predict(options.bin, scratch, configs[row["name"]], links, options.fidelity, steps.get(row["name"]))
                if row["measured_step_s"]:
                    fill(row, known[row["name"]][row["job"]])
                rows.append(row)
    else:
        why = testbed.unusable()
        if why:
            print("skipped: " + why)
            return 77
        with testbed.Network() as network, tempfile.TemporaryDirectory() as scratch:
            if options.links:
                with open(options.links) as file:
                    links = json.load(file)
            else:
                links = calibrate(network, options.python, options.out)
            print(json.dumps(links), flush=True)
            for framework in ("ddp", "parameter_servers"):
                with Nodes(options.python, framework) as nodes:
                    for config in (c for c in chosen if c["jobs"][0]["framework"] == framework):
                        network.shape(config["rates"], config["second_rack"], config["between"])
                        try:
                            predicted = predict(options.bin, scratch, config, links, options.fidelity)
                            steps, several = steps_of(predicted, options.seconds), len(config["jobs"]) > 1
                            apart = several or config["jobs"][0]["rule"] == "async"
                            measured, busy, used = measure(nodes, config, steps, options.starts if apart else 1)
                            if several:
                                predicted = predict(options.bin, scratch, config, links, options.fidelity, steps)
                        except (RuntimeError, ValueError, KeyError) as error:
                            print(f"{config['name']}: failed: {error}", flush=True)
                            rows += [row_of(config, job) for job in config["jobs"]]
                            continue
                        for job in config["jobs"]:
                            step, spread, steps, starts, start_spread = measured[job["name"]]
                            row = {**row_of(config, job), "measured_step_s": f"{step:.4f}", "measured_spread": f"{spread:.3f}", "starts": starts,
                                   "start_spread": f"{start_spread:.3f}", "steps": f"{steps:.1f}", "cpu_used": f"{used:.2f}", "cpu_busy": f"{busy:.2f}",
                                   "counted": "cpu" if used > testbed.USE_LIMIT else "yes"}
                            fill(row, predicted[job["name"]])
                            rows.append(row)
    if options.only and os.path.exists(table):
        names = {row["name"] for row in rows}
        with open(table) as file:
            rows += [row for row in csv.DictReader(file) if row["name"] not in names]
        order = [c["name"] for c in grid.configurations()]
        rows.sort(key=lambda row: (order.index(row["name"]), row["job"]))
    text = testbed.summary(rows)
    print(text)
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with open(os.path.join(options.out, "measured_vs_predicted.txt"), "w") as file:
        file.write(text + "\n")
    testbed.plot(rows, os.path.join(options.out, "measured_vs_predicted.svg"))
    return 1 if any(row["counted"] == "failed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
