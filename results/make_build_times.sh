#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the first build of simrun (preset release) and building again after a change of one file (preset dev, one source at a time), both
# without the compiler cache; writes results/bench/build.txt: results/make_build_times.sh   (a quarter of an hour on 2 cores)
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_DISABLE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds() { # COMMAND…: how long it took
  local begin=$EPOCHREALTIME
  "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
  awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.1f s", b - a}'
}
row() { printf '%-66s %-12s %s\n' "$1" "$2" "$3"; }
cmake --preset dev >/dev/null
cmake --build --preset dev --target simrun >/dev/null
{
  echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores; made by results/make_build_times.sh"
  row '# what' goal measured
  cmake --preset release -B "$work/build" >/dev/null
  row 'first build of simrun (preset release, no compiler cache)' '<= 360 s' "$(seconds cmake --build "$work/build" --target simrun)"
  for file in sim/step/engine/fluid_network.cpp sim/step/training/all_reduce.cpp sim/study/sweep.cpp sim/app/run.cpp sim/report/canvas.cpp \
    models/scenario/read_scenario.cpp sim/run/simulate.cpp; do
    touch "$file"
    row "after a change of $file (preset dev)" '<= 15 s' "$(seconds cmake --build --preset dev --target simrun)"
  done
} | tee results/bench/build.txt
