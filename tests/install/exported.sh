#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources of `git archive`, which have no .git, name the commit that they are of: tests/install/exported.sh SOURCE_FOLDER
set -euo pipefail
git=(git -c safe.directory=\* -C "$1")
"${git[@]}" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: $1 is no git checkout"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${git[@]}" archive HEAD cmake/version.cmake cmake/commit.txt .gitattributes | tar -x -C "$scratch"
cat >"$scratch/print.cmake" <<'CMAKE'
macro(set_property) # in a script there is nothing to build
endmacro()
include(${CMAKE_CURRENT_LIST_DIR}/cmake/version.cmake)
message("commit ${commit}")
CMAKE
said=$(cmake -P "$scratch/print.cmake" 2>&1)
echo "$said"
[[ $said == "commit $("${git[@]}" rev-parse --short=12 HEAD)" ]] || { echo "FAILED: HEAD is $("${git[@]}" rev-parse --short=12 HEAD)"; exit 1; }
