# SPDX-License-Identifier: Apache-2.0
"""Compare the mirror in the output of `fairlead dump` with the objects that a qmaster returns, read by wire.py."""
import json
import re

import wire

wire.FIELDS.update({133: "JB_ja_task_concurrency", 141183: "JAT_wallclock_limit", 480: "EH_reschedule_unknown_list", 141800: "RU_job_number",
                    141801: "RU_task_number"})

IDLE, FINISHED = 0, 0x10000                                             # JAT_status
ERROR = 0x8000                                                          # JAT_state
# of that by another queue, 0x2000 and 0x4000, no event reports
SUSPENDED = (("s", 0x100), ("T", 0x10000))
HOLDS = (("u", "JB_ja_u_h_ids", 1), ("o", "JB_ja_o_h_ids", 2), ("s", "JB_ja_s_h_ids", 4), ("a", "JB_ja_a_h_ids", 8))
STATES = (("d", 0x4), ("s", 0x100), ("u", 0x400), ("E", 0x4000), ("D", 0x20000), ("C", 0x40000), ("c", 0x80000), ("o", 0x100000))
AR_STATES = {1: "w", 2: "r", 5: "E", 6: "W"}
OFF, BY_CALENDAR = 0x20000, 0x40000
ARRAY, IMMEDIATE = 0x80, 0x1


def ids(ranges):
    return {k for r in ranges for k in range(r["RN_min"], r["RN_max"] + 1, r["RN_step"] or 1)}


def ids_of_text(text):
    out = set()
    for part in filter(None, text.split(",")):
        part, _, step = part.partition(":")
        low, _, high = part.partition("-")
        out |= set(range(int(low), int(high or low) + 1, int(step or 1)))
    return out


def escaped(text, separators):
    """Return the text of an entry in a list with separators: see conf/entries.h."""
    out, k = "", 0
    while k < len(text):
        slashes = len(text[k:]) - len(text[k:].lstrip("\\"))
        k += slashes
        ends = k == len(text) or text[k] in separators
        out += "\\" * slashes * (2 if ends else 1)
        if k < len(text):
            out += ("\\" if ends else "") + text[k]
            k += 1
    return out


def in_any_order(text):
    """Return requests and queues of a job in a fixed order: the qmaster sorts its own lists at any time without an
    event."""
    return sorted(re.findall(r"(?:[^,\\]|\\.)+", text))


def requests(rows):
    return ",".join(escaped(r["CE_name"], ",") + ("=" + escaped(r["CE_stringval"], ",") if r["CE_stringval"] else "") for r in rows)


def names(rows, field):
    return ",".join(escaped(r[field], ", \t") for r in rows)


def slots(rows):
    def one(r):
        low, high, step = r["RN_min"], r["RN_max"], r["RN_step"]
        if low != high and step > 1:
            return "%d-%d:%d" % (low, min(high, 9999999), step)
        return "%d" % low if low == high else "%d-" % low if high >= 9999999 else "%d-%d" % (low, high)
    return ",".join(map(one, rows))


def granted(rows):
    return [(r["JG_qname"], r["JG_slots"]) for r in rows]


# -- the qmaster ------------------------------------------------------------------------------------------------------------------

def task_letters(task):
    letters = "".join(letter for letter, bits in SUSPENDED if task["JAT_state"] & bits)
    return letters or "r"       # that a host has taken a task up no event says: t and r are one


def started_of(task):
    return {"granted": granted(task["JAT_granted_destin_identifier_list"]), "start": task["JAT_start_time"], "pe": task["JAT_granted_pe"],
            "limit": task["JAT_wallclock_limit"], "state": task_letters(task)}


