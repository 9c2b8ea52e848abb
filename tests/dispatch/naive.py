#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Grid Engine's dispatch a second time, as plainly as possible: it walks everything and keeps only state that changes
results.

    naive.py DIR              the decisions for the case in DIR, as JSON
    naive.py --compare DIR... the first differences from DIR/expected.json; exits 1 when there are any. Known defects of the recording are
                              named, and taken as they are, or copied

From expected.json it takes what was fixed before the run: the clock, the orders of lists, job numbers, what is running, and the
priorities, which are computed elsewhere.

    naive_values.py   numbers, patterns, comparison
    naive_cell.py     the cell's files and the jobs
    naive_state.py    bookings, load, who is full or overloaded
    naive_match.py    does a job fit on an instance?       naive_quota.py    do the quota sets allow it?
    naive_order.py    the order of hosts and instances     naive_tags.py     which instances are lost after a start
    naive_search.py   one job: now, or later               naive_pe.py       parallel ones
    naive_range.py    the amounts of slots to try
    naive_calendar.py when a queue is closed               naive_reserved.py advance reservations
    naive_suspend.py  tasks to be suspended on a threshold naive_defects.py  what a recording has that is not to be copied
"""
import collections
import json
import sys

sys.dont_write_bytecode = True

from naive_cell import Cell, Job, read_jobs  # noqa: E402
from naive_defects import as_recorded  # noqa: E402
from naive_quota import project_is_named, user_is_named  # noqa: E402
from naive_search import Search  # noqa: E402
from naive_state import SATURATED, State  # noqa: E402
from naive_suspend import ON_THRESHOLD, Task, suspensions  # noqa: E402


class Run:
    def __init__(self, path, forgive=False, copies=False):
        """
        `forgive`: take recorded reservations that are known defects as they are, and remember them. `copies`: quotas are asked as 8.1.9
        asks them, where the first instance answers for all.
        """
        with open(f"{path}/expected.json") as f:
            self.given = json.load(f)
        self.cell = Cell(path, self.given["exec_host_list_order"], self.given["queue_list_order"],
                         self.given.get("instance_order", ()), self.given.get("pe_order", ()))
        self.cell.reserve(self.given.get("advance_reservations", ()))
        self.state = State(self.cell, self.given["now"])
        self.rows = {r["id"]: r for r in read_jobs(path)}
        for instance in self.cell.instances:
            instance.state = self.given.get("queue_states", {}).get(instance.name, "")
        self.jobs, self.running_of, self.tasks = {}, {}, []
        for kind in ("already_running", "started", "pending"):
            for row in self.given[kind]:
                self.know(row)
        self.book_running()
        self.state.book_calendars()
        self.state.book_reserved()
        self.started, self.reservations, self.rejected, self.unreservable = [], [], set(), set()
        self.maxujobs = int(self.cell.conf["maxujobs"])
        self.relevant = self.relevant_lists()
        self.known = {}				# to a category: what has failed it
        self.members = collections.Counter(map(self.category, self.jobs.values()))
        self.forgive, self.copies, self.defects = forgive, copies, []
        self.out = {}				# by category and PE: hosts out of question

    # -- what there is ----------------------------------------------------------------------------------------------------------

    def know(self, row):
        """A job that the cell accepted: its number and the priorities of its tasks."""
        if row["id"] not in self.jobs:
            group = self.rows[row["id"]].get("group", row["owner"])
            self.jobs[row["id"]] = Job(self.rows[row["id"]], row["job_number"], self.cell, group)
        job = self.jobs[row["id"]]
        if "task" in row:
            job.prio[row["task"]] = row["prio"]
        else:
            job.prio["rest"] = row.get("rank_prio", row["prio"])
            held = row.get("held_tasks") or []
            held = held.values() if isinstance(held, dict) else [held]		# by kind of hold, or all together
            job.held = sorted({task for ranges in held for task in expand(ranges)})
            job.pending = [task for task in job.pending if task not in job.held]

    def book_running(self):
        by_name = {i.name: i for i in self.cell.instances}
        states = {(row["job_number"], row["task"]): row["state"] for row in self.given.get("running_states", ())}
        self.cell.list_reserved()
        for row in self.in_order_of_start():
            job = self.jobs[row["id"]]
            granted = [(by_name[g["queue"]], g["slots"]) for g in row["granted"]]
            duration = self.state.duration(job, [i for i, n in granted])
            span = self.state.running_interval(row["start_time"], duration)
            self.state.correct_running({"start": row["start_time"], "granted": granted})
            self.account(job, row["task"], granted, row["pe"], span)
            self.tasks.append(Task(job.number, row["task"], row["start_time"], granted, states.get((job.number, row["task"]), 0)))
            counted = {holder for level, holder, *rest in self.state.bookings(job, granted, row["pe"]) if level == "L"}
            self.cell.used([i for i, n in granted], row["pe"], counted)
        for task in sorted(self.tasks, key=lambda task: task.id):		# the order to suspend a task has moved its master queue
            if task.state & ON_THRESHOLD:
                self.cell.used(task.queues[:1], None, ())

    def in_order_of_start(self):
        """Within a second by priority: so they were started, and so they stand in the job list."""
        return sorted(self.given["already_running"], key=lambda row: (row["start_time"], -row["prio"], row["job_number"], row["task"]))

    def account(self, job, task, granted, pe, span):
        job.pending.remove(task)
        job.enrolled += 1
        self.running_of[job.owner] = self.running_of.get(job.owner, 0) + 1
        for level, holder, resource, key, amount in self.state.uses_of(job, granted, pe):
            self.state.book.use(key, amount)
        self.debit(job, granted, pe, span)

    def debit(self, job, granted, pe, span):
        bookings = list(self.state.bookings(job, granted, pe))
        for level, holder, resource, key, amount in bookings:
            self.state.book.add(key, *span, amount)
        return [{"level": l, "object": o, "resource": r, "amount": float(a)} for l, o, r, k, a in bookings]

    def relevant_lists(self):
        """Access lists, users and projects that some object refers to: they are part of a category."""
        holders = [i.access for i in self.cell.instances] + [h.access for h in self.cell.hosts]
        names = {n for a in holders for kind in a for n in a[kind]}
        for pe in self.cell.pes.values():
            names |= set(pe["user_lists"].replace(",", " ").split()) | set(pe["xuser_lists"].replace(",", " ").split())
        for name, rules in self.cell.quotas:
            for filters, limits in rules:
                names |= {w.lstrip("!@") for w in filters.get("users", ((), False))[0]}
        return names

    def category(self, job):
        lists = [n for n in sorted(self.cell.usersets) if n in self.relevant and self.cell.in_userset(n, job.owner, job.group)]
        by_user = user_is_named(self.cell, job)
        by_project = job.project in self.relevant or project_is_named(self.cell, job)
        row = self.rows[job.id]
        return (tuple(lists), job.owner if by_user else None, job.project if by_project else None) + \
            tuple(str(row.get(k)) for k in ("q", "masterq", "l", "soft_l", "soft_q", "pe", "slots", "ar"))

    # -- the run ----------------------------------------------------------------------------------------------------------------

    def run(self):
        self.state.reduce_capacities()
        self.suspended, self.resumed = suspensions(self.state, self.tasks, self.given.get("suspend_checked", {}))
        usable = [i for i in self.cell.instances
                  if not self.state.overloaded(i) and not self.state.suspends(i) and not set(i.state) - set("CD")]
        closed = [i for i in usable if i.state]
        full = [i for i in usable if self.state.full(i)]
        self.search = Search(self.state, [i for i in usable if i not in closed and i not in full],
                             closed + [i for i in full if i not in closed], self.copies)
        pending = sorted((j for j in self.jobs.values() if self.allowed_tasks(j)), key=self.rank)
        pending = self.without_busy_users(pending)
        while pending:
            job = pending.pop(0)
            if self.take(job) and self.allowed_tasks(job):
                pending.append(job)
                pending.sort(key=self.rank)
            pending = self.without_busy_users(pending)
            if not self.search.queues:
                break
        return self

    def rank(self, job):
        """Priority of the next task; jobs of equal priority by number."""
        return -job.prio.get(self.next_task(job), job.prio.get("rest", 0)), job.number

    @staticmethod
    def next_task(job):
        return next(task for task in job.pending if task not in job.reserved)

    def waits(self, job):
        """For its time, or for jobs that are still there (nothing ends within a case)."""
        return job.begin > self.state.now or any(id in self.jobs for id in job.predecessors)

    def allowed_tasks(self, job):
        """Waiting tasks that -tc and max_aj_instances let start, but for those that have a reservation."""
        if self.waits(job):
            return []
        limit = self.cell.max_aj_instances
        if job.tc and (job.tc < limit or not limit):
            limit = job.tc
        allowed = job.pending[:max(0, limit - job.enrolled)] if limit else job.pending
        return [task for task in allowed if task not in job.reserved]

    def without_busy_users(self, pending):
        if not self.maxujobs:
            return pending
        return [j for j in pending if self.running_of.get(j.owner, 0) < self.maxujobs]

    def take(self, job):
        """Look for a place for the next task of a job; has one been found, so that the job is to be looked at again?"""
        category = self.category(job)
        may_start = category not in self.rejected
        may_reserve = job.reserve and len(self.reservations) < self.cell.max_reservation and category not in self.unreservable
        if not may_start and not may_reserve:
            return False
        if may_reserve:
            self.search.admit_full()
        self.search.order.begin_job()
        shares = self.members[category] > 1 and not may_reserve
        out = self.out.setdefault(category, collections.defaultdict(set)) if shares else None
        self.search.tried = {}
        found = self.search.now(job, self.known.setdefault(category, set()), out) if may_start else None
        if found:
            self.start(job, found)
        else:
            found = self.not_now(job, category, may_reserve)
        return bool(found)

    def not_now(self, job, category, may_reserve):
        """The reservation, if there is one."""
        self.rejected.add(category)
        found = self.search.later(job) if may_reserve else None
        if self.forgive and may_reserve:
            why, found = as_recorded(self, job, self.next_task(job), found)
            self.defects += [(job.id, why)] if why else []
        if found:
            self.reserve(job, found)
        elif may_reserve:
            self.unreservable.add(category)
        return found

    def start(self, job, grant):
        self.search.order.found(bool(grant.pe and job.soft))
        task = self.next_task(job)
        span = self.search.span(job, None)
        self.started.append({"seq": len(self.started) + 1, "id": job.id, "job_number": job.number, "task": task, "owner": job.owner,
                             "pe": grant.pe, "start_time": self.state.now, "prio": -self.rank(job)[0],
                             "master_queue": grant.granted[0][0].name,
                             "granted": [{"queue": i.name, "slots": n} for i, n in grant.granted]})
        self.account(job, task, grant.granted, grant.pe, span)
        self.state.correct_started(grant.granted)
        self.search.order.started(grant.granted)
        self.search.suspend_subordinates(grant.granted)
        self.search.put_aside()
        if self.state.adjustments:		# without them thresholds are not looked at again, not even those on consumables
            self.search.drop_overloaded({i.host for i, n in grant.granted}, grant.blind)

    def reserve(self, job, grant):
        self.search.order.found(bool(grant.pe and job.soft))
        duration = min(self.state.duration(job), SATURATED - grant.start)
        span = self.state.interval(grant.start, duration)
        task = self.next_task(job)
        job.reserved.add(task)
        booked = self.debit(job, grant.granted, grant.pe, span)
        self.reservations.append({"seq": len(self.reservations) + 1, "id": job.id, "job_number": job.number, "task": task,
                                  "start": int(grant.start), "duration": int(duration), "booked": booked})
        self.search.put_aside()
        if self.state.adjustments:
            self.search.drop_overloaded({i.host for i, n in grant.granted}, grant.blind)

    # -- what came out ----------------------------------------------------------------------------------------------------------

    def result(self):
        pending = [self.pending_row(j) for j in self.jobs.values() if j.pending or j.held]
        kept = {k: self.given[k] for k in ("now", "queue_list_order", "exec_host_list_order", "already_running")}
        return kept | {"suspended": self.suspended, "resumed": self.resumed, "started": self.started, "reservations": self.reservations,
                       "pending": sorted(pending, key=lambda p: (-p["prio"], p["job_number"]))}

    def pending_row(self, job):
        """No priority is reported for a pending job that limits kept out, and for the rest of a started
        array. It is kept for a replay."""
        untold = job.enrolled or not job.pending or self.waits(job) or self.maxujobs and self.running_of.get(job.owner, 0) >= self.maxujobs
        rank = job.prio.get("rest", 0)
        return {"id": job.id, "job_number": job.number, "owner": job.owner, "pending_tasks": as_ranges(job.pending),
                "held_tasks": as_ranges(job.held), "prio": 0 if untold else rank, "rank_prio": rank}


def expand(ranges):
    return [n for low, high, step in ranges for n in range(low, high + 1, step)]


def as_ranges(ids):
    """[2, 5, 8] as [[2, 8, 3]]."""
    out = []
    for n in ids:
        if out and (out[-1][0] == out[-1][1] or n - out[-1][1] == out[-1][2]):
            out[-1] = [out[-1][0], n, n - out[-1][1]]
        else:
            out.append([n, n, 1])
    return out


def start_text(row):
    places = " ".join("%s*%d" % (g["queue"], g["slots"]) for g in row["granted"])
    return "%s.%s %s %s" % (row["id"], row["task"], row["pe"], places)


def reservation_text(row):
    booked = " ".join("%s:%s:%s=%g" % (b["level"], b["object"], b["resource"], b["amount"]) for b in row["booked"])
    return "%s.%s at %s for %s: %s" % (row["id"], row["task"], row["start"], row["duration"], booked)


def pending_tasks(rows):
    return sorted("%s %s" % (r["id"], expand(r["pending_tasks"])) for r in rows)


def differences(run):
    """Return the differences from the recording in words."""
    got, want, differences = run.result(), run.given, []
    for what, text in (("started", start_text), ("reservations", reservation_text)):
        a, b = [text(r) for r in got[what]], [text(r) for r in want[what]]
        for k in range(max(len(a), len(b))):
            mine, theirs = (x[k] if k < len(x) else "nothing" for x in (a, b))
            if mine != theirs:
                differences.append("%s %d: %s, expected %s" % (what, k + 1, mine, theirs))
    differences += ["%s: %s, expected %s" % (what, got[what], want[what]) for what in ("suspended", "resumed")
                    if sorted(want.get(what, [])) != got[what]]
    a, b = pending_tasks(got["pending"]), pending_tasks(want["pending"])
    return differences + ["pending: %s" % x for x in a if x not in b] + ["not pending: %s" % x for x in b if x not in a]


def compare(path, show=8):
    run = Run(path, forgive=True).run()
    found = differences(run)
    if found:
        copy = Run(path, forgive=True, copies=True).run()
        if not differences(copy):
            run, found = copy, []
            run.defects += [(job, "the answer of an instance without slots to a quota rule, for all") for job in run.search.copied]
    print("%s: %s" % (path, "%d differences" % len(found) if found else "equal, %d starts" % len(run.started)))
    for d in found[:show]:
        print("   " + d)
    for job, why in run.defects:
        print("   known defect of 8.1.9: %s, %s" % (job, why))
    return not found


def main(arguments):
    if arguments[:1] == ["--compare"] and len(arguments) > 1:
        return 0 if all([compare(path) for path in arguments[1:]]) else 1
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    json.dump(Run(arguments[0]).run().result(), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
