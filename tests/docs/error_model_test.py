# SPDX-License-Identifier: Apache-2.0
"""The errors that simrun's intervals come from are those of results/scores, and are made as results/make_error_model.py says."""
import csv
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "results"))
import make_error_model as model  # noqa: E402


def row(y, unit, kind="all_reduce measured tcp", size=0.1):
    return {"y": y, "unit": unit, "table": unit, "kind": kind, "size": size, "first": True, "line": 2, "cells": {}}


class TwoLayers(unittest.TestCase):
    def test_a_quantile_counts_units_and_the_next_one(self):
        # Four units, one of them with two rows of half a weight. Of them and the next one, which may be anything, 80 % are
        # four: all four units, so the largest value. 60 % are three: 1 + 1/2 + 1/2 + 1, up to 4.
        values = [(1, 1), (2, 0.5), (3, 0.5), (4, 1), (9, 1)]
        self.assertEqual(model.conformal(values, 0.8), 9)
        self.assertEqual(model.conformal(values, 0.6), 4)
        # From below: the three largest are 9, 4 and the unit of 2 and 3.
        self.assertEqual(model.conformal(values, 0.6, above=False), 2)

    def test_more_than_the_units_can_say_ends_at_the_last(self):
        self.assertEqual(model.conformal([(1, 1), (2, 1)], 0.95), 2)

    def test_few_units_lean_on_the_kind_above(self):
        # Five units of one kind at 1, five of another at 0. Of all, half lie at or below 0. "all_reduce" and what is below
        # it: (5 x 0 + 10 x 0.5) / 15 = 1/3; "all_reduce measured": (0 + 10/3) / 15 = 2/9; "… tcp": (0 + 20/9) / 15 = 4/27.
        rows = [row(1, f"a{i}") for i in range(5)] + [row(0, f"b{i}", "servers measured tcp") for i in range(5)]
        made = model.Model(rows)
        path = made.rows[-1]["path"]
        self.assertEqual(path[-1], ("all_reduce measured tcp", None))
        self.assertAlmostEqual(made.below(path, (), 4), 4 / 27)
        # Without one of the tables at 0: all 4/9; then (10 x 4/9) / 15, and so on: 4/9 x (2/3)^3.
        self.assertAlmostEqual(made.below(path, ("b0",), 4), 4 / 9 * (2 / 3) ** 3)

    def test_a_kind_of_few_units_is_not_told_apart(self):
        made = model.Model([row(1, f"a{i}") for i in range(4)] + [row(0, f"b{i}", "servers measured tcp") for i in range(5)])
        self.assertEqual({entry["path"][-1][0] for entry in made.rows}, {"", "servers measured tcp"})

    def test_pairs_differ_in_one_choice(self):
        def cells(strategy, network, predicted, error):
            return {"strategy": strategy, "network": network, "model": "vgg16", "metric": "images_per_s", "predicted": predicted, "error_pct": error}

        rows = []
        for line, (strategy, network, predicted, error) in enumerate([("ring", "25", 100, 0), ("servers", "25", 50, 0), ("ring", "10", 50, 100)], 2):
            rows.append(row(0, "t, u") | {"line": line, "cells": cells(strategy, network, predicted, error)})
        pairs = model.Pairs(rows)
        # The servers and the ring of another network differ in two choices. 100 / 50 images/s, and a step that was
        # predicted twice too long: 100 images/s were measured.
        self.assertEqual(sorted((choice, a["line"], b["line"]) for choice, _, a, b in pairs.list), [("network", 4, 2), ("servers or all-reduce", 3, 2)])


class OfTheScores(unittest.TestCase):
    def test_files_are_those_of_the_scores(self):
        subprocess.run([sys.executable, ROOT / "results/make_error_model.py", "--check"], check=True, capture_output=True)

    def test_intervals_hold_on_tables_that_they_were_not_made_from(self):
        made = model.Model(model.read_rows())
        model.cross_validated(made)
        first = [entry for entry in made.rows if entry["first"]]
        self.assertEqual(len(first), 502)

        def coverage(kind, key):
            return model.mean(model.mean(entry[key] for entry in unit)
                              for unit in model.by_unit(entry for entry in first if entry["kind"].startswith(kind)).values())

        self.assertTrue(0.76 <= coverage("", "in_80") <= 0.86)
        self.assertTrue(0.92 <= coverage("", "in_95") <= 0.98)
        for kind in model.KINDS:
            self.assertTrue(0.68 <= coverage(kind, "in_80") <= 0.90, kind)

    def test_decisions_are_as_sure_as_they_say(self):
        with (ROOT / "results/decision_pairs.csv").open() as file:
            pairs = list(csv.DictReader(file))
        count = {}
        for pair in pairs:
            key = pair["choice"], pair["table"]
            count[key] = count.get(key, 0) + 1
        weight = lambda pair: 1 / count[pair["choice"], pair["table"]]
        sure = [pair for pair in pairs if float(pair["probability"]) >= 0.9]
        right = sum(weight(pair) for pair in sure if float(pair["measured_ratio"]) > 1) / sum(map(weight, sure))
        apart = [pair for pair in pairs if not 1 / 1.1 <= float(pair["measured_ratio"]) <= 1.1]
        self.assertGreater(right, 0.93)
        self.assertGreater(sum(weight(pair) for pair in apart if pair in sure) / sum(map(weight, apart)), 0.5)


if __name__ == "__main__":
    unittest.main()
