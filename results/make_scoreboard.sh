#!/usr/bin/env bash
# Scores the tables of results/published that have a mapping file and writes results/scoreboard.md: results/make_scoreboard.sh [TABLE…]
# Without names: every table but hkbu_ddl_2020, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
simrun=${SIMRUN:-build/release/bin/simrun}
tables=("$@")
((${#tables[@]})) || tables=(cscs_tf_ps_2017 deepbench_allreduce horovod_readme_2017 tf_benchmarks_2017)
mkdir -p results/scores
{
  echo "# Scoreboard"
  echo
  echo "Made by \`results/make_scoreboard.sh\`. Error of the predicted step time in %, median / p90 / mean over the rows that were not used for calibration,"
  echo "beside two baselines: one rate (t1 + k S/B, B from the same calibration row) and linear (the single-GPU step). Rules and citations:"
  echo "[published/README.md](published/README.md). Rows with their predictions: [scores/](scores/)."
  echo
  echo "Not scored yet: hkbu_ddl_2020 (mapped, takes minutes), dlperf_v100x32_2020 and nccl_allreduce_busbw (no mapping), and so the decisions between"
  echo "parameter server and all-reduce, which need the HKBU rows."
  for table in "${tables[@]}"; do
    echo
    echo "## $table"
    echo
    echo '```'
    "$simrun" score "results/published/$table.csv" --map "results/published/$table.map.yaml" -o "results/scores/$table.predictions.csv" --progress=none
    echo '```'
    echo
    cat "results/published/$table.notes.md"
  done
} >results/scoreboard.md.new
mv results/scoreboard.md.new results/scoreboard.md
