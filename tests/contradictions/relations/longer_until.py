# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "What has ended by a time has ended so, however long the run goes on; what has not ended has no end."


def applies(scenario):
    return "workload" in scenario and "until" in scenario.get("run", {}) and not {"sweep", "services", "task_environment"} & set(scenario) and "packing" not in scenario["workload"]


def changed(scenario, random):
    scenario["run"]["until"] = "3000 d"
    return scenario


MAY_REFUSE = True
STATUS_MAY_DIFFER = True


def HOLDS(before, after, note):
    first, second = before.table("jobs.csv"), after.table("jobs.csv")
    if first is None or second is None:
        return False
    for one, other in zip(first, second):
        if one["state"] in ("finished", "killed") and (one["start_s"], one["end_s"], one["gpu_hours"]) != (other["start_s"], other["end_s"], other["gpu_hours"]):
            return Broken("ended", f"job {one['job']} ends at {one['end_s']} s, in a longer run at {other['end_s']} s")
        if one["state"] in ("unfinished", "never started") and one["end_s"]:
            return Broken("not ended", f"job {one['job']} is {one['state']}, and ends at {one['end_s']}")
    return None
