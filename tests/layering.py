# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that the floors do not allow, or of a library outside its folder: python3 tests/layering.py SOURCE_DIR

Every folder with sources stands on a floor. It may include its own files and folders of lower floors in the list of its house, and the
houses that its own may include. So no two folders include each other, at any level. ARCHITECTURE.md must name every folder.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# house -> its folders, lowest floor first; folders on one line do not know each other
FLOORS = {
    "models": [
        ["models/core"],
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
    "sqlite3": ["sim/report", "sim/study"],
    "sha2.h": ["sim/report"],
    "cairo": ["sim/report", "calibrate"],
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


faults = [fault for path in sorted(ROOT.glob("*/**/*"))
          if path.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".h") and path.relative_to(ROOT).parts[0] in FLOORS
          for fault in faults_of(path)]
if (ROOT / "ARCHITECTURE.md").exists():  # every named folder stands there
    named = re.findall(r"`([a-z_/]+)`", (ROOT / "ARCHITECTURE.md").read_text())
    faults += [f"ARCHITECTURE.md does not name {folder}" for floors in FLOORS.values() for names in floors for folder in names
               if not folder.endswith("/*") and not any(folder == name or folder.endswith("/" + name) for name in named)]
print("\n".join(faults) if faults else "layering: every include goes down")
sys.exit(1 if faults else 0)
