#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first start on a machine that has nothing: makes an empty Debian root with debootstrap, clones the newest commit into it and runs the
# commands of README.md, taken out of README.md. Then what a user without rights or with a broken machine sees, and the Debian packages in
# another empty root.
#   tests/fresh_machine/run.sh                all of it on Debian 12
#   --suite trixie                            on Debian 13
#   --only root|package|user                  one part (package needs what root left in build/fresh_machine)
#   --cold                                    without the compiler cache of this machine: times of a new user
#   --short                                   without ./test
# Ends with 77, saying why, where it cannot work. Base roots and fetched packages are kept in build/fresh_machine.
set -Eeuo pipefail
trap 'echo "stopped in line $LINENO: $BASH_COMMAND"' ERR
top=$(cd "$(dirname "$0")/../.." && pwd)

suite=bookworm only='' cold='' short=''
while (($# > 0)); do
  case $1 in
    --suite) suite=$2; shift ;;
    --only) only=$2; shift ;;
    --cold) cold=yes ;;
    --short) short=yes ;;
    *) echo "unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done

skip() {
  echo "skipped: $*"
  exit 77
}
(($(id -u) == 0)) || skip "an empty Debian root needs root (mount, chroot)"
command -v debootstrap >/dev/null || skip "part fresh: debootstrap is not installed"
if [[ -z ${FRESH_MACHINE_NAMESPACE-} ]]; then
  unshare --mount true 2>/dev/null || skip "this system allows no mounts"
  options=(--suite "$suite" ${only:+--only "$only"} ${cold:+--cold} ${short:+--short})
  FRESH_MACHINE_NAMESPACE=yes exec unshare --mount --propagation private "$0" "${options[@]}" # its mounts end with it
fi

work=$top/build/fresh_machine logs=$top/build/fresh_machine/log-$suite root='' # the root that is in use
mkdir -p "$work/archives-$suite/partial" "$logs"
site=$(apt-get indextargets --format '$(SITE) $(COMPONENT) $(RELEASE)' 'Created-By: Packages' | awk '$2 == "main" && $3 !~ /security|updates/ {print $1; exit}')
[[ -n $site ]] || skip "apt names no Debian archive"
/usr/lib/apt/apt-helper download-file "$site/dists/$suite/Release" "$work/Release" >"$logs/mirror.txt" 2>&1 || skip "the package archive cannot be reached"

failed=0
say() { printf '%s\n' "fresh machine ($suite): $*"; }
fault() {
  failed=1
  say "FAILED: $*"
}

# The empty root, with the apt settings of this machine, kept as one file.
make_base() {
  local base=$work/base-$suite.tar
  [[ -f $base ]] && return
  say "making the base root"
  rm -rf "$work/base"
  debootstrap --variant=minbase --include=ca-certificates,git,sudo "$suite" "$work/base" "$site" >"$logs/debootstrap.txt" 2>&1 ||
    { tail -n 5 "$logs/debootstrap.txt"; skip "debootstrap could not make a root"; }
  apt-config dump Acquire | grep -E '::Proxy|Verify|CaInfo' >"$work/base/etc/apt/apt.conf.d/90host" || true
  cp /etc/resolv.conf /etc/hosts "$work/base/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/"
  tar -cf "$base.new" -C "$work/base" .
  mv "$base.new" "$base"
  rm -rf "$work/base"
}

# new_root NAME: an empty root, entered from now on
new_root() {
  leave_root
  root=$work/$1-$suite
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  tar -xpf "$work/base-$suite.tar" -C "$root"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc" 2>/dev/null || mount --bind /proc "$root/proc"
  mkdir -p "$root/ccache" "$root/var/cache/apt/archives"
  mount --bind "$work/archives-$suite" "$root/var/cache/apt/archives" # fetched once
  if [[ -z $cold ]]; then
    mount --bind "$(ccache -k cache_dir)" "$root/ccache"
  fi
  cp "$work/trainyard.bundle" "$root/trainyard.bundle"
}

leave_root() {
  [[ -n $root ]] || return 0
  umount -R "$root"/{dev,proc,ccache,var/cache/apt/archives} 2>/dev/null || true
  rm -rf --one-file-system "$root"
  root=
}

# inside USER COMMAND: in the root, with nothing in the environment but the cache of the compiler, which a new user starts without
inside() {
  local user=$1 home=/root cache=(CCACHE_DIR=/ccache)
  [[ $user == root ]] || home=/home/$user
  [[ $user == root ]] || cache+=(CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp/ccache)
  [[ -z $cold ]] || cache=()
  shift
  ${network-} chroot "$root" su "$user" -c "cd $home && env -i HOME=$home USER=$user LANG=C.UTF-8 PATH=${fakes:+$fakes:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${cache[*]} ${settings-} bash -c $(printf %q "$*")" </dev/null
}

