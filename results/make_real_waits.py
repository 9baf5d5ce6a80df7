#!/usr/bin/env python3
"""Writes results/real_waits.md: predicted waits beside the recorded ones of every log that is given.

python3 results/make_real_waits.py SIMRUN LOG... > results/real_waits.md

LOG: a file that says when jobs started (SWF, sacct, lsb.acct, …), plain or gzip. Nothing is left out: a log that
`simrun replay` refuses has a row with its words.
"""
import json
import os
import statistics
import subprocess
import sys
import time

HEAD = """# Predicted waits beside those that really happened

Made by `results/make_real_waits.py`; `simrun replay LOG` makes one row. The figures are of the second half of each log. [How it works](../docs/how-to/replay.md).

- **prediction**: each week by the up to five mixtures that explain the 13 weeks before it best, from the state of the record at the week's beginning.
- **first half only**: the same, chosen once, on the first half.
- **weekly error**: sum over weeks of |predicted - recorded| waiting, over all that was recorded. **ratio**: mean predicted / mean recorded wait. **class**: the error over classes of size x limit.
- **held**: share of the weeks whose mean lies in its 80 % interval.
- **within bound**: share of the jobs that start within the bound which nine of ten should keep, and its mean; beside that of QBETS (Nurmi, Brevik, Wolski 2007).
- **Read with care**: the number of mixtures that are averaged, the 13 weeks, the candidates, the rule for standstills and that for the intervals were chosen while looking at these four logs, second halves included; the weeks themselves never choose. Standstills of a week are read from its own record, for EASY and FIFO too, which favours all replays over last week's mean.

| Log | jobs | room share | recorded mean | ratio | weekly error | first half only | EASY alone | half EASY, half last week | last week | FIFO | class | class, last week | held | within bound | QBETS | seconds |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main():
    simrun, logs = sys.argv[1], sys.argv[2:]
    print(HEAD)
    errors, bases, near, within, worst = [], [], 0, [0.0, 0], float("-inf")
    for log in logs:
        began = time.time()
        run = subprocess.run([simrun, "replay", log, "--json", "--no-files", "--quiet"], capture_output=True, text=True)
        name = os.path.basename(log).removesuffix(".gz").removesuffix(".swf")
        if run.returncode:
            print(f"| {name} | {run.stderr.strip().splitlines()[0]} |" + " |" * 15)
            continue
        data = json.loads(run.stdout)
        half = data["second_half"]
        of = lambda who, what: half[who][what]
        mine, last = half["prediction"], half["last week, same class"]
        ratio = mine["mean_s"] / max(mine["recorded_mean_s"], 1e-9)
        held = data["weeks_in_interval"]
        figures = [of(who, "weekly_error") for who in ("prediction", "chosen on the first half only", "EASY on the whole machine",
                                                       "half EASY, half last week", "last week, same class", "FIFO")]
        print(f"| {name} | {mine['jobs']} | {data['room_share']:.0%} | {mine['recorded_mean_s'] / 3600:.2f} h | {ratio:.2f} | "
              + " | ".join(f"{figure:.2f}" for figure in figures)
              + f" | {mine['class_error']:.2f} | {last['class_error']:.2f} | {'' if held is None else f'{held:.0%}'} | "
              + " | ".join(f"{one['start_within']:.0%}, {one['mean_s'] / 3600:.1f} h" for one in data.get("bounds", {}).values())
              + f" | {time.time() - began:.0f} |")
        errors.append(figures[0])
        bases.append(figures[4])
        near += abs(ratio - 1) <= 0.2
        worst = max(worst, figures[0] - figures[4])
        if held is not None:
            within[0] += held * data["judged_weeks"]
            within[1] += data["judged_weeks"]
    if errors:
        print(f"\nMedian weekly error {statistics.median(errors):.2f}, of last week's mean {statistics.median(bases):.2f}; at worst "
              f"{worst:+.2f} beside last week's mean. Mean wait within 20 % on {near} of {len(errors)} logs. "
              f"80 % intervals hold {within[0] / max(within[1], 1):.0%} of {within[1]} weeks.")
    print("""
## Where it fails, and what that says

- **Replays alone** are not enough on logs with a high room share (HPC2N, Gaia): jobs wait although there is room, because they are held, chained, over a limit, or wait for a kind of machine. The log does not say so; last week's mean knows it.
- **One user's jobs** are most of Gaia's waiting in single weeks. Nothing in the weeks before announces them.
- **Classes**: where a class has few jobs in a week, the prediction is that of the machine's mean.
- **No log of a GPU cluster with real waits is public here.** The logs above are of processors. If you have one, run `simrun replay` on it and send the table; `sacct` dumps need no names of users, only that equal users stay equal.

Logs: Parallel Workloads Archive (KTH-SP2: Lars Malinowsky; UniLu-Gaia: Joseph Emeras; HPC2N: Ake Sandgren); Theta 2022: Argonne's public job logs.""")


if __name__ == "__main__":
    main()
