# SPDX-License-Identifier: Apache-2.0
import copy
import json

from comparison import Broken, mean, near
from scenario_text import flat

SAYS = "`simrun compare` of two values shows the figures of the two runs."
WEIGHT = 0.1


def applies(scenario):
    return ("workload" in scenario or "jobs" in scenario) and not {"sweep", "services", "task_environment"} & set(scenario) and "policies" not in scenario.get("scheduling", {}) \
        and "placements" not in scenario.get("scheduling", {}) and "replicas" not in scenario.get("run", {}) and "packing" not in scenario.get("workload", {})


def check(simrun, scenario, random):
    if simrun.run(scenario).status != 0:
        return False
    other = copy.deepcopy(scenario)
    other["cluster"]["nodes"][0]["count"] = other["cluster"]["nodes"][0].get("count", 1) + 1
    second = simrun.run(other)
    if second.status != 0:
        return False
    files = [simrun.file(scenario, "one.yaml"), simrun.file(other, "two.yaml")]
    made = simrun.start("compare", *files, "--replicas", 1, "--json", "--no-files", "--progress", "none", "-j", 1)
    if made.breakdown() or made.status != 0:
        return Broken("compare", f"compare ends with {made.status}: {made.errors}")
    shown = json.loads(made.out)
    for run, candidate in ((simrun.run(scenario), 0), (second, 1)):
        wanted = {}
        if "workload" in scenario:
            row = run.summary["policies"][0]
            wanted = {"makespan": row.get("makespan_s"), "utilisation": row.get("utilisation"), "jct": mean(row.get("jct_s"))}
        elif len(run.summary["jobs"]) == 1:
            wanted = {"throughput": mean(run.summary["jobs"][0]["samples_per_second"])}
        found = {path: value for path, value in flat(shown)}
        values = [value for value in found.values() if isinstance(value, (int, float)) and not isinstance(value, bool)]
        for name, value in wanted.items():
            if value is not None and any(measure["name"] == name for measure in shown["measures"]) and not any(near(value, one, 1e-9) for one in values):
                return Broken(name, f"{name} of candidate {candidate} is {value} in its run, and compare shows it nowhere")
    return None
