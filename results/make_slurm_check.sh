#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Our policy `slurm` against a real Slurm: 200 jobs of seconds through slurmctld and eight slurmd on this machine (own munge, 127.0.0.1 only, no
# systemd), then what the real one recorded through simrun; the starts of both side by side. About five minutes.
#   results/make_slurm_check.sh FOLDER_WITH_SIMRUN           both, writes results/slurm/
#   results/make_slurm_check.sh FOLDER_WITH_SIMRUN --replay  the record as it is, through simrun again
set -eu
here=$(cd "$(dirname "$0")" && pwd)/slurm
simrun=$(cd "$1" && pwd)/simrun
export PATH=$PATH:/usr/sbin
if [ "${2-}" != --replay ]; then
  for tool in munged slurmctld slurmd sbatch scontrol python3; do
    command -v "$tool" >/dev/null || { echo "there is no $tool (packages munge, slurmctld, slurmd, slurm-client, python3)"; exit 1; }
  done
  [ "$(id -u)" = 0 ] || { echo "a private slurmd without systemd needs root"; exit 1; }
  D=$(mktemp -d)
  cleanup() {
    for pid in "$D"/*.pid; do
      [ -s "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$D"
  }
  trap cleanup EXIT
  head -c 256 /dev/urandom >"$D/munge.key" && chmod 600 "$D/munge.key"
  mkdir "$D/state"
  sed -e "s|@D@|$D|g; s|@HOST@|$(hostname -s)|g" "$here/slurm.conf.in" >"$D/slurm.conf"
  export SLURM_CONF=$D/slurm.conf
  munged --force --socket="$D/munge.sock" --key-file="$D/munge.key" --pid-file="$D/munge.pid" --log-file="$D/munge.log" \
    --seed-file="$D/munge.seed"
  slurmctld
  for n in 1 2 3 4 5 6 7 8; do
    mkdir "$D/spool.n$n"
    slurmd -N "n$n"
  done
  for _ in $(seq 60); do
    [ "$(sinfo -h -N -p any -t idle | wc -l)" = 8 ] && break
    sleep 0.5
  done
  (cd "$D" && timeout 600 python3 "$here/check.py" run "$D/ctld.log" "$here/record.csv" "$here/reservation.txt") ||
    { mkdir -p "$here/../../build"; cp "$D/ctld.log" "$here/../../build/slurm_check.log"; echo "failed; the log of slurmctld is build/slurm_check.log"; exit 1; }
  slurmctld -V >"$here/version.txt"
fi
python3 "$here/check.py" scenario "$here/record.csv" "$here/reservation.txt" "$here"
for name in replay replay_clock; do
  (cd "$here" && "$simrun" $name.yaml -q -o $name >/dev/null)
done
python3 "$here/check.py" compare "$here/record.csv" "$here/replay/jobs.csv" "$here/replay_clock/jobs.csv" "$(cat "$here/version.txt")" >"$here/comparison.md"
rm -rf "$here/replay" "$here/replay_clock"
cat "$here/comparison.md"
