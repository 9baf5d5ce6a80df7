# SPDX-License-Identifier: Apache-2.0
"""The accuracy that docs/accuracy.md names is that of results/scoreboard.md and results/scores, and numbers of policies are those that are registered."""
import csv
import pathlib
import re
import statistics
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Text of the row in docs/accuracy.md, then the units whose figures it gives, in order: (table, unit).
ROWS = {
    "CSCS 2017 on p2.xlarge": [("cscs_tf_ps_2017", "PS p2.xlarge")],
    "The same on p2.8xlarge": [("cscs_tf_ps_2017", "PS p2.8xlarge")],
    "the same, Horovod 2017": [("horovod_readme_2017", "gRPC PS")],
    "AdaptDL: one host": [("adaptdl_sia_profiles", "intra-node"), ("adaptdl_sia_profiles", "multi-node")],
    "V100 across nodes, DLPerf": [("dlperf_v100x32_2020", "multi-node")],
    "NCCL over EFA": [("nccl_allreduce_busbw", "p5")],
    "DeepBench across nodes": [("deepbench_allreduce", "M40 multi-node"), ("deepbench_allreduce", "TitanX multi-node")],
    "Local servers on a DGX-1": [("tf_benchmarks_2017", "local-ps dgx1"), ("dlperf_v100x32_2020", "intra-node")],
}
# Text of the row in docs/accuracy.md, then the tables of that set of unseen rows.
UNSEEN = {
    "in the open": ("collectives", "images", "large_models"),
    "of a second set": ("second_collectives", "second_images", "second_large_models"),
    "of a third": ("third_collectives", "third_images"),
    "of a fourth": ("fourth_collectives", "fourth_images", "fourth_large_models"),
}


def scores():
    """(table, unit): rows and [median, p90, mean] of names only, transfer, in table, one rate."""
    found, table = {}, ""
    for line in (ROOT / "results/scoreboard.md").read_text().splitlines():
        if line.startswith("## "):
            table = line[3:]
        if match := re.match(r"(\S.*?) {2,}(\d+) +(?:\d+|-) +(\S.*)", line):
            columns = re.split(r" {2,}", match[3].replace("- ", "-  "))
            found[table, match[1]] = int(match[2]), [[float(one) for one in column.split(" / ")] for column in columns if "/" in column]
    return found


class Scores(unittest.TestCase):
    def test_rows_are_those_of_the_scoreboard(self):
        known = scores()
        lines = (ROOT / "docs/accuracy.md").read_text().splitlines()
        for words, units in ROWS.items():
            [line] = [line for line in lines if line.startswith("|") and words in line]
            label, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            cells = [[float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell)] for cell in cells]
            for place, unit in enumerate(units):
                rows, columns = known[unit]
                self.assertIn(f"({rows:,}", label, unit)
                for shown, exact in zip(cells, (columns[2][0], columns[2][1], columns[3][0])):
                    self.assertAlmostEqual(shown[place], exact, delta=0.05 if shown[place] < 10 and exact < 10 else 0.5, msg=unit)

    def test_means_are_those_of_the_scoreboard(self):
        unseen = {file.stem for file in (ROOT / "results/blind").glob("*.csv")}  # have a mean of their own
        known = [columns for (table, _), (rows, columns) in scores().items() if columns and rows > 0 and table not in unseen]
        page = (ROOT / "docs/accuracy.md").read_text()
        in_table = sum(columns[2][0] if len(columns) > 2 else columns[-1][0] for columns in known) / len(known)
        names = sorted(columns[0][0] for columns in known)
        shown = re.search(r"mean of the (\d+) medians is ([\d.]+) %", page)
        self.assertEqual(int(shown[1]), len(known))
        self.assertAlmostEqual(float(shown[2]), in_table, delta=0.06)
        shown = re.search(r"names alone, it is ([\d.]+) %, and ([\d.]+) % for the worst", page)
        self.assertAlmostEqual(float(shown[1]), sum(names) / len(names), delta=0.06)
        self.assertAlmostEqual(float(shown[2]), names[-1], delta=0.5)

    def test_unseen_rows_are_those_of_the_predictions(self):
        page = (ROOT / "docs/accuracy.md").read_text()
        for words, tables in UNSEEN.items():
            rows = [row for table in tables for row in csv.DictReader((ROOT / f"results/scores/{table}.predictions.csv").read_text().splitlines())]
            errors = [[abs(float(row[column])) for row in rows if row[column]] for column in ("first_error_pct", "error_pct")]
            shown = re.search(rf"\[(\d+) {words}\][^|]*\| (\d+) % \| (\d+) % \|", page)
            self.assertEqual(int(shown[1]), len(errors[0]), words)
            for number, column in zip(shown.groups()[1:], errors):
                self.assertAlmostEqual(int(number), statistics.median(column), delta=0.5, msg=words)

    def test_numbers_of_policies_are_those_of_the_list(self):
        def listed(base):
            sources = "".join(file.read_text() for file in (ROOT / "sim").rglob("*.cpp"))
            return len([part for part in re.findall(rf"TY_REGISTER\(\s*{base},\s*(\w+)", sources) if part != "Batsim"])  # asks a scheduler outside

        for name in ("README.md", "docs/other_simulators.md"):
            self.assertEqual(int(re.search(r"\b(\d+) policies", (ROOT / name).read_text())[1]), listed("QueuePolicy"), name)
        shown = re.search(r"\b(\d+) placements", (ROOT / "docs/other_simulators.md").read_text())
        self.assertEqual(int(shown[1]), listed("PlacementPolicy"))


if __name__ == "__main__":
    unittest.main()
