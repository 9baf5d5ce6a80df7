# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "A job alone in an empty queue starts at once, or when the policy looks, and takes its run time."


def applies(scenario):
    jobs = scenario.get("workload", {}).get("jobs")
    return bool(jobs) and not {"services", "task_environment", "sweep", "faults", "slurm", "kueue"} & set(scenario) and scenario.get("scheduling", {}).get("speed") != "step" \
        and "packing" not in scenario["workload"] and "policies" not in scenario.get("scheduling", {}) and "until" not in scenario.get("run", {})


def changed(scenario, random):
    job = random.choice(scenario["workload"]["jobs"])
    if "duration" not in job or "gpu_memory" in job or "min_gpus" in job or "max_gpus" in job or "deadline" in job or job.get("gpus") == 0:
        return None
    for key in ("copies", "array_limit", "after", "submit"):
        job.pop(key, None)
    job["name"] = "alone"
    scenario["workload"]["jobs"] = [job]
    scenario["workload"].pop("measured", None)
    scheduling = scenario.get("scheduling", {})
    if scheduling.get("kill_at_estimate"):
        return None
    for key in ("start_cost", "checkpoint_cost", "checkpoint_interval", "checkpoint_stall", "restart_cost", "policy_period"):
        scheduling.pop(key, None)
    return scenario


MAY_REFUSE = True
STATUS_MAY_DIFFER = True


def HOLDS(before, after, note):
    for row in after.table("jobs.csv") or []:
        if row["state"] == "finished" and abs(float(row["jct_s"]) - float(row["duration_s"])) > 1e-3 + float(row["queueing_delay_s"]):
            return Broken("jct_s", f"alone the job takes {row['jct_s']} s of its {row['duration_s']} s: {row}")
        if row["state"] in ("unfinished", "never started") and "than allowed" not in row["reason"]:  # a limit below one GPU
            return Broken("state", f"alone the job is {row['state']}: {row}")
    return None
