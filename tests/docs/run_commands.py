# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and the pages below docs/ and scenarios/ show, as a new user would, and compares what they print with the page.

Usage: run_commands.py SOURCE_FOLDER PROGRAM_FOLDER [--update] [-j N] [PAGE...]

Each page has a scratch folder of its own. Its fenced blocks are worked through from top to bottom:

  yaml, csv     a block whose first line is "# NAME" is written to NAME (a table without that line).
  console       a line that starts with "$ " is a command; what follows is all that it prints to stdout and stderr. "…" alone on a line
                stands for lines that the page leaves out. Every other line must be printed as shown, numbers included, and in this
                order. "…" at the end of a line stands for the rest of it.
  sh            a line that starts with `simrun` or `./run` (the same program) or `mpirun` is run; what it prints is not compared.
                `./run gui` and `./run simcal` start other programs and are not run. Lines with a NAME in capitals are forms to fill in and are not run; nor are other programs.

  tables        in README.md, commands in a table are run like those of `sh`.

A command must end with exit code 0, unless the next one is `echo $?`. A page that says "Written by `simrun …`" must be what that
command prints. Links between pages must lead to a file and a heading. Every name that `simrun list TOPIC` knows must be in the table or
the section that describes the topic (DESCRIBED below).

--update writes today's output into the pages. Exit code 1: something fails.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# All that is not compared: the version, and how long something took.
MASKED = [(re.compile(r"commit [0-9a-f]{12}|commit unknown"), "commit #")]

# What a user has of their own: commands of `sh` blocks may name these files.
OWN = {
    "my.yaml": "scenarios/vgg16_ps_vs_ring.yaml",
    "my_cluster.csv": "tests/data/score_small.csv",
    "my_cluster.map.yaml": "tests/data/score_small.map.yaml",
}

# Topics of `simrun list`: the page and its heading below which each of their names is described, and whether that is a table with a row
# per name (several names may share a row).
DESCRIBED = {
    "queues": ("docs/policies.md", "Queue policies", True),
    "placements": ("docs/policies.md", "Placement policies", True),
    "topologies": ("docs/topologies.md", "Between machines (`network: topology:`)", True),
    "nodes": ("docs/topologies.md", "Inside a machine (`intra:`)", True),
    "formats": ("docs/formats.md", "Formats: what is imported and exported", True),
    "exports": ("docs/formats.md", "Export", True),
    "fidelities": ("docs/model.md", "The network", True),
    "training": ("docs/model.md", "Training modes", True),
    "collectives": ("docs/model.md", "Collectives", True),
    "updates": ("docs/model.md", "Parameter servers", False),
    "variables": ("docs/model.md", "Parameter servers", False),
    "congestion-controls": ("docs/model.md", "Fidelity `tcp`", False),
    "planners": ("docs/retraining.md", "Rules", False),
    "duplicates": ("docs/retraining.md", "Rules", False),
    "triggers": ("docs/retraining.md", "Rules", False),
}
LEFT_OUT = "…"


def masked(line):
    for pattern, replacement in MASKED:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def same(shown, printed):
    shown, printed = masked(shown), masked(printed)
    return shown == printed or (shown.endswith(LEFT_OUT) and printed.startswith(shown[:-1].rstrip()))


def mismatch(shown, printed):
    """The index of the first line of `shown` that is not printed in its place, or None. Parts between two "…" stand together."""
    parts, at = [[]], 0
    for index, line in enumerate(shown):
        if line.strip() == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(index)

    def fits(part, where):
        for offset, index in enumerate(part):
            if where + offset >= len(printed) or not same(shown[index], printed[where + offset]):
                return offset
        return len(part)

    for number, part in enumerate(parts):
        first, last = number == 0, number == len(parts) - 1
        places = [at] if first else range(at, len(printed) + 1)
        if last and not first:
            places = [p for p in places if p + len(part) == len(printed)] or [max(at, len(printed) - len(part))]
        best = max((fits(part, place) for place in places), default=0)
        if best < len(part):
            return part[best]
        at = next(place for place in places if fits(part, place) == len(part)) + len(part)
    return None if at == len(printed) else len(shown) - 1


