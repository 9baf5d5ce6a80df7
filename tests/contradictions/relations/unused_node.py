# SPDX-License-Identifier: Apache-2.0
from comparison import Broken, differences, mean

SAYS = "A machine that nobody can use changes no job: one without GPUs, at the end of the list, on a network without blocking."


def applies(scenario):
    network = scenario["cluster"].get("network", {})
    return ("jobs" in scenario or "workload" in scenario) and not {"sweep", "faults", "checkpoints", "services", "task_environment"} & set(scenario) and network.get("topology", "star") == "star"


def changed(scenario, random):
    modes = {job.get("training", {}).get("mode") for job in scenario.get("jobs", [])}
    if modes & {"parameter_server", "in_graph"} or "cpu" in str([job.get("training", {}).get("device") for job in scenario.get("jobs", [])]):
        return None  # servers go to machines without GPUs
    if any(job.get("gpus") == 0 for job in scenario.get("workload", {}).get("jobs", [])):
        return None
    scenario["cluster"]["node_types"]["spare"] = {"cpu_cores": 1, "memory": "1 GB"}
    scenario["cluster"]["nodes"].append({"name": "spare", "type": "spare"})
    return scenario


def HOLDS(before, after, note):
    # The price of the cluster and its means over machines may change; what jobs do may not.
    return differences(before.figures, after.figures, skip=r"(^|\.)(nodes|machines)|usd|price|network|fragmentation|power|energy|cpu|memory|seeds|top_links|(unfinished|smallest_change)$")  # and in words what the job that cannot run lacks
