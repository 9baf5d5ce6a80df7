#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Large models beside another program on the same measured rows: results/make_llm_peers.sh writes results/bench/llm_peers.txt (seconds once built).
# llm-analysis comes from PyPI into build/llm_peers. SIMRUN chooses another program than that of preset release.
set -euo pipefail
cd "$(dirname "$0")/.."
python=build/llm_peers/bin/python3
[ -x "$python" ] || python3 -m venv build/llm_peers
"$python" -c 'import llm_analysis, yaml' 2>/dev/null || "$python" -m pip install -q llm-analysis pyyaml
"$python" tests/bench/llm_peers.py "${SIMRUN:-build/release/bin/simrun}" >results/bench/llm_peers.txt.new
mv results/bench/llm_peers.txt.new results/bench/llm_peers.txt
cat results/bench/llm_peers.txt