# step NAME USER COMMAND: runs it, keeps what it prints with the time of each line, and notes a failure
step() {
  local name=$1 begin=$SECONDS status=0
  shift
  ( inside "$@" 2>&1 ) | stamped >"$logs/$name.txt" || status=$?
  if ((status == 0)); then
    say "$name: passed, $((SECONDS - begin)) s"
  else
    fault "$name: exit code $status after $((SECONDS - begin)) s; log: ${logs#"$top"/}/$name.txt"
    tail -n 15 "$logs/$name.txt" | cut -c1-200
  fi
}
stamped() { while IFS= read -r line; do printf '%s %s\n' "$EPOCHSECONDS" "$line"; done; }

# refused NAME USER COMMAND -- TEXT…: the command must end with exit code 1 and say TEXT
refused() {
  local name=$1 user=$2 command=$3 status=0 text
  shift 3
  inside "$user" "timeout 100 bash -c $(printf %q "$command")" >"$logs/$name.txt" 2>&1 || status=$?
  ((status == 1)) || fault "$name: exit code $status instead of 1"
  for text in "$@"; do
    grep -qF -- "$text" "$logs/$name.txt" || { fault "$name: does not say '$text' but:"; tail -n 5 "$logs/$name.txt"; return; }
  done
  say "$name: $(tail -n 1 "$logs/$name.txt" | cut -c1-150)"
}

# printed NAME TEXT…: what a step must have printed
printed() {
  local name=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$logs/$name.txt" || fault "$name: did not print '$text'"
  done
}

# readme_line PATTERN: the first line of README.md that matches, comments left out
readme_line() {
  local line
  line=$(git -C "$top" show HEAD:README.md | awk '/^```/ {on = !on; next} on' | sed 's/^\$ //; s/  *#.*//' | grep -m1 -E -- "$1") ||
    { fault "README.md has no line like '$1'"; echo false; return; }
  echo "$line"
}

# What README.md shows below its commands must be what they print; times differ.
compare_with_readme() {
  local line
  git -C "$top" show HEAD:README.md | awk '/^```/ {on = 0} /^\$ \.\/run / {on = 1; next} /^\$ / {on = 0} on && /[0-9]/' |
    while IFS= read -r line; do
      grep -qF -- "$line" "$logs/answers.txt" || echo "$line"
    done >"$logs/not_printed.txt"
  [[ ! -s $logs/not_printed.txt ]] || fault "the answers lack lines that README.md shows: $(head -n 1 "$logs/not_printed.txt")"
}

