# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a scenario."""
from typing import List, NamedTuple, Sequence


class Fault(NamedTuple):
    """One fault of a scenario; line and column count from 1, 0 where they are not known."""

    file: str
    line: int
    column: int
    message: str


class ScenarioError(ValueError):
    """The scenario is wrong. All its faults at once, with their places."""

    def __init__(self, text: str, faults: Sequence[tuple] = ()):
        super().__init__(text)
        self.faults: List[Fault] = [Fault(*fault) for fault in faults]
