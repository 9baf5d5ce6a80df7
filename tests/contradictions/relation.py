# SPDX-License-Identifier: Apache-2.0
"""Relations: one file each in relations/. A file says

    SAYS        what holds, in one sentence
    applies(s)  on which scenarios (optional; all)
    WEIGHT      how often it is tried (optional; 1)

and either what it changes and what holds between the two runs:

    changed(s, random)            the changed scenario; None: nothing to change; or a pair of it and a note for HOLDS
    HOLDS(before, after, note)    what is broken (comparison.py has the usual ones), or None
    MAY_REFUSE                    whether simrun may refuse the changed scenario (optional; False)
    STATUS_MAY_DIFFER             whether the exit code may (3: a goal is not met, a job never runs)

or, where that is not enough, the whole check:

    check(simrun, s, random)      what is broken, or None
"""
import copy
import importlib.util
import pathlib
import random

import scenario_text
from comparison import Broken


class Relation:
    def __init__(self, path):
        self.name = path.stem
        spec = importlib.util.spec_from_file_location(f"relations.{self.name}", path)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.says = self.module.SAYS
        self.weight = getattr(self.module, "WEIGHT", 1)

    def broken(self, simrun, scenario, seed):
        """What of the relation is broken on @p scenario; None: it holds; False: it says nothing of this one."""
        before = simrun.run(scenario)
        if fault := before.breakdown():
            return Broken("breaks", fault) if self.name == "never_breaks" else False
        applies = getattr(self.module, "applies", None)
        own = copy.deepcopy(scenario)
        chance = random.Random(f"{seed} {self.name}")
        if applies and not applies(own):
            return False
        if hasattr(self.module, "check"):
            return self.module.check(simrun, own, chance)
        if not before.accepted:
            return False
        made = self.module.changed(own, chance)
        made, note = made if isinstance(made, tuple) else (made, None)
        if made is None or scenario_text.dump(made) == scenario_text.dump(scenario):
            return False
        after = simrun.run(made)
        if fault := after.breakdown():
            return Broken("breaks", f"the changed scenario: {fault}")
        if not after.accepted:
            if getattr(self.module, "MAY_REFUSE", False):
                return False
            return Broken("refused", f"the changed scenario is refused: {after.errors}")
        if before.status != after.status and not getattr(self.module, "STATUS_MAY_DIFFER", False):
            return Broken("status", f"exit codes {before.status} and {after.status}: {after.errors}")
        return self.module.HOLDS(before, after, note)


def all_relations(only=None):
    found = [Relation(path) for path in sorted((pathlib.Path(__file__).parent / "relations").glob("*.py"))]
    unknown = set(only or ()) - {relation.name for relation in found}
    if unknown:
        raise SystemExit(f"no relation {', '.join(sorted(unknown))}; there are {', '.join(relation.name for relation in found)}")
    return [relation for relation in found if not only or relation.name in only]
