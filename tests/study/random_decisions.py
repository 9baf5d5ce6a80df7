#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random workloads x designs: no command prefers a design under which fewer jobs end, and what plan answers meets its goal again.

    python3 tests/study/random_decisions.py --simrun build/ci/bin/simrun --count 300 [--seed 1] [--keep FOLDER]

Each case is a queue of a few jobs (some ask for more GPUs, cores or memory than a machine has, some are killed or cut off, some depend on
others) and 2 to 5 designs (numbers of machines, their memory, policies). plan, compare, sweep and --assert are asked about the same designs.
The run of each design alone says how many of its jobs end. A contradiction is printed with the scenario; exit code 1.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile


def scenario(draw):
    gpus = draw.choice([2, 4, 8])
    memory, cores = draw.choice([64, 128, 256]), draw.choice([16, 32])
    jobs = []
    for i in range(draw.randint(2, 7)):
        tasks = draw.choice([0, 0, 1, 2])
        wanted = draw.choice([1, 1, 2, gpus, 2 * gpus, 3 * gpus])
        if tasks:
            wanted = max(tasks, wanted // tasks * tasks)
        job = {"name": f"j{i}", "gpus": wanted, "duration": f"{draw.randint(1, 12)} h", "submit": f"{draw.randint(0, 300)} min",
               "team": draw.choice(["a", "b"])}
        if tasks and wanted // tasks <= 32:
            job["tasks"] = tasks
            if draw.random() < 0.4:
                job["memory"] = f"{draw.choice([16, 100, 200, 300])} GiB"
        if draw.random() < 0.15:
            job["estimate"] = "90 min"
        jobs.append(job)
    text = "trainyard: 1\ncluster:\n"
    text += f"  node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: {gpus}, cpu_cores: {cores}, memory: {memory} GiB, price: {gpus} $/h}}}}\n"
    text += "  nodes: [{name: w, type: w, count: 1}]\n  network: {link: 25GbE}\nworkload:\n  jobs:\n"
    text += "".join("    - {" + ", ".join(f"{key}: {value}" for key, value in job.items()) + "}\n" for job in jobs)
    text += f"scheduling: {{policy: {draw.choice(['fifo', 'easy_backfill', 'srtf'])}"
    text += ", kill_at_estimate: true}\n" if draw.random() < 0.3 else "}\n"
    if draw.random() < 0.3:
        text += f"run: {{until: {draw.randint(6, 30)} h}}\n"
    return text


class Case:
    def __init__(self, simrun, folder):
        self.simrun, self.folder = simrun, folder

    def run(self, *arguments):
        done = subprocess.run([self.simrun, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr


def check(case, text, draw):
    """The contradictions of one scenario."""
    (case.folder / "q.yaml").write_text(text)
    nodes = sorted(draw.sample(range(1, 9), draw.randint(2, 5)))
    code, _, err = case.run("check", "q.yaml")
    if code == 2:
        raise ValueError(err)
    ended, jobs = {}, 0
    for count in nodes:
        code, out, err = case.run("run", "q.yaml", "--set", f"cluster.nodes.0.count={count}", "--no-files", "--json")
        policy = json.loads(out)["policies"][0]
        killed = policy.get("killed", 0)
        ended[count], jobs = policy["finished"] - killed, policy["jobs"]
    most = max(ended.values())
    values = ",".join(map(str, nodes))
    goal = draw.choice(["p95(waiting) < 3 h", "mean(jct) < 12 h", "p95(waiting) < 1 min", "max(queueing_delay) < 5 h", "utilisation > 5 %"])
    found = []
    code, out, err = case.run("plan", "q.yaml", "-g", goal, "-k", f"nodes={values}", "--no-files", "--json")
    if code not in (0, 3):
        return [f"plan ends with {code}: {err}"]
    answer = json.loads(out).get("answer")
    if answer:
        chosen = int(answer["settings"]["cluster.nodes.0.count"])
        if ended[chosen] < jobs:
            found.append(f"plan answers nodes={chosen}, where {ended[chosen]} of {jobs} jobs end")
        again, _, told = case.run("run", "q.yaml", "--set", f"cluster.nodes.0.count={chosen}", "--no-files", "--assert", goal)
        if again != 0:
            found.append(f"plan answers nodes={chosen}, and --assert '{goal}' ends with {again}: {told}")
    for count in nodes:
        again, _, told = case.run("run", "q.yaml", "--set", f"cluster.nodes.0.count={count}", "--no-files", "--assert", goal)
        if again == 0 and ended[count] < jobs:
            found.append(f"--assert '{goal}' is met at nodes={count}, where {ended[count]} of {jobs} jobs end")
        if again == 0 and answer is None:
            found.append(f"plan finds nothing, and --assert '{goal}' is met at nodes={count}")
        code, _, told = case.run("check", "q.yaml", "--set", f"cluster.nodes.0.count={count}")
        if code == 3 and again == 0:
            found.append(f"check ends with 3 at nodes={count}, and --assert with 0")
    _, out, _ = case.run("compare", "q.yaml", "--vary", f"nodes={values}", "--no-files", "--json")
    if out:
        for count in re.findall(r"nodes=(\d+) is best in \w", json.loads(out)["advice"]):
            if ended[int(count)] < most or ended[int(count)] < jobs:
                found.append(f"compare advises nodes={count}, where {ended[int(count)]} of {jobs} jobs end")
    _, out, _ = case.run("sweep", "q.yaml", "--grid", f"nodes={values}", "-o", "sweep.sqlite", "--fresh")
    for line in out.splitlines():
        row = re.match(r"\s*(\d+)\s+(\d+)\s", line)
        if row and int(row[2]) in ended and ended[int(row[2])] < jobs:
            found.append(f"sweep lists nodes={row[2]} among the best, where {ended[int(row[2])]} of {jobs} jobs end")
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--simrun", type=pathlib.Path, required=True)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=pathlib.Path, help="folder for the scenarios of contradictions")
    given = options.parse_args()
    bad = skipped = 0
    for number in range(given.count):
        draw = random.Random(given.seed * 100003 + number)
        text = scenario(draw)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check(Case(given.simrun.resolve(), pathlib.Path(folder)), text, draw)
            except ValueError as refused:
                skipped += 1
                print(f"case {number} was refused: {refused}", file=sys.stderr)
                continue
        for one in found:
            bad += 1
            print(f"case {number}: {one}\n{text}")
        if found and given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / f"case{number}.yaml").write_text(text)
    print(f"{given.count} cases, {skipped} refused, {bad} contradictions")
    return 1 if bad or skipped > given.count // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
