#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cmake --install` into a folder, which then moves: simrun works from elsewhere and with the data that lie beside it.
#   tests/install/installed.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $1"; exit 1; }

cmake --install "$build" --prefix "$scratch/first" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cmake --install"; }
mv "$scratch/first" "$scratch/moved"
mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
simrun=$scratch/moved/bin/simrun data=$scratch/moved/share/trainyard

"$simrun" vgg16_ps_vs_ring -q -o out >answer || fail "simrun vgg16_ps_vs_ring"
grep -q "^vgg16: ring wins from 1 GPU on" answer || fail "another answer: $(tail -n 5 answer)"
echo "simrun vgg16_ps_vs_ring: $(grep '^vgg16: ring wins' answer)"

for scenario in $(find "$data/scenarios" -name '*.yaml' -printf '%P\n' | sort); do
  code=0
  "$simrun" check "$data/scenarios/$scenario" >checked 2>&1 || code=$?
  if ((code != 0)) && ! { ((code == 3)) && grep -q "^cannot run: " checked; }; then cat checked; fail "simrun check $scenario"; fi
done
echo "simrun check: $(find "$data/scenarios" -name '*.yaml' | wc -l) scenarios"

# A scenario and a GPU that only the installed folder has: simrun does not look into the source folder.
sed 's/V100-SXM2-16GB/V100-of-here/' "$data/models/hardware/catalogue/gpus/V100-SXM2-16GB.yaml" >"$data/models/hardware/catalogue/gpus/V100-of-here.yaml"
sed 's/V100-SXM2-16GB/V100-of-here/' "$data/scenarios/vgg16_ps_vs_ring.yaml" >"$data/scenarios/only_here.yaml"
rm "$data/scenarios/vgg16_ps_vs_ring.yaml"
"$simrun" check only_here >/dev/null || fail "simrun does not find a scenario and a GPU of its own folder"
if "$simrun" check vgg16_ps_vs_ring >/dev/null 2>&1; then fail "simrun found a scenario that its own folder does not have"; fi
echo "data: those beside simrun"

for file in man/man1/simrun.1.gz bash-completion/completions/simrun zsh/vendor-completions/_simrun fish/vendor_completions.d/simrun.fish; do
  [[ -s $scratch/moved/share/$file ]] || fail "share/$file is missing or empty"
done
for program in "$scratch"/moved/bin/*; do
  "$program" --version >version || fail "$program --version"
  [[ $(cat version) == "$(basename "$program") (Trainyard) "*$'\n'"commit "* ]] || fail "$(basename "$program") --version prints: $(cat version)"
  echo "$(basename "$program") --version: $(paste -sd' ' version)"
done
