# SPDX-License-Identifier: Apache-2.0
"""Writes docs/founding_rows.md from the tests of the founding documents' rows, or checks that it is up to date.

Usage: list_rows.py SOURCE_FOLDER [--check]
A row is done when a test `TEST(FoundingRows, <row>_<what it asserts>)` exists; its words become the table. Exit code 1: the page is old,
or a row has no test.
"""
import pathlib
import re
import sys

DOCUMENTS = {
    "D": ("Docker Swarm for distributed TensorFlow", 23),
    "A": ("TensorFlow on a container service", 28),
    "C": ("Management of GPU clusters", 16),
    "T": ("Task environment for retraining", 19),
    "N": ("Notes on distributed machine learning", 13),
}
TEST = re.compile(r"^TEST(?:_[FP])?\(FoundingRows,\s*([DACTN])(\d+)_(\w+)\)", re.MULTILINE)
SCENARIO = re.compile(r'"(?:scenarios/)?(?:[a-z_]+/)?([a-z][a-z0-9_]*)(?:\.yaml)?"')


def words(name):
    """'EightWorkersOneSlow' -> 'eight workers one slow'"""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name.replace("_", " "))
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in split.split())


def rows(source):
    """(letter, number) -> list of (words, file, paths of the scenarios named in the test)"""
    shipped = {path.stem: path.relative_to(source).as_posix() for path in (source / "scenarios").rglob("*.yaml")}
    found = {}
    for path in sorted((source / "tests").rglob("*_test.cpp")):
        text = path.read_text(encoding="utf-8")
        tests = list(TEST.finditer(text))
        for index, test in enumerate(tests):
            end = tests[index + 1].start() if index + 1 < len(tests) else len(text)
            named = [shipped[name] for name in dict.fromkeys(SCENARIO.findall(text[test.start():end])) if name in shipped]
            found.setdefault((test[1], int(test[2])), []).append((words(test[3]), path.relative_to(source).as_posix(), named))
    return found


def page(found):
    lines = [
        "# Requirements: statements that tests check",
        "",
        "Each row is a requirement: a statement about training on shared clusters, with a scenario and a test named after it. The statements come from",
        "five texts on clusters for training; the headings name them. `ctest --preset dev -R 'FoundingRows'` runs the tests.",
        "Written by `tests/founding/list_rows.py`.",
    ]
    for letter, (title, count) in DOCUMENTS.items():
        lines += ["", f"## {letter}: {title}", "", "| row | what the test asserts | scenarios | in |", "|---|---|---|---|"]
        for number in range(1, count + 1):
            for what, file, scenarios in found.get((letter, number), []):
                links = ", ".join(f"[{pathlib.PurePosixPath(path).stem}](../{path})" for path in scenarios)
                lines.append(f"| {letter}{number} | {what} | {links} | [{pathlib.PurePosixPath(file).name}](../{file}) |")
    return "\n".join(lines) + "\n"


def main():
    source = pathlib.Path(sys.argv[1])
    found = rows(source)
    missing = [f"{letter}{number}" for letter, (_, count) in DOCUMENTS.items() for number in range(1, count + 1) if (letter, number) not in found]
    target = source / "docs" / "founding_rows.md"
    if missing:
        print("rows without a test: " + ", ".join(missing))
    if "--check" in sys.argv:
        old = not target.exists() or target.read_text(encoding="utf-8") != page(found)
        if old:
            print("docs/founding_rows.md does not match the tests; run: python3 tests/founding/list_rows.py .")
        return 1 if missing or old else 0
    target.write_text(page(found), encoding="utf-8")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
