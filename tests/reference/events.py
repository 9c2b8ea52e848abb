# SPDX-License-Identifier: Apache-2.0
"""The events that a qmaster would have sent for a recorded case: fairlead-events(5).

Three things are worked out and not just copied:

Order of the job list. Sums are made in its order, and a job moves to its end when one of its tasks starts (timeline).
A case has the second of each start. For starts within the same second the scheduler itself is asked: it runs on the
cell as it was
then (Replay), and the tasks start in the order of the priorities it gives. For that run usage is what it is now less what
the running jobs have used, and an array that starts several tasks is sent as that many jobs, because each task has a priority.

A positive priority can only be given after submission: such a job is added with 0 and then modified, which matters for the
order in which its requests are added up.

Usage of running tasks is booked already. It is reported (for the cpu, mem and io columns) only where nothing is left to
book: what was debited for the job if it has one task, what its tasks report if their sum is not more than that.
"""
import itertools

from recorded import compress, names

AR_LETTERS = {1: "w", 2: "r", 3: "d", 4: "d", 5: "E", 6: "W"}
BOOKED = ("cpu", "io", "iow", "vmem", "mem", "finished_jobs")


def usage_events(case, less=None):
    """The recorded usage; with `less` = {job number: usage} without what these jobs have used."""
    jobs = [job for job in case.jobs if less and job.number in less]

    def reduced(values, users):
        return {n: max(0.0, v - sum(less[j.number].get(n, 0) for j in users)) for n, v in values.items()} if less else values

    for name, u in case.objects("users").items():
        own = [job for job in jobs if job.row["owner"] == name]
        yield {"event": "user_usage", "user": name, "time_stamp": u["time_stamp"],
               "usage": reduced(u["usage"], [j for j in own if not j.row["project"]]), "long_term_usage": u.get("long_term", {}),
               "debited_job_usage": {} if less is not None else u.get("debited", {}),
               "project": [{"project": p["project"], "long_term_usage": p.get("long_term", {}),
                            "usage": reduced(p["usage"], [j for j in own if j.row["project"] == p["project"]])}
                           for p in u.get("projects", [])]}
    for name, u in case.objects("projects").items():
        yield {"event": "project_usage", "project": name, "time_stamp": u["time_stamp"],
               "usage": reduced(u["usage"], [j for j in jobs if j.row["project"] == name]),
               "long_term_usage": u.get("long_term", {}), "debited_job_usage": {} if less is not None else u.get("debited", {})}


def debited(case):
    """{job number: usage booked so far}, as the user, or where there is no such user the project, remembers it."""
    out = {}
    for kind in ("projects", "users"):
        for u in case.objects(kind).values():
            out.update({int(number): values for number, values in u.get("debited", {}).items()})
    return out


def report_events(case):
    """Usage reports of the started tasks that leave nothing to book."""
    booked = debited(case)
    for job in case.jobs:
        tasks = [(i, job.started[i]["scaled_usage"] or {}) for i in sorted(job.started)]
        if job.row["owner"] not in names(case.file("users")) and job.row["project"] not in names(case.file("projects")):
            reports = tasks                     # no user exists to book it for
        elif len(tasks) == 1:
            reports = [(tasks[0][0], booked.get(job.number, {}))]
        else:
            limit, fits = booked.get(job.number, {}), {}
            for name in limit:
                total = 0.0
                for _, usage in tasks:
                    total += usage.get(name, 0)
                fits[name] = total <= limit[name]
            reports = [(i, {n: v for n, v in usage.items() if fits.get(n)}) for i, usage in tasks]
        for task, usage in reports:
            values = {n: v for n, v in usage.items() if n in BOOKED or n.startswith(("acct_", "ru_"))}
            if values:
                yield {"event": "usage", "job_number": job.number, "task": task, "scaled_usage": values}


def add_events(job, number, tasks):
    """A job's arrival. With a positive priority it is changed right after it."""
    yield job.facts(number, tasks)
    if job.row["priority_field"] > 1024:
        yield {"event": "job_modify", "job_number": number, "priority": job.row["priority_field"] - 1024}


def start_event(job, number, task):
    row = job.started[task]
    event = {"event": "task_start", "job_number": number, "task": task, "start_time": row["start_time"],
             "granted": [{"queue": g["queue"], "slots": g["slots"]} for g in row["granted"]]}
    if row["granted_pe"]:
        event["granted_pe"] = row["granted_pe"]
    return event


def queue_events(case, disabled, states):
    """In the qmaster's order, with the letters of `states`."""
    order = [name for name in case.expected.get("instance_order", []) if name in case.slots]
    for name in [*order, *(name for name in case.slots if name not in order)]:
        yield {"event": "queue_instance", "queue": name, "slots": case.slots[name] if case.tells_slots else None,
               "state": "d" if disabled else states.get(name, ""), "suspend_checked": case.expected.get("suspend_checked", {}).get(name)}


def advance_events(case):
    """Advance reservations, as the qmaster had them at the run."""
    for a in case.advances:
        yield {"event": "advance_reservation", "number": a["AR_id"], "name": a["AR_name"], "owner": a["AR_owner"],
               "start_time": a["AR_start_time"], "end_time": a["AR_end_time"], "state": AR_LETTERS[a["AR_state"]],
               "granted": [{"queue": g["JG_qname"], "slots": g["JG_slots"]} for g in a["AR_granted_slots"]],
               "granted_pe": a.get("AR_granted_pe"), "hard_error": bool(a.get("AR_error_handling")),
               "hard_resource_list": ",".join("%s=%s" % (c["CE_name"], c["CE_stringval"]) for c in a.get("AR_resource_list") or []),
               "access_list": ",".join(u["ARA_name"] for u in a.get("AR_acl_list") or []),
               "xaccess_list": ",".join(u["ARA_name"] for u in a.get("AR_xacl_list") or [])}


