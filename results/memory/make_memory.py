#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often verdicts on GPU memory are right: python3 results/memory/make_memory.py [SIMRUN]

Two sets. verdicts.csv: published "fits" and "out of memory", some with the peak; a citation a row. And every row of results/published that is
training on GPUs: it ran, so it fits; its scenario is the one that simrun score makes. Writes results/memory/memory.csv (a line a verdict) and
prints wrong refusals, wrong acceptances and errors of peaks. A verdict between 80 and 111 % of the card is open: simrun warns, and it counts as right
and as open. scope of a peak: allocated and reserved are PyTorch's counters, without driver and buffers of collectives; smi is nvidia-smi's.
No constant of the model comes from these rows but the ends between which a verdict is open (lowest_peak, highest_peak).
"""
import collections
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIMRUN = next((one for one in sys.argv[1:] if not one.startswith("--")), ROOT / "build/release/bin/simrun")
LARGE = "MI355X"  # on it everything runs, so that the memory is known of what is refused too
TABLES = ["adaptdl_sia_profiles", "dlperf_v100x32_2020", "hkbu_ddl_2020", "llmfoundry_mpt_fsdp", "megatron_bridge_perf", "nvidia_dle_training",
          "tf_benchmarks_2017", "torchtitan_llama3", "vtrain_ground_truth_single", "megatron_core_h100_weak", "nemo_2407_h100_fp8",
          "mlperf_gpt3_175b", "korthikanti2022_table5", "dgxc_step_times"]
CONTEXT = 0.45  # GB; communicators 0.3 each (models/cost/kept_state.hpp)


def scenario(row, gpu):
    gpus = int(row["gpus"])
    options = row["options"]
    framework = re.search(r",? ?framework: (\w+) ([\d.]+)", options)
    options = options.replace(framework.group(0), "") if framework else options
    model = row["model"]
    if row["sequence"]:
        model = model.replace("}", f", sequence_length: {row['sequence']}}}") if "{" in model else f"{{name: {model}, sequence_length: {row['sequence']}}}"
    per_node = min(gpus, 8)
    training = "{mode: all_reduce}"
    batch = f"batch_per_gpu: {row['batch']}, "
    if row["kind"] == "parallel":
        tp = int((re.search(r"\btp: (\d+)", row["layout"]) or [0, 1])[1])
        training = f"{{parallel: {{dp: {gpus // tp}, micro_batch: {row['batch']}, global_batch: {gpus // tp * int(row['batch'])}, {row['layout']}}}}}"
        batch = ""
    named = framework.groups() if framework else ("pytorch", "2.2")
    return (f"trainyard: 1\nname: m\nframework: {{name: {named[0]}, version: \"{named[1]}\"}}\n"
            f"cluster:\n  node_types: {{n: {{gpu: {gpu}, gpus: {per_node}, intra: pcie_tree}}}}\n"
            f"  nodes: [{{name: n, type: n, count: {-(-gpus // per_node)}}}]\n"
            f"jobs: [{{name: j, model: {model}, precision: {row['precision']}, optimizer: {row['optimizer']}, {batch}workers: {gpus}, "
            f"{options + ', ' if options else ''}training: {training}}}]\n")


def call(*arguments):
    return subprocess.run([str(SIMRUN), *map(str, arguments)], capture_output=True, text=True, timeout=120)


def verdict(path):
    """fits, open, oom, or the error that keeps the row from being said."""
    done = call("check", path)
    if "out of GPU memory" in done.stderr:
        return "oom"
    if done.returncode not in (0, 3):
        return "unsaid: " + done.stderr.strip().splitlines()[0][:200]
    return "open" if "GPU memory may not suffice" in done.stderr + done.stdout else "fits"


def needed(path, folder):
    done = call("run", path, "-o", folder, "--progress=none")
    found = re.search(r'"gpu_memory(?:_B)?": ?([\d.e+]+)', (folder / "summary.json").read_text()) if done.returncode == 0 else None
    if found:
        return float(found[1]) / 1e9
    for table in folder.glob("*.csv"):
        for line in csv.DictReader(table.open()):
            if line.get("gpu_memory_B"):
                return float(line["gpu_memory_B"]) / 1e9
    return None


def own_rows(work):
    for number, row in enumerate(csv.DictReader(open(ROOT / "results/memory/verdicts.csv"))):
        path = work / f"own{number}.yaml"
        path.write_text(scenario(row, row["gpu"]))
        said, peak = verdict(path), None
        # PyTorch's counters do not see paged states, which the driver allocates.
        paged = row["optimizer"].startswith("paged_") and row["scope"] != "smi"
        path.write_text(scenario({**row, "layout": row["layout"] + ", moment_bytes: 0"} if paged else row, LARGE))
        peak = needed(path, work / f"out{number}")
        if peak and row["scope"] != "smi":
            peak -= CONTEXT + (0.3 if int(row["gpus"]) > 1 else 0)
        yield dict(table="verdicts", source=row["source"], row=number + 2, verdict=row["verdict"], said=said, peak_GB=row["peak_GB"],
                   needed_GB=f"{peak:.2f}" if peak else "")


def published_rows(work):
    for table in TABLES:
        folder = work / table
        base = ROOT / "results/published" / table
        call("score", f"{base}.csv", "--map", f"{base}.map.yaml", "--scenarios", folder, "-o", work / f"{table}.csv", "--progress=none")
        known = {}  # memory is that of one row with the same model, batch, formats, GPU and layout
        for path in sorted(folder.glob("line_*.yaml"), key=lambda one: int(one.stem[5:])):
            what = re.findall(r"\b(?:model|batch_per_gpu|precision|optimizer|gpu|sequence_length|parallel|tp|pp|zero|micro_batch|dp|recomputation): [^\n]*",
                              path.read_text())
            known.setdefault(tuple(what), path)
        for path in known.values():
            yield dict(table=table, source=table, row=path.stem[5:], verdict="fits", said=verdict(path), peak_GB="", needed_GB="")


def told_of_peaks(peaks):
    """Prints within which factors 8 of 10 measured peaks are of their estimate, and how many those of other sources hold."""
    def ends(factors):
        ordered = sorted(factors)
        return [ordered[round(share * (len(ordered) - 1))] for share in (0.1, 0.9)]

    low, high = ends([factor for _, factor in peaks])
    held = 0
    for source in {source for source, _ in peaks}:
        others = ends([factor for other, factor in peaks if other != source])
        held += sum(others[0] <= factor <= others[1] for one, factor in peaks if one == source)
    print(f"8 of 10 peaks are {low:.2f} to {high:.2f} times the estimate; such ends of the other sources hold {held} of {len(peaks)}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        rows = [*own_rows(work), *([] if "--own" in sys.argv else published_rows(work))]
    with open(ROOT / "results/memory/memory.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in rows if row["source"] != row["table"] or row["said"] != row["verdict"])
    said = [row for row in rows if not row["said"].startswith("unsaid")]
    print(f"{len(rows)} verdicts of {len({row['source'] for row in rows})} sources, {len(rows) - len(said)} cannot be said")
    for kind, wrong, name in (("fits", "oom", "wrong refusals"), ("oom", "fits", "wrong acceptances")):
        of = [row for row in said if row["verdict"] == kind]
        bad = [row for row in of if row["said"] == wrong]
        open_ = sum(row["said"] == "open" for row in of)
        print(f"{name}: {len(bad)} of {len(of)} ({100 * len(bad) / max(1, len(of)):.1f} %), open {open_}")
        for table, count in collections.Counter(row["source"] for row in bad).most_common():
            print(f"  {count:4d}  {table}")
    errors = [(float(row["needed_GB"]) / float(row["peak_GB"]) - 1) * 100 for row in said if row["peak_GB"] and row["needed_GB"]]
    if errors:
        print(f"peaks: median |error| {statistics.median(map(abs, errors)):.1f} %, median {statistics.median(errors):+.1f} % of {len(errors)}")
        told_of_peaks([(row["source"], float(row["peak_GB"]) / float(row["needed_GB"])) for row in said if row["peak_GB"] and row["needed_GB"]])


main()
