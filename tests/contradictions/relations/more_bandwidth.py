# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import Broken, mean
from generator import parsed, quantity

SAYS = "Faster wires make no training step longer, be it twice the bandwidth or half the latency (2 %)."


def applies(scenario):
    network = scenario["cluster"].get("network", {})
    # Several jobs meet on a link in other moments where it is faster, for better or worse.
    if sum(job.get("copies", 1) for job in scenario.get("jobs", [])) != 1:
        return False
    # With a congestion control a faster wire may lose more of a small queue.
    return "jobs" in scenario and not {"workload", "sweep", "faults", "services", "task_environment"} & set(scenario) \
        and scenario.get("run", {}).get("fidelity") != "tcp" and not {"queue", "burst", "queue_packets"} & set(network)


def pairs(scenario):
    """Slower and faster."""
    for key, kind, usual, factor in (("bandwidth", "bandwidth", "10 Gbit/s", 2), ("latency", "duration", "100 us", 0.5)):
        slower = copy.deepcopy(scenario)
        network = slower["cluster"].setdefault("network", {})
        number = parsed(network.setdefault(key, usual), kind)
        if number:
            faster = copy.deepcopy(slower)
            faster["cluster"]["network"][key] = quantity(number * factor, kind)
            yield key, slower, faster


def check(simrun, scenario, random):
    tried = False
    for key, slower, faster in pairs(scenario):
        before, after = simrun.run(slower), simrun.run(faster)
        if not before.accepted or not after.accepted:
            continue
        tried = True
        for one, other in zip(before.summary["jobs"], after.summary["jobs"]):
            first, second = mean(one["step_s"]), mean(other["step_s"])
            if first and second and second > first * 1.02:
                values = [made["cluster"]["network"][key] for made in (slower, faster)]
                return Broken(key, f"job {one['job']}: with {key} {values[0]} a step takes {first} s, with {values[1]} {second} s")
    return None if tried else False