def timeline(jobs, starts):
    """(job, None) for the arrival of a job, (job, task) for a start, as they happened: in this order they stand in the job list."""
    left = jobs
    for moment, group in itertools.groupby(starts, lambda start: start[0].started[start[1]]["start_time"]):
        group = list(group)
        starting = {job for job, _ in group}
        yield from ((job, None) for job in left if job.there(moment) or job in starting)
        yield from group
        left = [job for job in left if not job.there(moment) and job not in starting]
    yield from ((job, None) for job in left)


def final_events(case, starts):
    """The cell as it was recorded; `starts` = [(job, task)] in the order in which they happened."""
    beyond = case.beyond_limit()                # put in as 8.1.9 sees them: a defect that is not ours
    yield {"event": "snapshot_begin"}
    yield from queue_events(case, case.disabled, case.expected.get("queue_states") or {})
    yield from advance_events(case)
    for job, task in timeline(case.jobs, starts):
        if task is not None:
            yield start_event(job, job.number, task)
            continue
        for event in add_events(job, job.number, sorted({*job.started, *job.waiting}) if job.is_array() else None):
            if event["event"] == "job_add":
                known = "a" if job.array_predecessors else ""       # the scheduler finds these itself
                event["hold"] = {kind: compress(ids) for kind, ids in job.held.items() if ids and kind not in known}
                if job in beyond:
                    event.pop("task_concurrency", None)
                    event["hold"] = {**event["hold"], "s": compress(sorted({*job.held.get("s", []), *beyond[job]}))}
                event["hold_jid"], event["hold_jid_ad"] = job.predecessors, job.array_predecessors
            yield event
    yield {"event": "snapshot_end"}
    yield from usage_events(case)
    yield from report_events(case)
    queues = {event["queue"]: event for event in queue_events(case, case.disabled, case.expected.get("queue_states") or {})}
    places = itertools.count(10 ** 9)
    for job in case.jobs:
        for task, row in job.started.items():
            letters = "".join(c for c in row["state"] if c in "sST")
            if letters:
                yield {"event": "task_state", "job_number": job.number, "task": task, "state": letters}
            if "T" in letters:                  # the order to suspend it has moved its master queue to the end of the list
                yield {**queues[row["granted"][0]["queue"]], "place": next(places)}


class Replay:
    """The cell as it was at a moment at which tasks started; `done` = [(job, task)] started before."""

    def __init__(self, case, moment, done):
        self.case, self.moment, self.done = case, moment, done
        used = sum(g["slots"] for job, task in done for g in job.started[task]["granted"])
        self.window = min(case.number("max_pending_tasks_per_job", 50), max(0, sum(case.slots.values()) - used) + 1)
        there = [j for j in case.jobs if j.there(moment) or self.starting(j)]
        self.jobs = [j for j in there if self.waiting(j) or self.before(j)]
        self.numbers = {}                       # (job, task) -> number in this replay; (job, None) is what is sent as a whole
        for job in self.jobs:
            for part in self.parts(job):
                self.numbers[job, part] = len(self.numbers) + 1

    def starting(self, job):
        return [i for i in sorted(job.started) if job.started[i]["start_time"] == self.moment]

    def before(self, job):
        return [i for j, i in self.done if j is job]

    def waiting(self, job):
        later = [i for i in job.started if job.started[i]["start_time"] >= self.moment]
        return sorted({*later, *job.eligible()})

    def parts(self, job):
        """Return the parts in which a job is sent: the ids that the scheduler would inspect. None: all other ids."""
        if len(self.starting(job)) < 2:
            return [None]
        seen = self.waiting(job)[:min(self.window, self.case.allowed(job, len(self.before(job))))]
        return seen + ([None] if self.before(job) else [])

    def tasks(self, job, part):
        if part is not None or not job.is_array():
            return None
        whole = len(self.parts(job)) == 1
        return sorted({*self.before(job), *(self.waiting(job) if whole else [])})

    def events(self):
        last = {job: task for job, task in self.done}
        yield {"event": "snapshot_begin"}
        yield from queue_events(self.case, False, {})
        yield from advance_events(self.case)
        for job, task in timeline(self.jobs, self.done):
            if task is not None:
                yield start_event(job, self.numbers[job, None], task)
            # What a started job is sent as beside itself stands where its last start has put it.
            for part in self.parts(job):
                if task is None and (part is None or job not in last) or task is not None and part is not None and last[job] == task:
                    yield from add_events(job, self.numbers[job, part], self.tasks(job, part))
        yield {"event": "snapshot_end"}
        yield from usage_events(self.case, debited(self.case))

    def starts(self, rows):
        """Tasks in the order of dispatch. One without a priority of its own keeps its job at the head."""
        prio = {row["job_number"]: row["prio"] for row in rows if row["kind"] == "pending"}
        left = {job: self.starting(job) for job in self.jobs if self.starting(job)}

        def rank(job):
            part = left[job][0] if len(self.starting(job)) > 1 else None
            return -prio.get(self.numbers.get((job, part)), float("inf")), job.row["submit_time"], job.number

        while left:
            job = min(left, key=rank)
            yield job, left[job].pop(0)
            left = {j: ids for j, ids in left.items() if ids}
