#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calibration files of GPUs that nobody measured: the catalogue's data-sheet numbers in simcal's format, marked `data sheet`.

  python3 results/calibration/make_data_sheets.py        writes results/calibration/data_sheet/<GPU>.json

Rates are peak x reachable share; the bar reaches from three quarters of that to the smaller of five quarters and the peak, because
published training runs lie there (results/scoreboard.md). A scenario that names such a file says in its answer that nothing was measured.
"""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"TFLOP/s": 1e12, "GFLOP/s": 1e9, "PFLOP/s": 1e15, "GB/s": 1e9, "TB/s": 1e12, "us": 1e-6, "ms": 1e-3}


def quantity(text):
    number, unit = re.fullmatch(r"\s*([0-9.e+-]+)\s*(\S+)\s*", text.split("#")[0]).groups()
    return float(number) * UNITS[unit]


def value(text, key):
    found = re.search(rf"^{key}:\s*(.+)$", text, re.M)
    return found.group(1).split(" #")[0].strip() if found else None


def constant(name, unit, center, low, high, note):
    return {"name": name, "value": center, "low": low, "high": high, "unit": unit, "provenance": "data sheet", "samples": 0, "note": note}


def profile(path):
    text = path.read_text()
    gpu = value(text, "name")
    share = float(value(text, "compute_efficiency") or 0.6)
    memory_share = float(value(text, "memory_efficiency") or 0.8)
    constants = []
    block = re.search(r"^peak:\s*(\{[^}]*\}|(?:\n\s+.+)+)", text, re.M).group(1)
    for precision, number in re.findall(r"(\w+):\s*([0-9.]+\s*[TGP]FLOP/s)", block):
        peak = quantity(number)
        constants.append(constant(f"gpu.{gpu}.rate.{precision}", "flop/s", peak * share, 0.75 * peak * share, min(1.25 * share, 1) * peak,
                                  f"peak {number} x reachable share {share:g}"))
    bandwidth = quantity(value(text, "memory_bandwidth"))
    constants.append(constant(f"gpu.{gpu}.memory_bandwidth", "B/s", bandwidth * memory_share, 0.9 * bandwidth * memory_share,
                              min(1.1 * memory_share, 1) * bandwidth, f"data sheet x reachable share {memory_share:g}"))
    return gpu, {"trainyard_calibration": 1, "name": gpu + " data sheet", "created": "2026-11-21T00:00:00Z", "provenance": "data sheet",
                 "complete": True, "quick": False, "command": "results/calibration/make_data_sheets.py", "program": "make_data_sheets.py",
                 "machine": {"gpu 0 name": gpu, "source": (value(text, "source") or "").strip('"')}, "warnings": [], "missing": [],
                 "constants": constants, "curves": []}


for path in sorted((HERE / "../../models/hardware/catalogue/gpus").resolve().glob("*.yaml")):
    name, content = profile(path)
    (HERE / "data_sheet" / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
