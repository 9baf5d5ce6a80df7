# SPDX-License-Identifier: Apache-2.0
import sqlite3

from comparison import Broken, mean, near

SAYS = "The view of a sweep's database has the axes and the figures of the runs of its points."
WEIGHT = 0.15


def applies(scenario):
    return "sweep" not in scenario and ("jobs" in scenario or "workload" in scenario) and "name" in scenario \
        and "packing" not in scenario.get("workload", {})


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if run.status != 0:
        return False
    seed = scenario.get("run", {}).get("seed", 1)
    path = simrun.top / "s.sqlite"
    made = simrun.start("sweep", simrun.file(scenario), "--grid", f"run.seed={seed},{seed + 1}", "-o", path, "--fresh", "-j", 1, "--progress", "none")
    if made.status not in (0, 4) or not path.is_file():
        return Broken("sweep", f"the sweep ends with {made.status}: {made.errors}")
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    rows = [dict(row) for row in base.execute("select * from results order by id")]
    base.close()
    path.unlink()
    if len(rows) != 2 or "run.seed" not in rows[0]:
        return Broken("axis", f"rows {len(rows)}, columns {sorted(rows[0]) if rows else ''}")
    if "workload" not in scenario:
        wanted = {(job["job"], column): mean(job[column]) for job in run.summary["jobs"] for column in ("samples_per_second", "step_s")}
    elif not {"services", "task_environment"} & set(scenario) and len(run.summary.get("policies", [])) == 1:
        wanted = {("", column): run.summary["policies"][0].get(column) for column in ("makespan_s", "utilisation", "finished")}
    else:
        return False
    for (job, column), value in wanted.items():
        names = [name for name in rows[0] if column in name and (not job or len(wanted) == 2 or job in name)]
        if not names:
            return Broken("figures", f"no column for {column} of {job or 'the queue'}: {sorted(rows[0])}")
        if value is not None and not any(isinstance(rows[0][name], (int, float)) and near(value, rows[0][name], 1e-9) for name in names):
            return Broken(column, f"{column} of {job or 'the queue'} is {value}, in the database { {name: rows[0][name] for name in names} }")
    return None
