#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures everything that a machine with a GPU can add to the results, in one command (15 minutes at most):

  python3 calibrate/measure_gpu.py [--simrun build/release/bin/simrun]

builds only simcal, calibrates (10 minutes at most; --quick: 1), measures training steps with PyTorch, and writes files to commit into
results/calibration/:

  <gpu>.json, <gpu>.samples.csv    the profile and its raw samples          plots/<gpu>/   a plot of each curve with several sizes
  <gpu>.steps.csv, .kernels.csv    steps of PyTorch, and the time of each kind of kernel in them (calibrate/torch_steps.py)
  <gpu>.md                         the results of the comparisons below, and the command

Comparisons: every constant against the data sheet's (none may exceed the peak); the assembled step of VGG-16 and ResNet-50 against the sum
of its layers (5 %); and, with --simrun, PyTorch's steps of networks and of transformer layers against predictions: by the GPU's name alone,
and with the profile. No step is fitted; what was read off single kernels of an H100 stands on its page. --compare-only predicts again from files that are there. Each missing part is
reported in one line. Exit codes: 0 done, 1 failed, 3 a comparison missed its goal.
"""
import argparse
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import torch_steps

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LAYER = "hidden=4096,ffn=14336,heads=32,kv_heads=8,tokens=8192,tp=1,experts=1,gated=1"  # of Llama 3 8B
STEP_GOAL = 0.05  # assembled step against the sum of its layers


def of_python(library):
    """Where a Python environment keeps one of NVIDIA's libraries; empty where it has none."""
    for folder in sys.path:
        if os.path.exists(os.path.join(folder, "nvidia", library, "include", library + ".h")):
            return os.path.join(folder, "nvidia", library)
    return ""


def build(folder):
    more = [f"-D{library.upper()}_ROOT={of_python(library)}" for library in ("nccl", "cudnn") if of_python(library)]
    subprocess.run(["cmake", "-S", HERE, "-B", folder, *more], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count() or 2)], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "bin", "simcal")


def gpu_of(profile):
    """The catalogue's name of the GPU that a profile measured."""
    for constant in profile["constants"]:
        found = re.match(r"gpu\.([^.]+)\.", constant["name"])
        if found:
            return found.group(1)
    return ""


def roofs(gpu):
    """Peak rates and bandwidth of the data sheet, by constant: the note has the peak, the value what is usually reached."""
    path = os.path.join(ROOT, "results", "calibration", "data_sheet", gpu + ".json")
    if not os.path.exists(path):
        return {}
    result = {}
    with open(path) as file:
        for constant in json.load(file)["constants"]:
            found = re.match(r"peak ([0-9.]+) TFLOP/s", constant.get("note", ""))
            share = re.search(r"reachable share ([0-9.]+)", constant.get("note", ""))
            roof = float(found.group(1)) * 1e12 if found else constant["value"] / float(share.group(1)) if share else constant["value"]
            result[constant["name"]] = roof
    return result


def against_the_data_sheet(profile, gpu, lines):
    good = True
    known = roofs(gpu)
    if not known:
        lines.append(f"No data sheet of {gpu} in results/calibration/data_sheet: nothing to compare rates with.")
        return True
    lines += ["| constant | measured | peak of the data sheet | share |", "|---|---|---|---|"]
    for constant in profile["constants"]:
        roof = known.get(constant["name"].replace("convolution_rate", "rate"))
        if roof is None or not constant["name"].startswith("gpu."):
            continue
        share = constant["value"] / roof
        convolution = "convolution_rate" in constant["name"]  # may pass it: Winograd's algorithm multiplies less
        over = share > 1.02 and not convolution
        good = good and not over
        state = f", {constant['state']}: {constant['low']:.3g} to {constant['high']:.3g}" if constant.get("state") else ""
        lines.append(f"| {constant['name']} | {constant['value']:.4g} {constant['unit']}{state} | {roof:.4g} | "
                     f"{100 * share:.0f} %{' **above the peak**' if over else ''} |")
    return good


