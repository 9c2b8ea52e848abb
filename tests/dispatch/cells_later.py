# SPDX-License-Identifier: Apache-2.0
"""Further objects of random cells: calendars, subordinates, states, suspended tasks, holds, advance reservations."""
import time


SUSPENDED_BY_USER, SUSPENDED_ON_THRESHOLD = 0x100, 0x10000


def daytime(moment):
    return time.strftime("%H:%M:%S", time.localtime(moment))


def daytimes(begin, end):
    return "%s-%s" % (daytime(begin), daytime(end))


def calendar_rows(r, name, now):
    """Closed now or later, by the week or on the day, or by two entries that overlap."""
    begin = now + r.choice([-3000, -500, 60, 300, 900, 4000])
    span = daytimes(begin, begin + r.choice([400, 1200, 5000]))
    state = r.choice(["", "=off", "=off", "=suspended"])
    day = time.strftime("%a", time.localtime(now)).lower()
    year, week = "NONE", "%s=%s%s" % (r.choice(["mon-sun", day, "fri-mon," + day]), span, state)
    if r.random() < 0.5:
        date = time.localtime(now)
        year, week = "%d.%d.%d=%s%s" % (date.tm_mday, date.tm_mon, date.tm_year, span, state), r.choice(["NONE", "sat,sun=off", week])
    elif r.random() < 0.4:
        week += " %s=%s" % (daytimes(begin + 200, begin + 700), r.choice(["on", "suspended"]))
    return [("calendar_name", name), ("year", year), ("week", week)]


def subordinate_list(r, name, queues):
    """Choose queues that are later in the alphabet, so that no queue is its own subordinate."""
    lower = [q for q in queues if q > name]
    if not lower:
        return "NONE"
    chosen = r.sample(lower, r.randint(1, len(lower)))
    if r.random() < 0.3:
        return "slots=%d(%s)" % (r.randint(1, 4), ", ".join("%s:%d:%s" % (q, r.randint(0, 2), r.choice(["sr", "lr"])) for q in chosen))
    return ",".join(q + r.choice(["", "=1", "=2", "=3"]) for q in chosen)


def wait_for(r, row, before, now):
    """Holds, times and predecessors of a job that comes after others."""
    if r.random() < 0.3:
        row["hold"] = r.choice(["u", "o", "s", "uo"])
    if r.random() < 0.3:
        row["a"] = now + r.choice([-500, 0, 1, 3600])
    if r.random() < 0.3 and before:
        row["hold_jid"] = ",".join(other["id"] for other in r.sample(before, min(len(before), r.randint(1, 2))))
    arrays = [other for other in before if other.get("tasks") == row.get("tasks") and "tasks" in row and other.get("phase") != "run"]
    if r.random() < 0.5 and arrays:
        row["hold_jid_ad"] = r.choice(arrays)["id"]


def held_tasks(row):
    """{kind of hold: tasks}"""
    if "tasks" in row:
        low, _, rest = row["tasks"].partition("-")
        high, _, step = rest.partition(":")
        ids = [[int(low), int(high), int(step or 1)]]
    else:
        ids = [[1, 1, 1]]
    return {kind: ids for kind in row.get("hold", "") + ("a" if "hold_jid_ad" in row else "")}


def letters(r, instances, now, calendars, by_hand):
    """Return states of instances as reported by the qmaster: the current state of calendars and manual changes."""
    states = {}
    for i in instances:
        state = calendars[i.calendar].letter(now) if i.calendar in calendars else ""
        if by_hand and r.random() < 0.12:
            state += r.choice("dsuEoSc")
        if state:
            states[i.name] = "".join(sorted(state))
    return states


def running_states(r, running):
    """Some tasks are suspended: by the user, or on a threshold."""
    return [{"job_number": row["job_number"], "task": row["task"], "state": r.choice([SUSPENDED_BY_USER, SUSPENDED_ON_THRESHOLD])}
            for row in running if r.random() < 0.25]


def advance_reservation(r, number, free, now):
    """Some slots of one instance or two: it runs, or begins later; `free` is the slots that are left, by instance."""
    places = [i for i, n in free.items() if n > 0]
    if not places:
        return None
    granted = [(i, r.randint(1, free[i])) for i in r.sample(places, min(len(places), r.randint(1, 2)))]
    common = [pe for pe in granted[0][0].pes if all(pe in i.pes for i, n in granted)]
    pe = r.choice(common) if common else None
    granted = granted if pe else [(granted[0][0], 1)]
    begin = now + r.choice([-100, -100, 200, 600])
    length = r.choice([900, 3600])
    for i, n in granted:
        free[i] -= n
    span = "%d:%02d:%02d" % (length // 3600, length % 3600 // 60, length % 60)
    slots = [{"JG_qname": i.name, "JG_slots": n} for i, n in granted]
    queues = [{"QU_full_name": i.name, "QU_qname": i.queue, "QU_qhostname": i.host.name, "QU_job_slots": n, "QU_s_rt": span, "QU_h_rt": span,
               "QU_consumable_config_list": [{"CE_name": "slots", "CE_doubleval": n}]} for i, n in granted]
    return {"AR_id": number, "AR_name": "r%d" % number, "AR_owner": "ann", "AR_start_time": begin, "AR_end_time": begin + length,
            "AR_duration": length, "AR_state": 2 if begin <= now else 1, "AR_granted_pe": pe, "AR_granted_slots": slots,
            "AR_reserved_queues": queues, "AR_resource_list": []}
