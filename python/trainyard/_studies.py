# SPDX-License-Identifier: Apache-2.0
"""Decisions: plan, compare, layouts, sensitivity and replay. They start `simrun`, so that the answers are those of the command line."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import ScenarioError

if TYPE_CHECKING:
    import pandas

Scenario = Union[str, "os.PathLike[str]"]
Rows = List[Dict[str, Any]]


class Study:
    """The answer of a study. `text`: what `simrun` prints; `json`: all of it for programs; `rows`: its table, which `frame` makes a DataFrame."""

    def __init__(self, text: str, answer: Dict[str, Any], rows: Rows, notes: str, met: bool):
        self.text, self.json, self.rows, self.notes = text, answer, rows, notes
        #: whether the goals are met, where there are any
        self.met = met

    @property
    def frame(self) -> "pandas.DataFrame":
        """A row per design, candidate and measure, layout, or input."""
        try:
            import pandas
        except ImportError:
            raise ImportError("tables as DataFrames need pandas: pip install pandas (Debian: python3-pandas); Study.rows needs nothing") from None
        return pandas.DataFrame(self.rows)

    def __repr__(self) -> str:
        return self.text


def _simrun() -> str:
    """Beside the package, in the build that the package lies in, or in PATH."""
    here = pathlib.Path(__file__).resolve().parent
    for file in (here / "simrun", here.parents[1] / "bin" / "simrun"):
        if file.is_file():
            return str(file)
    found = shutil.which("simrun")
    if found is None:
        raise FileNotFoundError("simrun is not beside the package and not in PATH; install Trainyard as docs/how-to/install.md says")
    return found


def _texts(value: Any) -> List[str]:
    """What stands behind an option, once for each time that it is given."""
    if isinstance(value, Mapping):
        return [f"{name}={','.join(map(str, one)) if isinstance(one, (list, tuple, range)) else one}" for name, one in value.items()]
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]


def _flat(value: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Its figures and texts; those of parts behind the part's name."""
    found: Dict[str, Any] = {}
    for name, one in value.items():
        if isinstance(one, Mapping):
            found.update(_flat(one, f"{prefix}{name}." if name not in ("settings", "best") else prefix))
        elif not isinstance(one, list):
            found[prefix + name] = one
    return found


def _study(command: str, scenario: Optional[Scenario], options: Mapping[str, Any], rows: Any, files: Sequence[Scenario] = ()) -> Study:
    with tempfile.TemporaryDirectory() as folder:
        words: List[str] = [_simrun(), command]
        if isinstance(scenario, str) and "\n" in scenario:
            file = pathlib.Path(folder, "scenario.yaml")
            file.write_text(scenario)
            words.append(str(file))
        elif scenario is not None:
            words.append(os.fspath(scenario))
        words += [os.fspath(file) for file in files]
        for name, value in options.items():
            option = "--" + name.replace("_", "-")
            if value is True:
                words.append(option)
            elif value is not None and value is not False:
                words += [word for text in _texts(value) for word in (option, text)]
        out = pathlib.Path(folder, "study")
        words += ["--color", "never", "--progress", "none"] + ["--output", str(out)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise ScenarioError(done.stderr.strip() or f"simrun {command} ended with {done.returncode}")
        answer = json.loads((out / "manifest.json").read_text())
    return Study(done.stdout, answer, rows(answer), done.stderr.strip(), done.returncode == 0)


def _designs(answer: Mapping[str, Any]) -> Rows:
    if "designs" in answer and isinstance(answer["designs"], list):
        return [_flat(design) for design in answer["designs"]]
    designs = [answer.get("answer"), answer.get("runner_up")] + [design for front in answer.get("fronts", []) for design in front["designs"]]
    rows: Rows = []
    for design in designs:
        if not design:
            continue
        row = _flat(design)
        for goal in design.get("goals", []):
            row[goal["goal"]] = goal.get("value")
        if all(row.items() != known.items() for known in rows):
            rows.append(row)
    return rows


def plan(
    scenario: Optional[Scenario] = None, *, goals: Union[str, List[str], None] = None, knobs: Optional[Mapping[str, Any]] = None, **options: Any
) -> Study:
    """The cheapest design that meets goals: `simrun plan`.

    `goals`: "p95(queueing_delay) < 1 h", or several. `knobs`: values that may be chosen, {"cluster.nodes.0.count": "1..64"}. `options`: those of
    the command, with underscores: `policies="fifo,las"`, `model="llama3_8b"`, `gpus="8..64"`, `set={"run.seed": 2}`. A row per design."""
    return _study("plan", scenario, {"goal": goals, "knob": knobs, **options}, _designs)


def compare(scenario: Optional[Scenario] = None, **options: Any) -> Study:
    """Candidates side by side, with intervals of their differences: `simrun compare`.

    compare("ps_sync_async", vary={"jobs.0.training.servers": [4, 8]}). A row per group, candidate and measure."""

    def rows(answer: Mapping[str, Any]) -> Rows:
        return [
            {"group": group["name"], "candidate": one["name"], "verdict": one.get("verdict"), **figure}
            for group in answer.get("groups", [])
            for one in group["candidates"]
            for figure in one["figures"]
        ] or _designs(answer)

    return _study("compare", scenario, options, rows)


def layouts(model: Optional[Scenario] = None, **options: Any) -> Study:
    """The layouts of a transformer on GPUs, best first: `simrun layouts`.

    layouts("llama3_70b", gpu="H100-SXM5", gpus=64), or cluster="h100x8@8,eth=400Gbit/s". A row per layout, of several designs a row for each."""
    return _study("layouts", model, options, lambda answer: [_flat(one) for one in answer.get("layouts", [])] or _designs(answer))


def sensitivity(scenario: Scenario, **options: Any) -> Study:
    """Which inputs decide the answer, and how far it may be off: `simrun sensitivity`. A row per measure and input."""

    def rows(answer: Mapping[str, Any]) -> Rows:
        return [{"measure": measure["measure"], **one} for measure in answer.get("measures", []) for one in measure["inputs"]]

    return _study("sensitivity", scenario, options, rows)


def replay(log: Scenario, *files: Scenario, **options: Any) -> Study:
    """How near predicted waits come to those of a real log: `simrun replay`.

    replay("sacct.psv", "slurm.conf", predict="7 d", what_if=["nodes=+2", "policy=wfp"]). `files`: of its cluster. A row per half of the log and predictor;
    `json` also has what_if and starts."""

    def rows(answer: Mapping[str, Any]) -> Rows:
        return [{"half": half, "predictor": name, **figures} for half in ("first_half", "second_half") for name, figures in answer[half].items()]

    return _study("replay", log, options, rows, files)
