#!/usr/bin/env bash
# Pictures of every view of simgui in three languages and two themes: results/make_screenshots.sh
# They are drawn without a display.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
source "$top/cmake/setup.sh"
install_packages build test gui
build_preset ci simrun gui_screenshots
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
exec "$top/build/ci/bin/gui_screenshots" "$top/results/screenshots" "$@"
