# SPDX-License-Identifier: Apache-2.0
from comparison import differences
from generator import UNITS, parsed
from scenario_text import flat
from shrink import with_value

SAYS = "A quantity in another unit is the same quantity."
WEIGHT = 0.5

FINER = {"duration": ("ms", 1e3), "bytes": ("B", 1), "bandwidth": ("B/s", 1)}


def changed(scenario, random):
    if "sweep" in scenario:
        return None
    found = []
    for path, value in flat(scenario):
        for kind, (unit, factor) in FINER.items():
            number = parsed(value, kind)
            if number and float(number * factor).is_integer() and not str(value).endswith(f" {unit}") and number * factor < 2**53:
                found.append((path, f"{int(number * factor)} {unit}"))
    if not found:
        return None
    for path, text in found:
        scenario = with_value(scenario, path, text)
    return scenario


def HOLDS(before, after, note):
    # A sum of binary fractions may differ in its last digit.
    return differences(before.figures, after.figures, 1e-9, skip=r"(^|\.)(notes|point|policy|label|duplicates|planner|trigger|placement)$")
