# SPDX-License-Identifier: Apache-2.0
import collections
import re

from comparison import Broken, dotted, mean
from scenario_text import flat

SAYS = "Shares add up to one, nothing has two holders, no figure is negative, no share is above one, and times fit each other."

SHARE = re.compile(r"(^|\.)(utilisation|scaling_efficiency|goodput|busy|mfu|availability|fragmentation|jain|useful_share|stale|stale_share|share)(\.(mean|low|high|p50|p95|p99|max))?$")
MAY_BE_NEGATIVE = re.compile(r"(margin|slack|change|difference|gap|delta|priority|lateness)")
ROUNDING = 1e-6


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def chance(run, path):
    """What a share may reach: 1, and for the efficiency of a rate that is drawn the upper end of its interval."""
    if path[0] == "jobs" and path[-1] == "scaling_efficiency":
        rate = run.summary["jobs"][int(path[1])].get("samples_per_second")
        if isinstance(rate, dict) and rate["low"] > 0:
            return rate["mean"] / rate["low"]
    return 1


def of_summary(run):
    for path, value in run.figures.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        name = dotted(path)
        if value < -ROUNDING and not MAY_BE_NEGATIVE.search(name):
            return Broken(f"negative {path[-1]}", f"{name} is {value}")
        if SHARE.search(name) and value > chance(run, path) + ROUNDING:
            return Broken(f"above one {re.sub('[0-9.]+', '', name)}", f"{name} is {value}")
    return None


def of_table(run, name):
    rows = run.table(name)
    for row in rows or []:
        for column, text in row.items():
            value = number(text)
            if value is not None and value < -ROUNDING and column not in ("job", "point", "policy", "name", "group", "worker", "rank", "step") and not MAY_BE_NEGATIVE.search(column or ""):
                return Broken(f"negative {name} {column}", f"{name}: {column} is {text} in {row}")
    return None


def of_steps(run):
    """The parts of a step are the step."""
    for job in run.summary.get("jobs", []) if isinstance(run.summary.get("jobs"), list) else []:
        step = mean(job.get("step_s"))
        parts = [job.get(part) for part in ("compute_s", "host_s", "exposed_communication_s", "input_s", "wait_s")]
        if step and isinstance(job["step_s"], dict) and all(isinstance(part, (int, float)) for part in parts):
            # A mean over seeds beside the parts of one; without a barrier each worker has its own step.
            if abs(sum(parts) - step) > 0.02 * step and job.get("staleness_mean") in (None, 0, 0.0) and job["step_s"].get("low") == job["step_s"].get("high"):
                return Broken("parts of a step", f"{job['job']}: the parts add up to {sum(parts)}, the step takes {step}")
        if isinstance(job.get("finish_s"), (int, float)) and isinstance(job.get("start_s"), (int, float)):
            if job["finish_s"] < job["start_s"] - ROUNDING or job["start_s"] < (job.get("arrival_s") or 0) - ROUNDING:
                return Broken("times of a job", f"{job['job']}: arrival {job.get('arrival_s')}, start {job['start_s']}, finish {job['finish_s']}")
    return None


def of_jobs(run):
    """end = submission + waiting + time on GPUs; what ended has a start and an end."""
    for row in run.table("jobs.csv") or []:
        state, submit, start, end = row.get("state"), *(number(row.get(key)) for key in ("submit_s", "start_s", "end_s"))
        if state is None:
            continue
        if state == "finished" and (start is None or end is None):
            return Broken("finished without times", f"{row['job']}: {row}")
        if state in ("never started", "impossible") and row["out_of_memory"] == "0" and (start is not None or number(row["gpu_hours"])):
            return Broken("never started with a start", f"{row['job']}: {row}")
        if end is not None and (submit is None or start < submit - ROUNDING or end < start - ROUNDING):
            return Broken("times of a job", f"{row['job']}: submission {submit}, start {start}, end {end}")
        if end is not None and number(row["waiting_s"]) is not None and number(row["waiting_s"]) > end - submit + 1e-3:
            return Broken("waits longer than it is there", f"{row['job']}: {row}")
        lost, held = number(row["lost_gpu_hours"]), number(row["gpu_hours"])
        if lost is not None and held is not None and lost > held * (1 + 1e-4) + 1e-6:
            return Broken("more lost than held", f"{row['job']}: {lost} of {held} GPU-hours")
    return None


