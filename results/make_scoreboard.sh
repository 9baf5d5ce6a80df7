#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scores the tables of results/published and results/blind, and writes results/scoreboard.md: results/make_scoreboard.sh [TABLE…]
set -euo pipefail
cd "$(dirname "$0")/.."
simrun=${SIMRUN:-build/release/bin/simrun}
tables=("$@")
if ((${#tables[@]} == 0)); then
  for map in results/published/*.map.yaml results/blind/*.map.yaml; do
    map=${map##*/}
    tables+=("${map%.map.yaml}")
  done
fi
# A table's files without their endings.
path_of() { [[ -e results/published/$1.csv ]] && echo "results/published/$1" || echo "results/blind/$1"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p results/scores
for table in "${tables[@]}"; do
  path=$(path_of "$table")
  rm -f "results/scores/$table.predictions.csv" # simrun replaces no file with other columns
  "$simrun" score "$path.csv" --map "$path.map.yaml" -o "results/scores/$table.predictions.csv" \
    --units "$work/$table.units.csv" --transfer --progress=none >"$work/$table.txt"
  sed -i -E ':a; s/("[^",]*),([^"]*")/\1;\2/; ta' "$work/$table.units.csv" # awk splits at every comma, also at those of names
  if [[ $path == results/blind/* ]]; then
    mv "$work/$table.units.csv" "$work/$table.unseen.csv" # rows that nothing was chosen with: a mean of their own
  fi
done
# One table of thousands of rows is kept out of the repository: its predictions are made again in seconds.
rm -f results/scores/adaptdl_sia_profiles.predictions.csv
{
  echo "# Scoreboard"
  echo
  echo "Made by \`results/make_scoreboard.sh\` (some minutes on one core). Error of the predicted step time in %, median / p90 / mean over the rows that were not used"
  echo "for calibration, and of two baselines: one rate (t1 + k S/B, B from the same calibration row) and linear (the single-GPU step). Rules and citations:"
  echo "[published/README.md](published/README.md); format of mappings: [docs/score.md](../docs/score.md). Rows with their predictions: [scores/](scores/)."
  echo "No number was fitted on a scored row, but those who chose the structure of the models and the assumptions in the mappings had seen these tables."
  echo
  awk -F, 'FNR > 1 && $3 > 0 {n++; median += $4; mean += $6; if ($7 != "") {b++; m += $6; r += $8; if ($4 <= $7 && $6 <= $8) w++}}
    END {printf "Plain mean over %d units: median %.1f %%, mean %.1f %%. Where the one-rate baseline exists (%d units): mean %.1f %% against %.1f %%; not worse than it in median and mean on %d.\n", n, median / n, mean / n, b, m / b, r / b, w}' \
    "$work"/*.units.csv
  echo
  awk -F, 'FNR > 1 && $3 > 0 {n++; median += $4; mean += $6}
    END {if (n) printf "Rows that nobody had seen ([blind/README.md](blind/README.md)), %d units, all by names: median %.1f %%, mean %.1f %%. They are not in the means above.\n\n", n, median / n, mean / n}' \
    $(compgen -G "$work/*.unseen.csv" || echo /dev/null)
  echo "Targets: median <= 5 % for every all-reduce unit, <= 15 % for every gRPC parameter-server unit. Units above 5 %:"
  echo
  echo "| table | unit | median | one rate |"
  echo "|---|---|---|---|"
  awk -F, 'FNR > 1 && $4 > 5 {printf "| %s | %s | %.1f | %s |\n", $1, $2, $4, $7}' "$work"/*.units.csv
  echo
  echo "Goals that are not reached: by names a median of 15 %; in transfer 8 %, for parameter servers 15 %. Units above them:"
  echo
  echo "| table | unit | rows | names only | transfer |"
  echo "|---|---|---|---|---|"
  awk -F, 'FNR > 1 && ($12 > 15 || $14 > ($2 ~ /PS/ ? 15 : 8)) {printf "| %s | %s | %d | %.1f | %.1f |\n", $1, $2, $3, $12, $14}' "$work"/*.units.csv
  echo
  echo "## How far off an answer may be"
  echo
  echo "Made by \`results/make_error_model.py\` from these scores ([how](../docs/accuracy.md#how-far-off-an-answer-may-be))."
  echo
  echo '```'
  python3 results/make_error_model.py
  echo '```'
  for table in "${tables[@]}"; do
    echo
    echo "## $table"
    echo
    echo '```'
    cat "$work/$table.txt"
    echo '```'
    echo
    cat "$(path_of "$table").notes.md"
  done
} >results/scoreboard.md.new
mv results/scoreboard.md.new results/scoreboard.md
