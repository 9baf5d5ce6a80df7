#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures everything that a machine with a GPU can add to the results, in one command (15 minutes at most):

  python3 calibrate/measure_gpu.py [--simrun build/release/bin/simrun]

builds only simcal, calibrates (10 minutes at most; --quick: 1), and writes files to commit into results/calibration/:

  <gpu>.json, <gpu>.samples.csv   the profile and its raw samples          plots/<gpu>/   one plot per curve
  <gpu>.md                        the results of the comparisons below, and the command

Comparisons: every constant against the data sheet's (none may exceed the peak); the assembled step of VGG-16 and ResNet-50 against the sum
of its layers (5 %); and, if PyTorch is installed and --simrun names the simulator, measured single-GPU steps of ResNet-50, VGG-16 and
BERT-base against predicted ones. Each missing part is reported in one line. Exit codes: 0 done, 1 failed, 3 a comparison missed its goal.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
STEP_GOAL = 0.05  # assembled step against the sum of its layers


def nccl_of_python():
    """Where a Python environment keeps NCCL, for -DNCCL_ROOT=; empty where it has none."""
    for folder in sys.path:
        if os.path.exists(os.path.join(folder, "nvidia", "nccl", "include", "nccl.h")):
            return os.path.join(folder, "nvidia", "nccl")
    return ""


def build(folder):
    nccl = nccl_of_python()
    more = [f"-DNCCL_ROOT={nccl}"] if nccl else []
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
        lines.append(f"| {constant['name']} | {constant['value']:.4g} {constant['unit']} | {roof:.4g} | "
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


def torch_steps():
    """Measured seconds per step by (network, precision), batch 32, forward, backward and SGD with momentum; a text where that cannot be."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed: no measured steps of a framework."
    if not torch.cuda.is_available():
        return "PyTorch sees no GPU: no measured steps of a framework."
    networks = {}
    try:
        import torchvision
        networks["resnet50"] = lambda: (torchvision.models.resnet50(), torch.randn(32, 3, 224, 224), torch.randint(0, 1000, (32,)))
        networks["vgg16"] = lambda: (torchvision.models.vgg16(), torch.randn(32, 3, 224, 224), torch.randint(0, 1000, (32,)))
    except ImportError:
        print("torchvision is not installed: ResNet-50 and VGG-16 are left out", file=sys.stderr)
    try:
        import transformers

        class Bert(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = transformers.BertForMaskedLM(transformers.BertConfig())

            def forward(self, tokens):
                return self.model(tokens).logits.transpose(1, 2)

        networks["bert_base"] = lambda: (Bert(), torch.randint(0, 30522, (32, 128)), torch.randint(0, 30522, (32, 128)))
    except ImportError:
        print("transformers is not installed: BERT-base is left out", file=sys.stderr)
    steps = {}
    for name, make in networks.items():
        for precision in ("fp32", "tf32", "amp"):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"
            torch.manual_seed(1)
            model, images, labels = make()
            model, images, labels = model.cuda().train(), images.cuda(), labels.cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
            scaler = torch.amp.GradScaler("cuda", enabled=precision == "amp")

            def step():
                optimizer.zero_grad(set_to_none=True)
                with torch.autocast("cuda", dtype=torch.float16, enabled=precision == "amp"):
                    loss = torch.nn.functional.cross_entropy(model(images), labels)
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()

            try:
                for _ in range(10):
                    step()
                times = []
                for _ in range(5):
                    torch.cuda.synchronize()
                    begin = time.perf_counter()
                    for _ in range(20):
                        step()
                    torch.cuda.synchronize()
                    times.append((time.perf_counter() - begin) / 20)
                steps[(name, precision)] = sorted(times)[2]
            except torch.cuda.OutOfMemoryError as error:
                print(f"{name} {precision}: {error}", file=sys.stderr)
            del model, optimizer
            torch.cuda.empty_cache()
    return steps


def predicted_step(simrun, profile_file, gpu, network, precision):
    model = "{name: bert_base, sequence_length: 128}" if network == "bert_base" else network
    text = (f"trainyard: 1\ncalibration: {profile_file}\ncluster:\n  node_types: {{n: {{gpu: {gpu}, gpus: 1}}}}\n"
            f"  nodes: [{{name: n, type: n, count: 1}}]\n  network: {{topology: star, bandwidth: 10 Gbit/s}}\njobs:\n"
            f"  - {{name: j, model: {model}, batch_per_gpu: 32, precision: {precision}, workers: 1, training: {{mode: all_reduce}}}}\n")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        file.write(text)
    try:
        run = subprocess.run([simrun, file.name, "--json", "--no-files", "--progress=none"], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"simrun: {run.stderr.strip()}")
        step = json.loads(run.stdout)["jobs"][0]["step_s"]
        return step["mean"] if isinstance(step, dict) else step
    finally:
        os.unlink(file.name)


def against_the_framework(options, profile_file, gpu, lines):
    measured = torch_steps()
    if isinstance(measured, str):
        lines += ["", measured]
        return
    if not options.simrun:
        lines += ["", "No --simrun was given: the steps of PyTorch stand alone."]
    lines += ["", "| PyTorch, batch 32 | measured step | predicted | error |", "|---|---|---|---|"]
    for (network, precision), seconds in measured.items():
        predicted = predicted_step(options.simrun, profile_file, gpu, network, precision) if options.simrun else None
        lines.append(f"| {network} {precision} | {1e3 * seconds:.2f} ms | "
                     + (f"{1e3 * predicted:.2f} ms | {100 * (predicted / seconds - 1):+.0f} % |" if predicted else "- | - |"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simcal", default="", help="an existing simcal program")
    parser.add_argument("--simrun", default="", help="the simrun program, to predict the steps of PyTorch")
    parser.add_argument("--out", default=os.path.join(ROOT, "results", "calibration"), help="folder of the results")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "calibrate"), help="folder to build simcal in")
    parser.add_argument("--quick", action="store_true", help="take only a minute, with wide error bars")
    parser.add_argument("--only", default="", help="these measurements only (simcal list)")
    options = parser.parse_args()
    try:
        simcal = options.simcal or build(options.build)
        os.makedirs(options.out, exist_ok=True)
        file = os.path.join(options.out, "this_gpu.json")  # goes on where an interrupted run was
        words = [simcal, "--out", file, *(["--quick"] if options.quick else []), *(["--only", options.only] if options.only else [])]
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
    plots = os.path.join(options.out, "plots", gpu)
    os.makedirs(plots, exist_ok=True)
    subprocess.run([simcal, "show", final, "--svg", plots], stdout=subprocess.DEVNULL)
    lines = [f"# {gpu}, measured {profile['created'][:10]}", "",
             "`python3 calibrate/measure_gpu.py" + (" --quick" if options.quick else "") + f"`: {gpu}.json, {gpu}.samples.csv, plots/{gpu}/.", ""]
    if code == 4:
        lines += ["Finished in part: " + "; ".join(profile["warnings"]), ""]
    good = against_the_data_sheet(profile, gpu, lines)
    good = steps_against_layers(profile, gpu, lines) and good
    try:
        against_the_framework(options, final, gpu, lines)
    except (RuntimeError, OSError, KeyError, ValueError) as error:
        lines += ["", f"The comparison with PyTorch failed: {error}"]
    with open(final[:-5] + ".md", "w") as out:
        out.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(f"\ncommit: {' '.join(sorted(glob.glob(final[:-5] + '.*')))} {plots}")
    return 0 if good else 3


if __name__ == "__main__":
    sys.exit(main())
