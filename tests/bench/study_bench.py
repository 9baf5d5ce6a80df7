#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of sweeps and plans: tests/bench/study_bench.py SIMRUN > results/bench/study.txt

Wall and CPU seconds of: points that do almost nothing, 10,000 to 1,000,000 of them with the memory of the largest process, over MPI with many more
ranks than cores, and in shards that are put together; a plan over 5,040 designs of 6 knobs with a trace of 2,000 jobs; a sweep of 200 points of
about 0.2 s with one process, two, and two MPI workers."""
import gzip
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.stdout.reconfigure(line_buffering=True)  # a long run shows how far it is

SIMRUN = os.path.abspath(sys.argv[1])
PHILLY = pathlib.Path(__file__).resolve().parents[1] / "data/traces/philly.csv.gz"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]

TRAINING = """
cluster:
  node_types: {worker: {gpu: V100-SXM2-16GB, gpus: 1}}
  nodes: [{name: worker, type: worker, count: 64}]
  network: {link: 25GbE}
jobs: [{name: train, model: %s, batch_per_gpu: 32, workers: %d, training: {mode: all_reduce%s}}]
run: {fidelity: %s}
"""


def run(words, folder):
    """Wall seconds, CPU seconds of all processes, MiB of the largest one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.time()
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall = time.time() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024, done.stdout


def many_ranks(folder, ranks, points):
    """Of a sweep of points that do almost nothing, over MPI with many more ranks than cores: processor milliseconds a point of rank 0, which hands
    out the points and writes the file, and of all."""
    script = folder / "master.sh"
    script.write_text('#!/bin/bash\n"$@" || exit\ntimes > master.times\n')
    script.chmod(0o755)
    sweep = [SIMRUN, "sweep", "e.yaml", "-q", "--mpi", "-o", f"ranks{ranks}.sqlite", "--grid", f"jobs.0.steps=1..{points}"]
    try:
        wall, cpu, _, _ = run([*MPIRUN, "-np", "1", str(script), *sweep, ":", "-np", str(ranks - 1), *sweep], folder)
    except FileNotFoundError:
        return print("no mpirun")
    master = sum(float(time.split("m")[0]) * 60 + float(time.split("m")[1].rstrip("s")) for time in (folder / "master.times").read_text().split("\n")[1].split())
    print(f"{points:,} points that do almost nothing, mpirun -np {ranks} on {os.cpu_count()} cores: {wall:.1f} s wall, {1000 * cpu / points:.2f} ms CPU "
          f"a point, of it {1000 * master / points:.3f} ms at rank 0")


def merged(folder, shards, points):
    """The same in shards, without a master: what putting them together costs."""
    grid = ["--grid", f"jobs.0.steps=1..{points}"]
    for shard in range(shards):
        run([SIMRUN, "sweep", "e.yaml", "-q", "-j", "2", "-o", "part.sqlite", "--shard", f"{shard}/{shards}", *grid], folder)
    files = sorted(str(file) for file in folder.glob("part.shard-*.sqlite"))
    wall, cpu, most, _ = run([SIMRUN, "merge", *files, "-o", "merged.sqlite"], folder)
    size = (folder / "merged.sqlite").stat().st_size
    print(f"simrun merge of {shards} shards with {points:,} points: {wall:.2f} s wall, {1e6 * cpu / points:.1f} us CPU and {size / points:.0f} bytes a point, "
          f"{most:.0f} MiB")


def many_points(folder, points):
    wall, cpu, most, _ = run([SIMRUN, "sweep", "e.yaml", "-q", "-j", "2", "-o", f"e{points}.sqlite", "--grid", f"jobs.0.steps=1..{points}"], folder)
    size = (folder / f"e{points}.sqlite").stat().st_size / 1e6
    count = sqlite3.connect(folder / f"e{points}.sqlite").execute("select count(*), sum(status = 'done') from points").fetchone()
    print(f"{points:,} points, 2 processes: {wall:.0f} s wall, {cpu:.0f} s CPU, {1000 * cpu / points:.2f} ms CPU a point; the largest process so far "
          f"{most:.0f} MiB; file {size:.0f} MB, {count[1]:,} of {count[0]:,} done")


