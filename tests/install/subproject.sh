#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the project in tests/install/subproject, which has Trainyard as a sub-folder: tests/install/subproject.sh BUILD_FOLDER [GENERATOR]
# 16160 MiB at 900 GB/s are 18.83 ms. Compiled without optimisation, which is quickest;
# the folder is kept, so that the next run compiles only what changed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/source"
cp "$here"/subproject/* "$1/source"
ln -sfn "$here/../.." "$1/source/trainyard"
cmake -S "$1/source" -B "$1/build" -G "${2-Ninja}" -DCMAKE_BUILD_TYPE=None -Wno-dev
cmake --build "$1/build" -j2 --target outside
answer=$("$1/build/outside")
echo "$answer"
[[ $answer == "Trainyard "*": V100-SXM2-16GB reads its memory in 18.83 ms" && $answer != *7.8.9* ]] || { echo "FAILED: not the expected answer"; exit 1; }
