#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: what `cpack` yields, what each holds and depends on, and what lintian says of them (an error fails).
#   tests/install/packages.sh BUILD_FOLDER [FOLDER_FOR_THE_PACKAGES]
set -euo pipefail
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
debs=${2-$scratch/debs}
failed=0
fault() { echo "FAILED: $1"; failed=1; }

(cd "$build" && cpack -B "$debs") >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fault "cpack"; exit 1; }
components=$(sed -n 's/^set(CPACK_COMPONENTS_ALL "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")
version=$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")
architecture=$(dpkg --print-architecture)

# What each must hold, with may_hold the only programs, libraries and man pages in it; patterns of packages that it must not, and must, depend on.
declare -A holds=(
  [trainyard]="usr/bin/simrun usr/libexec/trainyard/libtrainyard_simgrid.so usr/libexec/trainyard/libtrainyard_clp.so usr/libexec/trainyard/libtrainyard_drawing.so usr/libexec/trainyard/libtrainyard_pattern.so usr/share/man/man1/simrun.1.gz usr/share/bash-completion/completions/simrun
    usr/share/zsh/vendor-completions/_simrun usr/share/fish/vendor_completions.d/simrun.fish usr/share/trainyard/scenarios/vgg16_ps_vs_ring.yaml
    usr/share/trainyard/models/hardware/catalogue/gpus/V100-SXM2-16GB.yaml usr/share/trainyard/models/orchestration/catalogue/orchestrators/kubernetes.yaml
    usr/share/trainyard/results/calibration/data_sheet/V100-SXM2-16GB.json"
  [trainyard-mpi]="usr/libexec/trainyard/simrun_mpi"
  [trainyard-calibrate]="usr/bin/simcal usr/share/man/man1/simcal.1.gz"
  [trainyard-gui]="usr/bin/simgui usr/share/man/man1/simgui.1.gz usr/share/applications/simgui.desktop usr/share/icons/hicolor/scalable/apps/simgui.svg")
declare -A may_hold=([trainyard]="usr/libexec/trainyard/libtrainyard_import.so usr/libexec/trainyard/libtrainyard_batsim.so"
  [trainyard-calibrate]="usr/libexec/trainyard/simcal_mpi usr/libexec/trainyard/libsimcal_cuda.so")
declare -A not_needed=([trainyard]="qt|grpc|mpi|cuda" [trainyard-mpi]="qt|grpc|cuda" [trainyard-calibrate]="qt|simgrid" [trainyard-gui]="grpc|mpi|cuda|simgrid")
declare -A needed=([trainyard]="libsimgrid" [trainyard-mpi]="trainyard \(= $version\).*libopenmpi" [trainyard-calibrate]="libc6"
                   [trainyard-gui]="libqt6charts6.*trainyard \(= $version\)|trainyard \(= $version\).*libqt6charts6")

for component in ${components//;/ }; do
  package=trainyard${component:+-$component}
  package=${package/-trainyard/}
  deb=$debs/${package}_${version}_$architecture.deb
  [[ -f $deb ]] || { fault "cpack did not write $(basename "$deb"): $(cd "$debs" && ls -- *.deb)"; continue; }
  depends=$(dpkg-deb -f "$deb" Depends)
  echo "$(basename "$deb"), $(($(stat -c %s "$deb") / 1024)) KiB: $depends"
  grep -qiE "${not_needed[$package]}" <<<"$depends" && fault "$package depends on one of ${not_needed[$package]}"
  grep -qE "${needed[$package]}" <<<"$depends" || fault "$package does not depend on ${needed[$package]}"
  for field in Section Priority Maintainer Description; do
    [[ -n $(dpkg-deb -f "$deb" $field) ]] || fault "$package has no $field"
  done
  (($(dpkg-deb -f "$deb" Description | wc -l) > 3)) || fault "$package has no extended description"
  dpkg-deb --fsys-tarfile "$deb" | tar -tv | sed 's|\./||' >"$scratch/files"
  for file in ${holds[$package]} usr/share/doc/$package/changelog.gz usr/share/doc/$package/copyright; do
    grep -qE " $file$" "$scratch/files" || fault "$package lacks $file"
  done
  for file in $(awk '$6 ~ /^usr\/(s?bin|lib|libexec)\/.*[^\/]$|\/man1\/./ {print $6}' "$scratch/files"); do
    [[ " ${holds[$package]} ${may_hold[$package]-} " == *[[:space:]]"$file"[[:space:]]* ]] || fault "$package holds $file, which nobody expects there"
  done
  awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/' "$scratch/files" | grep . && fault "$package: owner or mode of the files above"
  mkdir -p "$scratch/root"
  newest=$(dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/share/doc/$package/changelog.gz" | zcat | head -n 1)
  [[ $newest == "trainyard ($version) "* ]] || fault "$package is $version, its changelog begins with '$newest': CHANGELOG.md"
  dpkg-deb -x "$deb" "$scratch/root"
done
extra=$(find "$debs" -maxdepth 1 -name '*.deb' | wc -l)
((extra == $(wc -w <<<"${components//;/ }"))) || fault "cpack wrote $extra packages for $components"

# What is inside, unpacked: no paths to libraries, stripped, and a version with its commit.
while IFS= read -r program; do
  readelf -d "$program" | grep -E 'R(UN)?PATH' && fault "$program has a path to libraries in it"
  readelf -S "$program" | grep -q '\.symtab' && fault "$program is not stripped"
done < <(find "$scratch/root/usr/bin" "$scratch/root/usr/libexec" "$scratch/root/usr/lib" -type f 2>/dev/null)
for program in "$scratch"/root/usr/bin/*; do
  said=$("$program" --version) || fault "$program --version"
  paste -sd" " <<<"$said"
  [[ $said == *unknown* ]] && git -c safe.directory=\* -C "$(dirname "$0")" rev-parse HEAD >/dev/null 2>&1 && fault "$program does not know its commit"
done
(cd "$scratch" && root/usr/bin/simrun vgg16_ps_vs_ring -q -o out >answer && grep -q "^vgg16: ring wins" answer) || fault "the packed simrun does not answer"

if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error --tag-display-limit 0 "$debs"/*.deb || fault "lintian"
else
  echo "SKIPPED: lintian is not installed; the packages were not checked by it"
fi
exit $failed
