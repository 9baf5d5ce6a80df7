# SPDX-License-Identifier: Apache-2.0
"""What must hold between two runs: the third part of a relation, beside what it changes and where it applies."""
import math
import re

# What says when, where and with what a run was made, not what it found; and sentences about figures, which are compared themselves.
ABOUT_THE_RUN = re.compile(r"(^|\.)(scenario_sha256|sha256|created|wall_s|wall_time_s|seconds|version|program|command|file|folder|path|scenario|name)$|"
                           r"(^|\.)(warnings|assumed|assumptions|messages|advice|question|description|overview|told|provenance_note)(\.|$)")


class Broken(str):
    """A contradiction in words; `kind` tells the same from another."""

    def __new__(cls, kind, text):
        made = super().__new__(cls, text)
        made.kind = kind
        return made


def near(a, b, tolerance, least=1e-9):
    if a == b:
        return True
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (a, b))
    return numbers and math.isclose(a, b, rel_tol=tolerance, abs_tol=least if tolerance else 0)


def mean(value):
    """Of a figure with its interval, or the figure."""
    return value.get("mean") if isinstance(value, dict) else value


def dotted(path):
    return ".".join(str(part) for part in path)


def kind_of(path):
    """The last word of a path that is a name of a figure."""
    words = [part for part in path if isinstance(part, str)]
    return words[-1] if words else "?"


def differences(before, after, tolerance=0.0, skip=None, expected=None):
    """The first figure that differs. @p expected(path, value): what the value of the first must be in the second."""
    for path, value in before.items():
        name = dotted(path)
        if ABOUT_THE_RUN.search(name) or (skip and re.search(skip, name)):
            continue
        wanted = expected(path, value) if expected else value
        if path not in after:
            return Broken(kind_of(path), f"{name}: {value!r} and nothing")
        if not near(wanted, after[path], tolerance):
            of = "" if wanted == value else f", {wanted!r} expected"
            return Broken(kind_of(path), f"{name}: {value!r} and {after[path]!r}{of}")
    for path, value in after.items():
        if path not in before and not ABOUT_THE_RUN.search(dotted(path)) and not (skip and re.search(skip, dotted(path))):
            return Broken(kind_of(path), f"{dotted(path)}: nothing and {value!r}")
    return None


def same(tolerance=0.0, skip=None):
    """All figures are the same."""
    return lambda before, after, note: differences(before.figures, after.figures, tolerance, skip)
