# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "manifest.json of a run repeats it byte for byte."
WEIGHT = 0.2


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    if not run.accepted:
        return False
    again = simrun.start("run", run.folder / "manifest.json", "-o", simrun.top / "again", "--json", "--no-plots", "--progress", "none")
    if (again.status, again.out) != (run.status, run.out):
        return Broken("summary", f"exit code {run.status}, of the manifest {again.status}, or another summary: {again.errors}")
    return None
