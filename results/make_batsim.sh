#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Schedulers of pybatsim, unchanged, on a queue of Trainyard, beside Trainyard's own policies. Writes results/batsim.txt.
#   results/make_batsim.sh SIMRUN PYBATSIM        (docs/how-to/batsim.md says how pybatsim is installed)
set -euo pipefail
cd "$(dirname "$0")/.."
simrun=$1 pybatsim=$2 port=28017
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
queue=(shared_cluster_policies --set scheduling.cluster=pool --set scheduling.checkpoint_cost='0 s' --set scheduling.restart_cost='0 s' --no-plots --quiet)

# figures FOLDER: what its metrics.csv says
figures() {
  python3 - "$1" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1] + "/metrics.csv")):
    print(f"{row['policy']:<40} {float(row['jct_mean_s']) / 60:>12.1f} {float(row['queueing_delay_mean_s']) / 60:>14.1f} {float(row['makespan_s']) / 3600:>12.1f}")
PY
}

{
  echo "The 1,500 jobs of shared_cluster_policies on 96 GPUs (cluster: pool), scheduled by $("$pybatsim" --version | tail -n 1 | sed 's/^/pybatsim /')"
  echo "over Batsim's protocol, and by Trainyard's own policies. Written by results/make_batsim.sh."
  echo
  printf '%-40s %12s %14s %12s\n' policy "JCT, min" "waiting, min" "makespan, h"
  "$simrun" run "${queue[@]}" --set 'scheduling.policies=[fifo, {name: fifo, skip: true, label: fifo skipping}, easy_backfill]' -o "$scratch/own" >/dev/null
  figures "$scratch/own"
  for scheduler in schedFcfs fillerSched fillerSchedWithEvents easyBackfill schedEasySjfBackfill; do
    "$pybatsim" "$scheduler" -v error -t 600000 -s "tcp://*:$port" >"$scratch/log" 2>&1 &
    if "$simrun" run "${queue[@]}" --set "scheduling.policies=[{name: batsim, endpoint: \"tcp://localhost:$port\", first_time: 1 s, label: pybatsim $scheduler}]" -o "$scratch/$scheduler" >/dev/null 2>"$scratch/err"; then
      figures "$scratch/$scheduler"
    else
      echo "pybatsim $scheduler: $(tail -n 1 "$scratch/err") $(tail -n 1 "$scratch/log")"
      kill %% 2>/dev/null || true
    fi
    wait || true
  done
} >"$scratch/batsim.txt"
mv "$scratch/batsim.txt" results/batsim.txt
