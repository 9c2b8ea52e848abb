# SPDX-License-Identifier: Apache-2.0
"""
Slurm's priorities a second time, as plainly as possible: a cell as cells.py makes it, what happens, and what readers must be shown after each run.

Everything is computed again in each run, names are looked up in lists, trees are walked by recursion. What the real
program keeps from run to run is
kept here only where the rules say so: usage, the last pass, the shares that it found, from when a job ages, and what its priority was.
"""
from fractions import Fraction

from naive_shares import FairShare, charged, left, long_double
from naive_factors import Factors, counts_of, usage_rate
from naive_minutes import KINDS, run_minutes
from naive_reset import next_reset

PERIOD_2009 = 300


def tasks_of(text):
    """{1, 2, 3, 5} of 1-3,5"""
    ends = [part.split("-") for part in text.split(",")]
    return {task for part in ends for task in range(int(part[0]), int(part[-1]) + 1)}


class Job:
    def __init__(self, event):
        self.number, self.given, self.started = event["job_number"], dict(event), {}
        self.accrue, self.priority, self.eligible, self.direct = event.get("accrue_time", 0), None, 0, 0
        self.waiting = tasks_of(event.get("tasks", "1"))
        self.depends = bool(event.get("hold_jid"))

    def of(self, member, default=0):
        return self.given.get(member, default)

    def account(self):
        return self.given["account"]

    def held_by_people(self):
        """Is each pending task held by its user or an operator?"""
        holds = {task for who, tasks in self.of("hold", {}).items() if who in "uo" for task in tasks_of(tasks)}
        return self.waiting <= holds or self.of("error", False)

    def held(self):
        """Nothing of what waits is free."""
        holds = {task for tasks in self.of("hold", {}).values() for task in tasks_of(tasks)}
        return bool(self.waiting) and (self.waiting <= holds or self.of("error", False))


class Running:
    """A job with its resources and partitions. The partition of its last started task comes first, then the other
    requested ones."""

    def __init__(self, job):
        task, self.job = job.last_started, job
        self.given = dict(job.given)
        if task.get("partition"):
            self.given["partition"] = ",".join([task["partition"], *filter(None, [job.of("partition", "")])])
        if task.get("tres"):
            self.given["tres"] = task["tres"]
            if counts_of(task["tres"]).get("cpu"):
                self.given["cpus"] = 0

    def of(self, member, default=0):
        return self.given.get(member, default)

    def __getattr__(self, name):
        return getattr(self.job, name)


