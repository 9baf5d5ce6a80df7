#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the benchmarks (Release) and writes their tables to results/bench/: results/make_bench.sh   (about two minutes once built)
# One core; peak_MiB is the most that the process, or the SimGrid child it forked, had resident. results/bench/speed.txt holds the numbers
# that were promised, each beside its goal.
# One part of it: results/make_bench.sh queue. In queue.txt the goals stand beside the figures; compare the CPU column.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${BENCHMARKS:-}" ]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target benchmarks simrun >/dev/null
fi
benchmarks=${BENCHMARKS:-build/bench/bin/benchmarks}
simrun=${SIMRUN:-$(dirname "$benchmarks")/simrun}
mkdir -p results/bench
machine() {
  echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo), $(uname -r)"
  echo "# load $(cut -d' ' -f1-3 /proc/loadavg) at the start; made by results/make_bench.sh"
}
for part in executor:'Ring_|ClosedForm|Peer|Hundred|resnet50/' cluster:'cluster_' faults:'faults_' queue:'queue_' jobs:'jobs_'; do
  [ $# -eq 0 ] || [[ " $* " == *" ${part%%:*} "* ]] || continue
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
if [ $# -eq 0 ] || [[ " $* " == *" scale "* ]]; then # from a thousand GPUs to a million, as users run them
  { machine && python3 tests/bench/scale_bench.py "$simrun"; } >results/bench/scale.txt.new
  mv results/bench/scale.txt.new results/bench/scale.txt
  cat results/bench/scale.txt
fi
if [ $# -eq 0 ] || [[ " $* " == *" large_models "* ]]; then
  { machine && python3 tests/bench/large_models_bench.py "$simrun"; } >results/bench/large_models.txt.new
  mv results/bench/large_models.txt.new results/bench/large_models.txt
  cat results/bench/large_models.txt
fi
[ $# -eq 0 ] || exit 0

# The promises, from the lines above, and the flagship by the clock of a user.
file=results/bench/speed.txt
row() { printf '%-66s %-28s %s\n' "$1" "$2" "$3"; }
# measured NAME [PART]: time, and peak memory where the line has it
measured() {
  awk -v name="$1" '$1 == name "/real_time" || $1 == name "/iterations:2/real_time" || $1 == name || $1 == name "/iterations:1" {
    peak = ""
    for (i = 6; i <= NF; i++) if ($i ~ /^peak_MiB=/) peak = ", " sprintf("%.0f", substr($i, 10)) " MiB"
    print $2 " " $3 peak }' "results/bench/${2:-executor}.txt"
}
{
  machine
  row '# what (benchmark)' goal measured
  row 'ring of 1,024 ranks x 100 MB at flow (Ring_flow/1024)' '<= 50 ms, <= 50 MiB' "$(measured Ring_flow/1024)"
  row 'ring of 4,096 ranks at flow (Ring_flow/4096)' '<= 1,000 ms, <= 200 MiB' "$(measured Ring_flow/4096)"
  row '100 jobs x 64 ranks, fat tree 4:1, fluid (HundredJobsOf64Ranks)' '<= 100 ms' "$(measured HundredJobsOf64Ranks_fluid)"
  row '5,000 jobs of two workers, fat tree, file and all (jobs_pairs)' '<= 500 ms, <= 150 MiB' "$(measured jobs_pairs_on_a_fat_tree/5000 jobs)"
  row '100 rings x 64 ranks at random, file and all (jobs_rings_of_64)' '<= 300 ms' "$(measured jobs_rings_of_64/fluid/100 jobs)"
  row '1,000 jobs of 8-512 GPUs, 16,384 GPUs, a day (jobs_day)' '<= 30,000 ms' "$(measured jobs_day_on_16384_gpus/1000 jobs)"
  for fidelity in fluid flow; do
    row "ResNet-50, 1,024 GPUs, 16 buckets, 1 step, $fidelity" '<= 300 ms' "$(measured resnet50/on_1024_gpus_${fidelity}_steps/1)"
    row "the same, 10,000 steps, $fidelity" '<= 1,000 ms' "$(measured resnet50/on_1024_gpus_${fidelity}_steps/10000)"
  done
  for gpus in 8 64 1024; do
    row "closed_form step of ResNet-50 on $gpus GPUs, set up before" '<= 50 us' "$(measured ClosedFormStep_resnet50/$gpus)"
  done
  for ranks in 8 64 1024; do
    row "closed_form ring of $ranks, routes looked for as well" '(<= 50 us)' "$(measured ClosedFormStep_ring/$ranks)"
  done
  row 'ring of 512 ranks at step (Ring_step/512)' 'no slower than the next line' "$(measured Ring_step/512)"
  row 'the same by SimGrid alone, callbacks (Peer_SimGrid_callbacks/512)' 'peer' "$(measured Peer_SimGrid_callbacks/512)"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  for try in 1 2 3; do # the first reads files from the disk
    begin=$(date +%s%N)
    "$simrun" scenarios/vgg16_ps_vs_ring.yaml -o "$scratch/flagship-$try" >/dev/null 2>&1
    flagship="${flagship-}${flagship:+, }$((($(date +%s%N) - begin) / 1000000)) ms"
  done
  row 'simrun scenarios/vgg16_ps_vs_ring.yaml, all cores, three times' '<= 1,000 ms' "$flagship"
} >"$file.new"
mv "$file.new" "$file"
cat "$file"
