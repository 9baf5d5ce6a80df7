# SPDX-License-Identifier: Apache-2.0
"""Many points of a scenario, computed by whatever starts functions elsewhere."""
import concurrent.futures
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._errors import ScenarioError

Scenario = Union[str, "os.PathLike[str]"]


def _point(scenario: str, values: Mapping[str, Any], table: Optional[str]) -> List[Dict[str, Any]]:
    """Runs in another process, which imports the package itself."""
    import trainyard

    try:
        results = trainyard.Simulation(scenario, overrides=values).run()
        return [{**values, **row} for row in results.rows(table or ("metrics" if "metrics" in results.tables else "jobs"))]
    except (ScenarioError, RuntimeError) as fault:
        return [{**values, "error": str(fault)}]


def sweep(
    scenario: Scenario, points: Iterable[Mapping[str, Any]], *, executor: Optional[concurrent.futures.Executor] = None, table: Optional[str] = None
) -> List[Dict[str, Any]]:
    """A scenario once for each of `points`, which are overrides: [{"jobs.0.workers": 4}, …].

    `executor`: any of concurrent.futures, or one with its `submit`, as Dask's `client.get_executor()`; without one a process for each core. Its
    processes need the package, and the file of the scenario at the same place. `table`: "metrics", of a training "jobs", if you do not say.
    Rows in order of the points: the values of the point, then the columns of the table; a point that fails has one with `error`."""
    given = os.fspath(scenario)
    if os.path.exists(given):
        given = os.path.abspath(given)
    if executor is None:
        with concurrent.futures.ProcessPoolExecutor() as own:
            return sweep(given, points, executor=own, table=table)
    waiting = [executor.submit(_point, given, dict(values), table) for values in points]
    return [row for future in waiting for row in future.result()]
