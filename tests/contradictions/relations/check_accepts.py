# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "`simrun check` accepts a scenario if and only if `simrun run` does; where it says that work cannot run, the run says so too."
WEIGHT = 0.3
CANNOT_RUN = 3


def check(simrun, scenario, random):
    run = simrun.run(scenario)
    checked = simrun.start("check", simrun.file(scenario))
    if fault := checked.breakdown():
        return Broken("check breaks", f"check: {fault}")
    if (checked.status in (0, CANNOT_RUN)) != run.accepted or (checked.status == CANNOT_RUN and run.status != CANNOT_RUN):
        return Broken("check", f"check ends with {checked.status}, run with {run.status}: {run.errors or checked.errors}")
    return None
