#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cmake/release.sh FOLDER: all that is published with a version, made of the last commit.
#   trainyard-VERSION.tar.gz   the sources
#   *.deb                      simrun, simgui, simcal and the MPI part, as far as this machine can build them
#   notes.md                   what CHANGELOG.md says of the version
#   scenario.md, names.md      every key of a scenario, and every name
# A tag is left to who publishes: git tag -a vVERSION
set -euo pipefail
out=$(realpath -m "${1:?name a folder for the release}")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^set(TRAINYARD_VERSION \(.*\))$/\1/p' cmake/version.cmake)
[[ -z $(git status --porcelain --untracked-files=no) ]] || { echo "there are changes that are not committed" >&2; exit 1; }
notes=$(sed -n "/^## \[$version\]/,/^## \[/p" CHANGELOG.md | sed '$d')
[[ -n $notes ]] || { echo "CHANGELOG.md says nothing of $version: '## [$version] - $(date +%F)'" >&2; exit 1; }
mkdir -p "$out"
git archive --prefix="trainyard-$version/" -o "$out/trainyard-$version.tar.gz" HEAD
printf '%s\n' "$notes" >"$out/notes.md"
./run gui --help >/dev/null # builds simrun and simgui
./run simcal --help >/dev/null
cpack --config build/release/CPackConfig.cmake -B "$out"
rm -rf "$out/_CPack_Packages"
build/release/bin/simrun schema --markdown >"$out/scenario.md"
build/release/bin/simrun list --markdown >"$out/names.md"
ls -l "$out"
