#!/usr/bin/env bash
# Builds the benchmarks (Release) and writes their tables to results/bench/: results/make_bench.sh
# One core; peak_MiB is the most that the process, or the SimGrid child it forked, had resident.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${BENCHMARKS:-}" ]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target benchmarks >/dev/null
fi
benchmarks=${BENCHMARKS:-build/bench/bin/benchmarks}
mkdir -p results/bench
machine() {
  echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo), $(uname -r)"
  echo "# load $(cut -d' ' -f1-3 /proc/loadavg) at the start; made by results/make_bench.sh"
}
for part in executor:'Ring_|Hundred|resnet50' cluster:'cluster_' faults:'faults_'; do
  file=results/bench/${part%%:*}.txt
  machine >"$file.new"
  header=yes
  for name in $("$benchmarks" --benchmark_list_tests --benchmark_filter="${part#*:}"); do # each in a process of its own: its own peak
    taskset -c 0 "$benchmarks" --benchmark_filter="^$name\$" 2>/dev/null >"$file.part"
    [ "$header" = yes ] && head -3 "$file.part" >>"$file.new"
    header=no
    tail -n +4 "$file.part" >>"$file.new"
  done
  rm -f "$file.part"
  mv "$file.new" "$file"
  cat "$file"
done
