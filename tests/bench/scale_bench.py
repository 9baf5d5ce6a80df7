#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One run of simrun at each size: tests/bench/scale_bench.py SIMRUN > results/bench/scale.txt

Processor seconds of all its processes and the memory of the largest, beside their goals; of runs below 0.1 s the median of nine more; the growth
exponent is that between the smallest and the largest size. A run ends after 300 s."""
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.stdout.reconfigure(line_buffering=True)  # a long run shows how far it is

SIMRUN = os.path.abspath(sys.argv[1])

EVEN = """
cluster:
  node_types: {{box: {{gpus: {gpus}, gpu: H100-SXM5, nics: {gpus}, intra: {intra}}}}}
  nodes: [{{name: n, type: box, count: {machines}}}]
  network: {{topology: {network}}}
jobs: [{{name: train, model: {model}, workers: {workers}, batch_per_gpu: 64, training: {{mode: all_reduce{more}}}{job}}}]
run: {{fidelity: {fidelity}}}
"""
SERVERS = """
cluster:
  node_types: {{box: {{gpus: 1, gpu: V100-SXM2-16GB}}, host: {{gpus: 0, nics: 1, cpu_cores: 32, intra: host_only}}}}
  nodes: [{{name: n, type: box, count: {workers}}}, {{name: s, type: host, count: {servers}}}]
  network: {{topology: star, link: 25GbE}}
jobs: [{{name: train, model: resnet50, workers: {workers}, batch_per_gpu: 32, steps: 10,
        training: {{mode: parameter_server, servers: {servers}, update_rule: {rule}}}}}]
run: {{fidelity: fluid}}
"""


def even(workers, fidelity, gpus=8, network="rail, link: 400GbE", model="resnet50", more="", job=""):
    intra = "nvswitch" if gpus > 1 else "pcie_tree"
    return EVEN.format(workers=workers, machines=workers // gpus, gpus=gpus, intra=intra, network=network, model=model, more=more, job=job,
                       fidelity=fidelity)


ONE_TENSOR = "batch_per_gpu: 1, single_gpu_step: 1 ms, optimizer: sgd, steps: 1, training: {mode: all_reduce, collective: ring}"


def pairs(jobs):
    """Jobs of two workers on random machines of a fat tree, each an all-reduce of up to 160 MB; they arrive within a tenth of a second."""
    draw = random.Random(3)
    text = ("cluster:\n  node_types: {box: {gpu: V100-PCIe-16GB, gpus: 16}}\n  nodes: [{name: box, type: box, count: 1024}]\n"
            "  network: {topology: fat_tree, link: 100GbE}\nrun: {fidelity: fluid}\njobs:\n")
    for job in range(jobs):
        one = draw.randrange(1024)
        other = (one + 1 + draw.randrange(1023)) % 1024
        elements = 1_000_000 * (1 + draw.randrange(40))
        text += (f"  - {{name: j{job}, model: {{name: one_tensor, elements: {elements}}}, workers: 2, nodes: [box-{one}, box-{other}], "
                 f"arrival: {0.1 * draw.random()} s, {ONE_TENSOR}}}\n")
    return text


def rings(jobs, fidelity):
    """Rings of 64 ranks on 8 random machines each, 100 MB, behind leaves that are oversubscribed four times; they start within 50 ms."""
    draw = random.Random(3)
    machines = list(range(8 * jobs))
    draw.shuffle(machines)
    text = (f"cluster:\n  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 8}}}}\n  nodes: [{{name: box, type: box, count: {8 * jobs}}}]\n"
            f"  network: {{topology: leaf_spine, link: 100GbE, leaf_ports: 32, oversubscription: 4}}\nrun: {{fidelity: {fidelity}}}\njobs:\n")
    for job in range(jobs):
        nodes = ", ".join(f"box-{machine}" for machine in machines[8 * job:8 * job + 8])
        text += (f"  - {{name: j{job}, model: {{name: one_tensor, elements: 25000000}}, workers: 64, nodes: [{nodes}], "
                 f"arrival: {0.05 * draw.random()} s, {ONE_TENSOR}}}\n")
    return text


def apart(jobs):
    """Jobs of 64 workers each on machines of their own, whose computing varies, so that no two are alike."""
    models = ["vgg16", "resnet50", "inception_v3", "alexnet"]
    text = (f"cluster:\n  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 8}}}}\n  nodes: [{{name: box, type: box, count: {8 * jobs}}}]\n"
            "  network: {topology: star, link: 100GbE}\nrun: {fidelity: fluid}\njobs:\n")
    for job in range(jobs):
        nodes = ", ".join(f"box-{machine}" for machine in range(8 * job, 8 * job + 8))
        text += (f"  - {{name: j{job}, model: {models[job % 4]}, workers: 64, batch_per_gpu: {16 + job}, nodes: [{nodes}], "
                 "jitter: {distribution: log_normal, coefficient_of_variation: 0.1}, training: {mode: all_reduce, collective: ring}}\n")
    return text


MODELS = ["resnet50", "vgg16", "inception_v3", "alexnet"]
DAY = """
cluster:
  node_types: {box: {gpu: V100-SXM2-32GB, gpus: 8}}
  nodes: [{name: box, type: box, count: 2048}]
  network: {topology: leaf_spine, link: 100GbE, leaf_ports: 32, oversubscription: 4}
