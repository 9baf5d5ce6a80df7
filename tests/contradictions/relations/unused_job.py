# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "A job that comes when all others have ended changes none of them."


def applies(scenario):
    # gittins knows how long the jobs of the workload take, all of them.
    return "gittins" not in str(scenario.get("scheduling")) and "workload" in scenario and "jobs" in scenario["workload"] and not {"services", "task_environment", "sweep", "slurm", "kueue"} & set(scenario) and "until" not in scenario.get("run", {}) \
        and not {"packing", "measured"} & set(scenario["workload"]) and "policies" not in scenario.get("scheduling", {}) and scenario.get("scheduling", {}).get("speed") != "step"


def changed(scenario, random):
    scenario["workload"]["jobs"].append({"name": "the_last", "submit": "2000 d", "duration": "1 h", "gpus": 1})
    return scenario


def HOLDS(before, after, note):
    first, second = before.table("jobs.csv"), after.table("jobs.csv")
    if first is None or second is None:
        return False
    ended = [row for row in first if row["state"] == "finished"]
    others = [row for row in second if row["job"] != "the_last"]
    if len(ended) < len(first):
        return False  # the last job may wait behind one that never ends, and repairs go on
    for one, other in zip(first, others):
        if one != other:
            where = next(key for key in one if one[key] != other[key])
            return Broken(where, f"job {one['job']}: {where} is {one[where]}, with a later job {other[where]}")
    return None