def likeness(shown, printed):
    """How much a line of the page and a printed one have in common, 0 to 1: words count, numbers count less."""
    def words(line):
        return re.sub(r"[\s─-]+", " ", line).split()

    one, two = words(shown.rstrip(LEFT_OUT)), words(printed)[: len(words(shown)) if shown.endswith(LEFT_OUT) else None]
    if not one or not two:
        return 1.0 if one == two else 0.0

    def share(a, b):
        left = list(b)
        common = 0
        for word in a:
            if word in left:
                left.remove(word)
                common += 1
        return 2 * common / (len(a) + len(b))

    def form(line):
        return [re.sub(r"\d[\d,.]*", "#", word) for word in line]

    return 0.5 * share(one, two) + 0.5 * share(form(one), form(two))


def renewed(shown, printed):
    """Today's lines in place of those that the page shows: the same choice of lines, found by their words."""
    wanted = [line for line in shown if line.strip() != LEFT_OUT]
    if len(wanted) == len(shown) or not wanted:
        return printed
    rows, columns = len(wanted), len(printed)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            match = likeness(wanted[i], printed[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + match if match > 0.4 else 0.0)
    lines, i, j, last = [], 0, 0, -1
    while i < rows and j < columns:
        if best[i][j] == best[i][j + 1]:
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            if j != last + 1:
                lines.append(LEFT_OUT)
            cut = wanted[i].endswith(LEFT_OUT) and len(printed[j]) > len(wanted[i])
            lines.append(printed[j][: len(wanted[i]) - 1].rstrip() + " " + LEFT_OUT if cut else printed[j])
            last = j
            i, j = i + 1, j + 1
    return lines if last == columns - 1 else lines + [LEFT_OUT]


def blocks(lines):
    """(kind, first line, line behind the last) of fenced blocks; lines count from 0, fences left out."""
    begin, kind = None, ""
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if begin is None:
                begin, kind = number + 1, line[3:].strip()
            else:
                yield kind, begin, number
                begin = None


@functools.lru_cache(maxsize=None)
def headings(path):
    names, fenced = set(), False
    for line in path.read_text().split("\n"):
        fenced = fenced != line.startswith("```")
        if line.startswith("#") and not fenced:
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            names.add(words.replace(" ", "-"))
    return names


class Page:
    def __init__(self, source, programs, name, update):
        self.source, self.programs, self.name, self.update = source, programs, name, update
        self.path = source / name
        self.lines = self.path.read_text().split("\n")
        self.faults, self.notes, self.count, self.code = [], [], 0, 0

    def fault(self, line, text):
        self.faults.append(f"{self.name}:{line + 1}: {text}")

    def run(self, command, folder):
        """(exit code, what a terminal shows)"""
        self.count += 1
        environment = {"PATH": f"{folder}/.bin:{self.programs}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["bash", "-c", f"(exit {self.code}); {command}"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600, env=environment)
        self.code = done.returncode
        return done.returncode, done.stdout

    def console(self, begin, end, folder):
        commands = [n for n in range(begin, end) if self.lines[n].startswith("$ ")]
        new = self.lines[begin:commands[0]] if commands else self.lines[begin:end]
        for at, stop in zip(commands, commands[1:] + [end]):
            command, shown = self.lines[at][2:], self.lines[at + 1:stop]
            code, output = self.run(command, folder)
            printed = [line.rstrip() for line in output.strip("\n").split("\n")] if output.strip() else []
            if code != 0 and not (stop < end and self.lines[stop] == "$ echo $?"):
                self.fault(at, f"exit code {code}: {command}\n{output[-500:]}")
            if self.update:
                shown = renewed(shown, printed)
            else:
                wrong = mismatch(shown, printed)
                if wrong is not None:
                    line = shown[wrong] if shown else ""
                    self.fault(min(at + 1 + wrong, stop), f"not printed here by: {command}\n    shown   {line}\n    printed "
                               + max(printed, key=lambda text: likeness(line, text), default=""))
            new += [self.lines[at]] + shown
        return new

    def shell(self, begin, end, folder):
        for number in range(begin, end):
            command = re.split(r"\s{2,}#", self.lines[number])[0].strip()
            if re.match(r"simrun |\./run (?!gui|simcal)|mpirun ", command):
                self.line_of_shell(number, command, folder)

    def line_of_shell(self, number, command, folder):
        if re.search(r"(?<![\w$-])[A-Z]{3,}(?:[./][\w.]+)?(?=$|\s)", command):
            self.notes.append(f"{self.name}:{number + 1}: a form to fill in, not run: {command}")
            return
        if command.startswith("mpirun") and not shutil.which("mpirun"):
            self.fault(number, f"mpirun is not installed: {command}")
            return
        code, output = self.run(command, folder)
        if code != 0:
            self.fault(number, f"exit code {code}: {command}\n{output[-500:]}")
        for word in re.findall(r"(?:-o|>) ([\w./-]+)(?=\s|$)", re.sub(r"'[^']*'", "", command)):
            if code == 0 and "--shard " not in command and not (folder / word).exists():
                self.fault(number, f"'{word}' was not written: {command}")

    def links(self):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", "\n".join(self.lines), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, heading = target.partition("#")
            path = (self.path.parent / file).resolve() if file else self.path
            if not path.exists():
                self.faults.append(f"{self.name}: the link leads nowhere: {target}")
            elif heading and path.suffix == ".md" and heading not in headings(path):
                self.faults.append(f"{self.name}: the page has no such heading: {target}")

    def check(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            written = re.search(r"^Written by `(simrun [^`]+)`", "\n".join(self.lines[:6]), re.MULTILINE)
            if written:
                self.written_by(written.group(1), folder)
                return self
            self.links()
            (folder / "run").write_text('#!/bin/sh\nexec simrun "$@"\n')
            (folder / "run").chmod(0o755)
            os.symlink(self.source / "scenarios", folder / "scenarios")
            for name, origin in OWN.items():
                shutil.copyfile(self.source / origin, folder / name)
            new, last = [], 0
            for kind, begin, end in blocks(self.lines):
                new += self.lines[last:begin]
                last = end
                file = re.match(r"# ([\w.-]+\.[a-z]+)$", self.lines[begin])
                if kind == "console":
                    new += self.console(begin, end, folder)
                    continue
                new += self.lines[begin:end]
                if kind == "sh":
                    self.shell(begin, end, folder)
                elif file:
                    skip = 1 if kind == "csv" else 0
                    (folder / file.group(1)).write_text("\n".join(self.lines[begin + skip:end]) + "\n")
            self.write(new + self.lines[last:])
            if self.name == "README.md":
                for number, line in enumerate(self.lines):
                    for command in re.findall(r"`(simrun [^`]+)`", line) if line.startswith("|") else []:
                        self.line_of_shell(number, command, folder)
        return self

    def written_by(self, command, folder):
        code, output = self.run(command, folder)
        if code != 0:
            self.fault(0, f"exit code {code}: {command}")
        elif self.update:
            self.write(output.split("\n"))
        elif output.split("\n") != self.lines:
            self.fault(0, f"is not what `{command}` prints")

    def write(self, lines):
        if self.update and lines != self.lines:
            self.path.write_text("\n".join(lines))
            self.notes.append(f"{self.name}: brought up to date")


def section(lines, heading):
    """The lines below a heading, up to the next one."""
    found, inside = [], False
    for line in lines:
        if line.startswith("#"):
            inside = line.lstrip("#").strip() == heading
        elif inside:
            found.append(line)
    return found


def described(lines, heading, in_table):
    """The names in backticks below a heading: those in the first column of its tables, or all of them."""
    below = section(lines, heading)
    if in_table:
        below = [line.split("|")[1] for line in below if line.startswith("|")]
    return {name for line in below for name in re.findall(r"`([^`]+)`", line)}


def undescribed(source, programs):
    for topic, (page, heading, in_table) in DESCRIBED.items():
        known = described((source / page).read_text().split("\n"), heading, in_table)
        names = subprocess.run([programs / "simrun", "list", topic, "--names"], capture_output=True, text=True, check=True).stdout.split()
        if not names:
            yield f"`simrun list {topic}` knows no name"
        for name in names:
            if name not in known:
                place = "has no row in the table" if in_table else "is not described"
                yield f"{page}: `{name}` of `simrun list {topic}` {place} below '{heading}'"


def main():
    words = sys.argv[1:]
    update = "--update" in words
    jobs = int(words[words.index("-j") + 1]) if "-j" in words else os.cpu_count()
    words = [w for n, w in enumerate(words) if not w.startswith("-") and (n == 0 or words[n - 1] != "-j")]
    source, programs = (pathlib.Path(word).resolve() for word in words[:2])
    names = words[2:] or ["README.md"] + sorted(p.relative_to(source).as_posix() for below in ("docs", "scenarios") for p in (source / below).rglob("*.md"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pages = list(pool.map(lambda name: Page(source, programs, name, update).check(), names))
    faults = [fault for page in pages for fault in page.faults]
    if not words[2:]:
        faults += undescribed(source, programs)
    for line in [note for page in pages for note in page.notes] + faults:
        print(line)
    print(f"{sum(page.count for page in pages)} commands of {len(pages)} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
