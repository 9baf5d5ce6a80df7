# SPDX-License-Identifier: Apache-2.0
import json

from comparison import Broken, differences
from scenario_text import flat
from shrink import with_value

SAYS = "`--set` is the same as the edited file."
WEIGHT = 0.3


def check(simrun, scenario, random):
    leaves = [(path, value) for path, value in flat(scenario) if path[0] not in ("trainyard", "name", "sweep") and isinstance(value, (int, float)) and not isinstance(value, bool)
              and value > 1 and not any(mark in str(part) for part in path for mark in ".=")]
    if not leaves or not simrun.run(scenario).accepted:
        return False
    path, value = random.choice(leaves)
    other = value + 1 if isinstance(value, int) else value * 2
    edited = simrun.run(with_value(scenario, path, other))
    told = simrun.run(scenario, "--set", f"{'.'.join(map(str, path))}={json.dumps(other)}")
    if edited.status != told.status:
        return Broken("status", f"{path} = {other}: exit code {edited.status} with the file, {told.status} with --set: {edited.errors if edited.status else told.errors}")
    return differences(edited.figures, told.figures) if edited.accepted else None
