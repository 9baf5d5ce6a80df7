#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the names out of a log of sacct -P, so that it can be sent to others:

python3 results/anonymise_sacct.py sacct.psv > anonymous.psv

Users, accounts, groups and jobs become numbers, equal names equal numbers. Times, sizes, limits, states, partitions and QOS stay.
Other columns are left out, and named. `simrun replay` gives the same answer for both.
"""
import gzip
import re
import sys

KEPT = set("""Submit Eligible Start End Elapsed ElapsedRaw Timelimit TimelimitRaw State ReqTRES AllocTRES ReqCPUS AllocCPUS NCPUS NNodes
    AllocNodes ReqNodes ReqMem Partition QOS Priority ExitCode Suspended Reserved Planned Restarts JobID JobIDRaw""".split())
NAMED = {"User": "user-", "Account": "account-", "Group": "group-", "JobName": "job-"}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    known = {}

    def number(kind, name):
        return f"{kind}{known.setdefault(kind, {}).setdefault(name, len(known[kind]) + 1)}" if name else ""

    def cell(column, value):
        if column in NAMED:
            return number(NAMED[column], value)
        if column.startswith("JobID"):  # 17_3, 17+1, 17.batch: what stands behind the number stays
            return re.sub(r"^[^_+.]+", lambda found: number("", found[0]), value)
        return value.split(" ")[0] if column == "State" else value  # "CANCELLED by 1000"

    with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rt", encoding="utf-8", errors="replace") as file:
        head = file.readline().rstrip("\n").split("|")
        if "JobID" not in head:
            sys.exit(f"{sys.argv[1]}: the first line has no column JobID, so this is no log of sacct -P")
        columns = [i for i, name in enumerate(head) if name in KEPT or name in NAMED]
        print("|".join(head[i] for i in columns))
        for line_number, line in enumerate(file, 2):
            row = line.rstrip("\n").split("|")
            if len(row) != len(head):
                sys.exit(f"{sys.argv[1]}:{line_number}: {len(row)} columns, the head has {len(head)}; a name with a | shifts the others: leave its column out")
            print("|".join(cell(head[i], row[i]) for i in columns))
    left_out = [name for name in head if name and name not in KEPT and name not in NAMED]
    if left_out:
        print(f"left out, because they may hold names: {', '.join(left_out)}", file=sys.stderr)


if __name__ == "__main__":
    main()
