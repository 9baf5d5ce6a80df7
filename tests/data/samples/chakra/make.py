#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sum.0.et and sum.1.et: two ranks of one all-reduce of 1 MiB, by MLCommons Chakra's schema 0.0.4 (schema/protobuf/et_def.proto)."""
import pathlib


def varint(number):
    rest = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([part | 128 for part in rest[:-1]] + rest[-1:])


def whole(field, number):
    return varint(field << 3) + varint(number)


def part(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, field, number):  # of a node: its name, then the value in the field of its type
    return part(10, part(1, name.encode()) + whole(field, number))


for rank in (0, 1):
    metadata = part(1, b"0.0.4")
    node = (whole(1, 40 + rank) + part(2, b"sum_of_gradients") + whole(3, 7)  # 7: COMM_COLL_NODE
            + attribute("comm_type", 9, 0) + attribute("comm_size", 9, 1 << 20)  # 0: ALL_REDUCE; int64 values
            + attribute("is_cpu_op", 27, 0))  # a bool
    file = pathlib.Path(__file__).with_name(f"sum.{rank}.et")
    file.write_bytes(b"".join(varint(len(message)) + message for message in (metadata, node)))
