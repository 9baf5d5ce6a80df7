# SPDX-License-Identifier: Apache-2.0
"""The comparison of run_commands.py: what counts as the same, and what --update makes of a page."""
import unittest

from run_commands import mismatch, renewed

PRINTED = ["title", "", "a  1  10 %", "b  2  20 %", "c  3  30 %", "", "a wins by 3"]


class Mismatch(unittest.TestCase):
    def test_equal_lines_match(self):
        self.assertIsNone(mismatch(PRINTED, PRINTED))

    def test_a_changed_number_is_found(self):
        self.assertEqual(mismatch(["title", "", "a  1  11 %", "…"], PRINTED), 2)
        self.assertEqual(mismatch(["…", "a wins by 4"], PRINTED), 1)

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


if __name__ == "__main__":
    unittest.main()
