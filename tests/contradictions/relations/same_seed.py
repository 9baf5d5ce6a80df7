# SPDX-License-Identifier: Apache-2.0
from comparison import Broken

SAYS = "The same scenario gives the same bytes: summary and all files."
WEIGHT = 0.3


def check(simrun, scenario, random):
    first, again = simrun.run(scenario), simrun.run(scenario, "--color", "never")
    if (first.status, first.out) != (again.status, again.out):
        return Broken("summary", f"exit codes {first.status} and {again.status}, or another summary")
    for path in sorted(first.folder.rglob("*")) if first.folder.is_dir() else []:
        if path.is_file() and path.name != "manifest.json":
            other = again.folder / path.relative_to(first.folder)
            if not other.is_file() or path.read_bytes() != other.read_bytes():
                return Broken(path.name, f"{path.name} has other bytes")
    return None
