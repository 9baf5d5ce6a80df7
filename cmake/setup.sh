# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2046,SC2154
# Shared by ./run and ./test: installs the Debian packages of packages.txt and builds. Sourced by scripts that set $top and pipefail.
# A step that fails prints one sentence that says why and what to do, names the log, and ends the script with exit code 1.
# Messages go to stderr.

note() { echo "trainyard: $*" >&2; }
give_up() {
  note "$*"
  exit 1
}

# stopped LINE COMMAND: the trap of a script that ends at a failing command: says why
stopped() {
  if (($(df --output=avail -k "$top/build" 2>/dev/null | tail -n 1) < 1024)); then
    give_up "the disk is full. Free some space, then try again."
  fi
  note "stopped in line $1: $2"
}

# prepare_build_folder: makes build/ and lets one ./run or ./test at a time work in it
prepare_build_folder() {
  local reason
  [[ -n ${build_folder_is_ready-} ]] && return 0
  build_folder_is_ready=yes
  if ! reason=$({ mkdir -p "$top/build" && : >"$top/build/lock"; } 2>&1); then
    [[ $reason == *"No space left"* ]] && give_up "the disk is full: $top/build cannot be written. Free some space, then try again."
    give_up "cannot write to $top/build ($(tail -n 1 <<<"$reason" | sed 's/.*: //')). Copy the sources to a folder that you own, then start there."
  fi
  exec 9>"$top/build/lock"
  if ! flock -n 9; then
    note "another ./run or ./test builds in this folder; waiting until it is done"
    flock 9
  fi
}

# packages_of SECTION…: the lines below [SECTION]
packages_of() {
  awk -v want=" $* " '/^\[/ {name = $1; gsub(/[][]/, "", name); on = index(want, " " name " "); next} on && !/^#/ && NF {print $1}' "$top/packages.txt" |
    awk '!seen[$0]++'
}

