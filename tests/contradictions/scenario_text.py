# SPDX-License-Identifier: Apache-2.0
"""Scenarios as text: YAML in blocks, one value a line, so that an error of `simrun check` names one key; and back again."""
import json
import re

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*|[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)? ?[A-Za-z%][A-Za-z/$%]*")
WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "inf", "nan"}


def scalar(value):
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in WORDS and not re.fullmatch(r"[0-9.]+[eE][-+]?[0-9]*", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def dump(scenario):
    """The text, and the path of the value on each of its lines (from line 1; line 0: none)."""
    lines, paths = [], [()]

    def add(value, path, head, indent):
        if isinstance(value, (dict, list)) and value:
            items = value.items() if isinstance(value, dict) else enumerate(value)
            if head is not None:
                lines.append(head.rstrip())
                paths.append(path)
            for key, inner in items:
                mark = f"{scalar(str(key))}:" if isinstance(value, dict) else "-"
                if isinstance(value, list) and isinstance(inner, (dict, list)) and inner:
                    first = len(lines)
                    add(inner, path + (key,), None, indent + 2)
                    lines[first] = " " * indent + "- " + lines[first][indent + 2:]
                else:
                    add(inner, path + (key,), " " * indent + mark + " ", indent + 2)
        else:
            lines.append((head or " " * indent) + scalar(value))
            paths.append(path)

    add(scenario, (), None, 0)
    return "\n".join(lines) + "\n", paths


def load(text):
    """Reads what dump() writes; lines that begin with # are comments."""
    rows = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    at = 0

    def word(text_):
        if text_[0] in '"{[' or re.fullmatch(r"-?[0-9.]+([eE][-+]?[0-9]+)?|true|false|null", text_):
            return json.loads(text_)
        return text_

    def block(indent):
        nonlocal at
        found = None
        while at < len(rows) and rows[at][0] == indent:
            content = rows[at][1]
            if content.startswith("- "):
                found = [] if found is None else found
                if re.match(r'- ("([^"\\]|\\.)*"|[^"\s][^:]*):( |$)', content):
                    rows[at] = (indent + 2, content[2:])
                    found.append(block(indent + 2))
                elif content.startswith("- - "):
                    rows[at] = (indent + 2, content[2:])
                    found.append(block(indent + 2))
                else:
                    found.append(word(content[2:]))
                    at += 1
            else:
                found = {} if found is None else found
                parts = re.fullmatch(r'("(?:[^"\\]|\\.)*"|[^"][^:]*):(?: (.*))?', content)
                key = word(parts[1]) if parts[1].startswith('"') else parts[1]
                at += 1
                found[key] = word(parts[2]) if parts[2] else block(rows[at][0])
        return found

    return block(0)


def flat(value, path=()):
    """All values that are neither maps nor lists, by path."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(inner, path + (key,))
    else:
        yield path, value


def pattern(path):
    """A path with * for every number."""
    return ".".join("*" if isinstance(part, int) else str(part) for part in path)