def main():
    print(f"# Made by: tests/bench/study_bench.py; load of the machine at the start {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("# if the load is above 1, other work runs too: then compare CPU seconds, not wall times")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "e.yaml").write_text(TRAINING % ("one_tensor", 1, "", "closed_form"))
        start, _, _, _ = run([SIMRUN, "sweep", "e.yaml", "-q", "-j", "1", "-o", "e1.sqlite", "--grid", "jobs.0.steps=1..2"], folder)
        wall, cpu, _, _ = run([SIMRUN, "sweep", "e.yaml", "-q", "-j", "1", "-o", "e2.sqlite", "--grid", "jobs.0.steps=1..4000"], folder)
        print(f"4,000 points that do almost nothing (read, checked, one worker by formula, written), 1 process: {wall:.2f} s wall, "
              f"{cpu:.2f} s CPU, {1000 * cpu / 4000:.2f} ms CPU a point; start {start:.2f} s")
        lines = gzip.decompress(PHILLY.read_bytes()).decode().splitlines()
        (folder / "t2000.csv").write_text("\n".join(lines[:1] + lines[30000:32000]) + "\n")
        (folder / "big.yaml").write_text("""
cluster:
  node_types: {machine: {gpu: V100-SXM2-16GB, gpus: 8}}
  nodes: [{name: machine, type: machine, count: 16}]
  network: {link: 25GbE}
workload: {trace: {file: t2000.csv}}
""")
        wall, cpu, most, out = run([SIMRUN, "plan", "big.yaml", "-q", "-j", "2", "-g", "p95(queueing_delay) < 1 h", "--prices", "on_premises",
                                    "-k", "cluster.nodes.0.count=4..38", "-k", "cluster.node_types.machine.gpus=4,8",
                                    "-k", "cluster.network.link=25GbE,100GbE", "-k", "scheduling.policy=fifo,easy_backfill,sjf,srtf",
                                    "-k", "scheduling.placement=first_fit,best_fit,spread", "-k", "scheduling.start_cost=0,30,120 s",
                                    "--no-files"], folder)
        print(f"plan, 6 knobs, 5,040 designs, 2,000 jobs of philly.csv, 2 processes: {wall:.0f} s wall, {cpu:.0f} s CPU "
              f"({cpu / 2:.0f} s on 2 free cores)")
        for line in out.splitlines()[:5]:
            print("  " + line)
        for points in (10_000, 100_000, 1_000_000):
            many_points(folder, points)
        merged(folder, 16, 16_000)
        for ranks in (3, 9, 33):
            many_ranks(folder, ranks, 10_000)
        (folder / "p.yaml").write_text(TRAINING % ("resnet50", 64, ", collective: ring", "step"))
        points = ["--grid", "jobs.0.batch_per_gpu=1..50", "--grid", "jobs.0.workers=61..64"]
        pool = {}
        for j in ("1", "2"):
            wall, cpu, _, _ = run([SIMRUN, "sweep", "p.yaml", "-q", "-j", j, "-o", f"pool{j}.sqlite", *points], folder)
            pool[j] = wall
            print(f"200 points, {j} process{'es' if j == '2' else ''}: {wall:.1f} s wall, {cpu:.1f} s CPU, {cpu / 200:.3f} s CPU a point")
        print(f"speed-up of two processes: {pool['1'] / pool['2']:.2f}")
        try:
            wall, cpu, _, _ = run([*MPIRUN, "-np", "3", SIMRUN, "sweep", "p.yaml", "-q", "--mpi", "-o", "mpi.sqlite", *points], folder)
            print(f"200 points, mpirun -np 3 (2 compute): {wall:.1f} s wall, {cpu:.1f} s CPU; {wall / pool['2']:.2f} of the pool's wall time")
        except FileNotFoundError:
            print("no mpirun")

main()
