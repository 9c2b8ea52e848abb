# SPDX-License-Identifier: Apache-2.0
"""The qmaster's objects and files as rows of a recorded case."""

STATES = [(0x4, "d"), (0x100, "s"), (0x400, "u"), (0x4000, "E"), (0x20000, "D"), (0x40000, "C"), (0x80000, "c"), (0x100000, "o")]


def log_lines(reporting, what):
    """(job, task) of the job log's lines of this kind, in their order"""
    fields = (line.split(":") for line in reporting.splitlines() if ":job_log:" in line)
    return [(int(f[4]), max(int(f[5]), 1)) for f in fields if f[3] == what and len(f) > 5]


def start_row(ids, job, task):
    number = job["JB_job_number"]
    granted = task["JAT_granted_destin_identifier_list"]
    return {"id": ids.get(number, job["JB_job_name"]), "job_number": number, "task": task["JAT_task_number"], "owner": job["JB_owner"],
            "submit_time": job["JB_submission_time"],
            "pe": task["JAT_granted_pe"] or None, "start_time": task["JAT_start_time"], "prio": task["JAT_prio"], "ntckts": task["JAT_ntix"],
            "tckts": task["JAT_tix"], "master_queue": granted[0]["JG_qname"],
            "granted": [{"queue": entry["JG_qname"], "slots": entry["JG_slots"], "tickets": entry["JG_ticket"]} for entry in granted]}


def ranges(rows):
    return [[row["RN_min"], row["RN_max"], row["RN_step"]] for row in rows]


def pending_rows(jobs, ids):
    """Jobs of which tasks wait; tasks that are enrolled without having started count as waiting ones."""
    out = []
    for job in jobs:
        enrolled = [[task["JAT_task_number"], task["JAT_task_number"], 1] for task in job["JB_ja_tasks"] if not task["JAT_status"]]
        waiting = ranges(job["JB_ja_n_h_ids"]) + enrolled
        held = {kind: ranges(job["JB_ja_%s_h_ids" % kind]) for kind in "uosa" if job["JB_ja_%s_h_ids" % kind]}
        if waiting or held:
            template = job["JB_ja_template"][0]
            out.append({"id": ids.get(job["JB_job_number"], job["JB_job_name"]), "job_number": job["JB_job_number"], "owner": job["JB_owner"],
                        "submit_time": job["JB_submission_time"], "pending_tasks": waiting, "held_tasks": held, "prio": template["JAT_prio"],
                        "ntckts": template["JAT_ntix"], "tckts": template["JAT_tix"], "urg": job["JB_urg"], "nurg": job["JB_nurg"],
                        "rrcontr": job["JB_rrcontr"], "wtcontr": job["JB_wtcontr"], "dlcontr": job["JB_dlcontr"], "npprior": job["JB_nppri"]})
    return sorted(out, key=lambda row: (-row["prio"], row["job_number"]))


def reservations_of(schedule, ids):
    """The lines of state RESERVING, those of a job together."""
    out = {}
    for line in schedule.splitlines():
        f = line.split(":")
        if len(f) == 9 and f[2] == "RESERVING":
            key = int(f[0]), int(f[1])
            row = out.setdefault(key, {"seq": len(out) + 1, "id": ids.get(key[0]), "job_number": key[0], "task": key[1], "start": int(f[3]),
                                       "duration": int(f[4]), "booked": []})
            row["booked"].append({"level": f[5], "object": f[6], "resource": f[7], "amount": float(f[8])})
    return list(out.values())


def states_of(queues):
    """{instance: letters}, of those that have any"""
    out = {}
    for queue in queues:
        for instance in queue["CQ_qinstances"]:
            letters = "".join(letter for bit, letter in STATES if instance["QU_state"] & bit)
            letters += "S" if instance["QU_suspended_on_subordinate"] else ""
            if letters:
                out[instance["QU_full_name"]] = letters
    return out


def usage(prefix, objects):
    def values(rows):
        return {row["UA_name"]: row["UA_value"] for row in rows}
    return {one[prefix + "_name"]: {"time_stamp": one[prefix + "_usage_time_stamp"], "usage": values(one[prefix + "_usage"]),
                                    "long_term": values(one[prefix + "_long_term_usage"])} for one in objects}


def bare(value):
    """An object of the qmaster's without what is empty in it."""
    if isinstance(value, list):
        return [bare(entry) for entry in value]
    if isinstance(value, dict):
        return {name: bare(entry) for name, entry in value.items() if isinstance(name, str) and entry not in ("", [], None)}
    return value
