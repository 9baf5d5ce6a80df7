# SPDX-License-Identifier: Apache-2.0
"""Fails where the Containerfile names a file, a package or a stage that is not there: python3 tests/install/containerfile.py SOURCE_DIR
--run-lines prints the shell lines of the first stage instead, for a test that runs them in an empty Debian."""
import fnmatch
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(sys.argv[1])
BASES = {"debian:bookworm-slim", "debian:trixie-slim"}  # official images only

text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
steps = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
if "--run-lines" in sys.argv:
    last = max(i for i, (word, _) in enumerate(steps) if word == "FROM")
    print("\n".join(rest for word, rest in steps[:last] if word == "RUN"))
    sys.exit(0)

faults = []
known = set(re.findall(r"^[a-z0-9][a-z0-9.+|-]+$", (ROOT / "packages.txt").read_text(), re.M)) | {"git"}
cmake = (ROOT / "cmake" / "package.cmake").read_text()
version = re.search(r"TRAINYARD_VERSION ([0-9.]+)", (ROOT / "cmake" / "version.cmake").read_text()).group(1)
debs = [f"{name}_{version}_amd64.deb" for name in re.findall(r"^ *package\(\w+ ([a-z-]+) ", cmake, re.M)]
presets = re.findall(r'"name": "(\w+)"', (ROOT / "CMakePresets.json").read_text())
stages, workdir, copied = [], "/", set()

for word, rest in steps:
    words = shlex.split(rest)
    if word == "FROM":
        if words[0] not in BASES and words[0] not in stages:
            faults.append(f"FROM {words[0]}: not one of {', '.join(sorted(BASES))}")
        stages += [words[2]] if len(words) == 3 and words[1] == "AS" else []
    elif word == "WORKDIR":
        workdir = words[0]
    elif word == "COPY" and words[0].startswith("--from="):
        if words[0][7:] not in stages:
            faults.append(f"COPY {words[0]}: no such stage")
        name = words[1].rsplit("/", 1)[1]
        if len(fnmatch.filter(debs, name)) != 1:
            faults.append(f"COPY {words[1]}: of the packages that cpack writes ({', '.join(debs)}) it must mean one")
        copied.add(words[-1] + name)
    elif word == "COPY":
        faults += [f"COPY {source}: not there" for source in words[:-1] if not (ROOT / source).exists()]
    elif word == "RUN":
        for command in re.split(r"\s*&&\s*", rest):
            words = shlex.split(command)
            if words[0].startswith("./") and not (ROOT / words[0]).is_file():
                faults.append(f"RUN {words[0]}: not there")
            if words[:2] == ["apt-get", "install"]:
                for name in (w for w in words[2:] if not w.startswith("-")):
                    if name not in known and name not in copied:
                        faults.append(f"RUN apt-get install {name}: neither in packages.txt nor copied")
            for preset in re.findall(r"build/(\w+)", command):
                if preset not in presets:
                    faults.append(f"RUN {command}: no preset {preset}")
    elif word == "ENTRYPOINT":
        if rest != '["simrun"]':
            faults.append(f"ENTRYPOINT {rest}")
    else:
        faults.append(f"{word}: this test does not know it")
if [word for word, _ in steps][-1] != "ENTRYPOINT" or len(stages) != 1 or not copied:
    faults.append("expected: a stage that builds, one with only the package, ENTRYPOINT")

ignored = (ROOT / ".dockerignore").read_text().split()
faults += [f".dockerignore keeps {folder}" for folder in ["build"] if folder not in ignored]
print("\n".join(faults) if faults else f"Containerfile: {len(steps)} steps name what there is")
sys.exit(1 if faults else 0)
