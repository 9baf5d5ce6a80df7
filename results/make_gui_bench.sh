#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the editor takes (frames, opening, sliders, cancelling, slow events), drawn without a display: results/make_gui_bench.sh
# The table goes to results/bench/gui.txt; GUI_MEASURE names a program that is built already.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${GUI_MEASURE:-}" ]; then
  source "$top/cmake/setup.sh"
  install_packages build test gui
  build_preset ci simrun simgui gui_measure
fi
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
file=$top/results/bench/gui.txt
{
  echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores, $(uname -r), Qt raster (offscreen)"
  echo "# load $(cut -d' ' -f1-3 /proc/loadavg) at the start; made by results/make_gui_bench.sh"
} >"$file.new"
status=0
"${GUI_MEASURE:-$top/build/ci/bin/gui_measure}" 2>/dev/null >>"$file.new" || status=$?
mv "$file.new" "$file"
cat "$file"
exit $status
