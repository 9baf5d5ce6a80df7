# SPDX-License-Identifier: Apache-2.0
"""Trainyard: a simulator of clusters for distributed deep-learning training.

    import trainyard

    class Fifo(trainyard.Policy):
        def decide(self, queue, cluster):
            for job in queue:
                if not cluster.start(job):
                    break

    results = trainyard.Simulation("shared_cluster_policies", policy=Fifo()).run()
    print(results.jobs["queueing_delay_s"].mean())
"""
import csv
import io
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

_data = pathlib.Path(__file__).parent / "data"
if _data.is_dir():  # an installed package brings the catalogue and the examples
    os.environ.setdefault("TRAINYARD_DATA", str(_data))

from ._core import Cluster, Job, PolicyError, Queue  # noqa: E402
from ._core import Simulation as _CoreSimulation  # noqa: E402
from ._core import data_folder as _data_folder  # noqa: E402
from ._core import version as _version  # noqa: E402
from ._errors import Fault, ScenarioError  # noqa: E402
from ._studies import Study, compare, layouts, plan, replay, sensitivity  # noqa: E402
from ._sweeps import sweep  # noqa: E402

if TYPE_CHECKING:
    import pandas

__version__ = _version()
__all__ = [
    "Cluster", "Decision", "Fault", "Job", "Policy", "PolicyError", "Preempt", "Queue", "Results", "ScenarioError", "Simulation", "Study", "compare",
    "layouts", "plan", "replay", "sensitivity", "sweep",
]


class Preempt:
    """In the list that `Policy.decide` returns: stop this running job; it waits again, with its progress."""

    def __init__(self, job: Union[Job, str]):
        self.preempted = job


#: (machine by name or number, numbers of its GPUs or how many of the free ones)
Place = List[Tuple[Union[str, int], Union[int, List[int]]]]
#: start this job; start it there; stop it
Decision = Union[Job, str, Tuple[Union[Job, str], Place], Preempt]


class Policy:
    """Decides which job runs. Subclass it and write `decide`; the other methods are called only where you write them.

    Times are seconds since the start of the workload. An exception in a policy ends the run.
    """

    def begin(self, cluster: Cluster) -> None:
        """Once, before the first event."""

    def decide(self, queue: Queue, cluster: Cluster) -> Optional[Iterable[Decision]]:
        """Once per instant at which something happens, after all ends and arrivals.

        `queue`: the jobs that wait, in order of arrival. `cluster`: free GPUs, running jobs, and methods that take
        effect at once: `start`, `preempt`, `resize`, `withdraw`, `wake_at`.

        Returns None, or a list that is worked through in order: a job starts, `(job, [(machine, GPUs), ...])` starts
        there, `Preempt(job)` stops. A job in the list that does not fit raises PolicyError; `cluster.start(job)` returns
        False instead.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method decide(self, queue, cluster)")

    def arrived(self, job: Job, cluster: Cluster) -> None:
        """It waits from now on: it was submitted, preempted, or has failed."""

    def started(self, job: Job, cluster: Cluster) -> None:
        """It runs from now on, or has another size."""

    def stopped(self, job: Job, cluster: Cluster) -> None:
        """It has ended, or is about to be stopped or resized; it still holds its GPUs."""

    def withdrawn(self, job: Job, cluster: Cluster) -> None:
        """It leaves before its work is done, for good."""


class Results:
    """What a run found. Tables have the columns of the CSV files of `simrun`; `simrun list columns` explains them."""

    def __init__(self, report: Any):
        self._report = report
        self._frames: Dict[str, "pandas.DataFrame"] = {}

    @property
    def text(self) -> str:
        """What `simrun` prints."""
        return self._report.text

    @property
    def summary(self) -> Dict[str, Any]:
        """summary.json: the figures of each policy or job, what is assumed, notes."""
        return json.loads(self._report.summary)

    @property
    def exit_code(self) -> int:
        """That of `simrun`: 0; 3 where a job could never run or a goal was missed."""
        return self._report.exit_code

    @property
    def tables(self) -> List[str]:
        """Names of the tables: jobs, events, metrics, ..."""
        return self._report.tables()

    def csv(self, table: str) -> str:
        """A table as CSV text; needs no pandas."""
        return self._report.csv(table)

    def rows(self, table: str) -> List[Dict[str, str]]:
        """A table as a list of dictionaries of texts; needs no pandas."""
        return list(csv.DictReader(io.StringIO(self.csv(table))))

    def frame(self, table: str) -> "pandas.DataFrame":
        """A table as a DataFrame."""
        if table not in self._frames:
            try:
                import pandas
            except ImportError:
                raise ImportError(
                    "tables as DataFrames need pandas: pip install pandas (Debian: python3-pandas); "
                    "Results.rows() and Results.csv() need nothing"
                ) from None
            self._frames[table] = pandas.read_csv(io.StringIO(self.csv(table)), dtype={"job": str})
        return self._frames[table]

    @property
    def jobs(self) -> "pandas.DataFrame":
        """A row per job."""
        return self.frame("jobs")

    @property
    def events(self) -> "pandas.DataFrame":
        """What happened, in order of time."""
        return self.frame("events")

    @property
    def metrics(self) -> "pandas.DataFrame":
        """Means, percentiles and totals, a row per policy and point."""
        return self.frame("metrics")

    def __repr__(self) -> str:
        return f"<trainyard.Results: {', '.join(self.tables)}>"


def _plain(value: Any) -> Any:
    """Of numpy and pathlib: the number, list or text that it stands for."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"an override cannot be {value!r}; give a text, a number, a list or a dictionary of them")


