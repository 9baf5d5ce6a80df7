# SPDX-License-Identifier: Apache-2.0
"""Random scenarios from the JSON Schema of `simrun schema`: a key that is added there joins by itself.

What the schema cannot say is in shapes.py: which parts make a scenario of a kind, what a text refers to, and ranges that keep a run
short. Everything else follows from types, enumerations, ranges, units, defaults and examples.
"""
import math
import random
import re

import shapes

UNITS = {
    "duration": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400},
    "bytes": {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
    "bandwidth": {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "GiB/s": 2**30, "Mbit/s": 1.25e5, "Gbit/s": 1.25e8},
    "flops": {"flop": 1, "Mflop": 1e6, "Gflop": 1e9, "Tflop": 1e12},
    "flops_rate": {"GFLOP/s": 1e9, "TFLOP/s": 1e12},
    "power": {"W": 1, "kW": 1e3},
    "money_rate": {"$/h": 1},
}
USUAL = {"duration": (1, 7200), "bytes": (1e3, 4e9), "bandwidth": (1e8, 5e10), "flops": (1e6, 1e12), "flops_rate": (1e11, 1e14),
         "power": (50, 700), "money_rate": (0.5, 40)}


def rounded(value):
    """Three digits, as people write numbers."""
    return value if value == 0 else round(value, 2 - math.floor(math.log10(abs(value))))


def number_text(value):
    value = rounded(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def quantity(value, kind):
    """As text, with the largest unit that leaves at least one of it."""
    units = {unit: size for unit, size in UNITS[kind].items() if "i" not in unit or kind not in ("bytes", "bandwidth")}
    unit, size = next((pair for pair in sorted(units.items(), key=lambda pair: -pair[1]) if value >= pair[1]), min(units.items(), key=lambda pair: pair[1]))
    return f"{number_text(value / size)} {unit}"


def parsed(text, kind):
    """A quantity in base units; None: it is none."""
    found = re.fullmatch(r"\s*([-+0-9.eE]+)\s*(\S+)\s*", text) if isinstance(text, str) else None
    return float(found[1]) * UNITS[kind][found[2]] if found and found[2] in UNITS.get(kind, {}) else None


class Generator:
    def __init__(self, schema, names):
        self.schema = schema
        self.names = names  # lists of `simrun list` by topic

    def scenario(self, seed, index):
        self.random = random.Random(f"{seed} {index}")
        self.made = {"trainyard": 1, "name": "s"}
        self.kind = self.random.choices(list(shapes.KINDS), [kind[0] for kind in shapes.KINDS.values()])[0]
        _, needed, optional = shapes.KINDS[self.kind]
        parts = list(needed) + [part for part, chance in optional.items() if self.random.random() < chance]
        for part in shapes.ORDER + [part for part in parts if part not in shapes.ORDER]:
            if part in parts:
                made = self.value(self.schema["properties"][part], (part,), self.made)
                if made is not None:
                    self.made[part] = made
        shapes.mend(self)
        return self.made

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(list(items))

    def value(self, schema, path, beside):
        """A random value; None: there is none to give. @p beside: the map that it goes into, as far as it is made."""
        name = ".".join("*" if isinstance(part, int) else part for part in path)
        for pattern, shape in shapes.SHAPES.items():
            if re.fullmatch(pattern, name):
                return shape(self, schema, path, beside)
        if "anyOf" in schema:
            return self.value({**self.pick(schema["anyOf"])}, path, beside)
        if "enum" in schema:
            return self.pick(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type", "object" if "properties" in schema else None)
        if "x-quantity" in schema or kind in ("integer", "number") or "x-number" in schema:
            return self.number(schema, name)
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "array":
            made = [self.value(schema["items"], path + (i,), beside) for i in range(self.random.choice([1, 1, 2, 3]))]
            return [item for item in made if item is not None] or None
        if kind == "object" and "properties" in schema:
            return self.map(schema, path)
        return None

    def map(self, schema, path, always=(), never=(), start=None):
        made = dict(start or {})
        properties = schema["properties"]
        # Keys that only some parts have follow the names of these parts.
        order = sorted(properties, key=lambda key: ("x-of" in properties[key], key not in schema.get("required", [])))
        optional = [key for key in order if key not in schema.get("required", [])]
        usual = min(0.5, 2.0 / max(1, len(optional)))
        for key in order:
            if key in made or key in never:
                continue
            full = ".".join("*" if isinstance(part, int) else part for part in path + (key,))
            part_of = properties[key].get("x-of")
            if part_of and not any(value in part_of for value in self.chosen(made, properties)):
                continue
            chance = next((chance for pattern, chance in shapes.CHANCES if re.fullmatch(pattern, full)), 0.08 if part_of else usual)
            if key in schema.get("required", []) or key in always or self.chance(chance):
                value = self.value(properties[key], path + (key,), made)
                if value is not None:
                    made[key] = value
        return made

    def needed(self, path):
        """Whether the schema asks for the key at the end of a path; then an item of a list goes as a whole, but the last one stays."""
        schema = self.schema
        for part in path[:-1]:
            choices = schema.get("anyOf", [schema])
            schema = next((choice for choice in choices if ("items" in choice) == isinstance(part, int)), {})
            schema = schema.get("items", {}) if isinstance(part, int) else schema.get("properties", {}).get(part, schema.get("additionalProperties") or {})
            if not isinstance(schema, dict):
                return False
        return path[-1] in schema.get("required", [])

    @staticmethod
    def chosen(made, properties):
        """Names of the parts that a map chooses, also by default."""
        return [made.get(key, property.get("default")) for key, property in properties.items()
                if "enum" in property and isinstance(made.get(key, property.get("default")), str)] + [made.get("name")]

    def number(self, schema, name):
        kind = schema.get("x-quantity")
        low = schema.get("x-minimum", schema.get("minimum", schema.get("exclusiveMinimum", 0)))
        high = schema.get("x-maximum", schema.get("maximum", math.inf))
        usual = next((bounds for pattern, bounds in shapes.RANGES if re.fullmatch(pattern, name)), None)
        if usual is None:
            example = schema.get("default", (schema.get("examples") or [None])[0])
            if kind:
                example = parsed(example, kind)
            elif isinstance(example, str):
                found = re.fullmatch(r"([-+0-9.eE]+) ?(%?)", example)
                example = float(found[1]) / (100 if found[2] else 1) if found else None
            if isinstance(example, (int, float)) and example > 0:
                usual = (example / 4, example * 4)
            elif kind:
                usual = USUAL[kind]
            else:
                usual = (0, 3) if schema.get("type") == "integer" else (0, 1)
        if not kind and self.chance(0.05) and high < math.inf and high <= 1000:
            usual = (low, high)
        low, high = max(low, min(usual[0], high)), min(high, max(usual[1], low))
        if low > 0 and high / low > 3:
            value = math.exp(self.random.uniform(math.log(low), math.log(high)))
        else:
            value = self.random.uniform(low, high)
        if self.chance(0.08):
            value = low
        if schema.get("type") == "integer":
            return int(min(max(round(value), math.ceil(low)), math.floor(high)))
        value = min(max(rounded(value), low), high)
        if kind:
            return quantity(value, kind)
        return int(value) if value == int(value) else value
