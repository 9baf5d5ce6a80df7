#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives golden_fifo_srtf.csv again, by plain loops that share nothing with the simulator: tests/data/traces/reference_loops.py

Prints each case with its mean completion time, mean wait and makespan. Exit code 1: a figure differs from that of the table."""
import csv
import datetime
import gzip
import heapq
import pathlib
import sys
from collections import deque

HERE = pathlib.Path(__file__).resolve().parent


def jobs_of(trace):
    """(seconds since the first submission, GPUs, duration) in order of submission; equal times in the order of the file, or of ph_N."""
    with gzip.open(HERE / "philly.csv.gz", "rt", newline="") as table:
        rows = [(datetime.datetime.fromisoformat(row["timestamp"]), int(row["num_gpus"]), int(row["duration"]))
                for row in csv.DictReader(table)]
    if trace.startswith("ph_"):
        rows = sorted(row for row in rows if row[0] >= datetime.datetime(2017, 10, 1))[:int(trace[3:])]
    first = min(row[0] for row in rows)
    return sorted(((int((time - first).total_seconds()), gpus, duration) for time, gpus, duration in rows), key=lambda job: job[0])


def fifo(jobs, free):
    queue, running, i, completion, wait, now = deque(), [], 0, 0, 0, 0
    while i < len(jobs) or running:
        now = min(jobs[i][0] if i < len(jobs) else running[0][0], running[0][0] if running else jobs[i][0])
        while running and running[0][0] == now:  # ends first
            free += heapq.heappop(running)[1]
        while i < len(jobs) and jobs[i][0] == now:  # then arrivals
            queue.append(jobs[i])
            i += 1
        while queue and queue[0][1] <= free:  # then starts, of the head only
            submit, gpus, duration = queue.popleft()
            free -= gpus
            heapq.heappush(running, (now + duration, gpus))
            completion += now + duration - submit
            wait += now - submit
    return completion / len(jobs), wait / len(jobs), now


def srtf(jobs, gpus):
    active, i, now, completion = [], 0, 0, 0
    while i < len(jobs) or active:
        if not active:
            now = max(now, jobs[i][0])
        while i < len(jobs) and jobs[i][0] <= now:
            active.append([jobs[i][2], i])
            i += 1
        active.sort()  # by remaining time, then order of submission
        free, running = gpus, []
        for job in active:
            if jobs[job[1]][1] <= free:  # who does not fit is passed by
                free -= jobs[job[1]][1]
                running.append(job)
        later = min([now + job[0] for job in running] + ([jobs[i][0]] if i < len(jobs) else []))
        for job in running:
            job[0] -= later - now
        now = later
        for job in running:
            if job[0] == 0:
                completion += now - jobs[job[1]][0]
                active.remove(job)
    return completion / len(jobs), None, now


def main():
    same = True
    with open(HERE / "golden_fifo_srtf.csv", newline="") as table:
        for row in csv.DictReader(table):
            jobs = jobs_of(row["trace"])
            completion, wait, makespan = (fifo if row["policy"].startswith("fifo") else srtf)(jobs, int(row["gpus"]))
            found = [str(len(jobs)), f"{completion:.6f}", "" if wait is None else f"{wait:.6f}", str(makespan)]
            print(row["trace"], row["policy"], row["gpus"], "GPUs:", *found)
            same = same and found == [row[name] for name in ("jobs", "avg_jct_s", "avg_wait_s", "makespan_s")]
    return 0 if same else 1


sys.exit(main())
