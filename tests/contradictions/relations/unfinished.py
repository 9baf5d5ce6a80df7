# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import Broken
from generator import parsed

SAYS = "What has not ended meets no goal and has no time of its end: not at the end of the run, not after more of it."
WEIGHT = 0.6


def applies(scenario):
    return "sweep" not in scenario and ("workload" in scenario or "jobs" in scenario) and not {"services", "task_environment"} & set(scenario) and "packing" not in scenario.get("workload", {})


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if not run.accepted:
        return False
    if "workload" in scenario:
        rows = run.summary.get("policies") or []
        if len(rows) != 1 or rows[0].get("finished") != 0:
            return False
        for goal in ("jct < 1e9 s", "p95(jct) < 1e9 s", "makespan < 1e9 s"):
            told = simrun.run(scenario, "--assert", goal)
            if told.status == 0:
                return Broken("met", f"no job has ended, and '{goal}' is met")
        return None
    if not {"faults", "checkpoints"} & set(scenario) or len(scenario["jobs"]) != 1:
        return False
    job = run.summary["jobs"][0]
    time = parsed(scenario.get("checkpoints", {}).get("time", "30 d"), "duration")
    if job.get("finish_s") is None or time is None:
        return None
    longer = copy.deepcopy(scenario)
    longer.setdefault("checkpoints", {})["time"] = f"{2 * time!r} s"
    later = simrun.run(longer)
    if later.accepted and abs(job["finish_s"] - time) < 1e-3 * time:
        finish = later.summary["jobs"][0].get("finish_s")
        if finish is None or finish > 1.5 * job["finish_s"]:
            return Broken("finish_s", f"done after {job['finish_s']} s, the time that is simulated; with twice the time after {finish} s")
    return None
