# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that the floors do not allow, of a library outside its folder, and where a folder has more lines than its budget:
python3 tests/layering.py SOURCE_DIR [--budget]

Every folder with sources stands on a floor. It may include its own files and folders of lower floors in the list of its house, and the
houses that its own may include. So no two folders include each other, at any level. ARCHITECTURE.md must name every folder. Budgets only go
down: --budget sets them to today's lines, after code became less, or after a merge.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# house -> its folders, lowest floor first; folders on one line do not know each other
FLOORS = {
    "models": [
        ["models/core"],
        ["models/results"],
        ["models/hardware", "models/dnn", "models/orchestration"],
        ["models/dnn/*"],
        ["models/cluster"],
        ["models/cluster/*"],
        ["models/cost"],
        ["models/parallel"],
        ["models/job"],
        ["models/job/*"],
        ["models/scenario"],
        ["models/scenario/*"],
        ["models/import"],
        ["models/import/*"],
    ],
    "sim": [
        ["sim/planning", "sim/parallel"],
        ["sim/step/collectives", "sim/step/congestion"],
        ["sim/step/engine"],
        ["sim/step/training"],
        ["sim/step"],
        ["sim/results"],
        ["sim/report"],
        ["sim/cluster"],
        ["sim/cluster/*"],
        ["sim/sources"],
        ["sim/sources/devices", "sim/sources/jobs", "sim/sources/parallel", "sim/sources/retraining", "sim/sources/services", "sim/sources/queue"],
        ["sim/sources/queue/policies"],
        ["sim/sources/together"],
        ["sim/run"],
        ["sim/export", "sim/study"],
        ["sim/app"],
    ],
    "calibrate": [["calibrate"], ["calibrate/cuda"]],
    "python": [["python/core"]],
    "gui": [
        ["gui/core"],
        ["gui/run", "gui/document", "gui/timeline"],
        ["gui/results", "gui/editor"],
        ["gui/canvas", "gui/panels", "gui/inspector"],
        ["gui/windows"],
        ["gui"],
    ],
}
# house -> folders of other houses that it may include
OTHER_HOUSES = {
    "models": [],
    "sim": ["models"],
    "calibrate": ["models/core", "models/cost"],
    "gui": ["models"],
    "python": ["models", "sim"],
}
# third-party header prefix -> folders that may include it
LIBRARY_FOLDERS = {
    "simgrid/": ["sim/step/engine"],
    "xbt/": ["sim/step/engine"],
    "boost/graph": ["models/dnn", "models/cluster", "models/job"],
    "boost/math": ["models/core"],
    "yaml-cpp/": ["models/scenario"],
    "re2/": ["models/core"],
    "valijson/": ["models/scenario"],
    "tinyxml2": ["models/import"],
    "simdjson": ["models/import", "gui"],
    "google/protobuf": ["models/import", "calibrate"],
    "onnx/": ["models/import"],
    "toml++/": ["models/import"],
    "CLI/": ["sim/app"],
    "Clp": ["sim/sources/queue"],
    "Coin": ["sim/sources/queue"],
    "zmq": ["sim/sources/queue"],
    "sqlite3": ["sim/study"],
    "sha2.h": ["sim/report"],
    "cairo": ["sim/report"],
    "png.h": ["sim/report"],
    "pybind11": ["python"],
    "mpi.h": ["sim/study", "calibrate"],
    "cuda": ["calibrate"],
    "cublas": ["calibrate"],
    "nccl": ["calibrate"],
    "cudnn": ["calibrate"],
    "grpc": ["calibrate"],
    "nvml": ["calibrate"],
    "imgui": ["gui"],
    "Q": ["gui"],
}
# lines of code of each folder with all below it
BUDGET = {
    "calibrate": 4372,
    "calibrate/cuda": 2984,
    "gui": 68,
    "gui/canvas": 2523,
    "gui/core": 1224,
    "gui/document": 1298,
    "gui/editor": 910,
    "gui/inspector": 1544,
    "gui/panels": 3451,
    "gui/results": 5821,
    "gui/run": 718,
    "gui/timeline": 3881,
    "gui/windows": 2863,
    "models/cluster": 4362,
    "models/core": 5141,
    "models/cost": 4824,
    "models/dnn": 4719,
    "models/hardware": 648,
    "models/import": 20558,
    "models/job": 4702,
    "models/orchestration": 691,
    "models/parallel": 2778,
    "models/results": 1369,
    "models/scenario": 13359,
    "python/core": 1018,
    "sim/app": 7141,
    "sim/cluster": 5083,
    "sim/export": 1518,
    "sim/parallel": 3442,
    "sim/planning": 510,
    "sim/report": 4613,
    "sim/results": 2432,
    "sim/run": 837,
    "sim/sources": 40143,
    "sim/step": 19475,
    "sim/study": 13770,
}


