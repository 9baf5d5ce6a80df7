# SPDX-License-Identifier: Apache-2.0
from comparison import differences

SAYS = "The order of keys, and of lists whose order means nothing, decides nothing."

# The order of node types, and of kinds of failures in a map, is one of keys; that of nodes, jobs and fractions of jobs numbers things.
LISTS = [("faults",), ("faults", "list"), ("faults", "also"), ("slurm", "qos"), ("slurm", "associations"), ("kueue", "cohorts"), ("kueue", "cluster_queues"), ("sweep", "constraints"),
         ("scheduling", "nodes")]


def shuffled(value, random):
    if isinstance(value, dict):
        keys = list(value)
        random.shuffle(keys)
        # Which model a job draws: by the order of the map, since its names may decide nothing.
        return {key: value[key] if key == "models" and isinstance(value[key], dict) else shuffled(value[key], random) for key in keys}
    if isinstance(value, list):
        return [shuffled(inner, random) for inner in value]
    return value


def changed(scenario, random):
    sweep = scenario.pop("sweep", None)  # its keys are axes, in their order
    made = shuffled(scenario, random)
    for where in LISTS:
        if where[0] == "faults" and "services" in scenario:
            continue  # of two that hit one task at one instant the first counts it
        place = made
        for part in where[:-1]:
            place = place.get(part, {}) if isinstance(place, dict) else {}
        # A list whose items the sweep names by their numbers has an order.
        if isinstance(place, dict) and isinstance(place.get(where[-1]), list) and ".".join(where) + "." not in repr(sweep):
            random.shuffle(place[where[-1]])
    if sweep is not None:
        made["sweep"] = sweep
    # Machines are numbered in the order of their groups; types are not.
    return made if repr(made) != repr(scenario) else None


def HOLDS(before, after, note):
    return differences(before.figures, after.figures, 1e-12, skip=r"(^|\.)(notes|point|policy|label|duplicates|planner|trigger|placement)$")