class Scheduler:
    def __init__(self, cell):
        self.cell, self.usage, self.gone, self.jobs = cell, {}, {}, {}
        self.last_pass = self.last_reset = self.event = 0
        self.passed, self.stale, self.reported, self.ended, self.shares = False, True, [], [], None
        self.snapshot = None

    # ---- what happens ----

    def take(self, event):
        getattr(self, event["event"])(event)

    def snapshot_begin(self, event):
        self.snapshot, self.jobs = self.jobs, {}

    def snapshot_end(self, event):
        for number, job in self.jobs.items():
            old = self.snapshot.get(number)
            if old and old.of("submission_time") == job.of("submission_time"):
                job.accrue, job.priority, job.direct = job.accrue or old.accrue, old.priority, old.direct
                job.eligible, job.depends = old.eligible, job.depends or old.depends
                for number, task in job.started.items():
                    before = old.started.get(number)
                    if before and before["start_time"] == task["start_time"]:
                        task["charged"] = before["charged"]
        self.snapshot = None

    def job_add(self, event):
        account = self.account_of(event["owner"], event.get("account", ""))
        job = self.jobs[event["job_number"]] = Job({**event, "account": account})
        job.given["qos"] = self.qos_of(job)

    def qos_of(self, job):
        """Return the QOS of the job's association at this moment if the job names none."""
        name = job.of("partition", "").split(",")[0] or self.cell.default_partition()
        named = self.cell.partition(name)
        association = self.cell.association(job.account(), job.of("owner"), named.name if named else "")
        return job.of("qos", "") or self.cell.default_qos(association)

    def account_of(self, owner, account):
        return account.lower() or self.cell.default_account(owner)

    def job_modify(self, event):
        job = self.jobs[event["job_number"]]
        job.given.update(event)
        job.depends = job.depends or bool(event.get("hold_jid"))
        if "account" in event:
            job.given["account"] = self.account_of(job.of("owner"), event["account"])
        job.given["qos"] = self.qos_of(job)
        job.accrue = event.get("accrue_time", job.accrue)
        if job.waiting:
            job.priority = None

    def job_delete(self, event):
        job = self.jobs.pop(event["job_number"])
        self.ended += [self.charge_of(job, task, None) for task in job.started.values()]

    def task_start(self, event):
        job = self.jobs[event["job_number"]]
        job.waiting.discard(event.get("task", 1))
        job.last_started = job.started[event.get("task", 1)] = {**event, "charged": None}

    def task_finish(self, event):
        job = self.jobs[event["job_number"]]
        self.ended.append(self.charge_of(job, job.started.pop(event.get("task", 1)), event.get("end_time")))
        if not job.started and not job.waiting:
            del self.jobs[job.number]

    def task_requeue(self, event):
        job = self.jobs[event["job_number"]]
        self.ended.append(self.charge_of(job, job.started.pop(event.get("task", 1)), None))
        job.waiting.add(event.get("task", 1))

    def association_usage(self, event):
        self.reported.append(event)

    def reload(self, cell):
        users = [a.key() for a in cell.associations() if a.user]
        self.gone.update({key: (usage, self.last_pass) for key, usage in self.usage.items() if key not in users})
        self.usage = {key: usage for key, usage in self.usage.items() if key in users}
        for key in [key for key in self.gone if key in users]:
            self.usage[key] = self.come_back(cell, *self.gone.pop(key))
        self.cell, self.stale = cell, True

    def come_back(self, cell, usage, since):
        """Let the usage of an absent user decay and be forgotten in the same way as for a present user."""
        if since == 0 or since >= self.last_pass:
            return usage
        if cell.reset not in ("NONE", "NOW") and since < self.last_reset:
            return long_double(0)
        return long_double(usage * left(cell.decay(), self.last_pass - since))

    # ---- usage ----

    def charge_of(self, job, task, end):
        """(association, rate, task, end)"""
        partition = task.get("partition") or job.of("partition", "").split(",")[0] or self.cell.default_partition()
        partition = self.cell.partition(partition)
        association = self.cell.association(job.account(), job.of("owner"), partition.name if partition else "")
        return association, usage_rate(self.cell, job, task, partition), task, end

    def first_met(self, task):
        """Return [from, until], the time for which the task was charged. Before the first pass the charging
        controller is not known."""
        if not task["charged"]:
            last = max(task["start_time"], self.last_pass)
            task["charged"] = [last if self.passed else task["start_time"], last]
        return task["charged"]

    def charge(self, association, rate, task, until):
        """Up to there, forwards or backwards."""
        since, last = self.first_met(task)
        until = max(since, until)
        task["charged"] = [since, until]
        if association and association.user and rate > 0:
            amount = charged(self.cell.decay(), abs(until - last)) * rate
            usage = self.usage.get(association.key(), Fraction(0))
            usage = long_double(usage + long_double(amount)) if until >= last else max(long_double(usage - long_double(amount)), Fraction(0))
            if until != last:
                self.usage[association.key()] = usage

    def charge_ended(self, now):
        cell = self.cell
        for association, rate, task, end in self.ended if self.last_pass else []:
            same = association and cell.association(*association.key())
            end = min(end or now, now)
            if cell.charge_always or cell.limits or cell.is_2009 or end < self.first_met(task)[1]:
                self.charge(same, rate, task, end)

    def charge_running(self, now):
        """Where the clock was set back the time counts again."""
        for job in self.jobs.values():
            for task in job.started.values():
                association, rate, _, _ = self.charge_of(job, task, None)
                if now < self.first_met(task)[1]:
                    task["charged"][1] = max(now, task["start_time"])
                else:
                    self.charge(association, rate, task, now)

    def take_reported(self, of_now):
        for event in self.reported:
            association = self.cell.association(event["account"].lower(), event["user"], event.get("partition", ""))
            stamp = event.get("time_stamp", 0)
            if (stamp == 0) == of_now and association and association.user:
                age = self.last_pass - stamp if stamp else 0
                self.usage[association.key()] = long_double(long_double(event["usage_raw"]) * left(self.cell.decay(), age))

    def bring_forward(self, stamp):
        """Take over reported usage. The sender has charged and decayed it up to the last pass, and all other usage
        follows."""
        if self.last_pass and stamp > self.last_pass:
            self.fade(stamp)
            self.charge_ended(stamp)
        self.last_pass = max(self.last_pass, stamp) if self.last_pass else stamp

    def fade(self, now):
        self.usage = {key: long_double(usage * left(self.cell.decay(), now - self.last_pass)) for key, usage in self.usage.items()}
        self.charge_running(now)

    def reset(self, is_pass, now):
        if not (is_pass or self.stale):
            return
        self.last_reset = self.last_reset or now
        due = self.stale and self.cell.reset == "NOW"
        while is_pass and self.cell.reset not in ("NONE", "NOW") and next_reset(self.cell.reset, self.last_reset) <= now:
            self.last_reset, due = next_reset(self.cell.reset, self.last_reset), True
            if self.cell.reset not in ("DAILY", "WEEKLY"):
                break
        if due:
            self.usage = dict.fromkeys(self.usage, long_double(0))

    # ---- a run ----

    def is_due(self, now):
        period = PERIOD_2009 if self.cell.is_2009 else self.cell.calc_period
        return not self.passed or now < self.last_pass or now - self.last_pass >= period

    def account(self, now):
        """Update usage up to now and compute the shares that follow from it."""
        self.bring_forward(min(max((event.get("time_stamp", 0) for event in self.reported), default=0), now))
        self.take_reported(False)
        self.charge_ended(now)
        self.ended = []
        is_pass = self.is_due(now)
        if not is_pass or self.last_pass == 0:
            self.take_reported(True)
        self.reset(is_pass, now)
        if not (is_pass or self.stale or self.reported):
            return
        before = dict(self.usage)
        if is_pass and self.last_pass:
            self.fade(now)
            self.take_reported(True)
        self.shares = FairShare(self.cell, before, self.usage)
        if is_pass:
            self.last_pass, self.passed = now, True

    def run(self, now):
        """{"pending": numbers in order, "started": numbers, "job": {(number, k): values}, "share": [values]}"""
        self.account(now)
        self.reported, self.stale = [], False
        for job in self.jobs.values():
            self.price(job, now)
        pending = sorted((job for job in self.jobs.values() if job.waiting), key=self.place)
        rows = {(job.number, k): row for job in self.jobs.values() for k, row in enumerate(self.rows(job))}
        started = [number for number in sorted(self.jobs) for _ in self.jobs[number].started]
        return {"pending": [job.number for job in pending], "started": started, "job": rows, "share": list(self.associations())}

    # ---- jobs ----

    def dependent(self, job):
        return bool(job.waiting) and any(number in self.jobs and number != job.number for number in job.of("hold_jid", []))

    def eligible_time(self, job, now):
        if job.of("eligible_time"):
            return job.of("eligible_time")
        if job.eligible:
            return job.eligible
        if job.of("execution_time"):
            return max(job.of("execution_time"), job.of("submission_time"))
        if self.dependent(job):
            return 0
        if job.depends:
            job.eligible = now
            return now
        return job.of("submission_time")

    def accrue_time(self, job, now):
        eligible = self.eligible_time(job, now)
        if self.cell.flag("ACCRUE_ALWAYS"):
            return job.of("submission_time")
        if job.held():
            return 0
        if self.cell.limits and not self.cell.is_2009:
            return now if eligible and eligible <= now and not self.dependent(job) else 0
        return eligible

    def price(self, job, now):
        """Keep the price of a task that has started, unless CALCULATE_RUNNING is set."""
        if not job.waiting and job.priority and not self.cell.flag("CALCULATE_RUNNING"):
            return
        job.shown_eligible = self.eligible_time(job, now)
        job.accrue = job.accrue or self.accrue_time(job, now)
        least = 2 if self.cell.is_2009 else 1
        if job.held():
            job.priority = 1 if self.cell.is_2009 and not job.held_by_people() else 0
        elif job.of("direct_priority"):
            job.priority = job.of("direct_priority")
        elif self.cell.is_2009 and not 0 < self.eligible_time(job, now) <= now:
            job.priority = 1
        else:
            priority = min(max(int(self.factors(job).sum(self.cell.named(self.as_it_is(job)))), least), 0xffffffff)
            job.priority = max(priority, job.priority or 0) if self.cell.flag("INCR_ONLY") else priority

    def as_it_is(self, job):
        return Running(job) if not job.waiting and self.cell.flag("CALCULATE_RUNNING") else job

    def factors(self, job):
        return Factors(self.cell, self.shares, self.last_pass, self.as_it_is(job))

    def place(self, job):
        named = self.cell.named(job)
        return -job.priority - ((named.tier << 32) if named and job.priority else 0), job.of("submission_time"), job.number

    def rows(self, job):
        """A row for each partition, higher tiers first."""
        head = [job.priority, int(not job.waiting), int(job.held()), job.of("direct_priority")]
        factors, least = self.factors(job), 2 if self.cell.is_2009 else 1
        for partition in sorted(self.cell.partitions_of(self.as_it_is(job)), key=lambda p: -p.tier) or [None]:
            name = [partition.name if partition else "-", job.account() or "-"]
            times = [job.accrue, job.shown_eligible if job.waiting else 0]
            if job.of("direct_priority"):
                yield [*head, *name, 0, 0, *times, float(job.of("direct_priority")), *[0.0] * 7]
            else:
                yield [*head, *name, job.of("site_factor"), job.of("nice"), *times, max(factors.sum(partition), float(least)),
                       *factors.shown(partition)]

    def associations(self):
        running = {}
        for job in self.jobs.values():
            association = self.factors(job).association
            if association:
                running[association.key()] = running.get(association.key(), 0) + len(job.started)
        minutes = run_minutes(self.cell, list(self.started_tasks()), self.last_pass)
        for row in self.shares.shown(self.cell, self.usage, running):
            key = tuple("" if name == "-" else name for name in row[:3])
            yield row + [minutes.get((key, kind), 0) for kind in KINDS]

    def started_tasks(self):
        for job in self.jobs.values():
            for task in job.started.values():
                name = task.get("partition") or job.of("partition", "").split(",")[0] or self.cell.default_partition()
                yield self.charge_of(job, task, None)[0], job, task, self.cell.partition(name)


def expected(cell, script):
    """The runs of a script: cell and events as they are, ("run", now), ("reload", cell)."""
    scheduler = Scheduler(cell)
    for what in script:
        if isinstance(what, dict):
            scheduler.take(what)
        elif what[0] == "reload":
            scheduler.reload(what[1])
        else:
            yield scheduler.run(what[1])
