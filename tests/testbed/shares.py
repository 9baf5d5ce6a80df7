#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How connections of TCP share a link: the measurements that tests/engine/tcp_network_test.cpp compares with.

  sudo python3 tests/testbed/shares.py --out results/testbed/shares.csv      # about two minutes

One link of 100 Mbit/s with a queue of 128 kB, as in testbed.py. `equal`: several connections begin to carry as many bytes each, and are silent for
0.35 s before they do so again; the ends, as shares of the time that all of them need. `beside an old one`: one connection begins while another one has
been sending for long; its time as a multiple of its time alone (2 with equal shares). `half a transfer later`: the second of two begins when the first
has had half of the time that it needs alone; times as multiples of that time. `out`: from one node to several, `in`: the other way.
"""
import argparse
import csv
import json
import os
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import testbed  # noqa: E402

testbed.PREFIX = "tysh"
RATE = 100e6 / 8 * 0.955  # bytes/s of payload
PORT = 9000
SIZES = {"equal": (400_000, 1_600_000), "half a transfer later": (500_000,), "beside an old one": (400_000, 1_600_000)}
ROUNDS = 16


def carry(connection, size, sends):
    block = bytes(65536)
    while size > 0:
        size -= connection.send(block[:size]) if sends else len(connection.recv(min(size, 262144)))


def ends(connection, sends, begin, size, apart, endless):
    """Ends of all rounds, each from its begin; with `endless` one transfer as long as all rounds."""
    if endless:
        carry(connection, int(ROUNDS * apart * RATE), sends)
        return []
    result = []
    for number in range(ROUNDS):
        start = begin + number * apart
        time.sleep(max(0.0, start - time.time()))
        carry(connection, size, sends)
        result.append(time.time() - start)
    return result


def far_end(words):
    """Process of one of the other nodes: python3 shares.py far ADDRESS NUMBER JSON."""
    address, number, what = words[0], int(words[1]), json.loads(words[2])
    connection = socket.create_connection((address, PORT))
    connection.sendall(bytes([number]))
    begin = json.loads(connection.recv(32))
    begin += number * what["later"]
    times = ends(connection, what["direction"] == "in", begin, what["size"], what["apart"], what["old"] and number == 0)
    print(json.dumps([number, *times]), flush=True)
    time.sleep(1)


def near_end(words):
    """Process of the one node, with a child for each connection."""
    what = json.loads(words[0])
    listener = socket.create_server(("", PORT))
    print("up", flush=True)
    found = [listener.accept()[0] for _ in range(what["connections"])]
    numbers = [connection.recv(1)[0] for connection in found]
    begin = time.time() + 0.5
    children = []
    for connection, number in zip(found, numbers):
        connection.sendall(json.dumps(begin).ljust(32).encode())
        children.append(os.fork())
        if children[-1] == 0:
            times = ends(connection, what["direction"] == "out", begin + number * what["later"], what["size"], what["apart"], what["old"] and number == 0)
            print(json.dumps([number, *times]), flush=True)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    time.sleep(1)


def measure(network, kind, direction, connections, size):
    old = kind == "beside an old one"
    alone = size / RATE
    apart = (2 * 3 * alone if old else connections * alone) + 0.4
    later = alone / 2 if kind == "half a transfer later" else 0
    what = json.dumps({"direction": direction, "connections": connections, "size": size, "apart": apart, "old": old, "later": later})

    def start(node, *words):
        command = ["nice", "-n", "-15", "ip", "netns", "exec", network.space(node), sys.executable, os.path.abspath(__file__), *words, what]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    near = start(1, "near")
    near.stdout.readline()
    far = [start(2 + number, "far", network.address(1), str(number)) for number in range(connections)]
    receivers = [near] if direction == "in" else far
    lines = [line for process in [*far, near] for line in process.communicate(timeout=300)[0].splitlines() if process in receivers]
    times = [measured[2:] for measured in sorted(map(json.loads, lines)) if len(measured) > 1]  # by connection; the first round warms up
    if kind != "equal":
        return [statistics.mean(one) / alone for one in times]
    return [statistics.mean(sorted(of_round)[place] for of_round in zip(*times)) / (connections * alone) for place in range(connections)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="CSV file of the results")
    options = parser.parse_args()
    why = testbed.unusable()
    if why:
        print("skipped: " + why)
        return 77
    with testbed.Network() as network, open(options.out, "w", newline="") as file:
        network.shape({node: 100 for node in range(1, testbed.NODES + 1)}, set(), 0)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "direction", "connections", "bytes", "end", "of"])
        for kind, sizes in SIZES.items():
            for direction in ("out", "in"):
                for connections in (2, 4) if kind == "equal" else (2,):
                    for size in sizes:
                        for place, end in enumerate(measure(network, kind, direction, connections, size)):
                            row = [kind, direction, connections, size, f"{end:.3f}", "the new one" if kind == "beside an old one" else f"transfer {place + 1}"]
                            writer.writerow(row)
                            print(*row, flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["far"]:
        far_end(sys.argv[2:])
    elif sys.argv[1:2] == ["near"]:
        near_end(sys.argv[2:])
    else:
        sys.exit(main())
