# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "What is exported as SWF and read again has the jobs, their GPUs, run times and submissions."
WEIGHT = 0.15


def applies(scenario):
    return "workload" in scenario and not {"sweep", "services", "task_environment"} & set(scenario) and "packing" not in scenario["workload"]


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if run.status != 0 or run.table("jobs.csv") is None:
        return False
    out = simrun.top / "jobs.swf"
    made = simrun.start("export", run.folder, "--format", "swf", "-o", out)
    if made.status != 0:
        return Broken("export", f"export ends with {made.status}: {made.errors}")
    lines = [line.split() for line in out.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith(";")]
    policy = run.table("jobs.csv")[0]["policy"]
    rows = [row for row in run.table("jobs.csv") if row["policy"] == policy]
    # A job without an end has no run time there.
    ended = [row for row in rows if row["state"] in ("finished", "killed")]
    if len(lines) != len(rows) and len(lines) != len(ended):
        return Broken("jobs", f"{len(rows)} jobs, {len(ended)} of them ended, {len(lines)} in the export")
    if not ended:
        return False
    (simrun.top / "again.yaml").unlink(missing_ok=True)
    again = simrun.start("import", out, "--gpu", "T4", "-o", simrun.top / "again.yaml")
    if again.status not in (0, 2) or again.breakdown():
        return Broken("import", f"import ends with {again.status}: {again.errors}")
    if again.status == 2 and any(float(row["jct_s"]) >= 1 for row in ended):
        return Broken("import refuses", f"import refuses the export: {again.errors}")
    hours = sum(max(1, int(line[4])) * max(0.0, float(line[3])) for line in lines if float(line[3]) >= 0)
    wanted = sum(float(row["gpus"]) * (float(row["end_s"]) - float(row["start_s"])) for row in ended if float(row["gpus"]) > 0)
    if not hours and wanted > len(ended):
        return Broken("run times", f"no run time in the export, {wanted} GPU-seconds in jobs.csv")
    return None
