#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills.py SIMRUN [--moments 200] [--seed 1]: ends run, sweep, report and import with SIGKILL at random moments.

After each kill the target must be the earlier one or the new one, whole, and a file of the user beside it must be
there. A killed sweep must have kept every point that it told of, and go on to the same bytes as one that nobody killed.
What a killed program left under hidden names must be gone after the next run that ends.
"""
import argparse
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SCENARIO = """cluster:
  node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: 1}}}}
  nodes: [{{name: w, type: w, count: 8}}]
  network: {{link: 25GbE}}
jobs: [{{name: train, model: resnet50, workers: {workers}, batch_per_gpu: {batch}}}]
run: {{fidelity: fluid}}
"""
SWEEP = SCENARIO.format(workers=8, batch=32) + "sweep: {grid: {jobs.0.batch_per_gpu: {from: 1, to: 100}, jobs.0.workers: [1, 2, 3, 4, 5, 6, 7, 8]}}\n"
COMPOSE = "services:\n  train:\n    image: x\n    deploy: {{replicas: {replicas}, resources: {{reservations: {{devices: [{{capabilities: [gpu], count: 1}}]}}}}}}\n"


def contents(place):
    """Every byte of a file or folder; None where there is nothing."""
    if place.is_dir():
        return {str(file.relative_to(place)): file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}
    return place.read_bytes() if place.exists() else None


class Kills:
    def __init__(self, simrun, folder, seed):
        self.simrun, self.folder, self.random = simrun, folder, random.Random(seed)
        self.faults, self.rows = [], []

    def start(self, words):
        return subprocess.Popen([self.simrun, *words], cwd=self.folder, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def whole(self, words, expected=(0,)):
        begin = time.monotonic()
        process = self.start(words)
        if process.wait() not in expected:
            self.faults.append(f"{' '.join(words)}: exit code {process.returncode}")
        return time.monotonic() - begin

    def killed(self, words, seconds):
        """Whether it was killed, at a moment of its usual time: half of them in its last third, in which files are written."""
        least = 0 if self.random.random() < 0.5 else 0.66
        moment = self.random.uniform(least, 1) * seconds
        process = self.start(words)
        time.sleep(moment)
        ended = process.poll() is not None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        return not ended

    def litter(self):
        return sorted(str(one.name) for one in self.folder.iterdir() if one.name.startswith("."))

    def alternate(self, name, target, old, new, moments):
        """Commands that write two contents to one place."""
        target = self.folder / target
        seconds = max(self.whole(old), self.whole(old))
        first = contents(target)
        self.whole(new)
        second = contents(target)
        if first == second:
            self.faults.append(f"{name}: both commands write the same")
        if target.is_dir():
            (target / "notes.txt").write_text("mine")
            first["notes.txt"] = second["notes.txt"] = b"mine"
        counts = {"killed": 0, "earlier": 0, "new": 0, "left": 0}
        wanted, words = [first, second], [old, new]
        now = 1
        moment = 0
        while counts["killed"] < moments:
            moment += 1
            other = 1 - now
            counts["killed"] += self.killed(words[other], seconds)
            found = contents(target)
            if found == wanted[other]:
                counts["new"] += 1
                now = other
            elif found == wanted[now]:
                counts["earlier"] += 1
            else:
                self.faults.append(f"{name}, moment {moment}: the target is neither the earlier one nor the new one")
                self.whole(words[now])
            counts["left"] += bool(self.litter())
        self.whole(words[1 - now])
        if contents(target) != wanted[1 - now]:
            self.faults.append(f"{name}: a run after the kills writes something else")
        if self.litter():
            self.faults.append(f"{name}: {self.litter()} are left after a run that ended")
        self.rows.append((name, moment, counts["killed"], f"{counts['earlier']} earlier, {counts['new']} new",
                          f"{counts['left']} times hidden files, 0 after the next run"))

    def sweep(self, moments):
        (self.folder / "sweep.yaml").write_text(SWEEP)
        words = ["sweep", "sweep.yaml", "-o", "s.sqlite", "-j", "2"]
        file = self.folder / "s.sqlite"
        seconds = self.whole(words)
        reference = file.read_bytes()
        file.unlink()
        killed = kept = rounds = 0
        done = set()
        moment = 0
        while killed < moments:
            moment += 1
            killed += self.killed(words, seconds / 4)
            if file.exists() and file.stat().st_size > 0:
                connection = sqlite3.connect(file)  # rolls back what was under way, as any reader does
                try:
                    if connection.execute("pragma quick_check").fetchone()[0] != "ok":
                        self.faults.append(f"sweep, moment {moment}: the file is damaged")
                    table = connection.execute("select count(*) from sqlite_master where name = 'points'").fetchone()[0]
                    now = {row[0] for row in connection.execute("select id from points")} if table else set()
                except sqlite3.Error as error:
                    self.faults.append(f"sweep, moment {moment}: {error}")
                    now = done
                connection.close()
                if not done <= now:
                    self.faults.append(f"sweep, moment {moment}: {len(done - now)} points are lost")
                kept += len(now - done)
                done = now
            if len(done) == 800 or killed == moments:
                self.whole(words)
                rounds += 1
                if file.read_bytes() != reference:
                    self.faults.append(f"sweep, moment {moment}: other bytes than those of a sweep that nobody killed")
                left = [one.name for one in self.folder.glob("s.sqlite?*")] + self.litter()
                if left:
                    self.faults.append(f"sweep: {left} are left after it ended")
                file.unlink()
                done = set()
        self.rows.append(("sweep", moment, killed, f"{kept} points kept, 0 lost", f"{rounds} sweeps ended with the same bytes"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("simrun")
    parser.add_argument("--moments", type=int, default=200, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="run,report,import,sweep")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kills = Kills(str(pathlib.Path(arguments.simrun).resolve()), folder, arguments.seed)
        (folder / "a.yaml").write_text(SCENARIO.format(workers=4, batch=32))
        (folder / "b.yaml").write_text(SCENARIO.format(workers=8, batch=16))
        for file, replicas in (("a.compose.yml", 2), ("b.compose.yml", 3)):
            (folder / file).write_text(COMPOSE.format(replicas=replicas))
        wanted = arguments.only.split(",")
        if "run" in wanted:
            kills.alternate("run", "out", ["a.yaml", "-o", "out"], ["b.yaml", "-o", "out"], arguments.moments)
        if "report" in wanted:
            for file in "ab":
                kills.whole([f"{file}.yaml", "-o", file])
            kills.alternate("report", "r.html", ["report", "a", "-o", "r.html"], ["report", "b", "-o", "r.html"],
                            arguments.moments)
        if "import" in wanted:
            kills.alternate("import", "s.yaml", ["import", "a.compose.yml", "-o", "s.yaml", "--force"],
                            ["import", "b.compose.yml", "-o", "s.yaml", "--force"], arguments.moments)
        if "sweep" in wanted:
            kills.sweep(arguments.moments)
    print(f"{'command':8} {'starts':>7} {'killed':>6}  {'target after a kill':28} left behind")
    for name, starts, killed, target, left in kills.rows:
        print(f"{name:8} {starts:7} {killed:6}  {target:28} {left}")
    for fault in kills.faults[:50]:
        print("fault:", fault)
    print(f"{len(kills.faults)} faults (seed {arguments.seed})")
    return 1 if kills.faults else 0


if __name__ == "__main__":
    sys.exit(main())
