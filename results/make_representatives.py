#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Some workers for all, against all of them: results/make_representatives.py SIMRUN > results/representatives.txt

Synchronous parameter servers on V100 over 25GbE, each on a machine of its own, fidelity fluid. `default` is what a scenario gets; `all` simulates every
worker and message (one_represents_all: no, messages_per_step: 1000000).
"""
import json
import os
import subprocess
import sys
import tempfile

SCENARIO = """cluster:
  node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: 1}}, s: {{}}}}
  nodes: [{{name: w, type: w, count: {w}}}, {{name: s, type: s, count: {s}}}]
  network: {{link: 25GbE}}
jobs: [{{name: j, model: {model}, batch_per_gpu: 32, workers: {w}, training: {{mode: parameter_server, servers: {s}{more}}}}}]
run: {{fidelity: fluid}}
"""


def step(folder, **values):
    file = os.path.join(folder, "s.yaml")
    with open(file, "w") as out:
        out.write(SCENARIO.format(**values))
    run = subprocess.run([sys.argv[1], "run", file, "--json", "--no-files", "-q"], check=True, capture_output=True)
    return json.loads(run.stdout)["jobs"][0]["step_s"]["mean"]


print(f"{'model':<13} {'workers':>7} {'servers':>7} {'all, s':>9} {'default':>9}")
worst = 0
with tempfile.TemporaryDirectory() as folder:
    for model in ("resnet50", "vgg16", "inception_v3"):
        for w, s in ((8, 1), (16, 1), (16, 4), (32, 2), (32, 8), (64, 4), (64, 16), (128, 8), (256, 16)):
            whole = step(folder, model=model, w=w, s=s, more=", one_represents_all: 'no', messages_per_step: 1000000")
            off = step(folder, model=model, w=w, s=s, more="") / whole - 1
            worst = max(worst, abs(off))
            print(f"{model:<13} {w:>7} {s:>7} {whole:>9.4f} {100 * off:>+8.2f} %")
print(f"worst: {100 * worst:.2f} %")
