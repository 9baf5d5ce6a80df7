# SPDX-License-Identifier: Apache-2.0
import json

from comparison import Broken

SAYS = "The same scenario gives the same bytes: summary and all files."
WEIGHT = 0.3


def without_the_page(text):
    """A summary without what is printed: the page says how long planning took."""
    def kept(value):
        if isinstance(value, dict):
            return {key: kept(one) for key, one in value.items() if key != "told"}
        return [kept(one) for one in value] if isinstance(value, list) else value

    try:
        return kept(json.loads(text))
    except ValueError:
        return text


def check(simrun, scenario, random):
    first, again = simrun.run(scenario), simrun.run(scenario, "--color", "never")
    if first.status != again.status or without_the_page(first.out) != without_the_page(again.out):
        return Broken("summary", f"exit codes {first.status} and {again.status}, or another summary")
    for path in sorted(first.folder.rglob("*")) if first.folder.is_dir() else []:
        if path.is_file() and path.name != "manifest.json":
            other = again.folder / path.relative_to(first.folder)
            same = without_the_page if path.name == "summary.json" else bytes
            if not other.is_file() or same(path.read_bytes()) != same(other.read_bytes()):
                return Broken(path.name, f"{path.name} has other bytes")
    return None
