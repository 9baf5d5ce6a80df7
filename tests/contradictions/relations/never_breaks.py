# SPDX-License-Identifier: Apache-2.0
SAYS = "No scenario crashes simrun, makes it run for ever, or shows a bug of its own; what is refused is refused with a place."


def check(simrun, scenario, random):
    return None  # relation.py looks at every run
