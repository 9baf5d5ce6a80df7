#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts one fault after another into the heart of the simulator, and sees whether a test notices.

  ninja -C build/ci unit_tests                  # first: the programs must be up to date
  tests/mutations/run.py [BUILD]                # writes results/mutations.csv

mutations.txt lists the faults. Each is put into a copy of its source, never into the tree. Only this copy is compiled, with the flags of
the build but -O1, and linked with the other objects of BUILD (default build/ci). Then the tests of the subject run, then all others, the long
ones last, until one fails. A crash, an endless loop (time limit) and use of too much memory count as caught. One core; about 10 s for a
fault that is caught, some minutes for one that survives.

--only WORDS: the mutations with these words in source or description; the other rows of results/mutations.csv are kept.
--missing: only mutations that have survived or have no result yet.
--check: only checks that every mutation still fits its source.
Exit code 1 where less than 90 % of all are caught.
"""
import argparse
import csv
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutations.txt")
RESULTS = ROOT / "results/mutations.csv"
COLUMNS = ["source", "line", "breaks", "caught_by", "seconds"]
GOAL = 0.9
# Starts programs that are not mutated.
PROGRAMS = "Cli*:*Line.*:Effort*:Shards*:Scripts*"
# Those, and what reads foreign bytes: not run for faults in the simulation.
ELSEWHERE = f"{PROGRAMS}:ForeignReaders*:Import*:All/Import*:Traces*:*Schema*:BadScenarios*"
# Seconds each, run last.
LONG = ("*AtLength*:TaskEnvironmentProperties.HoldFor*:Contention.FluidAndFlow*:Machines.*:OpenbAllocation.Random*:RoutesProperty.*:"
        "FaultSchedules.NoTask*:LongQueues*")
SUBJECT_LIMIT, LIMIT = 60, 300  # s of computing, however busy the machine is
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
            raise ValueError(f"'{self.source}: {self.breaks}': its lines stand in the source {source.count(chr(10) + before)} times")
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
    """The objects of a build folder, with one source replaced. A batch of sources that are compiled at once is cut once into those of the
    list, each alone, and all others together."""

    def __init__(self, folder, sources):
        self.folder = Path(folder).resolve()
        self.work = self.folder / "mutations"  # always the same, for the compiler cache
        self.work.mkdir(exist_ok=True)
        cache = (self.folder / "CMakeCache.txt").read_text()
        home = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache).group(1)  # as the build knows ROOT
        self.link = next(part for part in self.command("unit_tests").split(" && ") if "-o bin/unit_tests" in part)
        if shutil.which("ld.lld"):
            self.link += " -fuse-ld=lld"
        self.batches = {}  # source: (object, mutated sources in it, other sources in it)
        for batch in self.folder.glob("CMakeFiles/*.dir/Unity/*.cxx"):
            inside = [path.removeprefix(home + "/") for path in re.findall(r'^#include "(.*)"', batch.read_text(), re.M)]
            mutated = [source for source in inside if source in sources]
            for source in mutated:
                self.batches[source] = (f"{batch.relative_to(self.folder)}.o", mutated, [one for one in inside if one not in mutated])
        for source in sources - self.batches.keys():
            alone = next(self.folder.glob(f"CMakeFiles/*.dir/{source}.o"), None)
            if alone is None:
                sys.exit(f"{self.folder} has no object of {source}; build unit_tests there first")
            self.batches[source] = (str(alone.relative_to(self.folder)), [source], [])
        self.cut = {}  # object of a batch: (library without it, {source: its object}, object of the others)

    def command(self, target):
        lines = subprocess.run(["ninja", "-t", "commands", target], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        return lines.strip().splitlines()[-1]

    def compile(self, like, name, text):
        """Compiles a text with the command of the object `like`; the new object."""
        source = self.work / f"{name.replace('/', '_')}.cpp"
        source.write_text(text)
        words = shlex.split(self.command(like))
        for option in ("-MT", "-MF"):
            del words[words.index(option):words.index(option) + 2]
        words[words.index("-o") + 1], words[words.index("-c") + 1] = f"{source}.o", str(source)
        done = subprocess.run([word for word in words if word != "-MD"] + ["-O1", "-w"], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{source} does not compile:\n{done.stderr[-3000:]}")
        return f"{source}.o"

    def cut_out(self, batch, mutated, others):
        library = "lib" + re.search(r"CMakeFiles/(.*)\.dir/", batch).group(1) + ".a"
        archive = self.work / f"{Path(batch).name}.without.a"
        shutil.copy(self.folder / library, archive)
        members = subprocess.run(["ar", "t", archive], check=True, capture_output=True, text=True).stdout.split()
        if members.count(Path(batch).name) != 1:
            sys.exit(f"{self.folder / library} holds {members.count(Path(batch).name)} times {Path(batch).name}")
        subprocess.run(["ar", "d", archive, Path(batch).name], check=True)
        objects = {source: self.compile(batch, source, (ROOT / source).read_text()) for source in mutated if len(mutated) > 1}
        rest = [self.compile(batch, f"{Path(batch).name}.others", "".join(f'#include "{one}"\n' for one in others))] if others else []
        return library, archive, objects, rest

    def program(self, source, text):
        """unit_tests with this text in place of the source."""
        batch, mutated, others = self.batches[source]
        if batch not in self.cut:
            self.cut[batch] = self.cut_out(batch, mutated, others)
        library, archive, objects, rest = self.cut[batch]
        replaced = {**objects, source: self.compile(batch, f"{source}.mutated", text)}
        program = self.folder / "bin/mutated_unit_tests"  # beside the parts that it loads
        line, places = re.subn(rf"(?<![\w/]){re.escape(library)}(?=\s)", " ".join([str(archive), *replaced.values(), *rest]), self.link)
        if places != 1:
            sys.exit(f"the command that links unit_tests holds {library} {places} times: {self.link[-800:]}")
        subprocess.run(line.replace("-o bin/unit_tests", f"-o {program}"), shell=True, cwd=self.folder, check=True)
        return program


def failure(program, work, tests, limit):
    """The first test that fails, or that runs when the program stops; None where all pass."""
    log = work / "log"

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    with log.open("w") as out:
        code = subprocess.run([program, "--gtest_fail_fast", f"--gtest_filter={tests}"], cwd=ROOT, stdout=out, stderr=out,
                              preexec_fn=limited).returncode
    if code == 0:
        return None
    text = log.read_text(errors="replace")
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", text, re.M)
    if failed:
        return failed[0]
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    why = f"no end after {limit} s" if code in (-signal.SIGKILL, -signal.SIGXCPU) else f"stopped with code {code}"
    return f"{begun[-1] if begun else 'the start of the program'} ({why})"


def write(rows):
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/ci")
    parser.add_argument("--only", default="")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    mutations, filters = read_list()
    texts, misfits = [], []
    for mutation in mutations:
        try:
            texts.append(mutation.text())
        except ValueError as misfit:
            misfits.append(str(misfit))
    if misfits:
        sys.exit("\n".join([*misfits, f"correct them in {LIST.relative_to(ROOT)}"]))
    if arguments.check:
        print(f"{len(mutations)} mutations fit their sources")
        return 0
    build = Build(arguments.build, {mutation.source for mutation in mutations})
    known = {}
    some = bool(arguments.only) or arguments.missing
    if some and RESULTS.exists():
        with RESULTS.open() as file:
            known = {(row["source"], row["breaks"]): row for row in csv.DictReader(file)}
    if not some:  # the same way without a change must pass everything
        source = mutations[0].source
        print("without a mutation", end=" ", file=sys.stderr, flush=True)
        wrong = failure(build.program(source, (ROOT / source).read_text()), build.work, f"-{ELSEWHERE}", LIMIT)
        if wrong:
            sys.exit(f"{wrong} fails without a mutation: nothing can be said")
        print("all tests pass", file=sys.stderr, flush=True)
    rows, sound = [], set()
    for mutation, (_, line) in zip(mutations, texts):
        row = {"source": mutation.source, "line": line, "breaks": mutation.breaks, "caught_by": "not run", "seconds": ""}
        rows.append({**known.get((mutation.source, mutation.breaks), row), "line": line})
    for row, (text, line) in zip(rows, texts):
        if not re.search(arguments.only, f"{row['source']}: {row['breaks']}") or (
                arguments.missing and row["caught_by"] not in ("survived", "not run")):
            continue
        begin = time.monotonic()
        print(f"{row['source']}:{line}: {row['breaks']}:", end=" ", file=sys.stderr, flush=True)
        subject = max((entry for entry in filters if row["source"].startswith(entry[0])), key=lambda entry: len(entry[0]))[1]
        elsewhere = PROGRAMS if row["source"].startswith("models/") else ELSEWHERE
        if some and row["source"] not in sound:  # what is tried must pass without a change
            unchanged = build.program(row["source"], (ROOT / row["source"]).read_text())
            if wrong := failure(unchanged, build.work, f"{subject}:-{elsewhere}:{LONG}", SUBJECT_LIMIT):
                sys.exit(f"{wrong} fails without a mutation: nothing can be said")
            sound.add(row["source"])
        program = build.program(row["source"], text)
        caught = (failure(program, build.work, f"{subject}:-{elsewhere}:{LONG}", SUBJECT_LIMIT) or
                  failure(program, build.work, f"-{elsewhere}:{LONG}:{subject}", LIMIT) or failure(program, build.work, LONG, LIMIT))
        row.update(caught_by=caught or "survived", seconds=f"{time.monotonic() - begin:.0f}")
        print(row["caught_by"], row["seconds"], "s", file=sys.stderr, flush=True)
        write(rows)
    tried = [row for row in rows if row["caught_by"] != "not run"]
    caught = sum(row["caught_by"] != "survived" for row in tried)
    print(f"{caught} of {len(tried)} mutations caught ({100 * caught / max(len(tried), 1):.0f} %), {len(rows) - len(tried)} not run; "
          f"in {RESULTS.relative_to(ROOT)}")
    return 0 if caught >= GOAL * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
