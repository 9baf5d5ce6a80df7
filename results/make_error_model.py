#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far answers are off, by kind of answer: python3 results/make_error_model.py [--check]

Reads results/scores (kind, size, and the error of the prediction by names, the first one where the row was blind), writes
results/error_model.csv, which simrun reads, and results/error_model.txt, which says how often its intervals hold what was measured.
--check: writes nothing, and fails where the files are not those of the scores.

y = log(measured step / predicted step). A kind "all_reduce measured tcp" belongs to "all_reduce measured", "all_reduce" and to all. The
distribution of y in a kind is the mean over its units (parts of tables, equal weights), mixed with that of the kind above it, which counts as
LEAN units: few tables lean on the whole. From it follow the ends of the intervals, by two quantities that hold for all kinds and come from
tables that were left out (two-layer conformal prediction: units count, not rows, and the next one may be anything):
- the two levels at which its quantiles hold 80 % of the rows of a table that it was not made from;
- how many half widths from the middle between its 10 and 90 % quantiles 95 % of such rows lie.
Coverage is that of tables for which everything was made without them, these two quantities included. The constants below were chosen among
some twenty variants with that coverage in view (docs/accuracy.md), so it flatters a little.

Kinds that begin with "row" are of answers for which one measured row of the same system was given (simrun calibrate): they come from the
units of the tables in which one row fixed a number, and from their errors of the other rows.

results/decision_pairs.csv: rows of one table that differ in one choice (CHOICES), and the probability that the one that is predicted to be
faster is. The error of a difference has a Laplace distribution, whose scale ("own") is that of the pairs of all other tables: what both rows
have in common, GPU and software, cancels. Answers about different systems have the errors of both ("shared", between units) as well.
"""
import bisect
import collections
import csv
import functools
import itertools
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAN = 10  # units that the kind above counts as
FEWEST = 5  # a kind of fewer units is not told apart from the one above it
SIZES = {"collective": [0, 1e8]}  # kinds whose rows are told apart by size: a collective of fewer bytes is mostly start-up
LEAST = 0.05  # half width of an interval: half a dozen equal rows are no proof of more
KINDS = ["all_reduce", "servers", "collective", "divided"]
CHOICES = {  # columns that make a choice; pairs are alike in all other columns of what was run
    "servers or all-reduce": ["strategy", "ps_count"],
    "network": ["interconnect_inter", "network", "link", "nics", "rate_GBps"],
    "framework": ["framework", "library"],
    "layout": ["tp", "pp", "vp", "dp", "cp", "ep", "zero", "shard_within", "micro_batch", "mbs", "MicroBatchSize", "GradAccum", "ga", "recomputation",
               "recompute", "Activation Checkpointing", "Sharding Strategy", "interleave", "seq_parallel", "fsdp"]}
NOT_RUN = {"value", "source", "notes", "checked", "published", "release", "section",  # what was found, and where it is printed
           "step_s", "step_time_s", "iter_time_s", "tokens_per_s", "tokens_s_gpu", "model_tflops_gpu", "step_time_s_derived", "iter_time_s_derived",
           "model_tflops_per_gpu", "mfu_pct", "agg_pflops", "MFU", "HFU", "Model TFLOP", "Throughput (S/s)", "Throughput (T/s)",
           "Throughput (T/s/GPU)", "step_time_s_derived=GBS/(T/s/seq)", "act_GiB_none", "act_GiB_seqsel", "paramopt_GiB",
           "predicted", "error_pct", "names_only_error_pct", "first_predicted", "first_error_pct", "kind", "size", "fidelity", "unit", "use"}
DECIDED = 0.9
LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9]  # of the picture of coverage
COMMIT = r"\b[0-9a-f]{7,} of \d{4}-\d\d-\d\d"


def read_rows(folder=ROOT / "results/scores", with_row=False):
    """A row: y, unit, table (left out as a whole: a published file, a unit of a blind one), kind, size, first (a first prediction).

    with_row: only units in which a row fixed a number, and y beside that number."""
    rows = []
    for file in sorted(folder.glob("*.predictions.csv")):
        name = file.name.split(".")[0]
        blind = (ROOT / f"results/blind/{name}.csv").exists()
        lines = list(csv.DictReader(file.read_text().splitlines()))
        fixed = {cells["unit"] for cells in lines if cells["error_pct"] != cells["names_only_error_pct"]}
        for line, cells in enumerate(lines, 2):
            first = "" if with_row else cells.get("first_error_pct") or ""
            error = cells["error_pct"] if with_row else first or cells["names_only_error_pct"]
            if with_row and cells["unit"] not in fixed or not cells["use"].startswith("scored") or not error or not cells["kind"]:
                continue
            unit = f"{name}, {cells['unit']}"
            rows.append({"y": -math.log(1 + float(error) / 100), "unit": unit, "table": unit if blind else name, "kind": cells["kind"],
                         "size": float(cells["size"]), "first": bool(first), "line": line, "cells": cells})
    return rows


def path_of(kind, size):
    """The row's groups, from all rows to its own: (kind, size_from), None: of any size."""
    words = kind.split()
    path = [("", None)] + [(" ".join(words[: i + 1]), None) for i in range(len(words))]
    for start, sizes in SIZES.items():
        if kind.startswith(start):
            path.append((kind, max(size_from for size_from in sizes if size_from <= size)))
    return path


