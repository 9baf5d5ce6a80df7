#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one measured row is worth: python3 results/make_one_row.py SIMRUN > results/one_row.txt

Of every unit of the blind tables with two rows or more, each row in turn (at most two) is given to `simrun calibrate`, and
the other rows of the unit are predicted with the file that it writes. Beside them: by names alone, and the simplest use of the row, the
prediction by names times what that row was off. Errors are those of the step, in per cent; units count equally. Nothing was fitted on these
tables; the widths of the constants are those of results/error_model.csv, which the first predictions of these tables are a part of.
"""
import collections
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIMRUN = str(pathlib.Path(sys.argv[1]).resolve())
MOST = 2
LONGEST = 30  # s that simrun calibrate may take


def middle(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2 if values else float("nan")


def run(*words):
    words = [SIMRUN, *map(str, words)]
    try:
        return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "")


def scored(table, out, *more):
    """Rows by line: unit, and log(measured step / predicted step)."""
    out.unlink(missing_ok=True)  # simrun replaces no file with other columns
    run("score", table, "--map", table.with_suffix("").with_suffix(".map.yaml"), "-o", out, "-q", *more)
    rows = {}
    for line, cells in enumerate(csv.DictReader(out.open()), 2):
        if cells["use"].startswith("scored") and cells["error_pct"] and cells["kind"]:
            rows[line] = (cells["unit"], -math.log(1 + float(cells["error_pct"]) / 100), cells["kind"].split()[0])
    return rows


def main():
    found = collections.defaultdict(lambda: collections.defaultdict(list))  # kind -> unit -> (by names, with it, times what it was off)
    refused, unexplained, slow, tried = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for table in sorted((ROOT / "results/blind").glob("*.csv")):
            names = scored(table, folder / "names.csv", "--scenarios", folder / table.stem)
            units = collections.defaultdict(list)
            for line, (unit, _, _) in names.items():
                units[unit].append(line)
            for unit, lines in sorted(units.items()):
                if len(lines) < 2:
                    continue
                for line in lines[:: max(1, -(-len(lines) // MOST))]:
                    scenario = folder / table.stem / f"line_{line}.yaml"
                    shown = run(scenario, "--json", "--no-files", "-q")
                    if shown.returncode:
                        continue
                    job = json.loads(shown.stdout)["jobs"][0]
                    step = job["step_s"]["mean"] if isinstance(job["step_s"], dict) else job["step_s"]
                    tried += 1
                    fitted = run("calibrate", scenario, "--measured", f"step_time={step * math.exp(names[line][1])} s", "-o", folder / "row.json", "--force")
                    slow += fitted.returncode == 124
                    refused += fitted.returncode not in (0, 4, 124)
                    if fitted.returncode not in (0, 4):
                        continue
                    unexplained += fitted.returncode == 4
                    after = scored(table, folder / "after.csv", "--calibration", folder / "row.json")
                    for other in lines:
                        if other != line and other in after:
                            off = names[other][1] - names[line][1]
                            found[names[other][2]][f"{table.stem}, {unit}"].append((names[other][1], after[other][1], off))
    per_cent = lambda y: 100 * abs(math.exp(-y) - 1)
    print(__doc__.split("\n\n")[1])
    print(f"\n{tried} rows of {sum(map(len, found.values()))} units were given; {refused} had nothing to move, {unexplained} were not explained, {slow} took longer than {LONGEST} s and are left out.\n")
    print(f"{'median error of the other rows, %':40}{'units':>6}{'by names':>10}{'with it':>9}{'times off':>11}")
    for kind in [*sorted(found), "all"]:
        units = found[kind].values() if kind != "all" else [rows for of_kind in found.values() for rows in of_kind.values()]
        columns = [middle(middle(per_cent(row[column]) for row in rows) for rows in units) for column in range(3)]
        print(f"{kind:40}{len(units):6}{columns[0]:10.1f}{columns[1]:9.1f}{columns[2]:11.1f}")
    print()
    for kind in sorted(found):
        for unit, rows in sorted(found[kind].items()):
            columns = [middle(per_cent(row[column]) for row in rows) for column in range(3)]
            print(f"{unit[:38]:40}{len(rows):6}{columns[0]:10.1f}{columns[1]:9.1f}{columns[2]:11.1f}")


if __name__ == "__main__":
    main()
