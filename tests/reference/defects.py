# SPDX-License-Identifier: Apache-2.0
"""Decisions of 8.1.9 that are defects. Fairlead decides differently on purpose: fairlead-gridengine(7).

A difference is put down to such a defect only where it is one by itself: what has been recorded, decision by decision, is booked with the
plain model of tests/dispatch (naive.py), and the decision at which the two part is held against it.

    before the run      the reservation is for a time before the run
    beyond a quota      at its time more is taken of a quota than its limit, by what was booked before and by itself
    beyond a capacity   the same of slots or of a consumable
    for ever            the reservation is for the end of all times
    a place not offered the instance does not offer the PE, or is not one of those that the job may use
    a place closed      a start where a calendar has closed the instance, which the qmaster refuses: the task has not been started
    an uneven amount    the allocation rule of the PE, a number, does not divide what is reserved

One defect is no decision, but that there is none: the first instance that an attempt asks about a quota rule answers for all that share it,
and one of a queue without slots says never. The plain model can copy it. A difference is put down to it where that makes the model decide
all as it was recorded, and without it all as ours.

What comes after it is a consequence, or may be: it is compared only as far as it is equal.
"""
import collections
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "dispatch"))
from naive import Run, differences
from naive_match import static_match
from naive_quota import limit_value, rules_for
from naive_state import SATURATED
from naive_values import number

Decision = collections.namedtuple("Decision", "task state start duration pe granted lines")
# sentences; equal decisions, starts; all other differences are consequences
Explanation = collections.namedtuple("Explanation", "defects compared starts follows")
ROUNDING = 1e-9


def decisions(lines):
    """Return the decisions of a schedule file, in order."""
    found = collections.OrderedDict()
    for line in lines:
        number_, task, state, start, duration = line.split(":")[:5]
        if state in ("STARTING", "RESERVING"):
            found.setdefault((int(number_), int(task), state, int(start), int(duration)), []).append(line)
    for (job, task, state, start, duration), own in found.items():
        fields = [line.split(":")[5:] for line in own]
        granted = [(name, int(float(amount))) for level, name, resource, amount in fields if (level, resource) == ("Q", "slots")]
        yield Decision((job, task), state, start, duration, next((f[1] for f in fields if f[0] == "P"), None), granted, own)


def of_start(start):
    return Decision((start["job_number"], start.get("task") or 1), "STARTING", None, None, start.get("pe") or start.get("granted_pe"),
                    [(entry["queue"], entry["slots"]) for entry in start["granted"]], None)


def same(a, b):
    """Starts that have no lines are the same if their places are."""
    return a[:2] == b[:2] and a.pe == b.pe and a.granted == b.granted and (None in (a.lines, b.lines) or a.lines == b.lines)


class Ledger:
    """The decisions made so far, as recorded."""

    def __init__(self, path):
        self.run = Run(path)
        self.state = self.run.state
        self.jobs = {job.number: job for job in self.run.jobs.values()}
        self.instances = {i.name: i for i in self.run.cell.instances}

    def _bookings(self, decision):
        job = self.jobs[decision.task[0]]
        granted = [(self.instances[name], slots) for name, slots in decision.granted]
        start = self.state.now if decision.start is None else decision.start
        duration = self.state.duration(job) if decision.duration is None else decision.duration
        return self.state.interval(start, duration), list(self.state.bookings(job, granted, decision.pe))

    def book(self, decision):
        span, bookings = self._bookings(decision)
        for level, holder, resource, key, amount in bookings:
            self.state.book.add(key, *span, amount)

    def _limits(self, decision):
        """{key: (its name, how much there is)}, of all that the decision could take"""
        job, cell, limits = self.jobs[decision.task[0]], self.run.cell, {}
        if decision.pe:
            limits[("pe", decision.pe), "slots"] = "PE " + decision.pe, number(cell.pes[decision.pe]["slots"])
        for instance in (self.instances[name] for name, slots in decision.granted):
            for holder in (cell.globe, instance.host, instance):
                limits.update({(holder.name, name): ("%s of %s" % (name, holder.name), number(value)) for name, value in holder.values.items()
                               if cell.by_name[name].consumable != "NO"})
            for rule, named in rules_for(self.state, job, instance, decision.pe):
                for name, text in named.items():
                    if cell.by_name[name].consumable != "NO":
                        limits["quota", rule, name] = "quota %s, %s" % (rule[0], name), limit_value(self.state, instance.host, text)
        return limits

    def _beyond(self, decision):
        limits, taken = self._limits(decision), collections.Counter()
        span, bookings = self._bookings(decision)
        for level, holder, resource, key, amount in bookings:
            taken[key] += amount
        for key, amount in taken.items():
            name, limit = limits.get(key, ("", float("inf")))
            most = self.state.book.most(key, *span) + amount
            if most > limit + ROUNDING * abs(limit):
                return "beyond %s: %g of %g" % (name, most, limit)
        return None

    def _misplaced(self, decision):
        job = self.jobs[decision.task[0]]
        for name, slots in decision.granted:
            if decision.pe and decision.pe not in self.instances[name].pes:
                return "in %s, which does not offer the PE %s" % (name, decision.pe)
            if not static_match(self.state, job, self.instances[name], decision.pe):
                return "in %s, where it may not be" % name
        return None

    def _closed(self, decision):
        name = next((name for name, slots in decision.granted if set(self.instances[name].state) & set("CD")), None)
        return name and "in %s, which is closed by its calendar" % name

    def _uneven(self, decision):
        """Of a range the real scheduler reserves the smallest amount at the time of the run if so much is free,
        regardless of the rule."""
        rule = self.run.cell.pes[decision.pe]["allocation_rule"] if decision.pe else ""
        slots = sum(slots for name, slots in decision.granted)
        if rule.isdigit() and int(rule) and slots % int(rule):
            return "with %d slots, which the allocation rule %s does not divide" % (slots, rule)
        return None

    def defect(self, decision):
        """In words; None: it is none."""
        reserves = decision.state == "RESERVING"
        if any(name not in self.instances for name, slots in decision.granted):
            return None
        if reserves and decision.start < self.state.now:
            what = "for %d, before the run" % decision.start
        elif reserves and decision.start >= SATURATED:
            what = "for the end of all times"
        else:
            what = self._misplaced(decision) or (self._uneven(decision) or self._beyond(decision) if reserves else self._closed(decision))
        return what and "job %d.%d %s %s" % (*decision.task, "reserved" if reserves else "started", what)


