# SPDX-License-Identifier: Apache-2.0
"""Which example, page and measurement uses each name, key, option and command: results/used_by.csv.

Usage: used_by.py SOURCE_FOLDER SIMRUN [--update]

Names are those of `simrun list TOPIC`, keys those of `simrun schema`, options those of docs/commands.md. An example is a scenario below scenarios/, a
page is README.md or a page below docs/ that nobody generates, a measurement is a file below results/ or tests/testbed; a test is any other file below tests/. Keys of
YAML files are read with their place; elsewhere a word counts, so a name that is also an English word may seem to be used. Of several the first file
by name is listed.

Fails where the table lacks a name or has one that is gone, where it names a use that is gone, and where nothing uses a policy, a format or a
command; a new use beside another is no fault. --update writes it.
"""
import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

import yaml

ROOT, SIMRUN = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
TABLE = ROOT / "results" / "used_by.csv"
TOPICS = ("arrivals collectives congestion-controls duplicates exports fidelities formats frameworks fusion gpus links manifests models nodes orchestrators "
          "placements planners queues runtimes schedules topologies traces training transports triggers updates variables").split()
FREE = {"frameworks", "gpus", "key", "links", "models", "option", "transports"}  # data with a source, and a line each: nobody need use all of it
PLACES = ("example", "page", "measurement", "test")
WRITTEN = re.compile(r"^Written by `simrun", re.MULTILINE)


def place_of(path):
    top = path.split("/")[0]
    if top == "scenarios":
        return "example"
    if path == "README.md" or top == "docs":
        return "page"
    if top == "results" or path.startswith("tests/testbed/"):
        return "measurement"
    return "test" if top == "tests" else None


def paths_of(value, at=""):
    """Dotted paths of the keys of a tree; '*' for places in lists."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{at}{key}"
            yield from paths_of(one, f"{at}{key}.")
    elif isinstance(value, list):
        for one in value:
            yield from paths_of(one, at)


def keys_of(schema, whole, at="", seen=()):
    """Dotted paths of the schema; a name that the user gives is '*'."""
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        if name in seen:
            return
        schema, seen = whole["definitions"][name], seen + (name,)
    for one in [*schema.get("oneOf", []), *schema.get("anyOf", []), *schema.get("allOf", []), *([schema["items"]] if isinstance(schema.get("items"), dict) else [])]:
        yield from keys_of(one, whole, at, seen)
    for key, one in schema.get("properties", {}).items():
        yield f"{at}{key}"
        yield from keys_of(one, whole, f"{at}{key}.", seen)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from keys_of(schema["additionalProperties"], whole, f"{at}*.", seen)


def simrun(*words):
    return subprocess.run([SIMRUN, *words], capture_output=True, text=True, check=True).stdout


words = collections.defaultdict(dict)  # word -> place -> first file
keys = collections.defaultdict(dict)   # last key and the one before it -> the same
listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "README.md", "docs", "scenarios", "results", "tests"], capture_output=True, text=True).stdout.split("\n")
for path in sorted(filter(None, listed)):
    place, file = place_of(path), ROOT / path
    if place is None or file == TABLE or not file.is_file() or file.suffix in (".png", ".svg", ".gz", ".bin", ".sqlite") or file.stat().st_size > 300_000:
        continue
    text = file.read_text(errors="replace")
    if WRITTEN.search(text[:400]):
        continue
    for word in set(re.findall(r"--[\w-]+|[a-z0-9][\w.+-]*", text.lower())):
        for part in {word.rstrip(".-+"), *word.rstrip(".-+").split(".")}:
            words[part].setdefault(place, path)
    if place != "test" and file.suffix in (".yaml", ".yml"):
        try:
            for key in {tuple(key.split(".")[-2:]) for one in yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) for key in paths_of(one)}:
                keys[key].setdefault(place, path)
        except yaml.YAMLError:
            pass

rows = []
for topic in TOPICS:
    for name in simrun("list", topic, "--names").split("\n"):
        if name:
            rows.append((topic, name, words[name.split("/")[-1].lower()]))
schema = json.loads(simrun("schema"))
for key in sorted(set(keys_of(schema, schema))):
    last = tuple(key.split(".")[-2:])
    found = dict(words[last[-1].lower()])
    found.pop("example", None)
    for pair, where in keys.items():
        if pair[-1] == last[-1] and (len(last) == 1 or last[0] == "*" or pair == last or len(pair) == 1):
            for place, path in where.items():
                found[place] = min(path, found[place]) if place == "example" and place in found else found.get(place, path)
    rows.append(("key", key, found))
commands = (ROOT / "docs" / "commands.md").read_text()
for name in re.findall(r"^## ([a-z-]+)$", commands, re.MULTILINE):
    rows.append(("command", name, words[name]))
for name in sorted(set(re.findall(r"^\| `(?:-\w, )?(--[\w-]+)", commands, re.MULTILINE))):
    rows.append(("option", name, words[name]))

out = io.StringIO()
writer = csv.writer(out, lineterminator="\n")
writer.writerow(("kind", "name", *PLACES))
for kind, name, found in rows:
    writer.writerow((kind, name, *(found.get(place, "") for place in PLACES)))
if "--update" in sys.argv:
    TABLE.write_text(out.getvalue())
unused = [f"{kind} {name}" for kind, name, found in rows if kind not in FREE and not any(found.get(place) for place in PLACES)]
faults = [f"nothing uses {one}: show it in an example or on a page, or remove it" for one in unused]
told = {(kind, name): files for kind, name, *files in csv.reader(io.StringIO(TABLE.read_text() if TABLE.is_file() else ""))}
told.pop(("kind", "name"), None)
today = {(kind, name): found for kind, name, found in rows}
stale = [" ".join(one) for one in sorted(told.keys() ^ today.keys())]
stale += [f"{' '.join(one)} in {file}" for one in sorted(told.keys() & today.keys()) for place, file in zip(PLACES, told[one])
          if file and not (today[one].get(place) and (ROOT / file).is_file())]
if stale and "--update" not in sys.argv:
    faults.append(f"results/used_by.csv is not today's ({', '.join(stale[:5])}): tests/docs/used_by.py . SIMRUN --update")
lacking = collections.Counter(kind for kind, _, found in rows if not any(found.get(place) for place in PLACES[:3]))
print("\n".join(faults) if faults else f"{len(rows)} names, keys, commands and options; without example, page and measurement: "
      + ", ".join(f"{number} of {kind}" for kind, number in sorted(lacking.items())))
sys.exit(1 if faults else 0)
