# SPDX-License-Identifier: Apache-2.0
"""Parts of the search that need no simrun."""
import pathlib
import re
import unittest

import scenario_text
import shapes
from comparison import differences
from generator import parsed, quantity
from relation import all_relations
from run import expected_ones, seconds_of
from shrink import smallest


class ScenarioText(unittest.TestCase):
    def test_what_is_written_is_read_back(self):
        scenario = {"trainyard": 1, "name": "true", "empty": {}, "none": [], "a b": {"say \"hi\"": [1.5, True, "7", "1e3", "10 s", "x: y", "-"]},
                    "list": [{"a": 1, "b": {"c": [2, 3]}}, [1, 2], {"only": []}], "n": None}
        self.assertEqual(scenario_text.load(scenario_text.dump(scenario)[0]), scenario)

    def test_each_line_has_the_path_of_its_value(self):
        text, paths = scenario_text.dump({"a": {"b": [1, {"c": 2}]}})
        self.assertEqual(text, "a:\n  b:\n    - 1\n    - c: 2\n")
        self.assertEqual(paths[1:], [("a",), ("a", "b"), ("a", "b", 0), ("a", "b", 1, "c")])


class Parts(unittest.TestCase):
    def test_quantities_keep_their_value(self):
        self.assertEqual(quantity(5400, "duration"), "1.5 h")
        self.assertEqual(parsed("25 Gbit/s", "bandwidth"), 3.125e9)
        self.assertIsNone(parsed("25 apples", "bandwidth"))

    def test_the_smallest_scenario_keeps_what_fails(self):
        scenario = {"jobs": [{"name": "a", "steps": 5}, {"name": "b", "workers": 7, "mode": "x"}], "run": {"seed": 3}}
        small = smallest(scenario, lambda made: any(job.get("workers", 0) > 2 for job in made.get("jobs", [])), 5)
        self.assertEqual(small, {"jobs": [{"workers": 4}]})

    def test_a_difference_names_its_figure(self):
        self.assertIsNone(differences({("a", 0): 1.0}, {("a", 0): 1.0 + 1e-12}, 1e-9))
        self.assertEqual(differences({("jobs", 0, "step_s"): 1.0}, {("jobs", 0, "step_s"): 2.0}).kind, "step_s")

    def test_times_have_units(self):
        self.assertEqual([seconds_of(text) for text in ("60", "10min", "2h")], [60, 600, 7200])


class Files(unittest.TestCase):
    def test_every_relation_says_what_holds_and_how_it_is_checked(self):
        for relation in all_relations():
            self.assertTrue(relation.says.endswith("."), relation.name)
            self.assertTrue(hasattr(relation.module, "check") or (hasattr(relation.module, "changed") and hasattr(relation.module, "HOLDS")), relation.name)

    def test_every_relation_is_in_the_table(self):
        table = (pathlib.Path(__file__).parent / "README.md").read_text(encoding="utf-8")
        self.assertEqual([relation.name for relation in all_relations() if f"| `{relation.name}` |" not in table], [])

    def test_every_known_contradiction_has_a_relation_and_a_reason(self):
        names = {relation.name for relation in all_relations()}
        for one in expected_ones():
            self.assertIn(one.relation, names, one.name)

    def test_patterns_of_keys_are_regular_expressions(self):
        for pattern in [*shapes.SHAPES, *(pattern for pattern, _ in shapes.CHANCES + shapes.RANGES)]:
            re.compile(pattern)


if __name__ == "__main__":
    unittest.main()
