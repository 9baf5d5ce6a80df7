# SPDX-License-Identifier: Apache-2.0
import re

from comparison import Broken

SAYS = "The table of a sweep says of each row which point it is: no two rows have the same labels."
WEIGHT = 0.5


def applies(scenario):
    return "grid" in scenario.get("sweep", {})


def check(simrun, scenario, random):
    if not simrun.run(scenario).accepted:
        return False
    grid = {key: values for key, values in scenario["sweep"]["grid"].items() if isinstance(values, list) and len(values) > 1}
    if not grid:
        return False
    shown = simrun.start("run", simrun.file(scenario), "--no-files", "--color", "never", "--progress", "none").out
    for key, values in grid.items():
        word = key.split(".")[-1].replace("_", " ")
        # A column with the last word of the path, or the values as they are given (7.0 may stand as 7).
        if re.search(rf"(^|  ){word}(  |$)", shown.replace("_", " "), re.MULTILINE):
            continue
        forms = [{str(value).lower() if isinstance(value, bool) else str(value), f"{value:.12g}" if isinstance(value, float) else str(value)} for value in values]
        if not all(any(re.search(rf"(?<![\w.]){re.escape(text)}(?![\w.])", shown) for text in of_value) for of_value in forms):
            return Broken("axis", f"nothing of the table says which value of {key} a row has")
    return None