def held_at_once(rows, machines):
    """Who holds more of a machine than it has; [from, to) of runs.csv."""
    changes = collections.defaultdict(list)
    for row in rows:
        for part in re.split(r"[ ;]+", row["nodes"] or ""):
            found = re.fullmatch(r"(.+):([0-9.]+)", part)
            begin, end = number(row["from_s"]), number(row["to_s"])
            if found and begin is not None and end is not None and end > begin:
                changes[row.get("point"), row["policy"], found[1]] += [(begin, float(found[2])), (end, -float(found[2]))]
    for (point, policy, machine), list_ in changes.items():
        held = 0
        for time, change in sorted(list_):
            held += change
            if machine in machines and held > machines[machine] + 1e-4:
                return Broken("two holders", f"{policy}: {machine} has {machines[machine]} GPUs, and at {time} s {held:g} are held")
    return None


def machines_of(scenario):
    cluster = scenario.get("cluster", {})
    found = {}
    for group in cluster.get("nodes", []):
        kind = cluster["node_types"].get(group["type"], {})
        for i in range(group.get("count", 1)):
            found[f"{group['name']}-{i}"] = kind.get("gpus", 1) if kind.get("gpu") else 0
    return found


def of_services(run):
    """GPU-hours: all = held + idle + down, and held = its parts."""
    for point in run.summary.get("points", []) if isinstance(run.summary.get("points"), list) else []:
        hours = point.get("gpu_hours") if isinstance(point, dict) else None
        if not isinstance(hours, dict) or "held" not in hours:
            continue
        whole = sum(hours.get(part, 0) for part in ("held", "idle", "down"))
        if abs(whole - hours["capacity"]) > 1e-3 + 1e-4 * hours["capacity"]:
            return Broken("held, idle and down", f"{hours['capacity']} GPU-hours are {whole} held, idle or down: {hours}")
        parts = sum(value for part, value in hours.items() if part not in ("capacity", "held", "idle", "down"))
        if abs(parts - hours["held"]) > 1e-3 + 1e-3 * hours["held"]:
            return Broken("parts of what is held", f"of {hours['held']} GPU-hours held, {parts} are accounted for: {hours}")
    return None


def holds_what_fails(run):
    """A machine that is down is nobody's."""
    runs = run.table("runs.csv")
    for failure in run.table("failures.csv") or []:
        begin, end = number(failure["from_s"]), number(failure["to_s"])
        if begin is None or runs is None or ("gpu" in failure.get("failure", "")) or "link" in failure.get("failure", ""):
            continue
        down = set(re.split(r"[ ;]+", failure.get("nodes") or "")) - {""}
        for row in runs:
            on = {part.partition(":")[0] for part in re.split(r"[ ;]+", row["nodes"] or "")}
            first, last = number(row["from_s"]), number(row["to_s"])
            if (row["point"], row["policy"]) == (failure["point"], failure["policy"]) and on & down and first is not None and last is not None:
                if min(last, end or last) - max(first, begin) > 1e-3:
                    return Broken("holds what fails", f"{row['job']} holds {row['nodes']} from {first} to {last} s; {failure['failure']} fails from {begin} to {end} s")
    return None


def of_shares(run):
    """'a 12 (60 %), b 7.6 (38 %), free or down 0.4 (2 %)' of a text is a whole."""
    for text in (value for value in run.figures.values() if isinstance(value, str)):
        for line in text.splitlines():
            if line.startswith("of ") and "GPU-h" in line:
                shares = [float(share) for share in re.findall(r"(-?[0-9.]+) %", line)]
                if any(share < 0 for share in shares) or len(shares) > 2 and abs(sum(shares) - 100) > 0.6 * len(shares):
                    return Broken("shares of a text", line)
    return None


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if not run.accepted:
        return False
    names = sorted(path.name for path in run.folder.glob("*.csv"))
    several = any(path[0] == "sweep" or path[-1] in ("gpu_share", "gpu_milli", "space_sharing") for path, _ in flat(scenario))
    return (of_summary(run) or next((broken for name in names if (broken := of_table(run, name))), None) or of_steps(run) or of_jobs(run) or of_services(run) or holds_what_fails(run)
            or (None if several else held_at_once(run.table("runs.csv") or [], machines_of(scenario))) or of_shares(run))
