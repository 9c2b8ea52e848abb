# SPDX-License-Identifier: Apache-2.0
"""A second replay, as plainly as possible: one machine with a number of slots, jobs and a policy. Seconds pass, and
starts are recorded.

    simulate.py   time: what happens when, and when a run comes       places.py   who fits, now or later
    tree.py       the share tree of users, its usage and its tickets

Written from what Grid Engine's manuals and measurements say. It walks everything and keeps only state that changes
results.

A run comes schedule_interval after the one before, and, if that is asked for, in each second in which a job is submitted or ends. Intervals with
nothing to do are passed over: nothing waits, and nothing has ended that is not booked; but while something runs, one an hour is not. Of two runs
none is in the same second: what happens in the second of a run, behind it, waits for the next one.
"""
import places
import tree


class Job:
    """A job as in a line of the trace. `limit`: requested run time, 0: none. With `after` it is submitted `think`
    seconds after that job's end."""

    def __init__(self, number, submit, run, slots, limit, user, after=0, think=0):
        self.number, self.submit, self.run, self.slots, self.limit, self.user = number, submit, run, slots, limit, user
        self.after, self.think = after, think
        self.start = self.end = None
        self.rank = None		# the how manieth to be submitted
        self.reported = self.booked = 0  # usage, CPU seconds: as the host has said, as the user was charged


class Policy:
    """`tree`: shares by user, None: first come, first served."""

    def __init__(self, max_reservation=0, default_duration=7200, offset=60, interval=3600, every_event=True, shares=None, halftime=0, compensation=5.0):
        self.max_reservation, self.default_duration, self.offset, self.interval = max_reservation, default_duration, offset, interval
        self.every_event, self.shares, self.halftime, self.compensation = every_event, shares, halftime, compensation


IDLE_S = 3600
REPORT_S = 40  # execution hosts report usage as often; the scheduler hears of it in its next run


class Replay:
    def __init__(self, slots, jobs, policy):
        self.slots, self.jobs, self.policy = slots, jobs, policy
        self.coming = [job for job in jobs if not job.after]  # in the order in which it is known when they come
        self.pending, self.running, self.finished = [], [], []
        self.submitted = 0
        self.ran = self.due = self.reported = None
        self.tree = tree.Tree(policy) if policy.shares else None

    def happen(self, now):
        """Whether something did."""
        ended = [job for job in self.running if job.end <= now]
        for job in ended:
            job.reported = job.slots * job.run
            for follower in self.jobs:
                if follower.after == job.number:
                    follower.submit = job.end + follower.think
                    self.coming.append(follower)
        self.finished += ended
        self.running = [job for job in self.running if job.end > now]
        come = [job for job in self.coming if job.submit <= now]
        for job in come:
            self.submitted += 1
            job.rank = self.submitted
            self.coming.remove(job)
        self.pending += come
        return bool(ended or come)

    def order(self, now):
        """Pending jobs as the policy ranks them."""
        if not self.tree:
            return sorted(self.pending, key=lambda job: job.rank)
        tickets = self.tree.tickets(now, self.running, self.finished, self.pending)
        return sorted(self.pending, key=lambda job: (-tickets[job.rank], job.submit, job.rank))

    def report(self, now):
        if self.reported is not None and now - self.reported < REPORT_S:
            return
        self.reported = now
        for job in self.running:
            job.reported = job.slots * (now - job.start)

    def run(self, now):
        self.report(now)
        order = self.order(now)
        self.finished = []
        for job in places.starts(self.slots, self.policy, now, self.running, order):
            job.start, job.end = now, now + job.run
            self.pending.remove(job)
            self.running.append(job)
        self.ran, self.due = now, now + self.policy.interval

    def tick(self, at):
        """The first end of an interval then or later."""
        missed = max(at - self.due, 0)
        return self.due + -(-missed // self.policy.interval) * self.policy.interval

    def next(self):
        """When the next second is in which there is something to do; None: never."""
        times = [job.submit for job in self.coming] + [job.end for job in self.running]
        if self.pending or self.finished:
            times.append(max(self.due, self.ran + 1))
        elif self.running:
            times.append(self.tick(self.ran + IDLE_S))
        return min(times, default=None)

    def play(self):
        while (now := self.next()) is not None:
            self.due = now if self.due is None else self.tick(now)
            if self.happen(now) and self.policy.every_event:
                self.due = now
            if self.due <= now and now != self.ran:
                self.run(now)
        return {job.number: job.start for job in self.jobs}


def starts(slots, jobs, policy):
    """When each job starts, by number."""
    copies = [Job(job.number, job.submit, job.run, job.slots, job.limit, job.user, job.after, job.think) for job in jobs]
    return Replay(slots, copies, policy).play()
