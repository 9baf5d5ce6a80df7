# SPDX-License-Identifier: Apache-2.0
"""The checks of run_commands.py: what counts as the same, what --update makes of a page, and which names a page must have."""
import pathlib
import tempfile
import unittest

from run_commands import DESCRIBED, described, mismatch, renewed, undescribed

PRINTED = ["title", "", "a  1  10 %", "b  2  20 %", "c  3  30 %", "", "a wins by 3"]


class Mismatch(unittest.TestCase):
    def test_equal_lines_match(self):
        self.assertIsNone(mismatch(PRINTED, PRINTED))

    def test_a_changed_number_is_found(self):
        self.assertEqual(mismatch(["title", "", "a  1  11 %", "…"], PRINTED), 2)
        self.assertEqual(mismatch(["…", "a wins by 4"], PRINTED), 1)

    def test_a_missing_column_is_found(self):
        without_last = ["title", "", "a  1", "b  2", "c  3", "", "a wins by 3"]
        without_middle = ["title", "", "a  10 %", "b  20 %", "c  30 %", "", "a wins by 3"]
        for shown in (without_last, without_middle):
            self.assertEqual(mismatch(shown, PRINTED), 2)
            self.assertEqual(mismatch(PRINTED, shown), 2)
            self.assertIsNotNone(mismatch(["…"] + shown[2:5] + ["…"], PRINTED))

    def test_dots_stand_for_lines_in_order(self):
        self.assertIsNone(mismatch(["title", "…", "b  2  20 %", "…", "a wins by 3"], PRINTED))
        self.assertEqual(mismatch(["…", "b  2  20 %", "…", "a  1  10 %", "…"], PRINTED), 3)

    def test_lines_between_dots_stand_together(self):
        self.assertIsNone(mismatch(["…", "b  2  20 %", "c  3  30 %", "…"], PRINTED))
        self.assertEqual(mismatch(["…", "a  1  10 %", "c  3  30 %", "…"], PRINTED), 2)

    def test_without_dots_nothing_may_be_missing(self):
        self.assertIsNotNone(mismatch(PRINTED[:-1], PRINTED))
        self.assertIsNotNone(mismatch(PRINTED[1:], PRINTED))
        self.assertIsNotNone(mismatch(["…"] + PRINTED[:-1], PRINTED))

    def test_dots_at_the_end_of_a_line_stand_for_its_rest(self):
        self.assertIsNone(mismatch(["…", "a  1 …", "…"], PRINTED))
        self.assertEqual(mismatch(["…", "a  2 …", "…"], PRINTED), 1)

    def test_only_the_commit_is_not_compared(self):
        self.assertIsNone(mismatch(["commit 0123456789ab"], ["commit ba9876543210"]))
        self.assertIsNotNone(mismatch(["took 3 s"], ["took 4 s"]))


class Renewed(unittest.TestCase):
    def test_whole_output_is_replaced(self):
        self.assertEqual(renewed(["old"], PRINTED), PRINTED)

    def test_the_same_choice_of_lines_is_kept(self):
        shown = ["title", "…", "b  2  25 %", "…", "a wins by 9"]
        self.assertEqual(renewed(shown, PRINTED), ["title", "…", "b  2  20 %", "…", "a wins by 3"])

    def test_what_it_writes_matches(self):
        for shown in (["…", "c  3  99 %", "…"], ["title", "…"], ["…", "a wins …"]):
            self.assertIsNone(mismatch(renewed(shown, PRINTED), PRINTED), shown)

    def test_a_cut_line_stays_cut(self):
        self.assertEqual(renewed(["…", "c  3 …", "…"], PRINTED), ["…", "c  3 …", "…"])


class Described(unittest.TestCase):
    PAGE = ["# Rules", "`other` says nothing.", "| Rule | From |", "|---|---|", "| `fifo` | `book` |", "| `heft`, `mixed` | – |",
            "## More", "| Rule |", "|---|", "| `last` |"]

    def test_names_stand_in_the_first_column_below_the_heading(self):
        self.assertEqual(described(self.PAGE, "Rules", True), {"fifo", "heft", "mixed"})
        self.assertEqual(described(self.PAGE, "More", True), {"last"})
        self.assertEqual(described(self.PAGE, "Gone", True), set())

    def test_without_a_table_they_stand_anywhere_below_it(self):
        self.assertEqual(described(self.PAGE, "Rules", False), {"other", "fifo", "book", "heft", "mixed"})

    def faults(self, names):
        """With a program that knows these names of every topic, and pages that describe `known` below every heading."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "simrun").write_text(f"#!/bin/sh\necho {names}\n")
            (folder / "simrun").chmod(0o755)
            (folder / "docs").mkdir()
            for page in {page for page, _, _ in DESCRIBED.values()}:
                headings = [heading for other, heading, _ in DESCRIBED.values() if other == page]
                (folder / page).write_text("`missing`\n" + "\n".join(f"## {h}\n| `known` | `missing` |" for h in headings))
            return list(undescribed(folder, folder))

    def test_a_registered_name_without_a_row_is_a_fault(self):
        self.assertEqual(self.faults("known"), [])
        faults = self.faults("known missing")
        self.assertEqual(len(faults), sum(in_table for _, _, in_table in DESCRIBED.values()))
        self.assertIn("docs/policies.md: `missing` of `simrun list queues` has no row in the table below 'Queue policies'", faults)
        self.assertEqual(len(self.faults("known gone")), len(DESCRIBED))

    def test_a_topic_without_names_is_a_fault(self):
        self.assertEqual(len(self.faults("")), len(DESCRIBED))


if __name__ == "__main__":
    unittest.main()
