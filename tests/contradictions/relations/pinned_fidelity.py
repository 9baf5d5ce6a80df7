# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import Broken, mean

SAYS = "A shortcut gives what the whole simulation gives: one for all equal workers, the fidelity that is chosen (1 %)."


def applies(scenario):
    return "jobs" in scenario and not {"workload", "sweep", "services", "task_environment"} & set(scenario) and scenario.get("run", {}).get("fidelity") not in ("tcp", "closed_form", "step")


def others(scenario):
    """The same, simulated in full."""
    servers = [job for job in scenario["jobs"] if job.get("training", {}).get("mode") in ("parameter_server", "in_graph", "multi_tower")]
    if any(job["training"].get("one_represents_all", "auto") != "no" for job in servers):
        made = copy.deepcopy(scenario)
        for job in made["jobs"]:
            if job.get("training", {}).get("mode") in ("parameter_server", "in_graph", "multi_tower"):
                job["training"]["one_represents_all"] = "no"
        yield made
    fidelity = scenario.get("run", {}).get("fidelity", "flow")
    made = copy.deepcopy(scenario)
    made.setdefault("run", {})["fidelity"] = "fluid" if fidelity == "flow" else "flow"
    yield made


def check(simrun, scenario, random):
    before = simrun.run(scenario)
    if not before.accepted:
        return False
    for made in others(scenario):
        after = simrun.run(made)
        if fault := after.breakdown():
            return Broken("breaks", f"in full: {fault}")
        for one, other in zip(before.summary["jobs"], after.summary["jobs"] if after.accepted else []):
            first, second = mean(one["step_s"]), mean(other["step_s"])
            if first and second and abs(second - first) > 0.01 * max(first, second):
                way = "one_represents_all: no" if made.get("run") == scenario.get("run") else f"fidelity {made['run']['fidelity']}"
                return Broken(way.partition(":")[0], f"job {one['job']}: a step takes {first} s, with {way} {second} s")
    return None