def job_of_qmaster(job):
    tasks = {t["JAT_task_number"]: t for t in job["JB_ja_tasks"]}
    idle = {k for k, t in tasks.items() if t["JAT_status"] == IDLE}
    free = set().union(ids(job["JB_ja_n_h_ids"]), *(ids(job[field]) for _, field, _ in HOLDS))
    out = {name: job[field] for name, field in (
        ("owner", "JB_owner"), ("name", "JB_job_name"), ("project", "JB_project"), ("department", "JB_department"), ("group", "JB_group"),
        ("submitted", "JB_submission_time"), ("jobshare", "JB_jobshare"), ("override", "JB_override_tickets"), ("deadline", "JB_deadline"),
        ("execution", "JB_execution_time"), ("ckpt", "JB_checkpoint_name"), ("pe", "JB_pe"), ("ar", "JB_ar"), ("tc", "JB_ja_task_concurrency"))}
    out.update(priority=job["JB_priority"] - 1024, reserve=bool(job["JB_reserve"]), now=bool(job["JB_type"] & IMMEDIATE),
               hard=requests(job["JB_hard_resource_list"]), soft=requests(job["JB_soft_resource_list"]),
               hard_queues=names(job["JB_hard_queue_list"], "QR_name"), soft_queues=names(job["JB_soft_queue_list"], "QR_name"),
               master_queues=names(job["JB_master_hard_queue_list"], "QR_name"), pe_range=slots(job["JB_pe_range"]),
               predecessors={r["JRE_job_number"] for r in job["JB_jid_predecessor_list"]}, waiting=free | idle,
               started={k: started_of(t) for k, t in tasks.items() if t["JAT_status"] not in (IDLE, FINISHED)},
               error={k for k in idle if tasks[k]["JAT_state"] & ERROR}, enrolled=idle if job["JB_type"] & ARRAY else set(),
               held={letter: ids(job[field]) | {k for k in idle if tasks[k]["JAT_hold"] & bit} for letter, field, bit in HOLDS})
    return out


def jobs_of_qmaster(rows):
    """Return the jobs by number, without those that have only ended tasks."""
    jobs = {job["JB_job_number"]: job_of_qmaster(job) for job in rows}
    return {number: job for number, job in jobs.items() if job["waiting"] or job["started"]}


def instances_of_qmaster(queues):
    out = {}
    for queue in queues:
        for q in queue["CQ_qinstances"]:
            letters = {letter for letter, bit in STATES if q["QU_state"] & bit} | ({"S"} if q["QU_suspended_on_subordinate"] else set())
            changes = [("D" if c["CQU_state"] & OFF else "C" if c["CQU_state"] & BY_CALENDAR else "", c["CQU_until"]) for c in q["QU_state_changes"]]
            out[q["QU_full_name"]] = (q["QU_job_slots"], letters, changes)
    return out


def advances_of_qmaster(rows):
    return {a["AR_id"]: {"owner": a["AR_owner"], "name": a["AR_name"], "begin": a["AR_start_time"], "end": a["AR_end_time"],
                         "state": AR_STATES.get(a["AR_state"], "d"), "hard": requests(a["AR_resource_list"]), "pe": a["AR_granted_pe"],
                         "hard_error": bool(a["AR_error_handling"]), "access": names(a["AR_acl_list"], "ARA_name"),
                         "granted": granted(a["AR_granted_slots"])} for a in rows}


def hosts_of_qmaster(rows):
    """Return the names of load values, since the values change all the time, and the reserved amounts."""
    return {h["EH_name"]: ({v["HL_name"] for v in h["EH_load_list"]}, [(r["RU_job_number"], r["RU_task_number"]) for r in h["EH_reschedule_unknown_list"]])
            for h in rows if h["EH_name"] not in ("template", "global")}


# -- the mirror -------------------------------------------------------------------------------------------------------------------

def job_of_mirror(e):
    array = "tasks" in e
    job = {"owner": e["owner"], "name": e.get("job_name", ""), "project": e.get("project", ""), "department": e.get("department", ""),
           "group": e.get("group", ""), "submitted": e["submission_time"], "jobshare": e.get("jobshare", 0), "override": e.get("override_tickets", 0),
           "deadline": e.get("deadline", 0), "execution": e.get("execution_time", 0), "ckpt": e.get("checkpoint", ""), "pe": e.get("pe", ""),
           "ar": e.get("ar", 0), "tc": e.get("task_concurrency", 0), "priority": e.get("priority", 0), "reserve": e.get("reserve", False), "now": e.get("now", False),
           "hard": e.get("hard_resource_list", ""), "soft": e.get("soft_resource_list", ""), "hard_queues": e.get("hard_queue_list", ""),
           "soft_queues": e.get("soft_queue_list", ""), "master_queues": e.get("master_queue_list", ""), "pe_range": e.get("pe_range", ""),
           "predecessors": set(e.get("hold_jid", [])), "waiting": ids_of_text(e["tasks"]) if array else {1}, "started": {},
           "error": {1} if e.get("error") else set(), "enrolled": set(),
           "held": {letter: ids_of_text(e.get("hold", {}).get(letter, "")) for letter, _, _ in HOLDS}}
    return job