as_root() {
  local first gap
  first=$(readme_line '^\./run [a-z0-9_]+$')
  new_root machine
  inside root "git -c advice.detachedHead=false -c init.defaultBranch=main clone -q /trainyard.bundle trainyard"
  step first_answer root "cd trainyard && $first"
  printed first_answer 'tokens/s' 'answer:'
  step answers root "cd trainyard && $(git -C "$top" show HEAD:README.md | sed -n 's/^\$ \(\.\/run [a-z0-9_]*\)$/\1/p' | paste -sd ';')"
  compare_with_readme
  gap=$(awk '{if (NR > 1 && $1 - last > gap) gap = $1 - last; last = $1} END {print gap + 0}' "$logs/first_answer.txt")
  say "first answer: the longest silence was $gap s"
  ((gap <= 12)) || fault "first_answer: silent for $gap s"
  step again root "cd trainyard && time $first >/dev/null && time build/release/bin/simrun ${first#./run } >/dev/null"
  say "./run again and simrun alone: $(sed -n 's/.*real.*m\([0-9.]*s\)/\1/p' "$logs/again.txt" | paste -sd ' ')"
  step after_a_pull root "cd trainyard && echo '// a change' >>sim/app/main.cpp && git -c user.name=u -c user.email=u@localhost commit -qam change && $first &&
    build/release/bin/simrun --version | grep -F \"\$(git rev-parse --short=12 HEAD)\""
  step gui root "cd trainyard && $(readme_line '^\./run gui') --version"
  printed gui simgui
  step simcal root "cd trainyard && $(readme_line '^\./run simcal')"
  step packages root "cd trainyard && git -c advice.detachedHead=false checkout -q HEAD~1 && $(readme_line 'cpack')"
  mkdir -p "$work/packages-$suite"
  rm -f "$work/packages-$suite"/*.deb
  cp "$root"/root/trainyard/build/release/*.deb "$work/packages-$suite/" || fault "packages: cpack left no .deb"
  if [[ -z $short ]]; then
    step test root "cd trainyard && ./test --quick"
    sed -n '/^[0-9]* skipped: /s/^[0-9]* //p' "$logs/test.txt"
    grep -E ' passed, ' "$logs/test.txt" | tail -n 1 | cut -d' ' -f2-
  fi
}

# A user who may not install, or with sudo, and what goes wrong on other people's machines: one sentence and exit code 1 each.
as_user() {
  local first line
  first=$(readme_line '^\./run [a-z0-9_]+$')
  new_root user
  inside root "useradd -m teamster && git -c advice.detachedHead=false -c init.defaultBranch=main clone -q /trainyard.bundle trainyard"
  mkdir -m 1777 "$root/tmp/ccache"
  inside teamster "git -c advice.detachedHead=false -c init.defaultBranch=main clone -q /trainyard.bundle trainyard"

  refused without_sudo teamster "cd trainyard && $first" 'may not install them' 'apt-get install -y --no-install-recommends build-essential cmake'
  umount "$root/var/cache/apt/archives"
  network="unshare --net" refused no_network root "cd trainyard && ./run list" 'package archive cannot be reached'
  mount --bind "$work/archives-$suite" "$root/var/cache/apt/archives"
  inside root "perl -e 'use Fcntl; open(F, q(>), q(/var/lib/dpkg/lock-frontend)); my \$lock = pack(q(s s x4 q q i), F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLK, \$lock) or die; sleep 25'" &
  sleep 1
  settings="TRAINYARD_APT_WAIT=3" refused apt_locked root "cd trainyard && ./run list" 'another program is installing packages'
  wait

  echo 'teamster ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/teamster"
  step with_sudo teamster "cd trainyard && $first"
  printed with_sudo 'answer:'
  rm "$root/etc/sudoers.d/teamster"
  line=$(grep -F 'apt-get install' "$logs/without_sudo.txt")
  step the_line_it_named root "$line"
  step without_sudo_later teamster "cd trainyard && rm -rf build && $first"

  mkdir "$root/old" "$root/older" "$root/root/trainyard/build" -p
  printf '#!/bin/sh\necho cmake version 3.18.4\n' >"$root/old/cmake"
  printf '#!/bin/sh\n[ "$1" = --version ] && { echo "g++ (Debian 8.3.0-6) 8.3.0"; exit 0; }\nexit 1\n' >"$root/older/c++"
  chmod +x "$root/old/cmake" "$root/older/c++"
  fakes=/old refused old_cmake root "cd trainyard && ./run list" 'CMake 3.25 or newer is needed' '/old/cmake is 3.18.4'
  fakes=/older refused no_cpp20 root "cd trainyard && ./run list" 'a C++20 compiler is needed' '8.3.0'
  mount -t tmpfs -o size=200k tmpfs "$root/root/trainyard/build"
  refused disk_full root "cd trainyard && ./run list" 'the disk is full'
  umount -l "$root/root/trainyard/build"
  rm -rf "$root/root/trainyard/build"
  mount --bind "$root/root/trainyard" "$root/root/trainyard"
  mount -o remount,ro,bind "$root/root/trainyard"
  refused read_only root "cd trainyard && ./run list" 'cannot write to' 'Copy the sources to a folder that you own'
  umount "$root/root/trainyard"
}

# The Debian packages on a server that has no sources.
as_package() {
  local begin
  new_root server
  mkdir "$root/packages"
  cp "$work/packages-$suite"/*.deb "$root/packages/"
  inside root "apt-get update && apt-get install -y --no-install-recommends man-db bash-completion" >"$logs/server.txt" 2>&1
  begin=$SECONDS
  step package_install root "cd /packages && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ./trainyard_*.deb"
  step package_answer root "mkdir -p w && cd w && simrun vgg16_ps_vs_ring"
  say "from the package to the first answer: $((SECONDS - begin)) s"
  printed package_answer 'images/s' 'ring wins'
  inside root "dpkg-query -W -f='\${Package}\n'" | grep -E '^(libqt6|libgrpc|libopenmpi)' >"$logs/dragged.txt" && fault "package trainyard drags in $(paste -sd ' ' "$logs/dragged.txt")"
  step package_manual root "MANPAGER=cat man simrun | head -n 40 && man -w simrun"
  step package_completion root "source /usr/share/bash-completion/bash_completion && { _comp_load simrun || _completion_loader simrun; } 2>/dev/null; complete -p simrun"
  step package_check root "simrun check nightly_retraining && simrun --version"
  grep -q unknown "$logs/package_check.txt" && fault "simrun --version does not name the commit"
  step package_gui root "cd /packages && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ./trainyard-gui_*.deb && simgui --version"
  step package_calibrate root "cd /packages && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ./trainyard-calibrate_*.deb && simcal --version"
}

git -C "$top" bundle create "$work/trainyard.bundle" HEAD --tags >"$logs/bundle.txt" 2>&1
make_base
for part in root package user; do
  [[ -n $only && $only != "$part" ]] || "as_$part"
done
leave_root
if command -v lintian >/dev/null && [[ -z $only || $only == package ]]; then
  lintian --allow-root --fail-on error "$work/packages-$suite"/*.deb >"$logs/lintian.txt" 2>&1 || { fault "lintian:"; grep '^E' "$logs/lintian.txt"; }
fi
((failed == 0)) && say "passed"
exit $failed
