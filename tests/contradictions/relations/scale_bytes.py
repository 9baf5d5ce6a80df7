# SPDX-License-Identifier: Apache-2.0
from comparison import Broken, mean
from generator import parsed
from scenario_text import flat, pattern
from shrink import with_value

SAYS = "A retraining with twice the data over links twice as fast takes as long."


def applies(scenario):
    return "task_environment" in scenario and not {"workload", "services", "sweep", "jobs"} & set(scenario)


def changed(scenario, random):
    environment = scenario["task_environment"]
    made = False
    for part, key, usual in (("upload", "bandwidth", "1 Gbit/s"), ("save", "bandwidth", "1 GB/s"), ("download", "bandwidth", "1 Gbit/s")):
        environment.setdefault(part, {}).setdefault(key, usual)
    for path, value in list(flat(scenario)):
        if path[0] != "task_environment" or not isinstance(value, str):
            continue
        for kind, unit in (("bytes", "B"), ("bandwidth", "B/s")):
            number = parsed(value, kind)
            if number is not None:
                scenario = with_value(scenario, path, f"{number * 2!r} {unit}")
                made = True
    return scenario if made else None


def HOLDS(before, after, note):
    from comparison import differences
    def wanted(path, value):
        bytes_ = isinstance(path[-1], str) and path[-1].endswith("_B")
        return 2 * value if bytes_ and isinstance(value, (int, float)) else value
    return differences(before.figures, after.figures, 1e-6, skip=r"Bps", expected=wanted)
