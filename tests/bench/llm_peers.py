#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large models: Trainyard by names beside llm-analysis on the same measured rows: tests/bench/llm_peers.py SIMRUN > results/bench/llm_peers.txt

Rows are those of results/published and results/blind that both can describe: dense GPT (four times the width between its two products) in 16 bit on A100
and H100, without context parallelism. Trainyard has nothing fitted; llm-analysis (PyPI, results/make_llm_peers.sh installs it) takes its share of the GPU's
peak as an input: once its default (1), once the half that its source says of Megatron-LM, once the share that makes the first row of a group right (that
row is scored for neither)."""
import contextlib
import csv
import datetime
import importlib.metadata
import io
import logging
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    from llm_analysis import analysis, config

logging.disable(logging.CRITICAL)
ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUS = {"A100-SXM4-40GB": "a100-sxm-40gb", "A100-SXM4-80GB": "a100-sxm-80gb", "H100-SXM5": "h100-sxm-80gb"}
RECOMPUTATION = {"none": analysis.ActivationRecomputation.NONE, "selective": analysis.ActivationRecomputation.SELECTIVE,
                 "full": analysis.ActivationRecomputation.FULL}
TABLES = ["published/narayanan2021_table1", "published/korthikanti2022_table5", "published/llmfoundry_mpt_fsdp", "published/megatron_core_h100_weak",
          "published/vtrain_ground_truth_single", "blind/large_models", "blind/second_large_models"]
NAMED = {"gpt3_175b": {"layers": 96, "hidden": 12288, "heads": 96, "vocabulary": 51200, "sequence_length": 2048},
         "megatron_530b": {"layers": 105, "hidden": 20480, "heads": 128, "vocabulary": 51200, "sequence_length": 2048}}  # Megatron-LM's sizes


def peer(scenario):
    """Seconds of a step at a share of the peak; None where the peer cannot describe the job."""
    job = scenario["jobs"][0]
    parallel = job["training"]["parallel"]
    model = job["model"] if isinstance(job["model"], dict) else {"name": job["model"]}
    model = {**NAMED.get(model["name"], {}), **model}
    gpu = next(iter(scenario["cluster"]["node_types"].values()))["gpu"]
    wide = model.get("ffn", 4 * model.get("hidden", 0)) != 4 * model.get("hidden", 0)
    if ("layers" not in model or wide or model.get("gated") or model.get("experts") or gpu not in GPUS or job.get("precision") not in ("bf16", "fp16")
            or parallel.get("cp", 1) > 1 or parallel.get("recomputation", "none") not in RECOMPUTATION):
        return None
    tp, pp, dp = (parallel.get(key, 1) for key in ("tp", "pp", "dp"))
    steps = parallel["global_batch"] // (parallel["micro_batch"] * dp)
    if model["layers"] % pp != 0:
        return None
    described = analysis.LLMAnalysis(
        config.ModelConfig(name="model", num_layers=model["layers"], n_head=model["heads"], hidden_dim=model["hidden"], vocab_size=model["vocabulary"],
                           max_seq_len=model["sequence_length"], num_key_value_heads=model.get("kv_heads")),
        config.get_gpu_config_by_name(GPUS[gpu]), config.DtypeConfig(), config.ParallelismConfig(tp_size=tp, pp_size=pp, dp_size=dp))

    def step(share):
        described.update_float_efficiency(share)
        return described.training(batch_size_per_gpu=parallel["micro_batch"], gradient_accumulation_steps=steps,
                                  global_batch_size=parallel["micro_batch"] * steps * dp, seq_len=model["sequence_length"],
                                  activation_recomputation=RECOMPUTATION[parallel.get("recomputation", "none")],
                                  ds_zero=analysis.DSZeRO(parallel.get("zero", 0)))["latency_per_iter"]

    try:
        step(1.0)
    except (AssertionError, ValueError):  # it holds that the job does not fit on the GPU
        return None
    return step


def rows_of(simrun, table):
    """(unit, measured step in s, Trainyard's error by names in %, the peer's step by its share) of each row that both describe; the number of scored rows."""
    path = ROOT / "results" / table
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([simrun, "score", f"{path}.csv", "--map", f"{path}.map.yaml", "--transfer", "--scenarios", folder, "-o", folder / "rows.csv", "-q"],
                       stdout=subprocess.DEVNULL, check=True)
        with open(folder / "rows.csv", newline="", encoding="utf-8") as file:
            rows = [(line, row) for line, row in enumerate(csv.DictReader(file), 2) if row["use"].startswith("scored") and row["names_only_error_pct"]]
        found = []
        for line, row in rows:
            step = peer(yaml.safe_load((folder / f"line_{line}.yaml").read_text()))
            if step is not None:
                found.append((row["unit"], float(row["predicted"]) / (1 + float(row["error_pct"]) / 100), abs(float(row["names_only_error_pct"])), step))
    return found, len(rows)


def triple(errors):
    ordered = sorted(errors)
    ninth = ordered[min(len(ordered) - 1, round(0.9 * (len(ordered) - 1)))]
    return f"{statistics.median(ordered):.1f} / {ninth:.1f} / {statistics.mean(ordered):.1f}"


def main():
    simrun = str(pathlib.Path(sys.argv[1]).resolve())
    print(f"# {datetime.date.today()}, llm-analysis {importlib.metadata.version('llm-analysis')}; made by results/make_llm_peers.sh. Error of the step time in %: "
          "median / p90 / mean")
    print(f"# {'group of rows':<48} {'rows':>10}  {'Trainyard, names':>20}  {'llm-analysis, 1':>20}  {'0.5':>20}  {'share of first row':>20}")
    everything = {"ours": [], 1.0: [], 0.5: [], "fitted": []}
    for table in TABLES:
        found, total = rows_of(simrun, table)
        for unit in dict.fromkeys(unit for unit, *_ in found):
            rows = [row[1:] for row in found if row[0] == unit]
            (measured, _, step), *rest = rows
            share = step(1.0) / measured  # its time is that of the peak over the share
            errors = {"ours": [ours for _, ours, _ in rest], "fitted": [abs(step(share) / measured - 1) * 100 for measured, _, step in rest],
                      **{fixed: [abs(step(fixed) / measured - 1) * 100 for measured, _, step in rest] for fixed in (1.0, 0.5)}}
            if not rest:
                continue
            for key, values in errors.items():
                everything[key] += values
            print(f"{table.split('/')[1] + ', ' + unit:<50} {len(rest):>4} of {total:>3}  {triple(errors['ours']):>20}  {triple(errors[1.0]):>20}  "
                  f"{triple(errors[0.5]):>20}  {triple(errors['fitted']):>20}")
    print(f"{'all':<50} {len(everything['ours']):>10}  " + "  ".join(f"{triple(values):>20}" for values in everything.values()))


if __name__ == "__main__":
    main()
