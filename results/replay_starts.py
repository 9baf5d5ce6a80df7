#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often jobs start within their predicted interval: python3 results/replay_starts.py LOG.swf[.gz] [SIMRUN] [MOMENTS]

At moments (14) of the log's second half, `simrun replay` gets the jobs that had ended by then, and the queue as it stood; the next job is
submitted. Printed is how many of the submitted and of up to 12 waiting jobs started within their 80 % interval, and how many earlier and later.
"""
import datetime
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile


def read(path):
    text = (gzip.open(path, "rt") if path.endswith(".gz") else open(path)).read()
    head = [line for line in text.splitlines() if line.startswith(";")]
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith(";")]
    return head, [row for row in rows if float(row[2]) >= 0 and float(row[3]) > 0]


def clock(seconds):
    seconds = int(seconds)
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def date(seconds):
    return (datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=int(seconds))).isoformat()


def size(row):
    return int(row[7]) if int(row[7]) > 0 else int(row[4])


def main():
    path, simrun = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/release/bin/simrun"
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 14
    head, rows = read(path)
    jobs = [(float(row[1]), float(row[1]) + float(row[2]), float(row[1]) + float(row[2]) + float(row[3]), row) for row in rows]
    first, last = jobs[0][0], jobs[-1][0]
    counts = {"submitted": [0, 0, 0], "waiting": [0, 0, 0]}  # earlier, within, later
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for moment in range(moments):
            now = first + (last - first) * (0.5 + 0.5 * (moment + 0.5) / moments)
            ended = [job for job in jobs if job[2] <= now]
            running = [job for job in jobs if job[1] <= now < job[2]]
            waiting = [job for job in jobs if job[0] <= now < job[1]]
            submitted = next((job for job in jobs if job[0] > now), None)
            if submitted is None:
                continue
            asked = waiting[::max(1, len(waiting) // 12)]
            (folder / "log.swf").write_text("\n".join([*head, *(" ".join(job[3]) for job in ended)]) + "\n")
            queue = ["JOBID|USER|STATE|TIME|TIME_LIMIT|CPUS|SUBMIT_TIME|START_TIME"]
            limit = lambda job: float(job[3][8]) if float(job[3][8]) > 0 else job[2] - job[1]
            for number, job in enumerate(running):
                queue.append(f"r{number}|{job[3][11]}|RUNNING|{clock(now - job[1])}|{clock(limit(job))}|{size(job[3])}|{date(job[0])}|{date(job[1])}")
            for number, job in enumerate(waiting):
                queue.append(f"w{number}|{job[3][11]}|PENDING|0:00|{clock(limit(job))}|{size(job[3])}|{date(job[0])}|N/A")
            (folder / "queue.txt").write_text("\n".join(queue) + "\n")
            done = subprocess.run([simrun, "replay", folder / "log.swf", "--pending", folder / "queue.txt", "--submit",
                                   f"gpus={size(submitted[3])}, limit={limit(submitted)} s", "--no-files", "--json", "--progress=none"],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            starts = {row["job"]: row for row in json.loads(done.stdout)["starts"]}
            for number, job in [(None, submitted), *((waiting.index(job), job) for job in asked)]:
                row = next(iter(starts.values())) if number is None else starts.get(f"w{number}")
                if row is None:
                    continue
                real = job[1] - (job[0] if number is None else now)
                low, high = row["low_s"], row["high_s"] if row["high_s"] is not None else float("inf")
                counts["submitted" if number is None else "waiting"][0 if real < low - 60 else 2 if real > high + 60 else 1] += 1
    for name, (earlier, within, later) in counts.items():
        print(f"{name}: {within} of {earlier + within + later} within their 80 % interval, {earlier} earlier, {later} later")


main()