def floor_of(folder):
    """Number of the floor of a folder in its house, None where no floor names it."""
    for number, names in enumerate(FLOORS[folder.split("/")[0]]):
        if folder in names:
            return number
    parent = folder.rsplit("/", 1)[0]
    for number, names in enumerate(FLOORS[folder.split("/")[0]]):
        if parent + "/*" in names:
            return number
    return None


def may_include(folder, other):
    if folder == other:
        return True
    house = folder.split("/")[0]
    if other.split("/")[0] != house:
        return any(other == free or other.startswith(free + "/") for free in OTHER_HOUSES[house])
    return floor_of(other) is not None and floor_of(other) < floor_of(folder)


def faults_of(path):
    relative = path.relative_to(ROOT).as_posix()
    folder = relative.rsplit("/", 1)[0]
    if floor_of(folder) is None:
        yield f"{relative}: tests/layering.py names no floor for {folder}"
        return
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        included = match.group(2)
        if included.split("/")[0] in FLOORS:
            if not may_include(folder, included.rsplit("/", 1)[0]):
                yield f"{relative}:{number}: {folder} must not include {included}"
        elif included.startswith("tests/"):
            yield f"{relative}:{number}: {included} is for tests only"
        else:
            for prefix, folders in LIBRARY_FOLDERS.items():
                if (included.startswith(prefix) and (prefix != "Q" or re.match(r"Q[A-Z]|Qt", included))
                        and not any(relative.startswith(f + "/") for f in folders)):
                    yield f"{relative}:{number}: {included} belongs in {', '.join(folders)}"


def lines_of(sources):
    """Lines of code by folder: the first two names of its path, or the only one."""
    lines = collections.Counter()
    for path in sources:
        lines["/".join(path.relative_to(ROOT).parts[:-1][:2])] += len(path.read_bytes().splitlines())
    return lines


def budget_faults(lines):
    for folder, count in sorted(lines.items()):
        if count > BUDGET.get(folder, 0):
            yield (f"{folder} has {count} lines, {count - BUDGET.get(folder, 0)} more than its budget of {BUDGET.get(folder, 0)}: "
                   "make it smaller, or say in the commit what the lines are worth and run python3 tests/layering.py . --budget")


sources = [path for path in sorted(ROOT.glob("*/**/*"))
           if path.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".h") and path.relative_to(ROOT).parts[0] in FLOORS]
lines = lines_of(sources)
if "--budget" in sys.argv:
    script = pathlib.Path(__file__)
    budget = "".join(f'    "{folder}": {count},\n' for folder, count in sorted(lines.items()))
    script.write_text(re.sub(r"^BUDGET = \{[^}]*\}", f"BUDGET = {{\n{budget}}}", script.read_text(), count=1, flags=re.MULTILINE))
    grown = [f"{folder} +{count - BUDGET.get(folder, 0)}" for folder, count in sorted(lines.items()) if count > BUDGET.get(folder, 0)]
    print(f"layering: {sum(lines.values())} lines in {len(lines)} folders are the new budget; larger than before: {', '.join(grown) or 'none'}")
    sys.exit(0)
faults = [fault for path in sources for fault in faults_of(path)] + list(budget_faults(lines))
if (ROOT / "ARCHITECTURE.md").exists():  # every named folder stands there
    named = re.findall(r"`([a-z_/]+)`", (ROOT / "ARCHITECTURE.md").read_text())
    faults += [f"ARCHITECTURE.md does not name {folder}" for floors in FLOORS.values() for names in floors for folder in names
               if not folder.endswith("/*") and not any(folder == name or folder.endswith("/" + name) for name in named)]
print("\n".join(faults) if faults else "layering: every include goes down, no folder has more lines than its budget")
sys.exit(1 if faults else 0)
