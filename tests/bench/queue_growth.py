#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of a queue grows with its jobs: tests/bench/queue_growth.py SIMRUN [POLICY ...] > results/bench/queue_growth.txt

Jobs arrive at random (1 to 64 GPUs, mostly few; log-normal run times; estimates up to twice as long) on 512 GPUs, at two loads. Seconds are processor
time of simrun without files, less that of `simrun check` of the same file, which reads the jobs too. Runs of up to 200,000 jobs also write down in
memory why each job waits, and larger ones do not. Of the Philly jobs and of 10,000 jobs the shortest of five runs. The exponent is that between the
smallest queue and this one; a run ends after LIMIT seconds. Beside it: the same FIFO queue as a loop in plain Python, and in AccaSim (pip install
accasim) where it is installed. Without names of policies: all, and the Philly jobs of tests/data first."""
import collections
import collections.abc
import gzip
import heapq
import json
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

SIMRUN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
PHILLY = pathlib.Path(__file__).resolve().parents[1] / "data/traces/philly.csv.gz"
GPUS, LIMIT = 512, 100
SIZES, LOADS = (10_000, 100_000, 1_000_000), (0.95, 1.2)
POLICIES = ("fifo", "sjf", "easy_backfill", "srtf", "las", "gittins", "time_slicing", "finish_time_fairness", "priority", "fair_share", "drf", "deadline",
            "elastic", "locality_relaxation", "conservative_backfill")
SCENARIO = """
workload: {{trace: {{file: {trace}}}}}
cluster:
  node_types: {{box: {{gpus: 8, gpu: V100-SXM2-16GB}}}}
  nodes: [{{name: n, type: box, count: {machines}}}]
  network: {{topology: star, link: 100GbE}}
scheduling: {{cluster: pool, policies: [{policy}]}}
"""


def jobs_of(count, load):
    """(submission, run time, GPUs, estimate), in order."""
    draw = random.Random(1)
    shapes = []
    for _ in range(count):
        gpus = 1
        while gpus < 64 and draw.random() < 0.4:
            gpus *= 2
        length = float(math.ceil(draw.lognormvariate(math.log(600), 1.5)))
        shapes.append((length, gpus, length * (1 + draw.random())))
    gap = sum(length * gpus for length, gpus, _ in shapes) / (GPUS * load) / count
    at, jobs = 0.0, []
    for length, gpus, estimate in shapes:
        jobs.append((round(at, 3), length, gpus, round(estimate, 3)))
        at += draw.expovariate(1 / gap)
    return jobs


def write_trace(jobs, path):
    with open(path, "w") as out:
        out.write("submit_s,duration_s,gpus,estimate_s\n")
        out.writelines(f"{at},{length},{gpus},{estimate}\n" for at, length, gpus, estimate in jobs)


def processor_seconds(arguments):
    """Of one process; nothing where it failed or reached the limit."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used if done.returncode in (0, 3) else None


def simulated(folder, trace, policy, files=False, times=1):
    """Of so many runs the shortest."""
    scenario = folder / "queue.yaml"
    scenario.write_text(SCENARIO.format(trace=trace, machines=GPUS // 8, policy=policy))

    def shortest(*arguments):
        seconds = [processor_seconds([SIMRUN, *arguments]) for _ in range(times)]
        return None if None in seconds else min(seconds)

    start = shortest("check", str(scenario))
    run = shortest(str(scenario), "-q", *(["-o", str(folder / "out")] if files else ["--no-files"]))
    return None if run is None or start is None else max(run - start, 1e-3)


def python_fifo(jobs):
    """The shortest loop that somebody would write; processor seconds and mean wait."""
    begin = time.process_time()
    free, now, waited, ends = GPUS, 0.0, 0.0, []
    for at, length, gpus, _ in jobs:
        now = max(now, at)
        while ends and ends[0][0] <= now:
            free += heapq.heappop(ends)[1]
        while free < gpus:
            now, back = heapq.heappop(ends)
            free += back
        waited += now - at
        free -= gpus
        heapq.heappush(ends, (now + length, gpus))
    return time.process_time() - begin, waited / len(jobs)


def accasim_fifo(jobs, folder):
    """Processor seconds of AccaSim's FIFO with first fit; GPUs are its cores. Nothing where it is not installed."""
    for name in ("Mapping", "MutableMapping", "Iterable", "Callable", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))  # it was written for Python before 3.10
    try:
        from accasim.base.allocator_class import FirstFit
        from accasim.base.scheduler_class import FirstInFirstOut
        from accasim.base.simulator_class import Simulator
    except ImportError:
        return None
    with open(folder / "jobs.swf", "w") as out:
        for number, (at, length, gpus, estimate) in enumerate(jobs, 1):
            out.write(f"{number} {int(at)} -1 {int(length)} {gpus} -1 -1 {gpus} {math.ceil(estimate)} -1 1 1 1 1 1 1 -1 -1\n")
    (folder / "machines.json").write_text(json.dumps({"groups": {"n": {"core": 8, "mem": 1}}, "resources": {"n": GPUS // 8}}))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        begin = time.process_time()
        Simulator("jobs.swf", "machines.json", FirstInFirstOut(FirstFit()), statistics_output=False, scheduling_output=False,
                  show_statistics=False).start_simulation()
        os.write(writer, str(time.process_time() - begin).encode())
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 100).decode()
    os.waitpid(child, 0)
    return float(answer) if answer else None


def row(what, jobs, load, seconds, note=""):
    figure = "more than limit" if seconds is None else f"{seconds:.3f}"
    print(f"{what:<34} {jobs:>10,} {load:>6} {figure:>16}  {note}".rstrip())


def main():
    policies = sys.argv[2:] or POLICIES
    print(f"# {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start; made by tests/bench/queue_growth.py; a run ends after {LIMIT} s")
    print(f"{'# policy':<34} {'jobs':>10} {'load':>6} {'processor s':>16}  exponent")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not sys.argv[2:]:
            trace = folder / "philly.csv"
            trace.write_bytes(gzip.decompress(PHILLY.read_bytes()))
            for policy, goal in (("fifo", 0.1), ("srtf", 0.3), ("easy_backfill", 0.3), ("las", 0.5)):
                row(f"philly, {policy}", 82_247, "", simulated(folder, trace, policy, times=5), f"goal {goal}")
                row(f"philly, {policy}, files and plots", 82_247, "", simulated(folder, trace, policy, files=True, times=5), f"goal {goal + 1}")
        for load in LOADS:
            traces = {}
            for count in SIZES:
                jobs = jobs_of(count, load)
                traces[count] = folder / f"{count}.csv"
                write_trace(jobs, traces[count])
                if not sys.argv[2:]:
                    seconds, wait = python_fifo(jobs)
                    row("fifo, a loop in plain Python", count, load, seconds, f"mean wait {wait:.6g} s")
                    if count == SIZES[0]:
                        peer = accasim_fifo(jobs, folder)
                        if peer is not None:
                            row("fifo, AccaSim", count, load, peer)
            for policy in policies:
                known = {}
                for count in SIZES:
                    seconds = simulated(folder, traces[count], policy, times=5 if count <= 10_000 else 1)
                    exponent = ""
                    if seconds is not None:
                        known[count] = seconds
                    if seconds is not None and len(known) > 1:
                        first = min(known)
                        exponent = f"{math.log(seconds / known[first]) / math.log(count / first):.2f}"
                    row(policy, count, load, seconds, exponent)
                    if seconds is None:
                        break


if __name__ == "__main__":
    main()
