#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sentence that simrun makes for a results page, an explanation or a warning has a form in simgui: tests/gui/sentences.py TOP

The functions below put the sentences together. Each of their texts must be in a form of gui/results/*_forms.cpp, where {} is %1 and so on;
tests/gui/translations.py looks for the translations of the forms. Not meant: messages of exceptions, names of columns and files.
"""
import pathlib
import re
import sys

MADE_BY = {
    "sim/parallel/step.cpp": ["derive_figures"],
    "sim/sources/jobs/job_notes.cpp": ["provenance_note", "left_out_of_traffic", "rings_that_meet", "assumed_hosts", "shared_cpus"],
    "sim/report/advice.cpp": ["comparison", "sentence"],
    "sim/sources/queue/queue_advice.cpp": ["main_reason", "difference", "advice_of"],
    "sim/cluster/resources.cpp": ["to_text"],
    "sim/sources/services/orchestration_tables.cpp": ["conclusions"],
    "sim/sources/together/together_report.cpp": ["conclusions"],
    "sim/sources/together/together.cpp": ["to_text"],
    "sim/sources/parallel/parallel_runner.cpp": ["taken", "narrow_switches"],
    "sim/sources/parallel/parallel_job.cpp": ["tensor_across_machines"],
    # explanations
    "sim/report/table.cpp": ["explain_text", "assumed_text"],
    "sim/sources/queue/queue_explain.cpp": ["find_job", "interruptions", "down_text", "line_of", "verdict", "passed_by", "neighbours", "explain_queue"],
    "sim/sources/retraining/environment_explain.cpp": ["models_text", "whole_run", "explain_environment"],
    "sim/sources/retraining/environment.cpp": ["to_text"],
    "sim/sources/services/orchestration_runner.cpp": ["explain_tasks", "explain"],
    "sim/sources/services/desired_state.cpp": ["to_text"],
    "sim/sources/services/machines.cpp": ["to_text", "why_not"],
    "sim/results/uses.cpp": ["bottleneck_sentence", "crowded_sentence", "to_text"],
    # warnings
    "models/scenario/places.cpp": ["find", "warn", "job", "input", "machines", "transports"],
    "models/scenario/assumptions.cpp": ["unlike_boards", "missing_units", "absurd_defaults"],
    "models/cost/profile.cpp": ["doubts"],
    "sim/sources/services/prepare.cpp": ["check_image"],
    "sim/sources/retraining/environment_report.cpp": ["one_night", "freshness_text", "advice_of", "warnings_of"],
    "sim/sources/jobs/point_run.cpp": ["note_contention"],
    "sim/sources/jobs/training_failures.cpp": ["describe", "why_never"],
}
NOT_SHOWN = {"resource", "host", "copy", "device", "gpu", "cpu", "all together", "?",  # compared with, or of a run without a sentence
             "mean_jct_s", "mean_waiting_s", "need_to_deployed_p50_s", "availability",  # columns
             "no", "yes", "speed", "priority: {}",
             "job {} ({} GPUs{}{}) under {}{}: submitted at {}"}  # some of its parts have forms of their own
LOGGED = "sim/sources/retraining/*.cpp"  # what log() tells there
LITERALS = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'


def text_of(literals):
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return "".join(parts).replace('\\"', '"').replace("\\n", "\n")


def pieces_of(code):
    """Its string literals, neighbours joined, by line and column."""
    return [piece for found in re.findall(LITERALS, re.sub(r"//.*", "", code)) for piece in re.split(r"\n| {2,}", text_of(found))]


def texts_of(source, function):
    """The string literals of a function, neighbours joined."""
    bodies = [match[2] for match in re.finditer(
        rf"^( *)[\w:<>&*, ]*\b{function}\([^;{{}}]*\)(?: const)?(?: override)?\n\1\{{\n(.*?)^\1\}}", source, re.MULTILINE | re.DOTALL)]
    bodies = [re.sub(r"throw InputError\{.*?\};\n", "", body, flags=re.DOTALL) for body in bodies]
    bodies = [re.sub(r'(\b(?:value|cell|number|whole|find|contains|for_each_row|text)\(|[!=]= )"[^"]*"', "", body) for body in bodies]
    if not bodies:
        sys.exit(f"there is no function {function} any more; name the one that makes its sentences in MADE_BY")
    return [text for body in bodies for text in pieces_of(body)]


def main():
    top = pathlib.Path(sys.argv[1])
    window = "".join(file.read_text() for file in (top / "gui/results").glob("*_forms.cpp"))
    forms = [text_of(found) for found in re.findall(rf'Phrase::\w+,\s*(?:QT_TRANSLATE_NOOP\(\s*"Results",\s*)?({LITERALS})', window)]
    forms += ["assumed: %1"]  # its parts have forms
    faults, count = [], 0
    made = {file: [text for function in functions for text in texts_of((top / file).read_text(), function)] for file, functions in MADE_BY.items()}
    for file in sorted(top.glob(LOGGED)):
        made[file.name] = pieces_of("\n".join(re.findall(r"\blog\(\w+,.*?\);\n", file.read_text(), re.DOTALL)))
    for file, texts in made.items():
        for text in texts:
            words = re.sub(r"\{\d*(?::[^{}]*)?\}", "\0", text).strip(" \n.,;:")
            if text in NOT_SHOWN or not re.search("[A-Za-z]", words) or re.fullmatch(r"\S*[_.]\S*", text):
                continue
            count += 1
            pattern = ".*".join(map(re.escape, re.split("\0(?: %)?", words)))
            if not any(re.search(pattern, form) for form in forms):
                faults.append(f"{file}: no form in gui/results/*_forms.cpp has: {text!r}")
    print(f"{count} texts, {len(forms)} forms")
    print("\n".join(faults))
    return 1 if faults or count < 180 else 0


if __name__ == "__main__":
    sys.exit(main())
