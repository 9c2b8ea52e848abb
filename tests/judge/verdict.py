# SPDX-License-Identifier: Apache-2.0
"""The verdict about a recorded cell, by the same comparison as tests/reference/run, and the kind of difference.

    equal        nothing differs
    decisions    another task, place, order of starts, reservation or suspension
    values       priorities and tickets alone, be it the last bit
    order        lines of the schedule in another order, and nothing else
    defect       the first decision that differs is a known defect of 8.1.9, named and checked by tests/reference/defects.py
    failed       the program does not take the case
"""
import collections
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "reference"))
import dispatch
from events import final_events
from live import Stuck
from programs import Programs, Trouble

KINDS = ["equal", "decisions", "values", "order", "defect", "failed", "refused"]
Verdict = collections.namedtuple("Verdict", "kind first", defaults=[""])


def judge(path):
    programs = Programs(1)
    try:
        case = dispatch.DispatchCase(path)
        result = programs.schedule(case.path, case.now, final_events(case, programs.start_order(case)))
        return weigh(case, result)
    except (Trouble, Stuck, OSError, ValueError, KeyError, LookupError) as error:
        return Verdict("failed", "%s: %s" % (type(error).__name__, str(error)[:300]))
    finally:
        programs.close(False)


def weigh(case, result):
    notes = dispatch.differences(case, result)
    defect = dispatch.explained(case, result) if notes else None
    if defect and not defect[1]:
        return Verdict("defect", "; ".join(defect[0].defects))
    notes = defect[1] if defect else notes
    kind = next((kind for kind in ("decisions", "values", "order") if kind in kinds_of(notes)), "equal")
    first = next((note for note in notes if kind_of(note[0]) == kind), notes[0]) if notes else None
    return Verdict(kind, sentence(first))


def kinds_of(notes):
    """Lines of the schedule alone are a matter of order if they are the same ones."""
    lines = [note for note in notes if kind_of(note[0]) == "lines"]
    moved = collections.Counter(want for _, want, _ in lines) == collections.Counter(got for _, _, got in lines)
    return {kind_of(what) for what, _, _ in notes} - {"lines"} | ({"order" if moved else "decisions"} if lines else set())


def kind_of(what):
    """Notes of values name the value last."""
    if what.startswith("line "):
        return "lines"
    return "values" if what.split(", ")[-1] in ("prio", "ntckts", "tickets", *dispatch.PENDING) else "decisions"


def sentence(note):
    return "%s: recorded %s, is %s" % (note[0], dispatch.shown(note[1]), dispatch.shown(note[2])) if note else ""