def _value_text(value: Any) -> str:
    """A value as the scenario file would have it; texts are YAML, as those of `simrun --set`."""
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def _find(name: str) -> str:
    """A file, or the name of an example."""
    if os.path.exists(name):
        return name
    examples = {file.stem: file for file in pathlib.Path(_data_folder(), "scenarios").rglob("*.yaml")}
    if name in examples:
        return str(examples[name])
    raise FileNotFoundError(f"there is no scenario file '{name}', and no example of that name; examples: {', '.join(sorted(examples))}")


class Simulation:
    """A scenario, checked and ready to run.

    `scenario`: a file, the name of an example, or the YAML text itself (it has line breaks).
    `policy`: decides instead of the scenario's policies; the scenario needs a `workload`.
    `overrides`: values by path, as `simrun --set`: {"scheduling.policy": "sjf", "cluster.nodes.0.count": 4}.

    Raises ScenarioError, with all faults and their places.
    """

    def __init__(self, scenario: Union[str, "os.PathLike[str]"], *, policy: Optional[Policy] = None, overrides: Optional[Mapping[str, Any]] = None):
        if policy is not None and not isinstance(policy, Policy):
            raise TypeError(f"policy must be an object of a subclass of trainyard.Policy, not {policy!r}")
        if overrides is not None and not isinstance(overrides, Mapping):
            raise TypeError(f'overrides must be a dictionary {{"path": value}}, not {overrides!r}')
        given = os.fspath(scenario)
        inline = isinstance(scenario, str) and "\n" in scenario
        self._core = _CoreSimulation(
            "scenario" if inline else _find(given),
            given if inline else None,
            {path: _value_text(value) for path, value in (overrides or {}).items()},
            policy,
        )
        self._results: Optional[Results] = None

    @property
    def warnings(self) -> List[str]:
        """What the check of the scenario had to say beside errors."""
        return self._core.warnings

    def step(self) -> Optional[float]:
        """Everything of the next instant at which something happens, decisions included. Its time in s; None: the run is over."""
        return self._core.step()

    def run(self) -> Results:
        """Runs to the end, also after some steps. The same results when it is called again."""
        if self._results is None:
            self._results = Results(self._core.run())
        return self._results
