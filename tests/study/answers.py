#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shipped scenario asks a question, and its run ends in a sentence that answers it with figures.

    answers.py --simrun build/ci/bin/simrun

What some of them must say was worked out by hand, in the comments."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"

SAYS = {
    "alibaba_batch_client": ["600 MB", "1.00 s"],  # two containers of 300 MB; containers start in 1 s
    "alibaba_local": ["0 B"],  # all is on one machine
    "alibaba_two_m40": ["tf/worker-0 holds GPU 0 of hpc-1", "tf/worker-1 holds GPU 1 of hpc-1"],  # the article's placement
    "blast_radius": ["11.1 h", "10.1 h", "10.0 h and 10.0 h"],  # 10 h, 1 h of repair, up to an interval of 10 min again; 'other' loses nothing
    "checkpoint_restart": ["ends first with interval=3220 s"],  # sqrt(2 x 60 s x 86,400 s), Young 1974
    "cost_model": ["100.00 $ (free)", "licence adds 20.00 $"],  # 4 machines x 2.5 $/h x 10 h; 4 x 0.5 $/h x 10 h
    "cotenants": ["train-1 72.0 min", "'across', whose traffic leaves kafka's machine, 72.0 min"],  # 0.8 x 1.25 + 0.2; 0.8 + 0.2 / 0.5 of 60 min
    "elastic_workers": ["3.06 s", "2.00 times"],  # the last of four after 3 x 20 ms, then 3 s; two machines of three work, one of them twice
    "first_day": ["tf/worker-1 holds GPU 1 of worker-0 and 10,871 MiB of its 11,443 MiB"],  # 0.95 of an M40; both on one host
    "image_pull": ["241 s", "25.0 s", "second 1.00 s"],  # 2 x 1.5 GB x 8 bit / 100 Mbit/s (1 Gbit/s), and 1 s to start
    "interactive_tenants": ["1.00 of the 10", "0.50 of 10", "12.0"],  # 10 h x 0.1 and x 0.05; 6 x 2 h
    "isolation": ["60.0 min, and ends after 120 min", "1 job fails"],
    "k8s_basic": ["21.0 s", "2 insufficient gpu, 2 insufficient memory"],  # 2 x 1 GB x 8 bit / 1 Gbit/s + 5 s
    "k8s_control_plane": ["18.1 min"],  # from 12 to 30 min without a control plane, and 5 s to start
    "k8s_gpu_type": ["2 other type of gpu"],
    "k8s_self_healing": ["345 s"],  # 40 s to notice + 5 min until replaced + 5 s to start
    "mpi_tracking": ["30.5 min", "90.5 min"],  # the failure at 30 min, noticed 30 s later; orphans stay an hour more
    "orchestrators_same": ["all (192 min)"],
    "physical_vs_k8s": ["345 s (kubernetes)"],  # 40 s + 5 min + 5 s
    "rendezvous": ["90.0 s"],  # the last rank joins then
    "retraining_lossy_status": ["15.0 s (three tries)"],  # half of a period of 30 s, lost polls are rare
    "runtime_overhead": ["1.00 times", "1.02 times"],
    "serving_and_training": ["9 replicas"],  # 420 requests/s / 50 a replica
    "shared_storage": ["60.0 min (replicas=2), 96.0 min (replicas=4)"],  # 4 x 400 MB/s of 1 GB/s: 1.6 x 60 min
    "linear": ["tf/worker-0 holds GPU 0 of host-0 and 10,871 MiB of its 11,443 MiB", "0.17 GPU-hours"],  # two GPUs for 5 min
    "swarm_managers": ["15.0 min"],  # submitted at 15 min, the majority is back at 30 min
    "swarm_replicas": ["10.3 min", "3 limit of tasks per node"],  # the machine joins after 10 min and pulls 2 GB at 100 MB/s
    "swarm_update": ["15.0 s", "never fewer than 4"],  # 6 replicas, 2 at a time: 3 x (2 s to stop + 3 s to start)
    "team_blast": ["red's jobs end after 16.5 h", "shared: 10.5 h"],  # 6 h without the rack and half an interval more; the interval alone
    "tf_gpu_memory": ["one GPU each: first, second fit together", "default: first fit, beside them second does not"],
    "tf_host_network": ["1.02 times", "1.07 times"],  # below (2 + 70 / 1,448) / 2 and (2 + 259 / 1,398) / 2: ns of a core for a byte
    "tf_in_graph": ["14.8"],  # 0.457 s x 1.25 GB/s / 38.5 MB
    "tf_placement": ["product on /job:worker/task:0/device:GPU:0", "image on /job:worker/task:0/device:CPU:0 (kernel only for the CPU)"],
    "tf_waiting_servers": ["27.0 s"],  # 2 x 1.2 GB / 100 MB/s + 3 s
    "two_teams": ["0.14 are stalled", "1.00 if both come at once", "0.00 with one"],  # 2 GPUs of 14 x 6 x 42 min; all; none
}
NO_ANSWER = re.compile(r"no answer|not known|\bnone\b")


def answer(simrun, path):
    run = subprocess.run([simrun, "run", path, "--no-files"], capture_output=True, text=True, timeout=240)
    return next((line.removeprefix("answer: ") for line in run.stdout.splitlines() if line.startswith("answer: ")), run.stderr[-300:] or "no answer")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--simrun", required=True)
    simrun = options.parse_args().simrun
    files = sorted(SCENARIOS.rglob("*.yaml"))
    unknown = set(SAYS) - {file.stem for file in files}
    wrong = [f"{name}: there is no such scenario" for name in sorted(unknown)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file, said in zip(files, pool.map(lambda file: answer(simrun, file), files)):
            question = re.search(r"^question: (.*)", file.read_text(), re.M)
            lacks = [words for words in SAYS.get(file.stem, []) if words not in said]
            if question is None or not re.search(r"\d", said) or NO_ANSWER.search(said) or lacks:
                wrong.append(f"{file.stem}: {question[1] if question else 'no question'}\n  {said}\n  lacks: {lacks}")
    print("\n".join(wrong) or f"{len(files)} questions have an answer, {len(SAYS)} of them worked out by hand")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
