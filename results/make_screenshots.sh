#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pictures of every view of simgui in three languages and two themes: results/make_screenshots.sh
# They are drawn without a display. Those in results/screenshots/half are of a window of 960 by 600. GUI_SCREENSHOTS names a program that is
# built already.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${GUI_SCREENSHOTS:-}" ]; then
  source "$top/cmake/setup.sh"
  install_packages build test gui
  build_preset ci simrun gui_screenshots
fi
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
program=${GUI_SCREENSHOTS:-$top/build/ci/bin/gui_screenshots}
"$program" "$top/results/screenshots" 1280x800
"$program" "$top/results/screenshots/half" 960x600 en light
"$program" "$top/results/screenshots/half" 960x600 ru dark
