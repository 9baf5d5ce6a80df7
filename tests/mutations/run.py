#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts one fault after another into the heart of the simulator, and sees whether a test notices.

  ninja -C build/ci unit_tests                  # first: the programs must be up to date
  tests/mutations/run.py [BUILD] [--only WORDS]    # writes results/mutations.csv

mutations.txt lists the faults. Each is put into a copy of its source, never into the tree. Only this copy is compiled, with the flags of
the build, and linked with the other objects of BUILD (default build/ci). Then the tests of the subject run, then all other quick tests,
until one fails. A crash, an endless loop (time limit) and use of too much memory count as caught. One core; about 20 s for a fault that is
caught, some minutes for one that survives.

--only: the mutations with these words in source or description; the other rows of results/mutations.csv are kept.
--check: only checks that every mutation still fits its source.
Exit code 1 where less than 90 % of all are caught.
"""
import argparse
import csv
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutations.txt")
RESULTS = ROOT / "results/mutations.csv"
COLUMNS = ["source", "line", "breaks", "caught_by", "seconds"]
GOAL = 0.9
# What takes longer than the others together, and starts programs that are not mutated.
SLOW = "*AtLength*:*Cli*:*Line.*:ForeignReaders*:ImportMutation*:Schema*:Effort*"
SUBJECT_LIMIT, LIMIT = 240, 900  # s
MEMORY = 6 << 30  # B of address space: a fault that fills it fails


class Mutation:
    def __init__(self, source, breaks):
        self.source, self.breaks = source, breaks
        self.before, self.after = [], []

    def text(self):
        """The mutated source, and the line where it differs first."""
        before, after = "\n".join(self.before) + "\n", "".join(line + "\n" for line in self.after)
        source = "\n" + (ROOT / self.source).read_text()
        if source.count("\n" + before) != 1:
            sys.exit(f"{LIST}: '{self.source}: {self.breaks}': its lines stand in the source {source.count(chr(10) + before)} times; "
                     "correct them in the list")
        same = next((i for i, pair in enumerate(zip(self.before, self.after)) if pair[0] != pair[1]), len(self.after))
        line = source[:source.index("\n" + before)].count("\n") + 1 + same
        return source.replace("\n" + before, "\n" + after)[1:], line


def read_list():
    """(mutations, [(folder, filter)]) of mutations.txt."""
    mutations, filters = [], []
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("tests "):
            filters.append(tuple(line.split()[1:]))
        elif line[:2].rstrip() in ("-", "+") and mutations:
            (mutations[-1].before if line[0] == "-" else mutations[-1].after).append(line[2:])
        elif ": " in line:
            mutations.append(Mutation(*line.split(": ", 1)))
        else:
            sys.exit(f"{LIST}:{number}: neither 'SOURCE: what it breaks' nor '- ' nor '+ ' nor 'tests FOLDER FILTER'")
    return mutations, filters


class Build:
    """The objects of a build folder, with one source replaced."""

    def __init__(self, folder, work):
        self.folder, self.work = Path(folder).resolve(), Path(work)
        cache = (self.folder / "CMakeCache.txt").read_text()
        self.home = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache).group(1)  # as the build knows ROOT
        self.link = next(part for part in self.command("unit_tests").split(" && ") if "-o bin/unit_tests" in part)
        self.batches = {}  # source: (object, the other sources compiled with it)
        for batch in self.folder.glob("CMakeFiles/*.dir/Unity/*.cxx"):
            sources = re.findall(r'^#include "(.*)"', batch.read_text(), re.M)
            for source in sources:
                self.batches[source] = (str(batch.relative_to(self.folder)) + ".o", [other for other in sources if other != source])

    def command(self, target):
        lines = subprocess.run(["ninja", "-t", "commands", target], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        return lines.strip().splitlines()[-1]

    def compile(self, like, source, target):
        """Compiles a source with the command of the object `like`."""
        words = shlex.split(self.command(like))
        for option in ("-MT", "-MF"):
            del words[words.index(option):words.index(option) + 2]
        words[words.index("-o") + 1], words[words.index("-c") + 1] = str(target), str(source)
        done = subprocess.run([word for word in words if word != "-MD"] + ["-w"], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{source} does not compile:\n{done.stderr[-3000:]}")

    def program(self, source, text):
        """unit_tests with this text in place of the source."""
        copy, mutated = self.work / "mutated.cpp", self.work / "mutated.o"
        copy.write_text(text)
        known = f"{self.home}/{source}"
        target, others = self.batches.get(known, (None, []))
        if target is None:
            target = next(str(path.relative_to(self.folder)) for path in self.folder.glob(f"CMakeFiles/*.dir/{source}.o"))
        self.compile(target, copy, mutated)
        objects = [str(mutated)]
        if others:
            rest = self.work / (source.replace("/", "_") + ".others.cxx")
            if not rest.exists():
                rest.write_text("".join(f'#include "{other}"\n' for other in others))
                self.compile(target, rest, f"{rest}.o")
            objects.append(f"{rest}.o")
        library = "lib" + re.search(r"CMakeFiles/(.*)\.dir/", target).group(1) + ".a"
        archive = self.work / library
        archive.unlink(missing_ok=True)
        members = subprocess.run(["ar", "t", library], cwd=self.folder, check=True, capture_output=True, text=True).stdout.split()
        if members.count(Path(target).name) != 1:
            sys.exit(f"{self.folder / library} holds {members.count(Path(target).name)} times {Path(target).name}")
        subprocess.run(["cp", self.folder / library, archive], check=True)
        subprocess.run(["ar", "d", archive, Path(target).name], check=True)
        subprocess.run(["ar", "qs", archive, *objects], check=True, capture_output=True)
        program = self.work / "unit_tests"
        line = re.sub(rf"(?<![\w/]){re.escape(library)}\b", str(archive), self.link).replace("-o bin/unit_tests", f"-o {program}")
        if line.count(str(archive)) == 0 or line.count(str(program)) != 1:
            sys.exit(f"the command that links unit_tests has changed: {self.link[-500:]}")
        subprocess.run(line, shell=True, cwd=self.folder, check=True)
        return program


def failure(program, tests, limit, work):
    """The first test that fails, or that runs when the program stops; None where all pass."""
    log = work / "log"
    with log.open("w") as out:
        child = subprocess.Popen([program, "--gtest_fail_fast", f"--gtest_filter={tests}"], cwd=ROOT, stdout=out, stderr=out,
                                 start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        try:
            code, why = child.wait(limit), ""
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            code, why = 1, f" (no end after {limit} s)"
    if code == 0:
        return None
    text = log.read_text(errors="replace")
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", text, re.M)
    if failed:
        return failed[0]
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    return (begun[-1] if begun else "the start of the program") + (why or f" (stopped with code {code})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/ci")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    mutations, filters = read_list()
    texts = [mutation.text() for mutation in mutations]
    if arguments.check:
        print(f"{len(mutations)} mutations fit their sources")
        return 0
    rows = []
    with tempfile.TemporaryDirectory(prefix="mutations") as folder:
        work = Path(folder)
        build = Build(arguments.build, work)
        known = {}
        if arguments.only:
            with RESULTS.open() as file:
                known = {(row["source"], row["breaks"]): row for row in csv.DictReader(file)}
        else:  # the same way without a change must pass everything
            source = mutations[0].source
            print("without a mutation", end=" ", file=sys.stderr, flush=True)
            wrong = failure(build.program(source, (ROOT / source).read_text()), f"-{SLOW}", LIMIT, work)
            if wrong:
                sys.exit(f"{wrong} fails without a mutation: nothing can be said")
            print("all tests pass", file=sys.stderr, flush=True)
        for mutation, (text, line) in zip(mutations, texts):
            if not re.search(arguments.only, f"{mutation.source}: {mutation.breaks}"):
                row = known.get((mutation.source, mutation.breaks))
                rows.append({**row, "line": line} if row else {"source": mutation.source, "line": line, "breaks": mutation.breaks,
                                                              "caught_by": "not run", "seconds": ""})
                continue
            begin = time.monotonic()
            print(f"{mutation.source}:{line}: {mutation.breaks}:", end=" ", file=sys.stderr, flush=True)
            subject = max((entry for entry in filters if mutation.source.startswith(entry[0])), key=lambda entry: len(entry[0]))[1]
            program = build.program(mutation.source, text)
            caught = failure(program, f"{subject}:-{SLOW}", SUBJECT_LIMIT, work) or failure(program, f"-{SLOW}:{subject}", LIMIT, work)
            rows.append({"source": mutation.source, "line": line, "breaks": mutation.breaks, "caught_by": caught or "survived",
                         "seconds": f"{time.monotonic() - begin:.0f}"})
            print(rows[-1]["caught_by"], rows[-1]["seconds"], "s", file=sys.stderr, flush=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    caught = sum(row["caught_by"] not in ("survived", "not run") for row in rows)
    print(f"{caught} of {len(rows)} mutations caught ({100 * caught / len(rows):.0f} %), in {RESULTS.relative_to(ROOT)}")
    return 0 if caught >= GOAL * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
