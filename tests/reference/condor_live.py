# SPDX-License-Identifier: Apache-2.0
"""A pool with a real scheduler and a model of the qmaster that reports slots and jobs and executes orders, cycle by
cycle."""
import collections
import json
import os
import subprocess

import live
from condor_cell import GAP, START, claim_event, job_event, slot_event, slot_name, write_cell
from programs import ROOT, contents

Held = collections.namedtuple("Held", "submitter job task")    # job: None where the claim was there before


class Pool:
    """`delay` 0: cycles come when they are asked for, see update()."""

    def __init__(self, programs, config, customers, gap=GAP, delay=None):
        self.programs, self.gap = programs, gap
        self.cell = programs.fresh()
        self.now, self.cycle, self.taken, self.dealt_with = START - (gap if delay is None else 0), 0, 0, 0
        self.slots, self.jobs, self.idle = {}, {}, collections.Counter()
        base = contents(os.path.join(ROOT, "conf/default/sched_conf"))
        write_cell(self.cell, base, config, customers, self.now, gap, gap if delay is None else delay)
        self.scheduler = programs.scheduler(self.cell)
        self.negotiate_at(self.now)             # the first run is made before any report

    def close(self):
        self.scheduler.close()

    # ---- reports of the qmaster ----

    def send(self, *events):
        self.scheduler.send(events)

    def slot(self, number, weight, ad):
        self.slots[slot_name(number)] = None
        self.last_slot = slot_event(number, weight, ad)
        self.send(self.last_slot)

    def claim(self, slot, submitter, **more):
        """Claim a slot after the release of the claim before. No slot has two claims."""
        held = self.slots.get(slot)
        if held and held.job is None:
            self.release(slot)
        self.slots[slot] = Held(submitter, None, None)
        self.send(claim_event(slot, submitter, **more))

    def release(self, slot, **more):
        self.slots[slot] = None
        self.send(claim_event(slot, "", **more))

    def job(self, submitter, count=1, ad=None, wanted=None, limits=None, **more):
        """Submit a job and return its number."""
        number = len(self.jobs) + 1
        self.jobs[number] = submitter
        self.send(job_event(number, submitter, count, ad or {}, wanted, limits, **more))
        return number

    def finish(self, slot):
        held = self.slots[slot]
        self.slots[slot] = None
        self.send({"event": "task_finish", "job_number": held.job, "task": held.task, "end_time": self.now})

    # ---- what the scheduler orders ----

    def orders(self):
        """Return the new orders."""
        lines = list(self.scheduler.lines)
        new = [json.loads(line) for line in lines[self.taken:] if '"order":' in line]
        self.taken = len(lines)
        new = [order for order in new if order["number"] > self.dealt_with]
        self.dealt_with = max([self.dealt_with, *(order["number"] for order in new)])
        return new

    def obey(self):
        """Execute each order that has arrived: return [(slot, winner, loser)] of starts and of vacations."""
        for order in self.orders():
            if order["order"] == "vacate":
                self.vacate(order)
            elif order["order"] == "start":
                self.start(order)
            self.send({"event": "orders_taken", "up_to": order["number"]})

    def vacate(self, order):
        held = self.slots[order["slot"]]
        self.vacated.append((order["slot"], order.get("winner"), held.submitter, order["reason"]))
        if held.job is None:
            self.release(order["slot"])
        else:
            self.slots[order["slot"]] = None
            self.send({"event": "vacated", "job_number": held.job, "task": held.task, "how": "soft"})

    def start(self, order):
        slot, number, task = order["granted"][0]["queue"], order["job_number"], order.get("task", 1)
        if self.slots[slot] is not None:
            raise live.Stuck("job %d is to start on %s, which %s has" % (number, slot, self.slots[slot].submitter))
        self.slots[slot] = Held(self.jobs[number], number, task)
        self.started.append((slot, number, task))
        self.send({"event": "task_start", "job_number": number, "task": task, "start_time": self.now, "granted": [{"queue": slot, "slots": 1}]})

    # ---- cycles ----

    def at(self, now):
        self.now = now
        self.scheduler.at(now)

    def negotiate(self):
        """The next cycle, at its second; what `fairlead negotiate` says of it."""
        return self.negotiate_at(self.now + self.gap)

    def negotiate_at(self, now):
        """Make a cycle and execute all its orders. Events sent before it are processed before the cycle."""
        if now != self.now:
            self.settle()
        self.at(now)
        self.wake()
        self.cycle += 1
        self.vacated, self.started = [], []
        self.scheduler.until("cycle %d" % self.cycle, self.has_negotiated)
        self.last_cycle = self.json("negotiate")
        self.scheduler.until("the starts of cycle %d" % self.cycle, self.has_settled)
        return self.last_cycle

    def has_negotiated(self):
        self.obey()
        answer = self.json("negotiate")
        return bool(answer) and answer["cycle"] == self.cycle

    def has_settled(self):
        self.obey()
        return len(self.started) >= self.last_cycle["matched"]

    def json(self, verb, *options):
        """Return None if no run is published yet."""
        done = subprocess.run([self.programs.fairlead, "-c", self.cell, verb, *options, "--json"], env=self.programs.env, capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def running(self):
        return dict(collections.Counter(held.submitter for held in self.slots.values() if held))

    def preempted(self):
        """Return the preemptions of the last cycle: taker: {loser: count}."""
        found = {}
        for _, winner, loser, _ in self.vacated:
            found.setdefault(winner, collections.Counter())[loser] += 1
        return {winner: dict(losers) for winner, losers in found.items()}

    def update(self, now):
        """Trigger a cycle by submitting a job that cannot run on any slot."""
        self.at(now)
        self.job("nobody@pool", wanted="none")
        self.negotiate_at(now)

    def settle(self):
        """Make a run that knows all events sent so far."""
        self.wake()
        self.scheduler.until("a run at %d" % self.now, self.has_heard)

    def wake(self):
        """Make a run at once by sending an unchanged slot. The jump of the date has no other effect."""
        if self.slots:
            self.send(self.last_slot)

    def has_heard(self):
        self.obey()
        return self.json("stat")["run"]["event"] == self.scheduler.seq
