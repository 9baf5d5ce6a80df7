# SPDX-License-Identifier: Apache-2.0
import re

from comparison import differences
from scenario_text import flat, pattern

SAYS = "Names of jobs, machines, models, services and teams decide nothing."
MAY_REFUSE = True  # not every text is a name

# Where a kind of name is given, and where else it stands: patterns of paths. Keys of maps count as values there.
KINDS = {
    "job": (r"jobs\.\*\.name", r"rendezvous\.\*\.job|workload\.jobs\.\*\.model"),
    "node type": (r"cluster\.node_types\.#", r"cluster\.nodes\.\*\.type"),
    "node group": (r"cluster\.nodes\.\*\.name", r"jobs\.\*\.nodes\.\*|.*\.(server_nodes|nodes)\.\*|.*\.client|graph\.tasks\..*|.*wires\.\*\.(from|to)|gpu_memory\.node|scheduling\.nodes\.\*\.nodes|"
                   r"faults\..*(fail|group)|faults(\.list|\.also)?\.\*"),
    "queued job": (r"workload\.jobs\.\*\.name", r"workload\.jobs\.\*\.after\.\*"),
    "service": (r"services\.\*\.name", r"-"),
    "retrained model": (r"task_environment\.models\.\*\.name", r"task_environment\.faults\.\*\.model"),
    "process": (r"gpu_memory\.processes\.\*\.name", r"-"),
    "variant": (r"sweep\.variants\.\*\.name", r"-"),
    "user": (r"(workload\.)?jobs\.\*\.user", r"slurm\..*user.*"),
}


def names_of(scenario, where):
    found = [value for path, value in flat(scenario) if isinstance(value, str) and re.fullmatch(where, pattern(path))]
    if where.endswith("#"):
        found += list(scenario.get("cluster", {}).get("node_types", {}))
    return list(dict.fromkeys(found))


def changed(scenario, random):
    if any("node_types" in str(part) for path, _ in flat(scenario.get("sweep", {})) for part in path):
        return None
    new = {}  # by kind: old and new names, which sort otherwise and stand nowhere else
    for kind, (defined, _) in KINDS.items():
        if kind != "user" or "generate" not in scenario.get("workload", {}):
            names = names_of(scenario, defined)
            odd = ["qz'{}j", "qz {}j", "qz,{}j", "é{}qzj"] if kind not in ("node group", "node type") and random.random() < 0.3 else ["Aq{}zj", "zq{}zj", "mq{}zj"]
            new[kind] = {name: random.choice(odd).format(f"{len(names) - i}{kind[:1]}{kind[-1:]}") for i, name in enumerate(names)}
    if not any(new.values()):
        return None

    def renamed(value, path=()):
        if isinstance(value, dict):
            keys = {key: new["node type"].get(key, key) if path == ("cluster", "node_types") else key for key in value}
            return {keys[key]: renamed(inner, path + (key,)) for key, inner in value.items()}
        if isinstance(value, list):
            return [renamed(inner, path + (i,)) for i, inner in enumerate(value)]
        if not isinstance(value, str):
            return value
        name = pattern(path)
        for kind, (defined, used) in KINDS.items():
            names = new.get(kind, {})
            if value in names and re.fullmatch(f"{defined}|{used}", name):
                return names[value]
            if kind == "node group" and re.fullmatch(used, name):
                for old, other in names.items():
                    if (found := re.fullmatch(rf"(.*?[:+]|){re.escape(old)}(-[0-9]+.*)", value)):
                        return found[1] + other + found[2]
        return value

    return renamed(scenario), {other: old for names in new.values() for old, other in names.items()}


def HOLDS(before, after, names):
    def back(value):
        if isinstance(value, str):
            for new, old in names.items():
                value = value.replace(new, old)
        return value

    return differences(before.figures, {tuple(back(part) for part in path): back(value) for path, value in after.figures.items()},
                       1e-12,  # sums over teams in the order of their names
                       skip=r"^(advice|messages|question|description|overview|told|assumed|assumptions|warnings)|provenance_note|top_links")
