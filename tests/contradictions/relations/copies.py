# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import Broken

SAYS = "Copies of a job in a queue are as many jobs written one by one."


def applies(scenario):
    jobs = scenario.get("workload", {}).get("jobs", [])
    return any(job.get("copies", 1) > 1 and "array_limit" not in job and "name" in job for job in jobs) and not {"sweep", "services", "task_environment"} & set(scenario) \
        and "policies" not in scenario.get("scheduling", {})


def changed(scenario, random):
    made = []
    for job in scenario["workload"]["jobs"]:
        if job.get("copies", 1) > 1 and "array_limit" not in job and "name" in job:
            for i in range(job["copies"]):
                made.append({**{key: copy.deepcopy(value) for key, value in job.items() if key != "copies"}, "name": f"{job['name']}-{i}"})
        else:
            made.append(job)
    scenario["workload"]["jobs"] = made
    return scenario


MAY_REFUSE = True


def HOLDS(before, after, note):
    first, second = before.table("jobs.csv"), after.table("jobs.csv")
    if first is None or second is None:
        return False
    if len(first) != len(second):
        return Broken("jobs", f"{len(first)} jobs as copies, {len(second)} one by one")
    for one, other in zip(first, second):
        where = next((key for key in one if one[key] != other[key] and key != "queue"), None)
        if where:
            return Broken(where, f"job {one['job']}: {where} is {one[where]} as a copy, {other[where]} by itself")
    return None
