# SPDX-License-Identifier: Apache-2.0
import math

from comparison import Broken
from generator import parsed

SAYS = "Generated jobs come and last as the scenario says, on the mean (5 standard errors)."
WEIGHT = 0.5


def applies(scenario):
    generate = scenario.get("workload", {}).get("generate")
    return isinstance(generate, dict) and not {"sweep", "services", "task_environment"} & set(scenario) and generate.get("arrivals", "poisson") == "poisson" and "packing" not in scenario["workload"] \
        and "measured" not in scenario["workload"]


def check(simrun, scenario, random):
    generate = scenario["workload"]["generate"]
    generate["jobs"] = 400
    # Nobody waits long for the end of the others: only what is generated is read.
    scenario["scheduling"] = {"policy": "fifo", "cluster": "pool"}
    for part in ("slurm", "kueue", "faults", "jobs", "storage"):
        scenario.pop(part, None)
    scenario["workload"].pop("models", None)
    run = simrun.run(scenario)
    if not run.accepted:
        return False
    rows = run.table("jobs.csv")
    if not rows or len(rows) != 400:
        return False
    sigma = generate.get("duration_sigma", 1.5)
    median = parsed(generate.get("median_duration", "1 h"), "duration")
    gap = parsed(generate.get("mean_interarrival", "60 s"), "duration")
    durations = [math.log(float(row["duration_s"])) for row in rows if float(row["duration_s"]) > 1]
    submits = sorted(float(row["submit_s"]) for row in rows)
    # A duration has at least one second.
    error = sum(durations) / len(durations) - math.log(median)
    if median > 60 * math.exp(2 * sigma) and abs(error) > 5 * sigma / math.sqrt(len(durations)) + 0.01:
        return Broken("durations", f"the median of the run times is {math.exp(error) * median:.0f} s, {median:.0f} s were asked for")
    found = (submits[-1] - submits[0]) / (len(submits) - 1)
    if gap > 10 and abs(found / gap - 1) > 5 / math.sqrt(len(submits)):
        return Broken("gaps", f"the mean time between submissions is {found:.0f} s, {gap:.0f} s were asked for")
    sizes = {int(size): share for size, share in generate.get("gpus", {1: 0.7, 2: 0.1, 4: 0.1, 8: 0.1}).items()}
    whole = sum(sizes.values())
    for size, share in sizes.items():
        expected, counted = share / whole, sum(int(row["gpus"]) == size for row in rows) / len(rows)
        if abs(counted - expected) > 5 * math.sqrt(expected * (1 - expected) / len(rows)) + 1e-9:
            return Broken("sizes", f"{counted:.1%} of the jobs ask for {size} GPUs, {expected:.1%} were asked for")
    return None
