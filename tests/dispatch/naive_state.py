# SPDX-License-Identifier: Apache-2.0
"""State that changes during a run: bookings in time, the adjusted load, and full or overloaded hosts and instances."""
import math
import re

from naive_quota import quota_uses
from naive_values import INFINITY, fits, number, relation

OFFSET_DEFAULT = 60
SATURATED = 2**32 - 1


class Book:
    """
    Bookings of each resource in time. A resource is any hashable key. Bookings are (begin, end, amount). The
    amounts in use are kept separately: reservations are booked only, even if they begin now.
    """

    def __init__(self):
        self.lines, self.in_use = {}, {}

    def add(self, key, begin, end, amount):
        self.lines.setdefault(key, []).append((begin, end, amount))

    def use(self, key, amount):
        self.in_use[key] = self.in_use.get(key, 0) + amount

    def at(self, key, moment):
        return sum(a for b, e, a in self.lines.get(key, ()) if b <= moment < e)

    def most(self, key, begin, end):
        """The most that is booked at any moment of [begin, end)."""
        moments = {begin} | {b for b, e, a in self.lines.get(key, ()) if begin < b < end}
        return max(self.at(key, m) for m in moments)

    def below(self, key, limit):
        """The moment from which on there is never more than `limit` booked; INFINITY if there is none."""
        over = [m for m in self.moments(key) if self.at(key, m) > limit + 1e-9]
        return min((m for m in self.moments(key) if m > max(over)), default=INFINITY) if over else -INFINITY

    def moments(self, key):
        return sorted({m for b, e, a in self.lines.get(key, ()) for m in (b, e)})

    def changes(self, key):
        """Moments at which what is booked in all becomes another."""
        moments = self.moments(key)
        sums = [0] + [self.at(key, m) for m in moments]
        return [m for m, before, after in zip(moments, sums, sums[1:]) if before != after]


