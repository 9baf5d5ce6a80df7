#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other simulators on the same work in the same run: results/make_peers.sh writes results/bench/peers.txt (about two minutes once built). AccaSim comes
# from PyPI into build/peers. BENCHMARKS and SIMRUN choose other programs than those of preset bench.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${BENCHMARKS:-}" ]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target benchmarks simrun >/dev/null
fi
benchmarks=${BENCHMARKS:-build/bench/bin/benchmarks}
python=build/peers/bin/python3
[ -x "$python" ] || python3 -m venv build/peers
"$python" -c 'import accasim' 2>/dev/null || "$python" -m pip install -q accasim || echo "AccaSim cannot be had" >&2
PYTHONPATH=tests/bench "$python" tests/bench/peers.py "$benchmarks" "${SIMRUN:-$(dirname "$benchmarks")/simrun}" >results/bench/peers.txt.new
mv results/bench/peers.txt.new results/bench/peers.txt
cat results/bench/peers.txt