jobs:
"""
MONTH = """
cluster:
  node_types: {machine: {gpu: V100-SXM2-32GB, gpus: 8}}
  nodes: [{name: worker, type: machine, count: 64, per_rack: 8}]
  network: {topology: leaf_spine, link: 100GbE, oversubscription: 4}
jobs:
  - &job {name: resnet50, model: resnet50, workers: 1, training: {mode: all_reduce, collective: ring, transport: nccl}}
  - {<<: *job, name: vgg16, model: vgg16}
  - {<<: *job, name: inception_v3, model: inception_v3}
workload:
  generate: {jobs: 5000, mean_interarrival: 518.4 s, median_duration: 24365 s, duration_sigma: 1.5,
             gpus: {1: 0.6, 2: 0.24, 4: 0.096, 8: 0.0384, 16: 0.01536, 32: 0.006144, 64: 0.004096}}
  models: {resnet50: 1, vgg16: 1, inception_v3: 1}
scheduling: {policy: easy_backfill, placement: best_fit, speed: step}
"""


def day(jobs, queue):
    """Jobs of 8 to 512 GPUs that arrive within a day on 16,384 GPUs, oversubscribed four times: as jobs, or as a queue with speeds by steps."""
    draw = random.Random(3)
    text, arrival = DAY, 0.0
    if queue:
        text += "".join(f"  - {{name: {model}, model: {model}, workers: 1, batch_per_gpu: 32, training: {{mode: all_reduce, collective: ring}}}}\n"
                        for model in MODELS)
        text += "scheduling: {policy: fifo, placement: pack, speed: step}\nworkload:\n  jobs:\n"
    for job in range(jobs):
        arrival += draw.expovariate(jobs / 86400)
        model, gpus = draw.choice(MODELS), draw.choice([8, 8, 16, 16, 32, 32, 64, 64, 128, 256, 512])
        steps = int(13000 * draw.lognormvariate(0, 1))
        text += (f"  - {{name: j{job}, model: {model}, gpus: {gpus}, steps: {steps}, submit: {arrival} s}}\n" if queue else
                 f"  - {{name: j{job}, model: {model}, workers: {gpus}, batch_per_gpu: 32, steps: {steps}, arrival: {arrival} s, "
                 "training: {mode: all_reduce, collective: ring}}\n")
    return text if queue else text + "run: {fidelity: fluid}\n"


def year(machines, tasks):
    """Services of four kinds on machines of 8 GPUs; GPUs, machines, racks and links fail."""
    draw = random.Random(1)
    text = (f"cluster:\n  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 8, cpu_cores: 96, memory: 1000 GB}}}}\n"
            f"  nodes: [{{name: n, type: box, count: {machines}, per_rack: 20}}]\nrun: {{until: 8760 h}}\n"
            "orchestrator: {name: kubernetes, placements_per_second: 0}\nfaults:\n  random:\n"
            "    - {kind: gpu, mtbf: 50000 h, mttr: 24 h, repair: log_normal}\n"
            "    - {kind: node, mtbf: 20000 h, mttr: 4 h, repair: log_normal, spreads: 0.02}\n"
            "    - {kind: rack, mtbf: 100000 h, mttr: 6 h, repair: log_normal}\n"
            "    - {kind: link, mtbf: 200000 h, mttr: 2 h, repair: log_normal}\nservices:\n")
    service = 0
    while tasks > 0:
        kind = service % 4
        replicas = min(tasks, [20, 1 << draw.randrange(6), 8, 32][kind])
        tasks -= replicas
        text += (f"  - {{name: s{service}, replicas: {replicas}, "
                 f"resources: {{cpu: {4 if kind else 2}, memory: 16 GB, gpus: {[0, 8, 4, 1][kind]}}}")
        text += ["", ", coupling: sync", ", coupling: elastic", ""][kind]
        if kind:
            text += (f", arrival: {draw.random() * 0.9 * 365 * 86400:.1f} s, work: {3 * 86400 * draw.lognormvariate(0, 1.2):.1f} s, "
                     "checkpoint: {interval: 1800 s, save: 30 s, load: 60 s}")
        text += "}\n"
        service += 1
    return text


def wall(text, cores):
    """Seconds that a run without files takes on so many cores, the best of three, and what it prints."""
    mine = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, mine[:cores])
    best, printed = math.inf, ""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bench.yaml"
        path.write_text(text)
        for _ in range(3):
            begin = time.monotonic()
            printed = subprocess.run([SIMRUN, str(path), "--no-files"], cwd=folder, capture_output=True, text=True, check=True).stdout
            best = min(best, time.monotonic() - begin)
    os.sched_setaffinity(0, mine)
    return best, printed


def cores(what, text):
    one, two = wall(text, 1), wall(text, 2)
    same = "same text" if one[1] == two[1] else "ANOTHER TEXT"
    print(f"{what:<78} {'>= 1.8 times':<24} {one[0] / two[0]:.2f} times ({one[0]:.2f} s, {two[0]:.2f} s elapsed; {same})")


def measured(text):
    """Processor seconds and peak MiB of one run, in a process of its own so that its peak is its own; None: it failed or took too long."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bench.yaml"
        path.write_text(text)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                done = subprocess.run([SIMRUN, str(path), "-o", str(pathlib.Path(folder) / "out")], cwd=folder, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, timeout=300, text=True)
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                answer = f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}" if done.returncode == 0 else ""
                if done.returncode != 0:
                    print(done.stderr, file=sys.stderr, flush=True)
            except subprocess.TimeoutExpired:
                answer = ""
            os.write(writer, answer.encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        answer = os.read(reader, 100).decode().split()
        os.close(reader)
        return [float(number) for number in answer] or None


def row(what, goal, text):
    result = measured(text)
    if result and result[0] < 0.1:  # the first one has read its files from the disk
        result = sorted(measured(text) for _ in range(9))[4]
    figure = f"{result[0]:.3f} s, {result[1]:.0f} MiB" if result else "no answer"
    print(f"{what:<78} {goal:<24} {figure}")
    return result


def growth(what, sizes, results):
    if all(results):
        exponent = math.log(results[-1][0] / results[0][0]) / math.log(sizes[-1] / sizes[0])
        print(f"{what:<78} {'':<24} {exponent:.2f}")


def main():
    print(f"# {'what (simrun, processor time and peak memory)':<76} {'goal':<24} measured")
    row("the smallest scenario", "<= 0.015 s", even(2, "closed_form", gpus=1, network="star, link: 10GbE"))
    row("the same at the default fidelity, with SimGrid", "", even(2, "auto", gpus=1, network="star, link: 10GbE"))
    sizes, goals = [1_024, 10_000, 100_000, 1_000_000], ["<= 0.01 s", "<= 0.02 s", "<= 0.1 s, <= 100 MiB", "<= 1 s"]
    for more, name in (("", "auto"), (", collective: ring", "ring"), (", collective: hierarchical", "hierarchical")):
        results = [row(f"all-reduce ({name}) of ResNet-50 on {size:,} GPUs, closed_form", goal, even(size, "closed_form", more=more))
                   for size, goal in zip(sizes, goals)]
        growth("  growth exponent", sizes, results)
    for size in (1_024, 4_096):
        row(f"all-reduce (tree) of ResNet-50 on {size:,} GPUs, closed_form", "", even(size, "closed_form", more=", collective: tree"))
    for fidelity in ("fluid", "flow"):
        for size in (1_024, 100_000):
            row(f"all-reduce (auto) of ResNet-50 on {size:,} GPUs, {fidelity}", "<= 2 s, <= 1,024 MiB", even(size, fidelity))
        row(f"the same on 1,024 GPUs, one of them slower, {fidelity}", "", even(1_024, fidelity, job=", stragglers: [{worker: 3, slow_down: 1.2}]"))
    row("one all-reduce a step, ring of 1,024, every message (step)", "<= 1 s",
        even(1_024, "step", gpus=1, network="star, link: 100GbE", model="one_tensor", more=", collective: ring, fusion: single"))
    for fidelity in ("closed_form", "fluid"):
        row(f"all-to-all among 1,024 GPUs, a million ways, {fidelity}", "<= 0.5 s",
            even(1_024, fidelity, model="one_tensor", more=", collective: by_machine", network="star").replace(
                "mode: all_reduce", "mode: one_collective, operation: all_to_all"))
    row("10,000 workers, 200 parameter servers, sync", "<= 2 s", SERVERS.format(workers=10_000, servers=200, rule="sync"))
    for workers, goal in ((500, ""), (1_000, ""), (2_000, ""), (5_000, ""), (10_000, "<= 10 s")):
        row(f"{workers:,} workers, {workers // 50} parameter servers, async", goal,
            SERVERS.format(workers=workers, servers=workers // 50, rule="async"))
    sizes, goals = [625, 1_250, 2_500, 5_000], ["", "", "", "<= 0.5 s, <= 150 MiB"]
    results = [row(f"{2 * size:,} flows that contend: {size:,} jobs of two workers, fat tree of 1,024, fluid", goal, pairs(size))
               for size, goal in zip(sizes, goals)]
    growth("  growth exponent", sizes, results)
    row("100,000 flows that contend: 50,000 jobs of two workers, fat tree of 1,024, fluid", "<= 15 s", pairs(50_000))
    for jobs, fidelity, goal in ((100, "fluid", "<= 0.3 s"), (10, "flow", ""), (25, "flow", ""), (100, "flow", "<= 3 s")):
        row(f"{jobs} rings of 64 ranks on a 4:1 fabric, starts within 50 ms, {fidelity}", goal, rings(jobs, fidelity))
    sizes, hashed = [1_024, 10_000], "leaf_spine, link: 400GbE, oversubscription: 2"
    for fidelity in ("closed_form", "fluid"):
        results = [row(f"ResNet-50 on {size:,} GPUs, leaf_spine 2:1 with hashed paths, {fidelity}", "", even(size, fidelity, network=hashed))
                   for size in sizes]
        growth("  growth exponent", sizes, results)
    row("5,000 jobs in a month on 512 GPUs, speeds by steps, 4:1 fabric, best_fit", "<= 5 s", MONTH)
    row("1,000 jobs of 8-512 GPUs in a day on 16,384, 4:1 fabric, a queue, speeds by steps", "<= 30 s", day(1_000, True))
    for jobs in (100, 250):
        row(f"{jobs} jobs of 8-512 GPUs in a day on 16,384, 4:1 fabric, as jobs, fluid", "", day(jobs, False))
    row("1,000 of them", "<= 30 s", day(1_000, False))
    for machines, goal in ((1_000, ""), (10_000, ""), (100_000, "<= 60 s, <= 4,000 MiB")):
        row(f"{machines:,} machines, {10 * machines:,} tasks, a year with failures", goal, year(machines, 10 * machines))
    if len(os.sched_getaffinity(0)) > 1:
        cores("16 jobs of 64 workers that share nothing, two cores against one", apart(16))
        for jobs in (1, 8):
            cores(f"four replicas of {jobs} of these jobs, two cores against one", apart(jobs).replace("run: {", "run: {replicas: 4, "))
    flagship = (pathlib.Path(__file__).resolve().parents[2] / "scenarios/vgg16_ps_vs_ring.yaml").read_text()
    row("scenarios/vgg16_ps_vs_ring.yaml", "<= 0.5 s", flagship)


if __name__ == "__main__":
    main()