installed_packages() { dpkg-query -W -f='${db:Status-Status} ${Package} ${Version}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true; }

# with_progress TITLE LOG COMMAND…: runs COMMAND, writes its output to LOG, and says how far it is: every second on a terminal, else
# after 2 seconds and then every 8. Reads the counts of ninja ([3/120]) and of apt-get.
with_progress() {
  local title=$1 log=$2
  shift 2
  "$@" 2>&1 </dev/null | tee -a "$log" | show_progress "$title"
}

show_progress() {
  local title=$1 line done='' begin=$SECONDS last total=0 fetched=0 unpacked=0 set_up=0 status left interval=8
  [[ -t 2 ]] && interval=1
  last=$((SECONDS - interval + 2))
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    if ((status == 0)); then
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
        done="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
        left=$(((SECONDS - begin) * (BASH_REMATCH[2] - BASH_REMATCH[1]) / (BASH_REMATCH[1] + 1)))
        ((SECONDS - begin > 20 && left > 20)) && done+=", about $((left / 60)) min $((left % 60)) s left"
      elif [[ $line =~ ^[0-9]+\ upgraded,\ ([0-9]+)\ newly ]]; then
        total=${BASH_REMATCH[1]}
      elif [[ $line == Get:* ]]; then
        ((++fetched))
        done="fetching package lists"
        ((total > 0)) && done="fetched $((fetched < total ? fetched : total)) of $total"
      elif [[ $line == Unpacking\ * ]]; then
        done="unpacked $((++unpacked)) of $total"
      elif [[ $line == Setting\ up\ * ]]; then
        done="set up $((++set_up)) of $total"
      fi
      [[ $line == "Reading package lists"* ]] && fetched=0
    elif ((status <= 128)); then
      break
    fi
    ((SECONDS - last < interval)) && continue
    last=$SECONDS
    if [[ -t 2 ]]; then
      printf '\r\e[Ktrainyard: %s: %s (%d s)' "$title" "${done:-started}" $((SECONDS - begin)) >&2
    else
      note "$title: ${done:-started} ($((SECONDS - begin)) s)"
    fi
  done
  if [[ -t 2 ]]; then
    printf '\r\e[K' >&2
  fi
}

# disk_is_full FOLDER LOG: what was written last may be missing in the log then
disk_is_full() { grep -qiE 'no space left|enough free space' "$2" || (($(df --output=avail -k "$1" | tail -n 1) < 1024)); }

# why_apt_failed LOG: one sentence
why_apt_failed() {
  local unknown
  if grep -qE 'Could not get lock|Unable to acquire the dpkg' "$1"; then
    echo "another program is installing packages at the moment (apt is locked). Wait until it is done, then try again."
  elif disk_is_full /var/cache/apt "$1"; then
    echo "the disk is full. Free some space, then try again."
  elif grep -qE 'Could not resolve|Failed to fetch|Could not connect|Connection (failed|timed out|refused)|Network is unreachable' "$1"; then
    echo "the package archive cannot be reached. Check the network and /etc/apt/sources.list, then try again."
  elif grep -qE 'Unable to locate package|has no installation candidate' "$1"; then
    unknown=$(grep -oE 'Unable to locate package [^ ]+' "$1" | awk '{print $NF}' | paste -sd ' ')
    echo "this system does not offer ${unknown:-some of the packages}. Trainyard is tested on Debian 12 and 13 with the 'main' archive."
  elif grep -qE 'dpkg was interrupted' "$1"; then
    echo "an earlier installation was cut off. Run 'dpkg --configure -a' as root, then try again."
  else
    grep -E '^E: ' "$1" | tail -n 1 || echo "apt-get failed."
  fi
}

# install_packages SECTION…: installs what is missing, and says what and why. A user who may not install gets the command to run.
install_packages() {
  local entry name wanted=() installed missing=() runner=() apt=(apt-get -o "DPkg::Lock::Timeout=${TRAINYARD_APT_WAIT:-60}" -o APT::Color=0) log="$top/build/packages.log"
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    note "this is not a Debian system: nothing is installed. packages.txt lists what the build needs."
    return 0
  fi
  prepare_build_folder
  mapfile -t wanted < <(packages_of "$@")
  installed=$'\n'$(installed_packages $(printf '%s\n' "${wanted[@]}" | tr '|' '\n') | awk '{print $1}')$'\n'
  for entry in "${wanted[@]}"; do
    name=${entry%%|*}
    [[ $installed == *$'\n'"$name"$'\n'* ]] && continue
    if [[ $entry == *'|'* && $installed == *$'\n'"${entry#*|}"$'\n'* ]] && ! apt-cache show "$name" >/dev/null 2>&1; then
      continue # the release does not have the first one
    fi
    missing+=("$entry")
  done
  ((${#missing[@]} == 0)) && return 0
  if (($(id -u) != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
      runner=(sudo)
    else
      note "${#missing[@]} packages are missing, and this user may not install them. Run this as root, then try again:"
      echo "  apt-get update && apt-get install -y --no-install-recommends $(first_offered "${missing[@]}")" >&2
      exit 1
    fi
  fi
  : >"$log"
  note "installing packages for $(reasons "$@"): ${missing[*]%%|*} (log: build/packages.log)"
  with_progress "reading the package archive" "$log" "${runner[@]}" "${apt[@]}" update ||
    give_up "installing failed: $(why_apt_failed "$log") The whole log is $log"
  if ! with_progress "installing packages" "$log" "${runner[@]}" env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends \
    $(first_offered "${missing[@]}"); then
    give_up "installing failed: $(why_apt_failed "$log") The whole log is $log"
  fi
}

# first_offered ENTRY…: of each a|b the first that apt knows
first_offered() {
  local entry name names=()
  for entry in "$@"; do
    name=${entry%%|*}
    if [[ $entry == *'|'* ]] && ! apt-cache show "$name" >/dev/null 2>&1; then
      name=${entry#*|}
    fi
    names+=("$name")
  done
  echo "${names[*]}"
}

# reasons SECTION…: what the sections are for, from packages.txt
reasons() {
  local section text=''
  for section in "$@"; do
    text+="${text:+, }$(sed -n "s/^\[$section\] \([^;]*\).*/\1/p" "$top/packages.txt")"
  done
  echo "$text"
}

# check_tools: CMake and the compiler are new enough
check_tools() {
  local found
  command -v cmake >/dev/null || give_up "cmake is not installed. Trainyard needs CMake 3.25 or newer."
  found=$(cmake --version | awk 'NR == 1 {print $3}')
  [[ $(printf '%s\n' 3.25 "$found" | sort -V | head -n 1) == 3.25 ]] ||
    give_up "CMake 3.25 or newer is needed; $(command -v cmake) is $found. Remove it from PATH, or install a newer one (Debian 12 has 3.25)."
  command -v ninja >/dev/null || give_up "ninja is not installed (Debian: ninja-build)."
  found=${CXX:-c++}
  if ! "$found" -std=c++20 -fsyntax-only -x c++ - <<<$'#include <compare>\n#include <concepts>\n#include <ranges>\n#include <source_location>\n#include <span>' 2>/dev/null; then
    give_up "a C++20 compiler is needed; $found is $({ "$found" --version 2>/dev/null || echo missing; } | head -n 1). GCC 12 or newer works; CXX=… chooses another."
  fi
}

# why_build_failed LOG: what is known about the cause
why_build_failed() {
  if disk_is_full "$top/build" "$1"; then
    echo "the disk is full. Free some space, then try again."
  elif grep -qE 'Killed signal|virtual memory exhausted|Cannot allocate memory' "$1"; then
    echo "the compiler ran out of memory. Try again with fewer compilers at once: CMAKE_BUILD_PARALLEL_LEVEL=1"
  elif grep -q 'unknown target' "$1"; then
    echo "a part is switched off: $(grep -hE '(: off|not there|not found)' "$1" | sed 's/^-- //' | tail -n 1)"
  else
    grep -E -A 4 'CMake Error|error:|FAILED:|ninja: error' "$1" | head -n 12 || tail -n 12 "$1"
  fi
}

# is_built STAMP: whether nothing has changed since: sources, folders, commit or installed packages. Asks no build tool, because that
# takes longer than a run.
is_built() {
  local sources=(CMakeLists.txt CMakePresets.json cmake models sim python gui calibrate tests packages.txt) commit
  [[ -f $1 && ! /var/lib/dpkg/status -nt $1 ]] || return 1
  commit=$(git -C "$top" rev-parse --path-format=absolute --git-path logs/HEAD 2>/dev/null) && [[ -f $commit && $commit -nt $1 ]] && return 1
  [[ -z $(find "${sources[@]/#/$top/}" -newer "$1" -print -quit) ]]
}

stamp_of() { echo "$top/build/$1/built-${2// /-}"; }

# configure PRESET [OPTION…]: configures, anew where the options or the installed packages are others than last time
configure() {
  local preset=$1 log="$top/build/$1.log" known="$top/build/$1/configured_with" now fresh=()
  shift
  now=$(
    echo "$*"
    installed_packages $(awk '!/^[[#]/ && NF {print $1}' "$top/packages.txt" | tr '|' '\n') | sort
  )
  [[ -f $top/build/$preset/build.ninja && -f $known && $(<"$known") == "$now" ]] && return 0
  check_tools
  [[ -f $top/build/$preset/CMakeCache.txt ]] && fresh=(--fresh)
  rm -f "$known"
  (cd "$top" && with_progress "configuring ($preset)" "$log" cmake --preset "$preset" "${fresh[@]}" "$@") ||
    give_up "configuring failed: $(why_build_failed "$log") The whole log is $log"
  echo "$now" >"$known"
}

# build_preset PRESET [TARGET…]: configures where needed, then builds. ${configure_options[@]} go to CMake.
build_preset() {
  local preset=$1 log="$top/build/$1.log" stamp begin=$SECONDS jobs=()
  stamp=$(stamp_of "$1" "${*:2}")
  shift
  prepare_build_folder
  mkdir -p "$top/build/$preset" || give_up "cannot write to $top/build/$preset"
  : >"$log"
  touch "$stamp.begun"
  configure "$preset" ${configure_options+"${configure_options[@]}"}
  [[ -n ${CMAKE_BUILD_PARALLEL_LEVEL-} ]] && jobs=(-j "$CMAKE_BUILD_PARALLEL_LEVEL")
  with_progress "building ${*:-everything} ($preset)" "$log" ninja -C "$top/build/$preset" "${jobs[@]}" "$@" ||
    give_up "building failed: $(why_build_failed "$log") The whole log is $log"
  mv "$stamp.begun" "$stamp" # its time is that of the beginning: what was saved meanwhile is newer
  if ((SECONDS - begin > 10)); then
    note "${*:-everything} built in $((SECONDS - begin)) s"
  fi
}
