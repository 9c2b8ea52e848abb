# SPDX-License-Identifier: Apache-2.0
"""
Recorded reservations that are known defects of 8.1.9. They are no example to follow, but the rest of a run is only comparable when what
was booked is booked: a comparison checks that the defect is one, takes the recorded reservation, and goes on.
"""
from naive_pe import Grant
from naive_quota import limit_value, quota_uses, rules_for
from naive_state import SATURATED


def recorded(run, job, task):
    return next((row for row in run.given["reservations"] if (row["id"], row["task"]) == (job.id, task)), None)


def granted_in(run, row):
    by_name = {i.name: i for i in run.cell.instances}
    return [(by_name[b["object"]], int(b["amount"])) for b in row["booked"] if (b["level"], b["resource"]) == ("Q", "slots")]


def beyond_quotas(run, job, row, granted, pe):
    """Does it book more than a limit leaves?"""
    span, amounts = run.state.interval(row["start"], row["duration"]), {}
    for k, (i, n) in enumerate(granted):
        limits = {("quota", rule, name): limit_value(run.state, i.host, text)
                  for rule, texts in rules_for(run.state, job, i, pe) for name, text in texts.items()}
        for level, holder, resource, key, amount in quota_uses(run.state, job, i, pe, n, k == 0):
            amounts[key] = amounts.get(key, 0) + amount
            if amounts[key] + run.state.book.most(key, *span) > limits[key] + 1e-9:
                return True
    return False


def as_recorded(run, job, task, found):
    """(what is wrong with the recorded reservation, that reservation), or (None, the one found)."""
    row = recorded(run, job, task)
    if not row:
        return None, found
    granted = granted_in(run, row)
    pe = next((b["object"] for b in row["booked"] if b["level"] == "P"), None)
    why = None
    if row["start"] < run.state.now:
        why = "a reservation before the run"
    elif row["start"] == SATURATED:
        why = "a reservation for the end of all times"
    elif beyond_quotas(run, job, row, granted, pe):
        why = "a reservation beyond a quota"
    elif row["start"] == run.state.now and not (found and found.start == run.state.now):
        why = "a reservation for the second of the run"
    return (why, Grant(pe, sum(n for i, n in granted), granted, 0, row["start"])) if why else (None, found)
