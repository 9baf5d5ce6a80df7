# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on the lines that changed since a commit: tidy_changes.py BUILD_FOLDER COMMIT [SECONDS]

BUILD_FOLDER holds compile_commands.json (preset tidy). Sources are checked newest change first, two at a time, until SECONDS (300) are over, whatever runs then;
what is left is named. Lines of changed headers are checked in the sources that include them. Exit code 1: something was found.
"""
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import time


IGNORED = ".git-blame-ignore-revs"


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def lines_of(commit, name):
    """The lines of a file that came after the commit, as [[first, last], ...]; not those that were only laid out anew (.git-blame-ignore-revs)."""
    ignored = ["--ignore-revs-file", IGNORED] if pathlib.Path(IGNORED).exists() else []
    ranges = []
    for number, line in enumerate(git("blame", *ignored, "-s", "-l", f"{commit}..HEAD", "--", name).splitlines(), 1):
        if line.startswith("^"):  # older
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def changed_lines(commit):
    """File to its changed lines."""
    names = git("diff", "--name-only", "--diff-filter=d", f"{commit}..HEAD", "--", "*.cpp", "*.hpp").split()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(names, pool.map(lambda name: lines_of(commit, name), names)))
    return {name: ranges for name, ranges in found.items() if ranges}


def main():
    folder, commit = sys.argv[1:3]
    end = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 300)
    tidy = shutil.which("clang-tidy-16") or "clang-tidy"
    known = {e["file"] for e in json.loads((pathlib.Path(folder) / "compile_commands.json").read_text())}
    lines = changed_lines(commit)
    line_filter = json.dumps([{"name": name, "lines": ranges} for name, ranges in lines.items()])
    newest_first = list(dict.fromkeys(git("log", "--format=", "--name-only", f"{commit}..").split()))
    sources = sorted((s for s in lines if s.endswith(".cpp") and str(pathlib.Path(s).resolve()) in known),
                     key=lambda s: newest_first.index(s) if s in newest_first else -1)

    mocs = pathlib.Path(folder) / "empty_mocs"  # nothing is built here: what Qt's moc would write is left out
    mocs.mkdir(exist_ok=True)
    for source in sources:
        if source.startswith("tests/gui/"):
            (mocs / f"{pathlib.Path(source).stem}.moc").touch()

    def check(source):
        left = end - time.monotonic()
        if left <= 0:
            return source, None
        try:  # one source can take minutes: some checks grow fast with the size of a function
            done = subprocess.run([tidy, "-p", folder, "--quiet", f"--line-filter={line_filter}", f"--extra-arg=-I{mocs.resolve()}", source], capture_output=True, text=True, timeout=left)
        except subprocess.TimeoutExpired:
            return source, None
        return source, (done.stdout if done.returncode != 0 else "")

    left, found = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, text in pool.map(check, sources):
            if text is None:
                left.append(source)
            elif text:
                found += 1
                print(text)
    print(f"clang-tidy: {len(sources) - len(left)} of {len(sources)} changed sources checked since {commit}, {found} with findings")
    if left:
        print("no time was left for: " + " ".join(left))
    return 1 if found else 0


sys.exit(main())
