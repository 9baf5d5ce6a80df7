#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds answers that cannot be true together: random scenarios over all keys, and relations between their results.

    tests/contradictions/run.py --simrun build/ci/bin/simrun --seconds 60
    tests/contradictions/run.py --simrun … --relation rename --count 500
    tests/contradictions/run.py --simrun … --file finding.yaml --relation rename      one scenario of a file
README.md says how to read what it prints.
"""
import argparse
import collections
import contextlib
import copy
import multiprocessing
import os
import pathlib
import queue
import random
import re
import sys
import time
import traceback

import scenario_text
from generator import Generator
from relation import all_relations
from shrink import smallest, without
from simrun import LIMIT_S, Simrun

HERE = pathlib.Path(__file__).resolve().parent
SLOW_S = 1  # a scenario that takes longer is run once, so that the others get their turn
SHRUNK = 2  # findings of one relation about one figure that are shrunk; the others are counted


class Expected:
    """A contradiction that is known and not mended: expected/*.yaml, a scenario below comments that say which relation it breaks."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.name = path.name
        words = dict(re.findall(r"^# (relation|when|says|reason): +(.*)$", text, re.MULTILINE))
        if not {"relation", "says", "reason"} <= set(words):
            raise SystemExit(f"{path}: needs the comments '# relation:', '# says:' (a pattern of what is printed) and '# reason:'")
        self.relation, self.says, self.reason = words["relation"], re.compile(words["says"]), words["reason"]
        self.when = [re.compile(pattern) for pattern in words.get("when", "").split()]
        self.scenario = scenario_text.load(text)
        self.seen = 0

    def is_this(self, relation, scenario, text):
        values = [f"{scenario_text.pattern(path)}={value}" for path, value in scenario_text.flat(scenario)]
        return relation == self.relation and self.says.search(text) is not None and all(any(one.search(value) for value in values) for one in self.when)


def expected_ones():
    return [Expected(path) for path in sorted((HERE / "expected").glob("*.yaml"))]


def report_text(finding, program):
    """A finding as a file that is ready for a test."""
    head = [f"relation: {finding['relation']}", f"right:    {finding['right']}", *("says:     " + finding["text"]).splitlines(),
            f"run:      tests/contradictions/run.py --simrun {program} --relation {finding['relation']} --file FILE",
            f"found:    --seed {finding['seed']} --first {finding['index']} --count 1"]
    return "".join(f"# {line}\n" for line in head) + scenario_text.dump(finding["scenario"])[0]


class Search:
    """One process: every scenario of its share, all relations."""

    def __init__(self, options, number, out):
        self.options, self.number, self.out = options, number, out
        self.simrun = Simrun(options.simrun)
        self.relations = all_relations(options.relation)
        self.known = expected_ones()
        self.counts = collections.Counter()
        self.shrunk = collections.Counter()

    def one(self, index):
        scenario = self.generator.scenario(self.options.seed, index)
        scenario = self.accepted(scenario)
        self.counts["scenarios"] += 1
        first = self.simrun.run(scenario)
        self.counts["accepted"] += first.accepted
        self.counts[f"kind {self.generator.kind}"] += 1
        self.counts[f"accepted {self.generator.kind}"] += first.accepted
        chance = random.Random(f"{self.options.seed} {index} relations")
        slow = first.processor_s > SLOW_S
        self.counts["slow"] += slow
        for relation in self.relations:
            if self.over() or (slow and relation.name != "never_breaks"):
                continue
            if self.options.relation or relation.weight >= 1 or chance.random() < relation.weight:
                self.try_relation(relation, scenario, index)
        self.simrun.forget()

    def over(self):
        return self.end is not None and time.monotonic() > self.end

    def accepted(self, scenario):
        """Without the keys that simrun refuses, where that is enough: the rest is worth a run."""
        for _ in range(4):
            result = self.simrun.run(scenario)
            if result.status != 2:
                return scenario
            paths = scenario_text.dump(scenario)[1]
            lines = sorted({int(line) for line in re.findall(r"s\.yaml:(\d+):\d+: error", result.err)}, reverse=True)
            made = copy.deepcopy(scenario)
            for line in lines:
                path = paths[line] if line < len(paths) else ()
                while len(path) > 1 and self.generator.needed(path):
                    path = path[:-1]
                if len(path) > 1 or path in (("faults",), ("storage",), ("rendezvous",), ("sweep",), ("checkpoints",)):
                    with contextlib.suppress(KeyError, IndexError, TypeError):
                        made = without(made, path)
            if made == scenario:
                return scenario
            scenario = made
        return scenario

    def try_relation(self, relation, scenario, index):
        begin = time.monotonic()
        try:
            broken = relation.broken(self.simrun, scenario, self.options.seed)
        except Exception:  # a fault of the relation: the search goes on, and ends with an error
            self.out.put(("error", f"{relation.name}, --seed {self.options.seed} --first {index}: {traceback.format_exc(limit=-3)}"))
            return
        self.counts[f"seconds {relation.name}"] += time.monotonic() - begin
        if broken is False:
            return
        self.counts["tried"] += 1
        self.counts[f"tried {relation.name}"] += 1
        if broken is None:
            return
        self.counts[f"broken {relation.name}"] += 1
        known = self.expected(relation, scenario, broken)
        if known is None:
            key = (relation.name, broken.kind)
            self.shrunk[key] += 1
            if self.shrunk[key] > SHRUNK:
                self.counts[f"alike {relation.name} {broken.kind}"] += 1
                return
            if "no end within" in broken:
                self.simrun.limit_s = 3  # what takes no three seconds is none of these
            small = smallest(scenario, lambda made: self.still(relation, made), self.options.shrink)
            self.simrun.limit_s = LIMIT_S
            text = relation.broken(self.simrun, small, self.options.seed) or broken
            known = self.expected(relation, small, text)
            if known is None:
                self.out.put(("found", {"relation": relation.name, "right": relation.says, "text": str(text), "kind": text.kind, "seed": self.options.seed,
                                        "index": index, "scenario": small}))
                return
        self.counts[f"expected {known.name}"] += 1

    def still(self, relation, scenario):
        try:
            broken = relation.broken(self.simrun, scenario, self.options.seed)
        except Exception:  # of a scenario that makes no sense any more
            broken = None
        self.simrun.forget()
        return bool(broken) and self.expected(relation, scenario, broken) is None

    def expected(self, relation, scenario, text):
        return next((one for one in self.known if one.is_this(relation.name, scenario, text)), None)

    def all(self):
        try:
            self.generator = Generator(self.simrun.schema, self.simrun.names)
            self.end = time.monotonic() + self.options.seconds if self.options.seconds else None
            index = self.options.first + self.number
            last = self.options.first + self.options.count if self.options.count else None
            while (last is None or index < last) and not self.over():
                self.one(index)
                index += self.options.jobs
                if self.counts["scenarios"] % 200 == 0:
                    self.out.put(("counts", self.number, dict(self.counts)))
            self.counts["runs"] = self.simrun.runs
        finally:
            self.simrun.close()
            self.out.put(("counts", self.number, dict(self.counts)))
            self.out.put(("done", self.number))


def search(options, number, out):
    Search(options, number, out).all()


def of_file(options):
    """The relations on one scenario of a file, as a finding is printed."""
    simrun = Simrun(options.simrun)
    try:
        scenario = scenario_text.load(pathlib.Path(options.file).read_text(encoding="utf-8"))
        found = 0
        for relation in all_relations(options.relation):
            broken = relation.broken(simrun, scenario, options.seed)
            print(f"{relation.name}: " + ("says nothing of this scenario" if broken is False else broken or "holds"))
            found += bool(broken)
        return min(found, 1)
    finally:
        simrun.close()


def stale(options):
    """Expected contradictions that are none any more."""
    simrun = Simrun(options.simrun)
    relations = {relation.name: relation for relation in all_relations()}
    try:
        for one in expected_ones():
            broken = relations[one.relation].broken(simrun, one.scenario, 1)  # the seed that is not given
            if not broken or not one.is_this(one.relation, one.scenario, broken):
                yield one.name, broken
    finally:
        simrun.close()


def seconds_of(text):
    found = re.fullmatch(r"([0-9.]+) ?(s|min|m|h)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is no time: 60, 10min, 2h")
    return float(found[1]) * {"h": 3600, "min": 60, "m": 60}.get(found[2], 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simrun", default="build/ci/bin/simrun", help="the program")
    parser.add_argument("--seconds", type=seconds_of, help="time to search: 60, 10min, 2h (default 60 without --count)")
    parser.add_argument("--count", type=int, help="number of scenarios")
    parser.add_argument("--seed", type=int, default=1, help="other scenarios")
    parser.add_argument("--first", type=int, default=0, help="number of the first scenario")
    parser.add_argument("--relation", nargs="+", action="extend", help="only these relations, each on every scenario")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--shrink", type=float, default=30, help="seconds for making a finding small")
    parser.add_argument("--log", help="file for the summary and the findings")
    parser.add_argument("--findings", help="folder for a file for each finding")
    parser.add_argument("--file", help="check one scenario, written as this program prints them")
    options = parser.parse_args()
    if options.seconds is None and options.count is None:
        options.seconds = 60
    return options


def main():
    options = arguments()
    if options.file:
        return of_file(options)
    begin = time.monotonic()
    out = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=search, args=(options, number, out), daemon=True) for number in range(options.jobs)]
    for worker in workers:
        worker.start()
    counts, findings, faults, running = {}, [], [], options.jobs
    log = open(options.log, "w", encoding="utf-8") if options.log else None

    def say(text):
        print(text, flush=True)
        if log:
            print(text, file=log, flush=True)

    while running:
        try:
            message = out.get(timeout=5)
        except queue.Empty:
            if any(worker.is_alive() for worker in workers):
                continue
            say("error: a process of the search ended before its time")
            return 1
        if message[0] == "counts":
            counts[message[1]] = message[2]
        elif message[0] == "error":
            faults.append(message[1])
            say(f"error: the relation {message[1]}")
        elif message[0] == "done":
            running -= 1
        else:
            findings.append(message[1])
            say(f"== contradiction {len(findings)}\n{report_text(message[1], options.simrun)}")
            if options.findings:
                folder = pathlib.Path(options.findings)
                folder.mkdir(parents=True, exist_ok=True)
                name = f"{message[1]['relation']}_{re.sub(r'[^A-Za-z0-9]+', '_', message[1]['kind'])}_{message[1]['seed']}_{message[1]['index']}.yaml"
                (folder / name).write_text(report_text(message[1], options.simrun), encoding="utf-8")
    total = sum((collections.Counter(one) for one in counts.values()), collections.Counter())
    seconds = time.monotonic() - begin
    known = expected_ones()
    gone = list(stale(options)) if known and not options.relation else []
    if known:
        say("Known contradictions, not mended yet:")
        for one in known:
            say(f"  {one.name} ({one.relation}; seen {total[f'expected {one.name}']} times): {one.reason}")
    for name, broken in gone:
        say(f"error: expected/{name} is no contradiction any more ({broken or 'the relation holds'}): remove it")
    width = max(len(key.split(" ", 1)[1]) for key in total if key.startswith("tried ")) if total["tried"] else 0
    for relation in all_relations(options.relation):
        name = relation.name
        say(f"  {name:{width}} {total[f'tried {name}']:6d} tried {total[f'broken {name}']:5d} broken {total[f'seconds {name}']:6.0f} s   {relation.says}")
    alike = {key.split(" ", 1)[1]: number for key, number in total.items() if key.startswith("alike ")}
    if alike:
        say("further ones, not shrunk: " + ", ".join(f"{key} {number}" for key, number in sorted(alike.items())))
    kinds = ", ".join(f"{key.split(' ', 1)[1]} {total['accepted ' + key.split(' ', 1)[1]]}/{number}" for key, number in sorted(total.items()) if key.startswith("kind "))
    say(f"{total['scenarios']} scenarios from --seed {options.seed} --first {options.first}, {total['accepted']} of them accepted, {total['slow']} slow ({kinds}); {total['tried']} times a relation, "
        f"{total['runs']} runs in {seconds:.0f} s: {total['tried'] / seconds:.1f} a second")
    say(f"{len(findings)} contradictions that are not listed, {len(known)} that are, {len(gone)} of them mended")
    return 1 if findings or gone or faults else 0


if __name__ == "__main__":
    sys.exit(main())
