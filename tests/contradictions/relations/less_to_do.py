# SPDX-License-Identifier: Apache-2.0
from comparison import Broken, mean

SAYS = "Less to do makes no step longer: no slow worker, no overhead, no limit of a server (2 %)."


def applies(scenario):
    return "jobs" in scenario and not {"workload", "sweep", "faults"} & set(scenario)


def changed(scenario, random):
    job = random.choice(scenario["jobs"])
    ways = [key for key in ("stragglers", "jitter", "input") if key in job]
    if any(one.get("slow_down", 2) < 1 for one in job.get("stragglers", [])):
        ways.remove("stragglers")  # it is faster than the others
    training = job.get("training", {})
    ways += [key for key in ("step_overhead", "overhead_per_tensor", "message_cpu", "collective_start_up", "staging_per_GB", "contention_per_GB", "launch_time", "server_rate", "connection_rate",
                             "update_bandwidth", "aggregate_bandwidth", "staging_bandwidth") if key in training]
    if not ways:
        return None
    way = random.choice(ways)
    if way.endswith(("_rate", "_bandwidth")):
        training[way] = "1000 GB/s"  # without it the limit is that of the transport
    else:
        (job if way in job else training).pop(way)
    return scenario


def HOLDS(before, after, note):
    for one, other in zip(before.summary["jobs"], after.summary["jobs"]):
        first, second = mean(one["step_s"]), mean(other["step_s"])
        if first and second and second > first * 1.02:
            return Broken("step_s", f"job {one['job']}: a step takes {first} s, with less to do {second} s")
    return None
