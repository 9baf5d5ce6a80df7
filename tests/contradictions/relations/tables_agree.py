# SPDX-License-Identifier: Apache-2.0
from comparison import Broken, mean, near

SAYS = "summary.json, the CSV files and the table that is printed say the same."


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if not run.accepted:
        return False
    training, queue = run.summary.get("jobs"), run.summary.get("policies")
    for rows, file in ((training if isinstance(training, list) else None, "jobs.csv"), (queue if isinstance(queue, list) else None, "metrics.csv")):
        if rows is None:
            continue
        table = run.table(file)
        if table is None:
            continue  # of packing, or of a kind of run without this file
        if len(table) != len(rows):
            return Broken(f"{file} rows", f"summary.json has {len(rows)} rows, {file} {len(table)}")
        for row, line in zip(rows, table):
            for column, value in row.items():
                if column in line:
                    value, text = mean(value), line[column]
                    same = text == "" if value is None else near(value, number(text), 1e-4, 1e-6) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value) == text
                    if not same and not (text == "" and value in (0, 0.0)):
                        return Broken(f"{file} {column}", f"{column}: {value!r} in summary.json, {text!r} in {file}")
    if isinstance(queue, list):
        counted = {}
        for line in run.table("jobs.csv") or []:
            key = (line["point"], line["policy"])
            counted.setdefault(key, [0, 0, 0.0])
            counted[key][0] += 1
            counted[key][1] += line["state"] in ("finished", "killed")
            counted[key][2] += number(line["gpu_hours"]) or 0
        for row in queue:
            jobs, ended, hours = counted.get((row["point"], row["policy"]), (None, None, None))
            if jobs is None or "measured" in scenario.get("workload", {}) or "packing" in scenario.get("workload", {}):
                continue
            if row.get("jobs") != jobs or row.get("finished") != ended or not near(row["gpu_hours"], hours, 1e-4, 1e-3):
                return Broken("jobs.csv sums", f"summary.json: {row['jobs']} jobs, {row['finished']} finished, {row['gpu_hours']} GPU-hours; jobs.csv: {jobs}, {ended}, {hours}")
    return None
