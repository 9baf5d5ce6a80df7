#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the data of tests/data/ out of the tables they come from: tests/data/cut.py TABLES, with TABLES/traces and TABLES/catalogue.

The README.md of each folder names the sources. Equal tables give equal bytes: the gzip files hold no time."""
import csv
import gzip
import pathlib
import shutil
import sys

TABLES = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(__file__).resolve().parent


def pack(name, text):
    (HERE / name).parent.mkdir(parents=True, exist_ok=True)
    (HERE / name).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def columns(source, target, names, keys=("",)):
    """The named columns of a table; with keys, of one table per key, with the key in front of each row."""
    lines = [",".join(names)]
    for key in keys:
        with open(TABLES / source.format(key), newline="") as table:
            lines += [",".join(key if name == "network" else row[name] for name in names) for row in csv.DictReader(table)]
    (HERE / target).parent.mkdir(parents=True, exist_ok=True)
    (HERE / target).write_text("\n".join(lines) + "\n")


# Philly: every row in its place; whole seconds; without gpu_time, which is duration x num_gpus.
with open(TABLES / "traces/philly.csv", newline="") as table:
    pack("traces/philly.csv.gz", "timestamp,duration,num_gpus,cluster\n" + "".join(
        f"{job['timestamp']},{float(job['duration']):.0f},{job['num_gpus']},{job['cluster']}\n" for job in csv.DictReader(table)))

# openb and perf_t4: every byte of the table.
for name in ("openb_pod_list_default", "openb_node_list_gpu_node"):
    pack(f"traces/{name}.csv.gz", (TABLES / f"traces/{name}.csv").read_text())
for source in sorted((TABLES / "traces/perf_t4").glob("*/placements.csv")):
    target = HERE / "traces/perf_t4" / (source.parent.name + ".csv")
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, target)
for name in ("golden_fifo_srtf", "golden_backfill"):
    shutil.copyfile(TABLES / f"traces/conformance/{name}.csv", HERE / f"traces/{name}.csv")

columns("catalogue/transformer_catalogue.csv", "catalogue/transformers.csv", ["model", "params", "fwd_TFLOP_per_sequence"])
columns("catalogue/layers/{}.csv", "catalogue/layers.csv", ["network", "layer", "params", "tensor_sizes", "fwd_MACs", "out_activations"],
        sorted(path.stem for path in (TABLES / "catalogue/layers").glob("*.csv")))
shutil.copyfile(TABLES / "catalogue/nccl_summary.csv", HERE / "catalogue/nccl_summary.csv")