def read_mirror(text):
    """The jobs, instances, advance reservations and hosts of a dump."""
    jobs, instances, advances, loads, avoided = {}, {}, {}, {}, {}
    for e in map(json.loads, text.splitlines()):
        kind, job = e["event"], jobs.get(e.get("job_number"))
        if kind == "job_add":
            jobs[e["job_number"]] = job_of_mirror(e)
        elif kind == "task_start":
            job["waiting"].discard(e.get("task", 1))
            job["started"][e.get("task", 1)] = {"granted": [(g["queue"], g["slots"]) for g in e["granted"]], "start": e["start_time"],
                                                "pe": e.get("granted_pe", ""), "limit": e.get("wallclock_limit", 0), "state": "r"}
        elif kind == "task_state":
            job["started"][e.get("task", 1)]["state"] = e["state"].replace("t", "r")
        elif kind == "tasks_enrolled":
            job["enrolled"], job["error"] = ids_of_text(e["tasks"]), ids_of_text(e.get("error", ""))
        elif kind == "queue_instance":
            changes = [(c["state"], c.get("until", 0)) for c in e.get("state_changes", [])]
            instances[e["queue"]] = (e["slots"], set(e.get("state", "")), changes)
        elif kind == "advance_reservation":
            advances[e["number"]] = {"owner": e["owner"], "name": e.get("name", ""), "begin": e["start_time"], "end": e["end_time"],
                                     "state": e.get("state", "w"), "hard": e.get("hard_resource_list", ""), "pe": e.get("granted_pe", ""),
                                     "hard_error": e.get("hard_error", False), "access": e.get("access_list", ""),
                                     "granted": [(g["queue"], g["slots"]) for g in e["granted"]]}
        elif kind == "host_load":
            loads[e["host"]] = set(e["load_values"])
        elif kind == "reschedule_unknown":
            avoided[e["host"]] = [tuple(task) for task in e["tasks"]]
    hosts = {name: (values, avoided.get(name, [])) for name, values in loads.items() if name != "global"}
    for job in jobs.values():           # a hold of what is started says nothing
        job["held"] = {letter: held & job["waiting"] for letter, held in job["held"].items()}
        job["enrolled"] &= job["waiting"]
    return {number: job for number, job in jobs.items() if job["waiting"] or job["started"]}, instances, advances, hosts


ANY_ORDER = "hard", "soft", "hard_queues", "soft_queues", "master_queues"


def differences(qmaster, mirror, where=""):
    """["jobs 17 held: the qmaster has ..., the mirror ..."]"""
    if isinstance(qmaster, dict) and isinstance(mirror, dict):
        return [line for key in sorted({*qmaster, *mirror}, key=str)
                for line in differences(qmaster.get(key), mirror.get(key), "%s %s" % (where, key))]
    if where.split(" ")[-1] in ANY_ORDER and qmaster and mirror and in_any_order(qmaster) == in_any_order(mirror):
        return []
    return [] if qmaster == mirror else ["%s: the qmaster has %s, the mirror %s" % (where.strip(), qmaster, mirror)]


def compare(engine, dump):
    """Compare the objects of a qmaster with a dump of the same moment."""
    jobs, queues, advances, hosts = engine.get("jobs", "queues", "reservations", "hosts")
    theirs = jobs_of_qmaster(jobs), instances_of_qmaster(queues), advances_of_qmaster(advances), hosts_of_qmaster(hosts)
    kinds = "jobs", "instances", "advances", "hosts"
    return differences(dict(zip(kinds, theirs)), dict(zip(kinds, read_mirror(dump))))