class Recorded:
    """The decisions recorded: in one order, or, where no schedule file was kept, starts and reservations each in theirs."""

    def __init__(self, lines, starts, in_order):
        as_recorded = list(decisions(lines))
        self.queues = [as_recorded] if in_order and as_recorded else [[of_start(s) for s in starts], [d for d in as_recorded if d.state == "RESERVING"]]

    def next(self):
        return [queue[0] for queue in self.queues if queue]

    def drop(self, decision):
        for queue in self.queues:
            if queue and queue[0] is decision:
                queue.pop(0)


def explain(case, recorded, ours):
    """
    Return how the recorded decisions (Recorded) differ from ours (a list) if the first difference is a defect.
    None: it is not a defect, or there is no difference. A defect occurs at its job's turn: the decisions about
    earlier jobs must be the same.
    """
    ledger, defects, equals, ours = Ledger(case.path), [], [], list(ours)
    rank = {job["job_number"]: job["prio"] for kind in ("pending", "started") for job in case.expected[kind]}
    while ours or recorded.next():
        mine = ours[0] if ours else None
        equal = next((d for d in recorded.next() if mine and same(d, mine)), None)
        if equal:
            equals.append(equal.state)
            ours.pop(0)
            ledger.book(equal)
            recorded.drop(equal)
            continue
        odd = next(((d, ledger.defect(d)) for d in recorded.next() if ledger.defect(d) and
                    (not mine or rank.get(d.task[0], 0) >= rank.get(mine.task[0], 0))), None)
        if not odd:
            break
        defects.append(odd[1])
        recorded.drop(odd[0])
        if mine and mine.task == odd[0].task:
            ours.pop(0)
        if odd[0].start is None or odd[0].start >= ledger.state.now:
            ledger.book(odd[0])
    return Explanation(defects, len(equals), equals.count("STARTING"), bool(ours or recorded.next())) if defects else None


def decided(run):
    """Return the decisions of the plain model in the form of ours."""
    return [(s["job_number"], s["task"], s["pe"], [(g["queue"], g["slots"]) for g in s["granted"]]) for s in run.started], \
        [(r["job_number"], r["task"], r["start"]) for r in run.reservations]


def starts_without_copied(case):
    """The starts of the plain model, which has no such defect, if the recording has; else those recorded."""
    copy = Run(case.path, forgive=True, copies=True).run()
    return Run(case.path).run().started if copy.search.copied and not differences(copy) else case.expected["started"]


def explain_copied(case, starts, ours):
    """Check the same if all differences come from the result of a quota rule for an instance without slots."""
    copy = Run(case.path, forgive=True, copies=True).run()
    mine = [(*of_start(s).task, of_start(s).pe, of_start(s).granted) for s in starts]
    reserved = [(*d.task, d.start) for d in ours if d.state == "RESERVING"]
    if not copy.search.copied or differences(copy) or decided(Run(case.path).run()) != (mine, reserved):
        return None
    numbers = {job.id: job.number for job in copy.jobs.values()}
    why = ["job %d: an instance without slots has answered a quota rule for all that share it" % numbers[id] for id in copy.search.copied]
    equal = next((k for k, pair in enumerate(zip(mine, decided(copy)[0])) if pair[0] != pair[1]), min(len(mine), len(copy.started)))
    return Explanation(why, equal, equal, True)
