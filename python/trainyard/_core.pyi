# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

class PolicyError(RuntimeError):
    """A decision of a policy that the rules do not allow."""

class Job:
    name: str
    number: int
    gpus: int
    min_gpus: int
    max_gpus: int
    tasks: int
    gpu_share: float
    submitted: float
    estimate: float
    duration: float
    deadline: Optional[float]
    priority: float
    user: str
    team: str
    queue: str
    model: str
    gpu_type: Optional[str]
    waits: bool
    runs: bool
    ready: Optional[float]
    first_start: Optional[float]
    last_start: Optional[float]
    progress: float
    estimated_remaining: float
    attained: float
    held_gpus: int
    place: List[Tuple[str, List[int]]]
    preemptions: int
    failures: int

class Queue:
    def __iter__(self) -> Iterator[Job]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __contains__(self, job: Job) -> bool: ...
    def __getitem__(self, index: int) -> Job: ...

class Cluster:
    now: float
    total_gpus: int
    free_gpus: int
    gpu_types: List[str]
    machines: List[str]
    free: List[int]
    running: List[Job]
    def free_gpus_of(self, gpu_type: str) -> int: ...
    def free_on(self, machine: Union[str, int]) -> List[int]: ...
    def fits(self, job: Union[Job, str], without: Iterable[Union[Job, str]] = ()) -> bool: ...
    def start(
        self,
        job: Union[Job, str],
        gpus: int = 0,
        where: Optional[List[Tuple[Union[str, int], Union[int, List[int]]]]] = None,
        gpu_type: Optional[str] = None,
    ) -> bool: ...
    def preempt(self, job: Union[Job, str]) -> None: ...
    def resize(self, job: Union[Job, str], gpus: int) -> bool: ...
    def withdraw(self, job: Union[Job, str]) -> None: ...
    def wake_at(self, time: float) -> None: ...

class Report:
    text: str
    summary: str
    exit_code: int
    def tables(self) -> List[str]: ...
    def csv(self, table: str) -> str: ...

class Simulation:
    warnings: List[str]
    def __init__(self, file: str, text: Optional[str], overrides: Dict[str, str], policy: Any) -> None: ...
    def step(self) -> Optional[float]: ...
    def run(self) -> Report: ...

def data_folder() -> str: ...
def version() -> str: ...
