# SPDX-License-Identifier: Apache-2.0
from comparison import Broken, mean

SAYS = "One job alone on a network that nobody shares: the closed form and the simulation agree (15 %: the form knows no overlap of single messages)."


def applies(scenario):
    jobs = scenario.get("jobs", [])
    return len(jobs) == 1 and not {"workload", "sweep", "faults", "checkpoints"} & set(scenario) and jobs[0].get("training", {}).get("mode", "all_reduce") in ("all_reduce", "one_collective") \
        and "parallel" not in jobs[0].get("training", {}) and "copies" not in jobs[0]


def changed(scenario, random):
    run = scenario.setdefault("run", {})
    if run.get("fidelity") in ("tcp", "closed_form", "step"):
        return None
    run["fidelity"] = "closed_form"
    return scenario


MAY_REFUSE = True


def HOLDS(before, after, note):
    for one, other in zip(before.summary["jobs"], after.summary["jobs"]):
        first, second = mean(one["step_s"]), mean(other["step_s"])
        if first and second and abs(first - second) > 0.15 * max(first, second):
            return Broken("step_s", f"a step takes {first} s simulated, {second} s by the closed form")
    return None
