# SPDX-License-Identifier: Apache-2.0
import re

from comparison import differences
from generator import parsed
from scenario_text import flat, pattern
from shrink import with_value

SAYS = "A queue whose times are all doubled takes twice as long (times of policies included)."


def applies(scenario):
    policy = scenario.get("scheduling", {}).get("policy", "fifo")
    name = policy if isinstance(policy, str) else policy.get("name")
    known = ("fifo", "sjf", "srtf", "priority", "easy_backfill", "conservative_backfill", "drf", "ljf", "fair_share")
    return "workload" in scenario and not {"services", "task_environment", "sweep", "slurm", "kueue"} & set(scenario) and name in known and "policies" not in scenario.get("scheduling", {}) \
        and scenario.get("scheduling", {}).get("speed") != "step" and "generate" not in scenario["workload"] and "packing" not in scenario["workload"] \
        and not isinstance(policy, dict) and "mtbf" not in str(scenario.get("faults", "")) and "random" not in str(scenario.get("faults", ""))


def doubled(text):
    number = parsed(text, "duration")
    return None if number is None else f"{number * 2!r} s"


def changed(scenario, random):
    for path, value in list(flat(scenario)):
        name = pattern(path)
        if name.startswith("cluster") or not isinstance(value, str):
            continue
        if name.startswith("faults") and "@" in value:
            where, _, when = value.partition("@")
            at, _, lasts = when.partition("+")
            if not re.fullmatch(r"[0-9]+s", at) or not re.fullmatch(r"[0-9]+s", lasts):
                return None
            scenario = with_value(scenario, path, f"{where}@{2 * int(at[:-1])}s+{2 * int(lasts[:-1])}s")
        elif (twice := doubled(value)) is not None:
            scenario = with_value(scenario, path, twice)
    # A plan is extended by a time of its own where a job runs over its estimate.
    if any((parsed(job.get("estimate"), "duration") or 1e18) < (parsed(job.get("duration"), "duration") or 0) for job in scenario["workload"]["jobs"]):
        return None
    if "gpu_memory" in str(scenario["workload"]):
        return None  # who dies for lack of it does so after a time with a default
    durations = [job.get("duration") for job in scenario["workload"]["jobs"]]
    # Run times below 10 s count as 10 s in slowdowns.
    if any((parsed(duration, "duration") or 0) < 20 for duration in durations):
        return None
    return scenario


def HOLDS(before, after, note):
    def wanted(path, value):
        words = [part for part in path if isinstance(part, str)]
        time = any(word.endswith(("_s", "_hours", "_kWh", "_usd")) or word in ("gpu_hours", "waiting_job_hours_by_reason") for word in words)
        return 2 * value if time and isinstance(value, (int, float)) else value
    return differences(before.figures, after.figures, 1e-6, skip=r"seed|power", expected=wanted)
