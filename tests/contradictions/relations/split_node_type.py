# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import differences

SAYS = "Two equal node types are one: machines of half of a type under another name decide nothing."


def changed(scenario, random):
    if "sweep" in scenario:
        return None
    cluster = scenario["cluster"]
    group = random.choice(cluster["nodes"])
    if sum(other["type"] == group["type"] for other in cluster["nodes"]) < 2 and len(cluster["nodes"]) > 1:
        return None  # it would be a new name alone: relation rename
    old = group["type"]
    cluster["node_types"]["twin"] = copy.deepcopy(cluster["node_types"][old])
    if group.get("count", 1) > 1 and len(cluster["nodes"]) == 1:
        return None  # machines would have other names
    group["type"] = "twin"
    return scenario, old


def HOLDS(before, after, old):
    figures = {path: value.replace("twin", old) if isinstance(value, str) else value for path, value in after.figures.items()}
    return differences(before.figures, figures)
