# SPDX-License-Identifier: Apache-2.0
"""Compare two recordings of the same cell in a real qmaster, under the built-in scheduler and under ours."""
import json
import os

import verdict

DIGITS = {"prio": 5, "ntckts": 5, "nurg": 5, "npprior": 5, "tckts": 0, "urg": 0, "rrcontr": 0, "wtcontr": 0, "dlcontr": 0}     # that qstat prints


def expected(path):
    with open(os.path.join(path, "expected.json")) as file:
        return json.load(file)


def starts(rows):
    """Return the started tasks in order, with their queue instances and slots."""
    return [(row["id"], row["task"], row["pe"], [(entry["queue"], entry["slots"]) for entry in row["granted"]]) for row in rows]


def printed(row):
    return {name: "%.*f" % (digits, row[name]) for name, digits in DIGITS.items() if name in row}


def waiting(case):
    return {row["id"]: [row["pending_tasks"], row["held_tasks"]] for row in case["pending"]}


def values(case):
    """Return the values of pending jobs as qstat prints them."""
    return {row["id"]: printed(row) for row in case["pending"]}


def names(rows, case):
    ids = {row["job_number"]: row["id"] for kind in ("started", "already_running", "pending") for row in case[kind]}
    return [[ids.get(number), task] for number, task in rows]


def compare(theirs, ours):
    """Verdict on two recordings of one cell."""
    a, b = expected(theirs), expected(ours)
    for what, one, other in (("already running", starts(a["already_running"]), starts(b["already_running"])),
                             ("started", starts(a["started"]), starts(b["started"])),
                             ("waiting", waiting(a), waiting(b)),
                             ("suspended", names(a["suspended"], a), names(b["suspended"], b)),
                             ("resumed", names(a["resumed"], a), names(b["resumed"], b))):
        if one != other:
            return explained(theirs) or verdict.Verdict("decisions", "%s: %s" % (what, first(one, other)))
    for what, one, other in (("printed", values(a), values(b)),
                             ("printed of what started", [printed(row) for row in a["started"]], [printed(row) for row in b["started"]])):
        if one != other:
            return explained(theirs) or verdict.Verdict("values", "%s: %s" % (what, first(one, other)))
    return verdict.Verdict("equal")


def first(one, other):
    """The first entry that differs, of lists or dictionaries."""
    keys = list(one) if isinstance(one, dict) else range(max(len(one), len(other)))

    def at(rows, key):
        return rows.get(key) if isinstance(rows, dict) else rows[key] if key < len(rows) else None
    for key in [*keys, *(key for key in other if isinstance(other, dict) and key not in one)]:
        if at(one, key) != at(other, key):
            return "%s: the built-in %s, ours %s" % (key, at(one, key), at(other, key))
    return ""


def explained(theirs):
    """Where the built-in one does what is known to be wrong, and Fairlead by itself does not either."""
    found = verdict.judge(theirs)
    return found if found.kind == "defect" else None
