# SPDX-License-Identifier: Apache-2.0
"""The smallest scenario that still breaks a relation: keys and items are taken away, then values become simple."""
import copy
import re
import time

from scenario_text import flat


def at(value, path):
    for part in path:
        value = value[part]
    return value


def without(scenario, path):
    made = copy.deepcopy(scenario)
    del at(made, path[:-1])[path[-1]]
    return made


def with_value(scenario, path, value):
    made = copy.deepcopy(scenario)
    at(made, path[:-1])[path[-1]] = value
    return made


def places(value, path=()):
    """All maps, lists and values below, larger ones first on each way."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value) - 1, -1, -1):
            yield path + (key,)
            yield from places(value[key], path + (key,))


def simpler(value):
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [n for n in (1, 2, 4, 8, round(value)) if n < abs(value)]
    found = re.fullmatch(r"([0-9.eE+-]+) (\S+)", value) if isinstance(value, str) else None
    if found:
        number = float(found[1])
        return [f"{n} {found[2]}" for n in (1, 10, 100, int(float(f"{number:.1g}"))) if n < number or (n and n != number and n == int(float(f"{number:.1g}")))]
    return []


def size(scenario):
    return sum(1 for _ in flat(scenario)), len(str(scenario))


def smallest(scenario, fails, seconds):
    """@p fails(scenario): whether it still does."""
    end = time.monotonic() + seconds
    kept = {("trainyard",), ("workload", "generate", "jobs"), ("workload", "generate")}  # without them a scenario is larger

    def tried(made):
        return time.monotonic() < end and fails(made)

    again = True
    while again and time.monotonic() < end:
        again = False
        todo = sorted(places(scenario), key=len)
        while todo:
            path = todo.pop(0)
            if path in kept or path[-1] == "steps":
                continue
            try:
                made = without(scenario, path)
            except (KeyError, IndexError, TypeError):
                continue
            if tried(made):
                scenario = made
                again = True
                if isinstance(path[-1], int):
                    todo = sorted(places(scenario), key=len)
        for path, value in list(flat(scenario)):
            for other in simpler(value):
                made = with_value(scenario, path, other)
                if size(made) <= size(scenario) and made != scenario and tried(made):
                    scenario = made
                    again = True
                    break
    return scenario