def conformal(values, level, above=True):
    """The smallest value below which `level` of all units lie, the next one included, which may be anything.

    values: (value, weight), the weights of a unit's rows add up to 1. above=False: from the other end."""
    values = sorted(values, key=lambda item: item[0] if above else -item[0])
    needed = level * (sum(weight for _, weight in values) + 1)
    total = 0.0
    for value, weight in values:
        total += weight
        if total >= needed - 1e-9:
            return value
    return values[-1][0]  # so few units say no more


class Model:
    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda row: row["y"])
        self.ys = [row["y"] for row in self.rows]
        members = collections.defaultdict(lambda: collections.defaultdict(list))  # group -> unit -> positions
        for position, row in enumerate(self.rows):
            for group in path_of(row["kind"], row["size"]):
                members[group][row["unit"]].append(position)
        for row in self.rows:
            row["path"] = tuple(group for group in path_of(row["kind"], row["size"]) if len(members[group]) >= FEWEST)
        table_of = {row["unit"]: row["table"] for row in self.rows}
        self.tables = sorted(set(table_of.values()))
        self.units = collections.Counter(row["unit"] for row in self.rows)
        self.paths = {row["path"] for row in self.rows}
        self.count = {group: collections.Counter(table_of[unit] for unit in units) for group, units in members.items()}
        self.steps = {}  # group, table -> its distribution: sum over its units, up to every position
        for group, units in members.items():
            for unit, positions in units.items():
                steps = self.steps.setdefault((group, table_of[unit]), [0.0] * len(self.rows))
                for position in positions:
                    steps[position] += 1 / len(positions)
        for steps in self.steps.values():
            for position in range(1, len(steps)):
                steps[position] += steps[position - 1]
        self.all_steps = {group: [sum(column) for column in zip(*(self.steps[group, table] for table in count))]
                          for group, count in self.count.items()}

    def below(self, path, without, position):
        """Share of the distribution of a group, made without some tables, up to a row."""
        share = 0.0
        for group in path:
            count, tables = sum(self.count[group].values()), self.count[group]
            steps = self.all_steps[group][position]
            for table in without:
                if table in tables:
                    count -= tables[table]
                    steps -= self.steps[group, table][position]
            share = (steps + LEAN * share) / (count + LEAN) if group[0] else steps / count
        return share

    @functools.lru_cache(maxsize=None)
    def quantile(self, path, without, level):
        return self.ys[min(bisect.bisect_left(range(len(self.ys)), level - 1e-12, key=lambda k: self.below(path, without, k)), len(self.ys) - 1)]

    def rank(self, row, without):
        """Where a row lies in its group's distribution, 0 to 1."""
        left, right = bisect.bisect_left(self.ys, row["y"] - 1e-9), bisect.bisect_right(self.ys, row["y"] + 1e-9)
        lower = self.below(row["path"], without, left - 1) if left else 0
        return (lower + self.below(row["path"], without, right - 1)) / 2

    def middle_and_scale(self, path, without):
        low, high = self.quantile(path, without, 0.1), self.quantile(path, without, 0.9)
        return (low + high) / 2, max((high - low) / 2, LEAST)

    def left_out(self, without=()):
        """Of rows of tables that are left out one after the other: ranks, and distances from the middle in half widths."""
        ranks, distances = [], []
        for row in self.rows:
            if row["table"] in without:
                continue
            weight, others = 1 / self.units[row["unit"]], tuple(sorted({*without, row["table"]}))
            middle, scale = self.middle_and_scale(row["path"], others)
            ranks.append((self.rank(row, others), weight))
            distances.append(((row["y"] - middle) / scale, weight))
        return ranks, distances

    def levels(self, without=()):
        """Levels of the 80 % interval, and ends of that of 95 % in half widths."""
        ranks, distances = self.left_out(without)
        return (conformal(ranks, 0.9, False), conformal(ranks, 0.9), conformal(distances, 0.975, False), conformal(distances, 0.975))

    def interval(self, path, levels, without=()):
        """low_95, low_80, middle, high_80, high_95 of y. The prediction itself is inside."""
        middle, scale = self.middle_and_scale(path, without)
        low, high = min(self.quantile(path, without, levels[0]), 0), max(self.quantile(path, without, levels[1]), 0)
        return min(middle + levels[2] * scale, low), low, self.quantile(path, without, 0.5), high, max(middle + levels[3] * scale, high)


