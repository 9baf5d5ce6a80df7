# SPDX-License-Identifier: Apache-2.0
import copy
import itertools

from comparison import Broken, differences
from scenario_text import flat

SAYS = "A point of a sweep is the run of the scenario with these values, and every row says which point it is."


def applies(scenario):
    sweep = scenario.get("sweep", {})
    return bool({"grid", "variants"} & set(sweep)) and "replicas" not in sweep and all(isinstance(values, list) for values in sweep.get("grid", {}).values())


def set_at(scenario, name, value):
    place = scenario
    parts = [int(part) if part.isdigit() else part for part in name.split(".")]
    for part in parts[:-1]:
        place = place[part]
    place[parts[-1]] = value


def rows_of(summary):
    for key in ("policies", "jobs", "services", "rows", "points"):
        if isinstance(summary.get(key), list) and summary[key] and isinstance(summary[key][0], dict) and "point" in summary[key][0]:
            return key, summary[key]
    return None, []


def check(simrun, scenario, random):
    whole = simrun.run(scenario)
    if not whole.accepted:
        return False
    key, rows = rows_of(whole.summary)
    if not rows:
        return False
    sweep = scenario.pop("sweep")
    grid = sweep.get("grid", {})
    points = [list(zip(grid, values)) for values in itertools.product(*grid.values())] or [[]]
    variants = sweep.get("variants") or [{"name": None}]
    labels = {(row["point"], row.get("variant", ""), row.get("policy", ""), row.get("job", "")) for row in rows}
    if len(labels) < len(rows):
        return Broken("rows alike", f"{len(rows)} rows of '{key}' have only {len(labels)} labels: {sorted(labels)}")
    point, variant = random.choice(points), random.choice(variants)
    alone = copy.deepcopy(scenario)
    try:
        for name, value in [*point, *variant.get("set", {}).items()]:
            set_at(alone, name, value)
    except (KeyError, IndexError, TypeError):
        return False
    single = simrun.run(alone)
    if not single.accepted:
        return False
    _, own = rows_of(single.summary)

    def figures(row):
        return {path: value for path, value in flat(row) if path[0] not in ("point", "variant", "policy", "overview")}

    wanted = [figures(row) for row in own]
    for row in wanted:
        if not any(differences(row, figures(other)) is None for other in rows):
            closest = min((differences(row, figures(other)) for other in rows), key=len)
            return Broken(f"{key} {closest.kind}", f"no row of the sweep is that of the run with {dict(point)} {variant.get('set', '')}: {closest}")
    return None
