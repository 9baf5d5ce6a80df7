# SPDX-License-Identifier: Apache-2.0
"""Lists what a run of ctest skipped, and why: skipped.py TESTS.xml [PART...], or which tests failed: skipped.py --failed TESTS.xml

TESTS.xml is what `ctest --output-junit` writes. A reason that begins with "part NAME:" says that a part of packages.txt is missing.
Exit code 1: a part is missing that is not among the named ones; ./test installs all of them, so the test should have run.
"""
import re
import sys
import xml.etree.ElementTree


def reasons(case):
    """Why a test, or one function of a Qt test program, did not run."""
    output = case.findtext("system-out") or ""
    lines = output.split("\n")
    found = [match[1].strip() for match in re.finditer(r"^SKIP   : (.*)$", output, re.M)]
    if case.find("skipped") is not None:
        after = [lines[n + 1] for n, line in enumerate(lines[:-1]) if ": Skipped" in line]  # GoogleTest: the place, then the reason
        named = [line[len("skipped: "):] for line in lines if line.startswith("skipped: ")]  # our scripts
        found += after or named or [case.find("skipped").get("message") or "no reason given"]
    return found


def tell_failed(path):
    """The failed tests, each with the end of what it printed."""
    failed = [case for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase") if case.find("failure") is not None]
    for case in failed:
        lines = [line[:200] for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
        telling = [line for line in lines if re.search(r"fail|error|fault", line, re.I)]
        print(f"FAILED: {case.get('name')} ({case.find('failure').get('message')}, {float(case.get('time')):.0f} s)",
              *(telling[:6] if len(failed) > 2 else telling[:12] + lines[-12:]), sep="\n  ")


def main():
    if sys.argv[1] == "--failed":
        tell_failed(sys.argv[2])
        return 0
    cases = list(xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
    without = set(sys.argv[2:])
    by_reason, missing = {}, set()
    for case in cases:
        for reason in reasons(case):
            by_reason.setdefault(reason, []).append(case.get("name"))
            part = re.match(r"part (\w+):", reason)
            if part and part[1] not in without:
                missing.add(part[1])
    for reason, names in sorted(by_reason.items()):
        print(f"skipped: {', '.join(names[:4])}{f' and {len(names) - 4} more' if len(names) > 4 else ''}: {reason}")
    skipped = sum(case.find("skipped") is not None for case in cases)
    failed = sum(case.find("failure") is not None for case in cases)
    for part in sorted(missing):
        print(f"FAILED: part {part} is missing, so its tests did not run; --without {part} leaves it out on purpose")
    print(f"{len(cases) - skipped - failed} passed, {failed} failed, {skipped} skipped")
    return 1 if missing else 0


sys.exit(main())