def robust(values):
    """Standard deviation of a normal distribution with this median distance from the median."""
    values = sorted(values)
    centre = values[len(values) // 2]
    return 1.4826 * sorted(abs(value - centre) for value in values)[len(values) // 2]


def between_units(rows, kind):
    """Standard deviation of y between units: what the rows of a system have in common."""
    units = collections.defaultdict(list)
    for row in rows:
        if row["kind"].startswith(kind):
            units[row["unit"]].append(row["y"])
    return robust([middle_of(values) for values in units.values()])


def between_sizes(rows):
    """Of single collectives: scale of the Laplace distribution by which the errors of two sizes of one system differ, the middle of units."""
    units = collections.defaultdict(list)
    for row in rows:
        if row["kind"].startswith("collective"):
            units[row["unit"]].append(row["y"])
    return middle_of(middle_of(abs(a - b) for a, b in itertools.combinations(values, 2)) for values in units.values() if len(values) > 1) / math.log(2)


class Pairs:
    def __init__(self, rows):
        files = collections.defaultdict(list)
        for row in rows:
            cells, metric = row["cells"], row["cells"].get("metric") or ""
            predicted = math.log(float(cells["predicted"])) * (-1 if metric.endswith("_per_s") else 1)  # of the step, but for a constant
            row["measured"] = predicted - math.log(1 + float(cells["error_pct"]) / 100)
            if not row["kind"].startswith("collective"):
                files[row["unit"].split(",")[0]].append(row)
        self.list = []  # choice, file, the slower one by prediction, the other
        for file, members in files.items():
            for choice, columns in CHOICES.items():
                alike = collections.defaultdict(list)
                for row in members:
                    alike[tuple(item for item in row["cells"].items() if item[0] not in NOT_RUN and item[0] not in columns)].append(row)
                for group in alike.values():
                    for pair in itertools.combinations(group, 2):
                        if len({tuple(row["cells"].get(column) for column in columns) for row in pair}) == 2:
                            self.list.append((choice, file, *sorted(pair, key=lambda row: row["y"] - row["measured"])))
        count = collections.Counter(pair[:2] for pair in self.list)
        self.weights = [1 / count[pair[:2]] for pair in self.list]  # choices of tables count equally

    def scale(self, without=None):
        """Of the Laplace distribution of the errors of differences, from its median."""
        errors = [(abs(a["y"] - b["y"]), weight) for (_, file, a, b), weight in zip(self.list, self.weights) if file != without]
        total, half = 0.0, sum(weight for _, weight in errors) / 2
        for error, weight in sorted(errors):
            total += weight
            if total >= half:
                return error / math.log(2)

    def decide(self):
        """Of every pair: how far apart it was measured, predicted, and the probability that the prediction is right."""
        scales = {file: self.scale(file) for file in {pair[1] for pair in self.list}}
        for choice, file, a, b in self.list:
            predicted = a["measured"] - a["y"] - (b["measured"] - b["y"])
            yield choice, file, a, b, a["measured"] - b["measured"], predicted, 1 - 0.5 * math.exp(-predicted / scales[file])

    def by_probability(self):
        """Of tenths of the probability: (said, right, weight) of every pair."""
        bins = collections.defaultdict(list)
        for (*_, measured, _, said), weight in zip(self.decide(), self.weights):
            bins[min(int(10 * said), 9)].append((said, 1 if measured > 0 else 0.5 if measured == 0 else 0, weight))
        return dict(sorted(bins.items()))

    def report(self):
        decisions = list(self.decide())
        sum_of = lambda what: sum(weight * what(*one) for one, weight in zip(decisions, self.weights))
        right = lambda measured: 1 if measured > 0 else 0.5 if measured == 0 else 0
        apart = math.log(1.1)
        total, decided = sum_of(lambda *one: 1), sum_of(lambda *one: one[6] >= DECIDED)
        lines = ["", f"Decisions: {len(decisions)} pairs of rows of one table that differ in one choice (results/decision_pairs.csv), each by the errors",
                 "of the other tables; choices of tables count equally.",
                 f"  decided ({100 * DECIDED:.0f} % sure and more): {100 * decided / total:.0f} %, of them right: "
                 f"{100 * sum_of(lambda *one: (one[6] >= DECIDED) * right(one[4])) / decided:.1f} %",
                 f"  of pairs more than 10 % apart decided: {100 * sum_of(lambda *one: (abs(one[4]) > apart) * (one[6] >= DECIDED)) / sum_of(lambda *one: abs(one[4]) > apart):.0f} %",
                 f"  Brier score {sum_of(lambda *one: (one[6] - right(one[4])) ** 2) / total:.3f}; a coin {0.25:.3f}; whoever trusts every prediction "
                 f"{sum_of(lambda *one: (1 - right(one[4])) ** 2) / total:.3f}", f"  {'said':>14}{'pairs':>7}{'right':>8}"]
        for low, inside in self.by_probability().items():
            lines.append(f"  {10 * low:4.0f} to {10 * low + 10:3.0f} %{len(inside):7}"
                         f"{100 * sum(was * weight for _, was, weight in inside) / sum(weight for *_, weight in inside):7.0f}%")
        return lines

    def table(self):
        lines = ["choice,table,line_slower,line_faster,measured_ratio,predicted_ratio,probability"]
        for choice, file, a, b, measured, predicted, probability in self.decide():
            lines.append(f"{choice},{file},{a['line']},{b['line']},{math.exp(measured):.4g},{math.exp(predicted):.4g},{probability:.3f}")
        return lines


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def middle_of(values):
    values = sorted(values)
    return values[len(values) // 2] if values else float("nan")


def cross_validated(model):
    """Adds to every row whether the intervals that were made without its table hold it, and how wide they are."""
    for table in model.tables:
        levels, (ranks, _) = model.levels((table,)), model.left_out((table,))
        others = {level: [conformal(ranks, (1 + level) / 2, above) for above in (False, True)] for level in LEVELS}
        for row in model.rows:
            if row["table"] == table:
                low_95, low, middle, high, high_95 = model.interval(row["path"], levels, (table,))
                row.update(in_80=low - 1e-9 <= row["y"] <= high + 1e-9, in_95=low_95 - 1e-9 <= row["y"] <= high_95 + 1e-9, middle=middle,
                           width_80=math.exp(high - low), width_95=math.exp(high_95 - low_95))
                row["held"] = {level: model.quantile(row["path"], (table,), ends[0]) - 1e-9 <= row["y"]
                               <= model.quantile(row["path"], (table,), ends[1]) + 1e-9 for level, ends in others.items()}


def by_unit(rows):
    units = collections.defaultdict(list)
    for row in rows:
        units[row["unit"]].append(row)
    return units


def report(model, with_row):
    lines = ["How often the intervals of results/error_model.csv hold what was measured, each table by a model that was made without it",
             f"({scores_of()}). Units (parts of tables) count equally; width: upper over lower end, median over units; bias: measured over predicted",
             "step, median over units of their medians.", "",
             f"{'':28}{'units':>6}{'80 % holds':>12}{'95 % holds':>12}{'width 80 %':>12}{'width 95 %':>12}{'bias':>7}"]
    for title, rows in (("first predictions of blind rows", [row for row in model.rows if row["first"]]), ("all rows", model.rows),
                        ("with one measured row of the same system", with_row.rows)):
        lines.append(title)
        for kind in [""] + KINDS:
            units = by_unit(row for row in rows if row["kind"].startswith(kind))
            share = lambda key: mean(mean(row[key] for row in unit) for unit in units.values())
            width = lambda key: middle_of(middle_of(row[key] for row in unit) for unit in units.values())
            bias = math.exp(middle_of(middle_of(row["y"] for row in unit) for unit in units.values()))
            lines.append(f"  {kind or 'all kinds':26}{len(units):6}{100 * share('in_80'):11.1f}%{100 * share('in_95'):11.1f}%"
                         f"{width('width_80'):12.2f}{width('width_95'):12.2f}{bias:7.2f}")
    lines += ["", "Units of ten rows and more of which the 80 % interval holds fewer than 60 %:"]
    for unit, rows in sorted(by_unit(model.rows).items()):
        inside = mean(row["in_80"] for row in rows)
        if len(rows) >= 10 and inside < 0.6:
            lines.append(f"  {unit}: {100 * inside:.0f} % of {len(rows)} rows{', first predictions' if rows[0]['first'] else ''}; "
                         f"measured over predicted {math.exp(middle_of(row['y'] for row in rows)):.2f}")
    return lines


def table(model, pairs, before=""):
    """Lines of the file; before: the word that all kinds begin with."""
    levels = model.levels()
    paths = {path[end - 1]: path[:end] for path in model.paths for end in range(1, len(path) + 1)}
    lines = []
    for (kind, size), path in sorted(paths.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        if size is None and (kind, 0) in paths:
            continue  # its rows by size stand for it
        ends = ",".join(f"{math.exp(y):.4g}" for y in model.interval(path, levels))
        shared, own = between_units(model.rows, kind.split(" ")[0] if kind else ""), pairs.scale() if not kind.startswith("collective") else between_sizes(model.rows)
        lines.append(f"{f'{before} {kind}'.strip()},{size or 0:g},{ends},{shared:.4g},{own:.4g},{sum(model.count[path[-1]].values())},{scores_of()}")
    return lines


def picture(model, pairs):
    """Coverage and width by kind of first predictions, and how often decisions were right: error_model.svg."""
    colours = dict(zip(KINDS, ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]))
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="900" height="330" font-family="sans-serif" font-size="12">',
             '<rect width="900" height="330" fill="white"/>']

    def text(x, y, words, anchor="middle", colour="black"):
        parts.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    def square(left, title, across, up, low):
        """A panel from `low` to 100 % both ways, with its diagonal; gives the place of a point."""
        place = lambda x, y: (left + 220 * (x - low) / (1 - low), 270 - 220 * (y - low) / (1 - low))
        parts.append(f'<path d="M{left},50V270H{left + 220}M{left},270L{left + 220},50" stroke="#999" fill="none"/>')
        text(left + 110, 30, title)
        text(left + 110, 305, across)
        text(left - 32, 36, up, "start")
        for share in (low, (1 + low) / 2, 1):
            text(place(share, 0)[0], 285, f"{100 * share:.0f} %")
            text(left - 4, place(0, share)[1] + 4, f"{100 * share:.0f}", "end")
        return place

    place = square(50, "intervals of first predictions", "said to hold", "% held", 0.3)
    for kind, colour in colours.items():
        units = by_unit(row for row in model.rows if row["first"] and row["kind"].startswith(kind)).values()
        points = [place(level, mean(mean(row["held"][level] for row in unit) for unit in units)) for level in LEVELS]
        parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" stroke="{colour}" stroke-width="2" fill="none"/>')
    text(440, 30, "width: upper over lower end, 80 %")
    for index, (kind, colour) in enumerate(colours.items()):
        widths = sorted(middle_of(row["width_80"] for row in unit) for unit in by_unit(row for row in model.rows if row["first"] and row["kind"].startswith(kind)).values())
        y = 80 + 50 * index
        length = 60 * math.log2(middle_of(widths))
        parts.append(f'<rect x="330" y="{y}" width="{length:.1f}" height="22" fill="{colour}"/>')
        text(330, y - 6, f"{kind}: {middle_of(widths):.2f}", "start", colour)
    place = square(640, "decisions", "said to be right", "% right", 0.5)
    points = [place(mean([said for said, _, _ in inside]), sum(right * weight for _, right, weight in inside) / sum(weight for *_, weight in inside))
              for inside in pairs.by_probability().values()]
    parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" stroke="#0072b2" stroke-width="2" fill="none"/>')
    return parts + ["</svg>"]


@functools.lru_cache
def scores_of():
    """Commit and date of the scores."""
    found = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h of %cs", "--", "results/scores"], capture_output=True, text=True)
    return found.stdout.strip() or "0000000 of 0000-00-00"


def main():
    rows = read_rows()
    model, pairs, with_row = Model(rows), Pairs(rows), Model(read_rows(with_row=True))
    cross_validated(model)
    cross_validated(with_row)
    texts = {"results/error_model.csv": ["kind,size_from,low_95,low_80,middle,high_80,high_95,shared,own,units,scores_of", *table(model, pairs),
                                         *table(with_row, pairs, "row")],
             "results/error_model.txt": report(model, with_row) + pairs.report(),
             "results/decision_pairs.csv": pairs.table(), "results/error_model.svg": picture(model, pairs)}
    for name, lines in texts.items():
        text = "\n".join(lines) + "\n"
        if "--check" in sys.argv:
            known = (ROOT / name).read_text()
            if re.sub(COMMIT, "", known) != re.sub(COMMIT, "", text):
                sys.exit(f"{name} is not that of results/scores; run results/make_error_model.py")
        else:
            (ROOT / name).write_text(text)
    print((ROOT / "results/error_model.txt").read_text(), end="")


if __name__ == "__main__":
    main()
