#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of what divides large models: tests/bench/large_models_bench.py SIMRUN > results/bench/large_models.txt

Each command with what it prints of its answer; the smallest of five runs, in processor seconds of the whole process, start and set-up
included, and the memory of the largest run, beside their goals."""
import os
import re
import subprocess
import sys
import tempfile

SIMRUN = os.path.abspath(sys.argv[1])
RUNS = 5


def run(arguments):
    """Standard output, processor seconds, MiB."""
    best, most = float("inf"), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS):
            process = subprocess.Popen([SIMRUN, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 3):
                sys.exit(f"simrun {' '.join(arguments)} ended with {process.returncode}")
            best = min(best, usage.ru_utime + usage.ru_stime)
            most = max(most, usage.ru_maxrss / 1024)
    return text, best, most


def shown(arguments):
    return "simrun " + " ".join(f"'{word}'" if re.search(r"[ {]", word) else word for word in arguments)


def layouts(text):
    return int(re.search(r"([\d,]+) layouts", text)[1].replace(",", ""))


def search(arguments):
    text, seconds, memory = run(arguments)
    print(f"\n$ {shown(arguments)}\n{text.splitlines()[0]}")
    return layouts(text), seconds, memory


# Closed form of a layout: a search of many less one of a single layout, whose time is all set-up.
GPT3 = ["layouts", "gpt3_175b", "--gpus", "1024", "--top", "1"]
many, long, _ = search(GPT3)
one, short, _ = search([*GPT3, "--parallel", "tp=8 pp=8 vp=1 cp=1 micro_batch=1 zero=1 recomputation=none"])
print(f"{1e6 * (long - short) / (many - one):.1f} us a layout after set-up (goal 50): ({1e3 * long:.1f} - {1e3 * short:.1f}) ms / {many - one}")

count, seconds, memory = search(["layouts", "mixtral_8x7b", "--gpus", "512", "--sequence", "32768", "--top", "1"])
print(f"{1e4 / count * seconds:.2f} s for 10,000 layouts (goal 2, on two cores; this is one): {seconds:.2f} s for {count:,}, {memory:.0f} MiB")

# Llama-3 70B, TP8 PP8 DP16, all messages on the links. On rails of their own one rail stands for all; below leaf switches all are simulated.
for network in ("{topology: rail, link: IB-NDR}", "{topology: leaf_spine, link: IB-NDR, oversubscription: 2}"):
    arguments = ["llama3_70b_on_512_h100", "--fidelity", "fluid", "--no-files", "--set", f"cluster.network={network}"]
    for key, value in (("jobs.0.workers", 1024), ("cluster.nodes.0.count", 128), ("jobs.0.training.parallel.pp", 8),
                       ("jobs.0.training.parallel.vp", 1)):
        arguments += ["--set", f"{key}={value}"]
    text, seconds, memory = run(arguments)
    print(f"\n$ {shown(arguments)}\n" + next(line for line in text.splitlines() if line.startswith("llama ")))
    print(f"{seconds:.2f} s, {memory:.0f} MiB (goal 1 s, 300 MB)")

# A million GPUs, and a million micro-batches.
for arguments in (["layouts", "llama3.1_405b", "--gpus", "1000000", "--top", "1"],
                  ["layouts", "llama3_70b", "--gpus", "64", "--global-batch", "1048576", "--top", "1"]):
    count, seconds, memory = search(arguments)
    print(f"{seconds:.2f} s, {memory:.0f} MiB for {count:,} layouts")
