#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# simrun sweep under a real Slurm: a private cluster of one node (own munge, slurmctld, slurmd; no systemd, no cgroups), an array job as
# docs/how-to/sweep.md shows it, and ranks under srun. Both must give the bytes of a local sweep.
#   tests/slurm/sweep_on_slurm.sh FOLDER_WITH_SIMRUN
# Ends with 77, saying why, where Slurm cannot be started here.
set -u
export PATH="$(cd "$1" && pwd):$PATH:/usr/sbin"

skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED: $1"; tail -n 20 "$D"/*.log "$D"/slurm-*.out 2>/dev/null; exit 1; }

for tool in munged slurmctld slurmd sbatch srun sinfo scontrol; do
  command -v "$tool" >/dev/null || skip "part slurm: there is no $tool (packages munge, slurmctld, slurmd, slurm-client)"
done
[ "$(id -u)" = 0 ] || skip "a private slurmd without systemd needs root"

D=$(mktemp -d)
cleanup() {
  for daemon in d ctld munge; do
    [ -s "$D/$daemon.pid" ] && kill "$(cat "$D/$daemon.pid")" 2>/dev/null
  done
  sleep 0.3
  rm -rf "$D"
}
trap cleanup EXIT
host=$(hostname -s)
port=$((20000 + $$ % 20000))
head -c 256 /dev/urandom >"$D/munge.key" && chmod 600 "$D/munge.key"
mkdir "$D/state" "$D/spool"
cat >"$D/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$D/munge.sock
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool
SlurmctldPidFile=$D/ctld.pid
SlurmdPidFile=$D/d.pid
SlurmctldLogFile=$D/ctld.log
SlurmdLogFile=$D/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=p Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$D/slurm.conf
munged --force --socket="$D/munge.sock" --key-file="$D/munge.key" --pid-file="$D/munge.pid" --log-file="$D/munge.log" \
  --seed-file="$D/munge.seed" || skip "munged does not start here"
slurmctld >"$D/ctld.out" 2>&1 || skip "slurmctld does not start here: $(tail -n 1 "$D/ctld.out")"
slurmd >"$D/d.out" 2>&1 || skip "slurmd does not start here: $(tail -n 1 "$D/d.out")"
for _ in $(seq 60); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && break
  sleep 0.5
done
sinfo -h -o %T 2>/dev/null | grep -q idle || skip "the node does not become idle: $(sinfo -h -o '%T %E' 2>&1 | head -n 1)"

cd "$D" || exit 1
cat >s.yaml <<'YAML'
cluster:
  node_types: {worker: {gpu: V100-SXM2-16GB, gpus: 1}}
  nodes: [{name: worker, type: worker, count: 4}]
  network: {link: 25GbE}
jobs: [{name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}]
run: {fidelity: fluid}
sweep: {grid: {jobs.0.workers: [1, 2, 4], jobs.0.batch_per_gpu: 8..64:8}}
YAML
simrun sweep s.yaml -q -j 2 -o local.sqlite >/dev/null || fail "the local sweep"
mkdir array
sbatch --wait --export=ALL --array=0-3 --wrap "simrun sweep s.yaml -j 1 --shard auto/4 -o array/s.sqlite" || fail "the array job"
simrun merge array/s.shard-*.sqlite -o array/s.sqlite || fail "merge"
cmp local.sqlite array/s.sqlite || fail "the array job gives other bytes than the local sweep"
echo "array job of 4 shards: the same bytes as the local sweep"

if srun --mpi=list 2>&1 | grep -qw pmix; then
  if timeout 120 srun --mpi=pmix -n 3 simrun sweep s.yaml --mpi -o ranks.sqlite >srun.out 2>&1; then
    cmp local.sqlite ranks.sqlite || fail "three ranks under srun give other bytes than the local sweep"
    echo "srun --mpi=pmix, 3 ranks: the same bytes as the local sweep"
  else
    cat srun.out
    fail "srun --mpi=pmix"
  fi
else
  echo "no PMIx plugin in this Slurm: ranks under srun were not tried"
fi
