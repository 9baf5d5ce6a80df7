#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transfers under each congestion control that this kernel has, with two queues and two bursts, beside what `fidelity: tcp` says of them.

  sudo python3 tests/testbed/congestion.py --bin build/dev/bin --out results/testbed/congestion.csv      # about ten minutes
  python3 tests/testbed/congestion.py --bin build/dev/bin --out results/testbed/congestion.csv --predict-only

Links of 100 Mbit/s, shaped by tc tbf, as in testbed.py. Several connections begin together to carry 800 kB each, from one node to all others (`out`) or
the other way (`in`), and are silent for 0.4 s before they do so again: the mean times of the first and of the last end of a round. `--predict-only`
takes the measurements of the file.
"""
import argparse
import csv
import itertools
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shares  # noqa: E402
import testbed  # noqa: E402

testbed.PREFIX = "tycc"
testbed.NODES = 9
shares.ROUNDS = 9
SIZE = 800_000
QUEUES, BURSTS = (128 * 1024, 512 * 1024), (10 * 1024, 200 * 1024)  # bytes; above 64 KiB, which Linux may put into a queue as one packet
COLUMNS = ["congestion_control", "queue_B", "burst_B", "direction", "connections", "measured_first_s", "measured_last_s",
           "predicted_first_s", "predicted_last_s", "error_first_percent", "error_last_percent"]


def available():
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as file:
        return sorted(set(file.read().split()) & {"cubic", "reno", "bbr"})


def measurements():
    """Yields a row for each control, queue, burst, direction and number of connections."""
    with testbed.Network() as network:
        for queue, burst in itertools.product(QUEUES, BURSTS):
            testbed.QUEUE, testbed.BURST = f"{queue}b", f"{burst}b"
            network.shape({node: 100 for node in range(1, testbed.NODES + 1)}, set(), 0)
            for control in available():
                for node in range(1, testbed.NODES + 1):
                    testbed.sh(f"ip -n {network.space(node)} route replace 10.77.0.0/24 dev eth0 src {network.address(node)} congctl {control}")
                for direction, connections in itertools.product(("out", "in"), (2, 4, 8)):
                    ends = shares.measure(network, "equal", direction, connections, SIZE)
                    of_all = connections * SIZE / shares.RATE
                    yield {"congestion_control": control, "queue_B": queue, "burst_B": burst, "direction": direction, "connections": connections,
                           "measured_first_s": f"{ends[0] * of_all:.4f}", "measured_last_s": f"{ends[-1] * of_all:.4f}"}


def predict(binaries, row):
    words = [row["congestion_control"], row["queue_B"], row["burst_B"], row["direction"], row["connections"], SIZE, 60]
    run = subprocess.run([os.path.join(binaries, "testbed_flows"), *map(str, words)], check=True, capture_output=True, text=True)
    for end, time in zip(("first", "last"), run.stdout.split()):
        row[f"predicted_{end}_s"] = time
        row[f"error_{end}_percent"] = f"{100 * (float(time) / float(row[f'measured_{end}_s']) - 1):.1f}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of testbed_flows")
    parser.add_argument("--out", required=True, help="CSV file of the results")
    parser.add_argument("--predict-only", action="store_true", help="take the measurements of that file")
    options = parser.parse_args()
    why = "" if options.predict_only else testbed.unusable()
    if why:
        print("skipped: " + why)
        return 77
    if options.predict_only:
        with open(options.out) as file:
            measured = list(csv.DictReader(file))
    else:
        measured = measurements()
    rows = []
    for row in measured:
        rows.append(predict(options.bin, row))
        print(*rows[-1].values(), flush=True)
    with open(options.out, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for control in sorted({row["congestion_control"] for row in rows}):
        errors = {end: [abs(float(row[f"error_{end}_percent"])) for row in rows if row["congestion_control"] == control] for end in ("first", "last")}
        print(control, *(f"{end}: median {statistics.median(of):.1f} %, worst {max(of):.1f} %" for end, of in errors.items()), sep="; ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
