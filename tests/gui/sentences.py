#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sentence that simrun makes for a results page has a form in simgui: tests/gui/sentences.py TOP

The functions below put the sentences together. Each of their texts must be in a form of gui/results/sentences.cpp, where {} is %1 and so on;
tests/gui/translations.py looks for the translations of the forms.
"""
import pathlib
import re
import sys

MADE_BY = {
    "sim/results/uses.cpp": ["bottleneck_sentence"],
    "sim/parallel/step.cpp": ["derive_figures"],
    "sim/sources/jobs/job_notes.cpp": ["provenance_note"],
    "sim/report/advice.cpp": ["comparison", "sentence"],
    "sim/sources/queue/queue_advice.cpp": ["main_reason", "difference", "advice_of"],
    "sim/cluster/resources.cpp": ["to_text"],
    "sim/sources/services/orchestration_tables.cpp": ["conclusions"],
    "sim/sources/retraining/environment_report.cpp": ["one_night", "freshness_text", "advice_of"],
    "sim/sources/together/together_report.cpp": ["conclusions"],
    "sim/sources/together/together.cpp": ["to_text"],
    "sim/sources/parallel/parallel_runner.cpp": ["taken"],
}
NOT_SHOWN = {"resource", "host", "copy", "device", "gpu", "cpu", "all together", "?",  # compared with, or of a run without a sentence
             "mean_jct_s", "mean_waiting_s", "need_to_deployed_p50_s", "availability"}  # columns
LITERALS = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'


def text_of(literals):
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return "".join(parts).replace('\\"', '"').replace("\\n", "\n")


def texts_of(source, function):
    """The string literals of a function, neighbours joined."""
    bodies = re.findall(rf"^[\w:<>&* ]*\b{function}\([^;{{}}]*\)\n\{{\n(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    if not bodies:
        sys.exit(f"there is no function {function} any more; name the one that makes its sentences in MADE_BY")
    return [text_of(found) for body in bodies for found in re.findall(LITERALS, re.sub(r"//.*", "", body))]


def main():
    top = pathlib.Path(sys.argv[1])
    window = (top / "gui/results/sentences.cpp").read_text()
    forms = [text_of(found) for found in re.findall(rf'QT_TRANSLATE_NOOP\(\s*"Results",\s*({LITERALS})\)', window)]
    faults, count = [], 0
    for file, functions in MADE_BY.items():
        source = (top / file).read_text()
        for text in (text for function in functions for text in texts_of(source, function)):
            words = re.sub(r"\{\d*(?::[^{}]*)?\}", "\0", text).strip(" \n.,;:")
            if text in NOT_SHOWN or not re.search("[A-Za-z]", words):
                continue
            count += 1
            pattern = ".*".join(map(re.escape, re.split("\0(?: %)?", words)))
            if not any(re.search(pattern, form) for form in forms):
                faults.append(f"{file}: no form in gui/results/sentences.cpp has: {text!r}")
    print(f"{count} texts, {len(forms)} forms")
    print("\n".join(faults))
    return 1 if faults or count < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
