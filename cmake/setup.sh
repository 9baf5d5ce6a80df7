# SPDX-License-Identifier: Apache-2.0
# Shared by ./run and ./test: installs Debian packages of packages.txt and builds a preset. Sourced, with $top set.

# packages_of SECTION: the package names below [SECTION]
packages_of() {
  awk -v want="[$1]" '/^\[/ {on = ($0 == want); next} on && !/^#/ && NF {print $1}' "$top/packages.txt"
}

# install_packages SECTION…: installs what is missing; says which command to run where it lacks the right to
install_packages() {
  local section name wanted=() installed missing=() runner=()
  for section in "$@"; do
    mapfile -t -O ${#wanted[@]} wanted < <(packages_of "$section")
  done
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${wanted[@]}" 2>/dev/null)"
  for name in "${wanted[@]}"; do
    [[ $installed == *" installed:$name "* ]] || missing+=("$name")
  done
  ((${#missing[@]} == 0)) && return 0
  if [[ $(id -u) -ne 0 ]]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then runner=(sudo); else
      echo "These packages are missing; install them first:" >&2
      echo "  apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
  fi
  echo "installing ${#missing[@]} packages: ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { "${runner[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${runner[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "installing failed; the whole log is in $log" >&2
    exit 1
  fi
  rm -f "$log"
}

# is_built STAMP: whether nothing has changed since, sources, folders or commit; asks no build tool, which would take longer than a run
is_built() {
  local sources=(CMakeLists.txt CMakePresets.json cmake models sim gui calibrate tests) commit
  [[ -f $1 ]] || return 1
  commit=$(git -C "$top" rev-parse --path-format=absolute --git-path logs/HEAD 2>/dev/null) && [[ -f $commit && $commit -nt $1 ]] && return 1
  [[ -z $(find "${sources[@]/#/$top/}" -newer "$1" -print -quit) ]]
}

# build_preset PRESET [TARGET…]: configures once, then builds; quiet unless it fails or takes long
build_preset() {
  local preset=$1 log stamp
  shift
  log="$top/build/$preset.log"
  stamp="$top/build/$preset/built${*+-${*// /-}}"
  if (($# > 0)) && is_built "$stamp" && ls "${@/#/$top/build/$preset/bin/}" >/dev/null 2>&1; then
    return 0
  fi
  mkdir -p "$top/build"
  if [[ ! -f "$top/build/$preset/build.ninja" ]]; then
    echo "configuring ($preset)" >&2
    (cd "$top" && cmake --preset "$preset") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  fi
  if ! ninja -C "$top/build/$preset" -n ${1+"$@"} 2>/dev/null | tail -n 1 | grep -q 'no work to do'; then
    echo "building ($preset; log: build/$preset.log)" >&2
  fi
  touch "$stamp.begun"
  (cd "$top" && cmake --build --preset "$preset" ${1+--target "$@"}) >>"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
  mv "$stamp.begun" "$stamp" # its time is that of the beginning: what was saved meanwhile is newer
}
