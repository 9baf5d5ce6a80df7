# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that ARCHITECTURE.md does not allow, or of a library outside its folder: python3 tests/layering.py SOURCE_DIR"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# folder -> project folders it may include (longest prefix of a file's path decides)
MAY_INCLUDE = {
    "models/core": ["models/core"],
    "models": ["models"],
    "sim/app": ["sim", "models"],
    "sim": ["sim", "models"],
    "calibrate": ["calibrate", "models/core", "models/cost"],
    "gui": ["gui", "models"],
}
# third-party header prefix -> folders that may include it
LIBRARY_FOLDERS = {
    "simgrid/": ["sim/engine"],
    "xbt/": ["sim/engine"],
    "boost/": ["models/dnn", "models/cluster"],
    "yaml-cpp/": ["models/scenario"],
    "valijson/": ["models/scenario"],
    "tinyxml2": ["models/import"],
    "simdjson": ["models/import", "gui"],
    "google/protobuf": ["models/import", "calibrate"],
    "onnx/": ["models/import"],
    "CLI/": ["sim/app"],
    "Clp": ["sim/scheduling"],
    "Coin": ["sim/scheduling"],
    "sqlite3": ["sim/report", "sim/study"],
    "cairo": ["sim/report", "calibrate"],
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

faults = []
for path in sorted(ROOT.glob("*/**/*")):
    relative = path.relative_to(ROOT).as_posix()
    top = relative.split("/")[0]
    if top not in ("models", "sim", "calibrate", "gui") or path.suffix not in (".hpp", ".cpp", ".cu", ".cuh"):
        continue
    allowed = MAY_INCLUDE[max((k for k in MAY_INCLUDE if relative.startswith(k + "/")), key=len)]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        included = match.group(2)
        if included.split("/")[0] in ("models", "sim", "calibrate", "gui", "tests"):
            if not any(included.startswith(a + "/") for a in allowed):
                faults.append(f"{relative}:{number}: {top} must not include {included}")
            continue
        for prefix, folders in LIBRARY_FOLDERS.items():
            if (included.startswith(prefix) and (prefix != "Q" or re.match(r"Q[A-Z]|Qt", included))
                    and not any(relative.startswith(f + "/") for f in folders)):
                faults.append(f"{relative}:{number}: {included} belongs in {', '.join(folders)}")

print("\n".join(faults) if faults else "layering: all includes follow the arrows")
sys.exit(1 if faults else 0)
