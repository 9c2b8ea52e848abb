# SPDX-License-Identifier: Apache-2.0
"""What a recorded cell says of the real program: by the same comparison as tests/reference/run, and what kind of difference it is.

    equal        nothing differs
    decisions    another task, place, order of starts, reservation or suspension
    values       priorities and tickets alone, be it the last bit
    order        lines of the schedule in another order, and nothing else
    defect       the first difference is a defect of 8.1.9 that is known, named and checked here
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
Verdict = collections.namedtuple("Verdict", "kind first notes", defaults=["", ()])


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
    notes = dispatch.compare_starts(case.expected["started"], result.starts)[1]
    notes += dispatch.compare_left(case.expected["pending"], dispatch.left_over(result))
    notes += dispatch.compare_suspensions(case.expected, result)
    lines = dispatch.compare_schedule(case, result.schedule)[1]
    kinds = [kind_of(what) for what, _, _ in notes]
    if lines:
        moved = collections.Counter(want for _, want, _ in lines) == collections.Counter(got for _, _, got in lines)
        kinds.append("order" if moved else "decisions")
        notes += lines
    kind = next((kind for kind in ("decisions", "values", "order") if kind in kinds), "equal")
    first = next((note for note in notes if kind_of(note[0]) == kind), notes[0]) if notes else None
    if kind == "decisions":
        defect = known_defect(case, result)
        if defect:
            return Verdict("defect", defect, notes)
    return Verdict(kind, told(first), notes)


def kind_of(what):
    """Notes of values name the value last."""
    if what.startswith("line "):
        return "lines"
    return "values" if what.split(", ")[-1] in ("prio", "ntckts", "tickets", *dispatch.PENDING) else "decisions"


def told(note):
    return "%s: recorded %s, is %s" % (note[0], dispatch.shown(note[1]), dispatch.shown(note[2])) if note else ""


def known_defect(case, result):
    """Its name, if what the real one did first otherwise than we is one of its defects; what comes later follows from that."""
    odd = [row for row in case.expected["reservations"] if row["start"] < case.now]
    if odd:
        return "8.1.9 reserves for job %d in %d" % (odd[0]["job_number"], odd[0]["start"])
    return None