class State:
    def __init__(self, cell, now):
        self.cell, self.now = cell, now
        conf = cell.conf
        self.book = Book()
        self.lcf = {h.name: 0 for h in [cell.globe] + cell.hosts}
        self.host = {h.name: h for h in cell.hosts}
        self.adjustments = {}
        if conf["job_load_adjustments"].upper() != "NONE":
            for item in re.split(r"[,\s]+", conf["job_load_adjustments"]):
                name, _, value = item.partition("=")
                self.adjustments[cell.by_name[name].name] = number(value)
        self.decay = number(conf["load_adjustment_decay_time"])
        self.offset = number(cell.params.get("duratio", str(OFFSET_DEFAULT)))
        self.reduced = {}

    # -- time -------------------------------------------------------------------------------------------------------------------

    def duration(self, job, queues=()):
        """How long a job is expected to hold what it gets: its h_rt or s_rt; a running one's by its queues; default_duration."""
        asked = [number(job.requests[k]) for k in ("h_rt", "s_rt") if k in job.requests]
        if not asked and queues:
            asked = [number(q.values[k]) for q in queues for k in ("h_rt", "s_rt") if number(q.values[k]) != INFINITY]
        seconds = min(asked) if asked else number(self.cell.conf["default_duration"])
        return min(seconds + self.offset, SATURATED)

    def interval(self, start, duration):
        """[begin, end) of a booking; without reservations everything is booked for ever."""
        if not self.cell.timed():
            return -INFINITY, INFINITY
        return start, INFINITY if start + duration >= SATURATED else start + duration

    def running_interval(self, start, duration):
        """A task that should have ended by now is expected to end one schedule_interval from now."""
        if start + duration <= self.now:
            duration = self.now + number(self.cell.conf["schedule_interval"]) - start
        return self.interval(start, duration)

    def book_calendars(self):
        """When a calendar has an instance off or suspended all its slots are taken, beside those of jobs."""
        for i in self.cell.instances:
            if i.calendar in self.cell.calendars and self.cell.timed():
                for begin, end in self.cell.calendars[i.calendar].closed(self.now):
                    self.book.add((i.name, "slots"), begin, end, i.slots)

    def book_reserved(self):
        by_name = {i.name: i for i in self.cell.instances}
        for ar in self.cell.ars.values():
            granted = [(by_name[name], n) for name, n in ar.slots.items()]
            for level, holder, resource, key, amount in self.uses_of(ar, granted, ar.pe, with_quotas=False):
                self.book.add(key, ar.begin, ar.end, amount)

    def inside(self, job, instance):
        """Return the view of a job on an instance. A job of an advance reservation sees only its reserved slots while
        the reservation lasts. None: nothing."""
        if not job.ar:
            return instance
        ar = self.cell.ars.get(job.ar)
        return ar.inside.get(instance.name) if ar and ar.running else None

    # -- consumables ------------------------------------------------------------------------------------------------------------

    def capacity(self, holder, name):
        return number(holder.values[name]) - self.reduced.get((holder.name, name), 0.0)

    def used(self, holder, name, span):
        return self.book.most((holder.name, name), *span)

    def shared(self, holder, name, span):
        """Use of an exclusive resource's holder by jobs that do not want it for themselves."""
        return self.book.most((holder.name, name, "shared"), *span)

    def consumption(self, job, name):
        """Return the amount of a consumable that a job takes for each slot, by request or default."""
        return number(job.requests.get(name, self.cell.by_name[name].default if name != "slots" else "1")) or 0.0

    def uses(self, job, holder, slots, master, first=True):
        """Yield (resource, key, amount) for `slots` of a job on a holder. JOB consumables are taken only where the
        master task runs, and HOST consumables by the first entry of each host."""
        for name in holder.values:
            c = self.cell.by_name[name]
            if c.consumable == "NO":
                continue
            each = self.consumption(job, name)
            if c.relop == "EXCL" and not each:
                yield name, (holder.name, name, "shared"), slots
            elif c.consumable == "JOB" and master and each:
                yield name, (holder.name, name), each
            elif c.consumable == "HOST" and first and each:
                yield name, (holder.name, name), each
            elif c.consumable == "YES" and each:
                yield name, (holder.name, name), each * slots

    def bookings(self, job, granted, pe):
        """Yield the bookings of a job in time. Resources that its advance reservation already keeps are booked there
        only."""
        if not job.ar:
            yield from self.uses_of(job, granted, pe)
            return
        for k, (i, n) in enumerate(granted):
            for use in self.uses(job, self.inside(job, i), n, k == 0):
                yield "Q", i.name, *use

    def uses_of(self, job, granted, pe, with_quotas=True):
        """Yield (level, object, resource, key, amount) for everything a job takes. granted is [(instance, slots)],
        the master's first."""
        total = sum(n for i, n in granted)
        if pe:
            yield "P", pe, "slots", (("pe", pe), "slots"), total
        for use in self.uses(job, self.cell.globe, total, True):
            yield "G", "global", *use
        for k, (i, n) in enumerate(granted):
            first = all(earlier.host is not i.host for earlier, _ in granted[:k])
            for use in self.uses(job, i.host, n, k == 0, first):
                yield "H", i.host.name, *use
            for use in self.uses(job, i, n, k == 0):
                yield "Q", i.name, *use
            if with_quotas:
                yield from quota_uses(self, job, i, pe, n, k == 0)

    # -- load -------------------------------------------------------------------------------------------------------------------

    def correct_running(self, task):
        """The load that a task started shortly before has not yet caused."""
        age = self.now - task["start"]
        if not self.decay or age > self.decay:
            return
        c = 1 - age / self.decay
        for i, n in task["granted"]:
            self.lcf[i.host.name] = math.trunc(c * n * 100 + self.lcf[i.host.name])

    def correct_started(self, granted):
        if self.decay and self.adjustments:
            for i, n in granted:
                self.lcf[i.host.name] += 100 * n
        return bool(self.decay and self.adjustments)

    def adjustment(self, host, name):
        """The amount by which a load value is corrected."""
        if name not in self.adjustments or not self.lcf[host.name]:
            return 0.0
        factor = self.lcf[host.name] / 100
        if name.startswith("np_"):
            factor /= self.processors(host)
        return self.adjustments[name] * factor

    def processors(self, host):
        return number(host.loads.get("num_proc", "1")) or 1

    def load(self, host, name):
        """A host's load value, corrected; None when it reports none."""
        text = host.loads.get(name)
        if text is None:
            return None
        value = number(text)
        if value is None or name not in self.adjustments:
            return text
        up = self.cell.by_name[name].relop in (">=", ">")
        return repr(value + self.adjustment(host, name) if up else value - self.adjustment(host, name))

    def reduce_capacities(self):
        """Consumables that others than jobs use as well: what the load shows to be gone is taken from the capacity."""
        for host in self.cell.hosts:
            for name in host.values:
                c = self.cell.by_name[name]
                if c.consumable == "NO" or c.relop not in ("==", "<", "<=", "!=") or name not in host.loads:
                    continue
                free = number(host.values[name]) - self.book.in_use.get((host.name, name), 0)
                outside = free - number(self.load(host, name))
                if outside > 0:
                    self.reduced[(host.name, name)] = outside

    def sort_value(self, host):
        """load_formula of a host: terms joined by + and -, a term is x or x op y; from left to right."""
        formula, total = self.cell.conf["load_formula"].replace(" ", ""), 0.0
        for sign, term in re.findall(r"([+-]?)([^+-]+)", formula):
            value = self.formula_term(host, term)
            if value is None:
                return 9999.0
            total += -value if sign == "-" else value
        return total

    def formula_term(self, host, term):
        parts = re.match(r"([^*/&|^]+)(?:([*/&|^])([^*/&|^]+))?", term).groups()
        x = self.formula_operand(host, parts[0])
        if x is None or not parts[1]:
            return x
        y = self.formula_operand(host, parts[2])
        if y is None:
            return None
        if parts[1] in "*/":
            return x * y if parts[1] == "*" else x / y
        a, b = int(x), int(y)
        return float({"&": a & b, "|": a | b, "^": a ^ b}[parts[1]])

    def formula_operand(self, host, text):
        text = text.lstrip("$")
        if text[0].isdigit() or text[0] == ".":
            return float(text)
        c = self.cell.by_name.get(text)
        values = [v for v in (self.formula_value(h, c) for h in (host, self.cell.globe)) if v is not None] if c else []
        return (max if c.relop in (">=", ">") else min)(values) if values else None

    def formula_value(self, host, c):
        """Return the amount of a consumable that is left now, or the reported load if that is lower."""
        if c.consumable == "NO" or c.name not in host.values:
            value = self.offer(host, c)
            return number(value) if value is not None else None
        left = self.capacity(host, c.name) - self.book.in_use.get((host.name, c.name), 0)
        return min(left, number(self.load(host, c.name))) if c.name in host.loads else left

    # -- offers -----------------------------------------------------------------------------------------------------------------

    def offer(self, holder, c):
        """Return the value that a queue instance, a host or the cell has for an attribute that is not consumed. None:
        no value."""
        fixed = holder.values.get(c.name)
        load = self.load(holder, c.name) if hasattr(holder, "loads") and c.name in holder.loads else None
        if fixed is None or load is None or c.relop in ("==", "!="):
            return load if fixed is None else fixed
        larger = c.relop in (">=", ">")
        return max(fixed, load, key=number) if larger else min(fixed, load, key=number)

    # -- queue instances --------------------------------------------------------------------------------------------------------

    def full(self, instance):
        return self.book.in_use.get((instance.name, "slots"), 0) >= instance.slots

    def overloaded(self, instance, by_loads=True, by_consumables=True):
        """A load threshold has been reached."""
        return any(
            self.exceeded(instance, n, t) for n, t in instance.load_thresholds.items()
            if (by_loads if self.cell.by_name[n].consumable == "NO" else by_consumables))

    def suspends(self, instance):
        """Is a suspend threshold exceeded? Consumables have no suspend threshold."""
        return any(self.exceeded(instance, n, t) for n, t in instance.suspend_thresholds.items() if self.cell.by_name[n].consumable == "NO")

    def exceeded(self, instance, name, limit):
        value = self.threshold_value(instance, self.cell.by_name.get(name))
        if value is None:
            return True
        c = self.cell.by_name[name]
        return fits(c.type, value, relation(c.relop), limit)

    def threshold_value(self, instance, c, span=None):
        """The value a load threshold is compared with: what remains of a consumable (now, or then), else load, else what the queue says."""
        if c is None:
            return None
        if c.consumable != "NO":
            left = [self.capacity(h, c.name) - (self.used(h, c.name, span) if span else self.book.in_use.get((h.name, c.name), 0))
                    for h in (instance, instance.host, self.cell.globe) if c.name in h.values]
            return "%8.3f" % min(left) if left else None
        for holder in (instance.host, self.cell.globe):
            if c.name in holder.loads:
                return self.load(holder, c.name)
        return instance.values.get(c.name)

    def headroom(self, job, instance, span=None, with_loads=True):
        """
        How many more slots until a load threshold is reached: by their adjustments, from the load as it was reported (whatever was started
        since, and however fast adjustments decay), or by what they consume, from what is left: now, or for a span of time.
        """
        most = INFINITY
        for name, limit in instance.load_thresholds.items():
            c = self.cell.by_name[name]
            if c.consumable != "NO":
                step, value, last = self.consumption(job, c.name), self.threshold_value(instance, c, span), 0
            elif with_loads and c.name in instance.host.loads:
                step, value, last = self.adjustments.get(c.name, 0.0), instance.host.loads[c.name], 1
                step /= self.processors(instance.host) if c.name.startswith("np_") else 1
            else:
                continue
            gap = number(limit) - number(value)
            if step:
                most = min(most, math.trunc((gap if c.relop in (">=", ">") else -gap) / step) + last)
        return max(most, 0)
