#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other simulators on the same work in the same run: tests/bench/peers.py BENCHMARKS SIMRUN > results/bench/peers.txt

BENCHMARKS is the program of preset bench. Each line has the seconds of both, and how many times as long the other takes. SimGrid is the library that
`flow` and `step` use, here by programs that need nothing of ours (tests/bench/simgrid_*_peer.cpp); both answers must agree. AccaSim is measured where it is
installed (results/make_peers.sh installs it from PyPI). ASTRA-sim, SimAI, Batsim and Gavel are neither in Debian nor in PyPI."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import queue_growth


def benchmarks(program, names):
    """Elapsed seconds and counters by name; one process at a time, on one core."""
    done = subprocess.run([program, f"--benchmark_filter=^({'|'.join(names)})$", "--benchmark_format=json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    return {entry["name"]: (entry["real_time"] * unit[entry["time_unit"]], entry) for entry in json.loads(done.stdout)["benchmarks"]}


def line(work, ours, theirs, peer):
    ratio = f"{theirs / ours:.1f}" if theirs < 10 * ours else f"{theirs / ours:,.0f}"
    print(f"{work:<72} {ours:>10.4f} {theirs:>10.4f}  {ratio:>7}  {peer}")


def main():
    program, simrun = sys.argv[1:3]
    print(f"# {datetime.date.today()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; made by results/make_peers.sh")
    print(f"# {'work':<70} {'Trainyard':>10} {'peer':>10}  {'times':>7}  (seconds)")
    sys.stdout.flush()
    ring, ring_peer = "Ring_step/512/iterations:2/real_time", "Peer_SimGrid_callbacks/512/iterations:2/real_time"
    sizes = (1_000, 10_000)
    flows = {size: (f"Flows_fluid/{size}/real_time", f"Peer_SimGrid_flows/{size}/iterations:1/real_time") for size in sizes}
    found = benchmarks(program, [ring, ring_peer, *(name for pair in flows.values() for name in pair)])
    line("one ring all-reduce of 512 ranks, every message (step)", found[ring][0], found[ring_peer][0], "SimGrid, callbacks")
    for size, (ours, theirs) in flows.items():
        one, other = (found[name][1]["last_end_s"] for name in (ours, theirs))
        if abs(one - other) > 1e-6 * other:
            sys.exit(f"the last of {size} flows ends at {one} s and at {other} s: the peers do not do the same work")
        line(f"{size:,} random flows on a star of 1,024 hosts, each start and end (fluid)", found[ours][0], found[theirs][0], "SimGrid, one Comm each")
    queue_growth.SIMRUN = os.path.abspath(simrun)
    jobs = queue_growth.jobs_of(10_000, 0.95)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "10000.csv"
        queue_growth.write_trace(jobs, trace)
        ours = queue_growth.simulated(folder, trace, "fifo", times=5)
        theirs = queue_growth.accasim_fifo(jobs, folder)
    if theirs is None:
        print("FIFO queue of 10,000 jobs: AccaSim is not installed")
    else:
        line("FIFO queue of 10,000 jobs on 512 GPUs (processor time without reading)", ours, theirs, "AccaSim, first fit")


main()