def steps_against_layers(profile, gpu, lines):
    values = {c["name"]: c["value"] for c in profile["constants"]}
    good, found = True, False
    lines += ["", "| step, batch 32 | whole | sum of layers | difference |", "|---|---|---|---|"]
    for name, whole in sorted(values.items()):
        layers = values.get(name[: -len("whole")] + "layers")
        if not name.startswith(f"gpu.{gpu}.step.") or not name.endswith(".whole") or not layers:
            continue
        found = True
        difference = layers / whole - 1
        good = good and abs(difference) <= STEP_GOAL
        lines.append(f"| {name.split('.step.')[1][:-6]} | {1e3 * whole:.3f} ms | {1e3 * layers:.3f} ms | {100 * difference:+.1f} % |")
    if not found:
        lines[-2:] = ["No assembled step was measured (simcal was built without cuDNN, or it failed)."]
    return good


CLUSTER = """trainyard: 1
{more}cluster:
  node_types: {{n: {{gpu: {gpu}, gpus: 1}}}}
  nodes: [{{name: n, type: n, count: 1}}]
  network: {{topology: star, bandwidth: 10 Gbit/s}}
framework: {{name: pytorch{framework}}}
jobs:
  - {{name: j, workers: 1, {job}}}
"""


def simulated(simrun, text):
    """The first row of parallel.csv and the first job of the summary."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = os.path.join(folder, "step.yaml")
        with open(scenario, "w") as file:
            file.write(text)
        run = subprocess.run([simrun, scenario, "--json", "--progress=none", "-o", os.path.join(folder, "out")], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"simrun: {run.stderr.strip()}")
        parallel = os.path.join(folder, "out", "parallel.csv")
        rows = list(csv.DictReader(open(parallel))) if os.path.exists(parallel) else [{}]
        return rows[0], json.loads(run.stdout)["jobs"][0]


def network_step(simrun, gpu, row, more, host="", graphs=False):
    model = "{name: bert_base, sequence_length: 128}" if row["name"] == "bert_base_mlm" else row["name"]
    last = f", channels_last: {str(row['layout'] == 'nhwc').lower()}, cuda_graphs: {str(graphs).lower()}"
    job = (f"model: {model}, batch_per_gpu: {row['batch']}, precision: {row['precision']}{host}, training: {{mode: all_reduce}}")
    step = simulated(simrun, CLUSTER.format(more=more, gpu=gpu, framework=last, job=job))[1]["step_s"]
    return step["mean"] if isinstance(step, dict) else step


def host_per_operator(simrun, gpu, row):
    """Seconds of the host for each operator that Trainyard counts, where the host alone decides."""
    return 1e-3 * float(row["seconds"]) / network_step(simrun, gpu, row, "", ", host_per_operator: 1 ms")


def layers_step(simrun, gpu, row, more):
    """Without the optimiser, which was not measured."""
    (hidden, ffn, heads, kv_heads, gated), sequence, sequences, _ = torch_steps.LAYERS[row["name"]]
    model = (f"{{name: transformer, layers: {row['layers']}, hidden: {hidden}, ffn: {ffn}, heads: {heads}, kv_heads: {kv_heads}, "
             f"vocabulary: {torch_steps.VOCABULARY}, sequence_length: {sequence}, gated: {str(gated).lower()}, "
             f"biases: {str(not gated).lower()}, learnt_positions: {str(not gated).lower()}, tied: false}}")
    fused = "true" if row["kind"] == "compiled_layers" else "[norm]"  # nn.RMSNorm is one kernel in PyTorch from 2.8 on
    parallel = f"{{micro_batch: {sequences}, global_batch: {sequences}, fused_elementwise: {fused}}}"
    job = f"model: {model}, precision: bf16, training: {{parallel: {parallel}}}"
    parts = simulated(simrun, CLUSTER.format(more=more, gpu=gpu, framework="", job=job))[0]
    return float(parts["compute_s"]) + float(parts["host_s"])


def kernel_seconds(path):
    """Seconds of all kernels in a step, by the words of its row."""
    sums = {}
    if os.path.exists(path):
        with open(path) as file:
            for row in csv.DictReader(file):
                what = f"{row['name']} {row['precision']} {row['layout']}, batch {row['batch']}"
                sums[what] = sums.get(what, 0) + float(row["seconds"])
    return sums


def percent(predicted, measured):
    return 100 * (predicted / measured - 1)


def table_of(lines, head, rows):
    """rows: (what, measured, predictions); a line of medians of the sizes of their errors ends the table."""
    if not rows:
        return
    lines += ["", f"| {head} | measured | by name | with the profile |", "|---|---|---|---|"]
    for what, measured, predictions in rows:
        lines.append(f"| {what} | {1e3 * measured:.2f} ms | "
                     + " | ".join(f"{1e3 * p:.2f} ms ({percent(p, measured):+.0f} %)" for p in predictions) + " |")
    medians = [statistics.median(abs(percent(row[2][i], row[1])) for row in rows) for i in range(len(rows[0][2]))]
    lines.append(f"| median of {len(rows)}, without sign | | " + " | ".join(f"{m:.0f} %" for m in medians) + " |")


def against_the_framework(options, gpu, lines):
    steps = os.path.join(options.out, gpu + ".steps.csv")
    if not os.path.exists(steps):
        lines += ["", "No steps of PyTorch were measured."]
        return
    with open(steps) as file:
        about = file.readline().strip("# \n")
        rows = list(csv.DictReader(file))
    lines += ["", f"## Steps of {about}", "", f"`{gpu}.steps.csv`; no step was fitted. Two constants of the model, the elements that a multiprocessor adds up or reads by an "
              "index in a second, were read off single kernels of ResNet-50, VGG-16 and Inception on an H100, as were those of GPT layers that "
              "docs/large_models.md names. The rate of attention at 32,768 tokens was read off llama3_8b_long, so its row is no check. "
              "Speeds of fp32 convolutions from Hopper on are those of simcal on an H100, not of these steps."]
    if not options.simrun:
        lines += ["", "No --simrun was given: no predictions."]
        return
    profile = os.path.join(options.out, gpu + ".json")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rates:
        subprocess.run([options.simcal, "rates", profile, "--out", rates.name], check=True, stdout=subprocess.DEVNULL)
        known = f"calibration: {profile}\n", f"measured_rates: {rates.name}\n"
        hosts = [host_per_operator(options.simrun, gpu, row) for row in rows
                 if row["kind"] == "network" and row["batch"] == "2"]
        host = f", host_per_operator: {1e6 * statistics.median(hosts):.3g} us" if hosts else ""
        networks, kernels, layers = [], [], {}
        on_gpu = kernel_seconds(os.path.join(options.out, gpu + ".kernels.csv"))
        for row in rows:
            measured = float(row["seconds"])
            if row["kind"] == "network" and row["batch"] != "2":
                what = f"{row['name']} {row['precision']} {row['layout']}, batch {row['batch']}"
                networks.append((what, measured, [network_step(options.simrun, gpu, row, ""),
                                                  network_step(options.simrun, gpu, row, known[0], host)]))
                if what in on_gpu:
                    kernels.append((what, on_gpu[what], [network_step(options.simrun, gpu, row, more, graphs=True) for more in ("", known[0])]))
            elif row["kind"].endswith("layers"):
                layers.setdefault((row["name"], row["kind"]), []).append(
                    (int(row["layers"]), measured, [layers_step(options.simrun, gpu, row, more) for more in ("", known[1])]))
    if hosts:
        lines += ["", f"Host: {', '.join(f'{1e6 * one:.0f}' for one in sorted(hosts))} us per operator, from the steps of batch 2, which keep the GPU "
                  f"waiting; the median, {1e6 * statistics.median(hosts):.0f} us, is part of the last column."]
    table_of(lines, "step of a network", networks)
    lines += ["", "The sums of kernels lack the gaps between them, of which predictions have 5 us for each layer and pass by name, and the measured launch with the profile."]
    table_of(lines, "the kernels of a step, against a step that never waits for the host", kernels)
    whole = [(f"{name}, {depth} layers{', compiled' if kind.startswith('compiled') else ''}", measured, predictions)
             for (name, kind), depths in layers.items() for depth, measured, predictions in depths]
    table_of(lines, "forward and backward of a transformer", whole)
    one = [(f"{name}{', compiled' if kind.startswith('compiled') else ''}", (b[1] - a[1]) / (b[0] - a[0]),
            [(y - x) / (b[0] - a[0]) for x, y in zip(a[2], b[2])])
           for (name, kind), depths in layers.items() if len(depths) == 2 for a, b in [depths]]
    table_of(lines, "one layer of it (the difference of two depths)", one)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simcal", default="", help="an existing simcal program")
    parser.add_argument("--simrun", default="", help="the simrun program, to predict the steps of PyTorch")
    parser.add_argument("--out", default=os.path.join(ROOT, "results", "calibration"), help="folder of the results")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "calibrate"), help="folder to build simcal in")
    parser.add_argument("--quick", action="store_true", help="take only a minute, with wide error bars")
    parser.add_argument("--only", default="", help="these measurements only (simcal list)")
    parser.add_argument("--compare-only", metavar="GPU", default="", help="measure nothing: compare the files of this GPU in --out")
    options = parser.parse_args()
    try:
        options.simcal = simcal = options.simcal or build(options.build)
        if options.compare_only:
            return compare(options, options.compare_only)
        os.makedirs(options.out, exist_ok=True)
        file = os.path.join(options.out, "this_gpu.json")  # goes on where an interrupted run was
        words = [simcal, "--out", file, "--layer", LAYER, *(["--quick"] if options.quick else []), *(["--only", options.only] if options.only else [])]
        code = subprocess.run(words).returncode
        if code == 130:
            return 130
        if code not in (0, 4):
            print("simcal failed", file=sys.stderr)
            return 1
        with open(file) as opened:
            profile = json.load(opened)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    gpu = gpu_of(profile)
    if not gpu:
        for part in profile.get("missing", []):
            print(f"not measured: {part['measurement']}: {part['why']}", file=sys.stderr)
        print(f"no GPU was measured; the other results are in {file}", file=sys.stderr)
        return 1
    final = os.path.join(options.out, gpu + ".json")
    os.replace(file, final)
    os.replace(file[:-5] + ".samples.csv", final[:-5] + ".samples.csv")
    for old in (final[:-5] + ".steps.csv", final[:-5] + ".kernels.csv"):  # of another machine with this GPU
        if os.path.exists(old):
            os.remove(old)
    subprocess.run([sys.executable, os.path.join(HERE, "torch_steps.py"), "--out", final[:-5] + ".steps.csv",
                    "--kernels", final[:-5] + ".kernels.csv", *(["--quick"] if options.quick else [])])
    return compare(options, gpu)


def compare(options, gpu):
    final = os.path.join(options.out, gpu + ".json")
    with open(final) as opened:
        profile = json.load(opened)
    plots = os.path.join(options.out, "plots", gpu)
    os.makedirs(plots, exist_ok=True)
    subprocess.run([options.simcal, "show", final, "--svg", plots], stdout=subprocess.DEVNULL)
    lines = [f"# {gpu}, measured {profile['created'][:10]}", "",
             f"`{profile['command']}` made {gpu}.json and {gpu}.samples.csv, `measure_gpu.py --compare-only {gpu}` this page and plots/{gpu}/.", ""]
    if profile["warnings"]:
        lines += ["Warnings: " + "; ".join(profile["warnings"]), ""]
    good = against_the_data_sheet(profile, gpu, lines)
    good = steps_against_layers(profile, gpu, lines) and good
    try:
        against_the_framework(options, gpu, lines)
    except (RuntimeError, OSError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        lines += ["", f"The comparison with PyTorch failed: {error}"]
        good = False
    with open(final[:-5] + ".md", "w") as out:
        out.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(f"\ncommit: {' '.join(sorted(glob.glob(final[:-5] + '.*')))} {plots}")
    return 0 if good else 3


if __name__ == "__main__":
    sys.exit(main())
