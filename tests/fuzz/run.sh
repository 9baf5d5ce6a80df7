#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libFuzzer on every reader of foreign bytes, two at a time (TRAINYARD_FUZZ_JOBS=1: one): tests/fuzz/run.sh FOLDER_OF_PROGRAMS SECONDS_EACH [READER…]
# Prints a table. What is found stays as build/fuzz/READER-…; mended, it becomes a small file of tests/fuzz/corpus/READER, which the unit tests
# read, too.
set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
bin=$1 seconds=$2
shift 2
cd "$top" || exit 1
mkdir -p build/fuzz/corpus

fuzz_one() {
  local name=$1 seconds=$2 bin=$3 status=0 start=$SECONDS
  shift 3
  mkdir -p "build/fuzz/corpus/$name"
  ln -sf fuzz_foreign "$bin/fuzz_$name"
  "$bin/fuzz_$name" -seed=1 -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 -max_len=20000 -artifact_prefix="build/fuzz/$name-" -verbosity=0 \
    -print_funcs=0 -print_final_stats=1 "build/fuzz/corpus/$name" "$@" >"build/fuzz/$name.log" 2>&1 || status=$?
  printf '| %-30s | %7s | %9s | %s |\n' "$name" "$((SECONDS - start))" "$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")" \
    "$([[ $status == 0 ]] && echo nothing || echo "$(sed -n 's/^SUMMARY: [A-Za-z]*: *//p' "build/fuzz/$name.log" | head -n 1), see build/fuzz/$name.log")"
  [[ $status == 0 ]] || tail -n 60 "build/fuzz/$name.log"
  return $status
}
export -f fuzz_one

if ! list=$("$bin/fuzz_foreign"); then
  echo "$bin/fuzz_foreign does not list its readers" >&2
  exit 1
fi
if (($# > 0)); then
  list=$(for name in "$@"; do grep "^$name " <<<"$list" || echo "no reader is called $name" >&2; done)
fi
printf '| %-30s | %7s | %9s | %s |\n' reader seconds inputs found
printf '|---|---:|---:|---|\n'
xargs -P "${TRAINYARD_FUZZ_JOBS:-2}" -I {} bash -c 'words=($1); fuzz_one "${words[0]}" "$2" "$3" "${words[@]:1}"' _ {} "$seconds" "$bin" <<<"$list"
