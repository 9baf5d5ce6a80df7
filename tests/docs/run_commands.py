# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/*.md show, as a new user would, and compares what they print with what the page shows.

Usage: run_commands.py SOURCE_FOLDER PROGRAM_FOLDER [--update] [PAGE...]

In a fenced block of kind `console` a line that starts with "$ " is a command, and what follows is its output; "…" stands for lines that
the page leaves out. In a block of kind `sh` every line that starts with `simrun` is a command. Each page has a scratch folder of its own,
with the files that its examples call theirs; a `yaml` block with a cluster becomes cluster.yaml. Commands must end with exit code 0, or
with the code that the page shows behind `; echo $?`. Every line that the page shows must be printed, numbers apart: those change with the
catalogue. --update writes today's numbers into the pages. Exit code 1: a command or a line fails.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = pathlib.Path(sys.argv[2]).resolve()
UPDATE = "--update" in sys.argv
PAGES = [a for a in sys.argv[3:] if not a.startswith("--")] or ["README.md"] + sorted(
    p.relative_to(SOURCE).as_posix() for p in (SOURCE / "docs").glob("*.md"))

# What a user has of their own. Commands that need more than simrun and these are not run.
OWN = {
    "my.yaml": "scenarios/vgg16_ps_vs_ring.yaml",
    "mine.yaml": "scenarios/mpi_job.yaml",
    "my_cluster.csv": "tests/data/score_small.csv",
    "my_cluster.map.yaml": "tests/data/score_small.map.yaml",
    "TABLE.csv": "tests/data/score_small.csv",
    "MAP.yaml": "tests/data/score_small.map.yaml",
}
COMPOSE = """version: '2'
services:
  worker-0:
    image: example/tf
    container_name: tf-worker0
    command: --cluster_spec=worker|tf-worker0:2222,ps|tf-ps0:2222 --job_name=worker --task_id=0
    labels: [aliyun.gpu=1]
  ps-0:
    container_name: tf-ps0
    command: --cluster_spec=worker|tf-worker0:2222,ps|tf-ps0:2222 --job_name=ps --task_id=0
"""
NOT_RUN = re.compile(r"\[--|^cmake|^build/bin|^\./|^results/|mpirun|^\(cd|jobs\.csv|FILES|RESULTS\b|SCENARIO\b")


def masked(line):
    """Numbers, their units and the width of columns do not count."""
    line = re.sub(r"[±+-]?\d[\d,.]*(?:e[+-]?\d+)?", "#", line)
    line = re.sub(r"# ?(?:us|ms|s|min|h|d|ns)\b", "#", line)
    return re.sub(r"[\s─-]+", " ", line).strip()


def blocks(text):
    """(kind, first line, last line) of fenced blocks; lines count from 0, fences left out."""
    lines, begin, kind = text.split("\n"), None, ""
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if begin is None:
                begin, kind = number + 1, line[3:].strip()
            else:
                yield kind, begin, number
                begin = None


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600,
                          env={"PATH": f"{PROGRAMS}:/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1"})
    return done.returncode, (done.stderr + done.stdout if "> " in command or "echo $?" in command else done.stdout), done.stderr


def prepare(folder, text):
    for name, origin in OWN.items():
        shutil.copyfile(SOURCE / origin, folder / name)
    (folder / "docker-compose.yml").write_text(COMPOSE)
    for sample in (SOURCE / "tests/data/samples/compose").iterdir():
        shutil.copyfile(sample, folder / sample.name)
    for kind, begin, end in blocks(text):
        block = "\n".join(text.split("\n")[begin:end])
        if kind == "yaml" and "workload:" in block:
            (folder / "cluster.yaml").write_text(block + "\n")


def check_console(page, lines, begin, end, folder, faults, count):
    commands = [n for n in range(begin, end) if lines[n].startswith("$ ")] + [end]
    shown = lines[begin:commands[0]]
    for at, stop in zip(commands, commands[1:]):
        command, expected = lines[at][2:], lines[at + 1:stop]
        shown.append(lines[at])
        count[0] += 1
        code, output, errors = run(command, folder)
        wanted = 0
        if "echo $?" in command and expected and expected[-1].isdigit():
            wanted, code = int(expected[-1]), int(output.split("\n")[-2] if output.endswith("\n") else -1)
        if code not in (wanted, 3 if "plan " in command else wanted):
            faults.append(f"{page}:{at + 1}: exit code {code}: {command}\n{errors[-500:]}")
        printed = [line.rstrip() for line in output.rstrip("\n").split("\n")]
        known = {masked(line) for line in printed}
        starts = {line[:20] for line in known}
        for number, line in enumerate(expected, at + 2):
            if line.strip() in ("", "…") or UPDATE:
                continue
            if masked(line) not in known and masked(line)[:20] not in starts:
                faults.append(f"{page}:{number}: not printed today: {line}")
        if UPDATE and expected:
            if any(line.strip() == "…" for line in expected):  # as many lines as the page shows
                printed = printed[:sum(line.strip() != "…" for line in expected)] + ["…"]
            shown += printed[1:] if printed and not printed[0] else printed
        else:
            shown += expected
    return shown


def main():
    faults, count = [], [0]
    for page in PAGES:
        path = SOURCE / page
        text = path.read_text()
        lines = text.split("\n")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            prepare(folder, text)
            pieces, last = [], 0
            for kind, begin, end in blocks(text):
                pieces += lines[last:begin]
                last = end
                if kind == "console":
                    pieces += check_console(page, lines, begin, end, folder, faults, count)
                    continue
                pieces += lines[begin:end]
                if kind != "sh":
                    continue
                for number in range(begin, end):
                    line = lines[number].split("   #")[0].rstrip()
                    if not line.startswith("simrun") or NOT_RUN.search(line):
                        continue
                    absent = [w for w in line.split() if re.search(r"\.(ya?ml|csv|json|psv)$", w)
                              and not (folder / w).exists() and not re.search(r"(-o|>) " + re.escape(w), line)]
                    if absent and not absent[0].startswith("results/"):
                        print(f"{page}:{number + 1}: not run, {absent[0]} is the reader's own: {line}")
                        continue
                    count[0] += 1
                    code, output, errors = run(line, folder)
                    if code != 0:
                        faults.append(f"{page}:{number + 1}: exit code {code}: {line}\n{errors[-500:]}")
                    for word in re.findall(r"(?:-o|>) (\S+)", line):
                        if code == 0 and not (folder / word).exists():
                            faults.append(f"{page}:{number + 1}: '{word}' was not written: {line}")
            pieces += lines[last:]
        if UPDATE and "\n".join(pieces) != text:
            path.write_text("\n".join(pieces))
            print(f"{page}: brought up to date")
    for fault in faults:
        print(fault)
    print(f"{count[0]} commands of {len(PAGES)} pages, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
