# SPDX-License-Identifier: Apache-2.0
"""simrun as a black box: runs of scenarios, and their figures."""
import csv
import functools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import scenario_text

LIMIT_S = 10  # a scenario of this machine takes well under a second


class Result:
    """What a run of simrun said."""

    def __init__(self, command, status, out, err, seconds, folder):
        self.command, self.status, self.out, self.err, self.seconds, self.folder = command, status, out, err, seconds, folder

    @property
    def accepted(self):
        """Whether the scenario is one; 3: an assertion is not met, 4: a point of a sweep failed."""
        return self.status in (0, 3, 4)

    @functools.cached_property
    def summary(self):
        return json.loads(self.out)

    @functools.cached_property
    def figures(self):
        """All values of the summary by path."""
        return dict(scenario_text.flat(self.summary))

    @property
    def errors(self):
        """Without the warnings before them, and the place of the files."""
        lines = self.err.strip().splitlines()
        return "\n".join([line for line in lines if "error" in line] or lines)[:400]

    def breakdown(self):
        """What no input may do to a program; None: it did not."""
        if self.status in (None, -signal.SIGXCPU, -signal.SIGKILL):
            return "no end within the time that a scenario of this size may take"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if "a bug in Trainyard" in self.err or self.status not in (0, 1, 2, 3, 4):
            return f"exit code {self.status}: {self.errors}"
        return None

    def table(self, name):
        """Rows of a CSV file of the results folder; None: there is no such file."""
        path = self.folder / name
        if not path.is_file():
            return None
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
            return list(csv.DictReader(file))


class Simrun:
    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="contradictions-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.runs = 0
        self.known = {}
        self.limit_s = LIMIT_S

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def file(self, scenario, name="s.yaml"):
        path = self.top / name
        path.write_text(scenario if isinstance(scenario, str) else scenario_text.dump(scenario)[0], encoding="utf-8")
        return path

    def start(self, *words, folder=None):
        """Any command."""
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.runs += 1
        # Time of the processor counts: the machine may be busy with other things.
        command = ["prlimit", f"--cpu={self.limit_s}", "--as=8000000000", self.program, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=20 * self.limit_s, cwd=self.top, stdin=subprocess.DEVNULL)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as over:
            status, out, err = None, over.stdout or b"", over.stderr or b""
        made = Result(command, status, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - begin, folder)
        made.processor_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return made

    def run(self, scenario, *options):
        """A run: its summary as JSON, and its files. The same scenario is run once."""
        text = scenario if isinstance(scenario, str) else scenario_text.dump(scenario)[0]
        if (text, options) not in self.known:
            folder = self.top / f"out{len(self.known)}"
            self.known[text, options] = self.start("run", self.file(text), "-o", folder, "--no-plots", "--json", "--progress", "none", *options, folder=folder)
        return self.known[text, options]

    def forget(self):
        for one in self.known.values():
            shutil.rmtree(one.folder, ignore_errors=True)
        self.known.clear()

    @functools.cached_property
    def schema(self):
        return json.loads(self.start("schema", "--long").out)

    @functools.cached_property
    def names(self):
        topics = ("gpus", "models", "transports", "frameworks", "links")
        return {topic: self.start("list", topic, "--names").out.split() for topic in topics}
