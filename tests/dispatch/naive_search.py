# SPDX-License-Identifier: Apache-2.0
"""Where a job can go: now, or later."""
from naive_match import host_admits, instance_slots, level_slots, queue_in_question, soft_violations, static_match
from naive_order import Order
from naive_pe import Grant, parallel_later, parallel_now
from naive_quota import consumption_of, limit_value, quota_slots, reach, refuses, rules_for
from naive_range import RangeSearch
from naive_tags import LATER, Tags
from naive_values import INFINITY


class Search:
    def __init__(self, state, queues, aside, copies_defects=False):
        self.state, self.order = state, Order(state)
        self.queues, self.aside = queues, aside
        self.admitted = set()			# of the queues, those that were set aside before
        self.suspended = set()			# instances, by name: in this run, by starts in others
        self.tags = Tags(state)
        self.copies_defects, self.copied = copies_defects, []		# jobs that this has made a difference to, perhaps
        self.alarmed = set()			# overloaded by consumables, once: they are not looked at for that again
        self.tried = {}				# by PE, for the job at hand: the amounts that it could give, and those that were tried now
        self.ranges = RangeSearch(state.cell.params.get("pe_rang", "auto"))

    def span(self, job, start):
        return self.state.interval(self.state.now if start is None else start, self.state.duration(job))

    def now(self, job, known, out=None):
        """`known`: hosts and instances that have failed the category in this run: they are not asked about again; `out`: see rule_out()."""
        self.out = out
        self.skipped = set()			# cluster queues and hosts, by quotas
        self.order.begin_select(self.queues)
        if job.pe:
            self.tags.reset()
        return parallel_now(self, job) if job.pe else self.sequential_now(job, known)

    def later(self, job):
        self.out = None
        self.skipped = set()			# for the moment that is tried
        return parallel_later(self, job) if job.pe else self.sequential_later(job)

    def admit_full(self):
        """For a job that may be reserved: full instances are considered too, even now, after those that are not full."""
        self.admitted |= set(self.aside)
        self.queues, self.aside = self.queues + self.aside, []

    def put_aside(self):
        """
        Set aside instances that are suspended by a start elsewhere, full by now, or closed by their calendar.
        The suspended ones come first, then those set aside before, then the others, each in the order of the
        list.
        """
        def out(instance):
            return self.state.full(instance) or instance.state or instance.name in self.suspended
        def turn(instance):
            return 0 if instance.name in self.suspended else 1 if instance in self.admitted else 2
        self.aside += sorted((i for i in self.queues if out(i)), key=turn)
        self.queues = [i for i in self.queues if not out(i)]
        self.admitted = set()

    def drop_overloaded(self, hosts, blind):
        """
        Check loads on the used hosts and remaining consumables everywhere after a start. An overloaded
        instance gets a tag, and all instances with a tag are dropped. This includes those that the last
        search for a parallel job found used by others, with any result. After a blind start no instance is
        dropped, and tags wait for the next one. A search for a parallel job removes all tags.
        """
        alarmed = {i for i in self.queues if i not in self.alarmed and self.state.overloaded(i, by_loads=False)}
        self.alarmed |= alarmed
        self.tags.tag_of.update({i: LATER for i in alarmed})
        if blind:
            return
        lost = self.tags.later(self.queues) | {i for i in self.queues if i.host in hosts and self.state.overloaded(i, by_consumables=False)}
        self.aside += [i for i in self.queues if i in lost]
        self.queues = [i for i in self.queues if i not in lost]
        self.tags.reset()

    def suspend_subordinates(self, granted):
        """Open instances on the same host are suspended as soon as one has so many slots in use; what was aside is aside."""
        named = {f"{queue}@{i.host.name}" for i, n in granted for queue, threshold in i.subordinates
                 if self.state.book.in_use[(i.name, "slots")] >= (threshold or i.slots)}
        self.suspended |= named & {i.name for i in self.queues if i not in self.admitted}

    def misfit(self, job, instance, span):
        """Return what does not match on an instance: its cluster queue by name, its host, or the instance. None: it
        matches."""
        state, host = self.state, instance.host
        if not queue_in_question(state, job, instance.queue, None):
            return instance.queue
        if not host_admits(state.cell, job, host):
            return host
        if instance.state or not static_match(state, job, instance):
            return instance			# 8.1.9 starts jobs of advance reservations where a calendar has closed: its qmaster refuses
        if level_slots(state, job, host, span)[0] < 1:
            return host
        return instance if min(instance_slots(state, job, instance, span)) < 1 else None

    def sequential_now(self, job, known):
        """Quotas are asked first, even about what the job may not use: what they put out of question by the way matters."""
        span = self.span(job, None)
        self.order.begin_search(self.queues, False)
        if level_slots(self.state, job, self.state.cell.globe, span)[0] < 1:
            return None
        best = None
        for i in self.queues:
            if i in known or i.host in known or quota_slots(self.state, job, i, None, span, None, self.skipped) < 1:
                continue
            misfit = self.misfit(job, i, span)
            if misfit:
                (self.skipped if misfit == i.queue else known).add(misfit)
                continue
            violations = soft_violations(self.state, job, i)
            if not best or violations < best.violations:
                best = Grant(None, 1, [(i, 1)], violations, None)
            if not violations:
                break
        return best

    def sequential_later(self, job):
        """
        The first of the instances that are free earliest; soft requests have no say. Here, too, quotas are asked first: a rule that lets
        the job begin no earlier than what was found so far puts out of question what it would if it left nothing.
        """
        self.order.begin_select(self.queues)
        self.order.begin_search(self.queues, False)
        self.skipped = set()
        best = None
        for i in self.queues:
            if i.queue in self.skipped or i.host in self.skipped:
                continue
            start = max(self.quotas_free_from(job, i, best.start if best else INFINITY), self.earliest(job, i))
            if start < (best.start if best else INFINITY):
                best = Grant(None, 1, [(i, 1)], 0, start)
        return best

    def quotas_free_from(self, job, instance, best):
        state, start = self.state, self.state.now
        for rule, limits in rules_for(state, job, instance, None):
            own = max([state.now] + [self.limit_free_from(job, instance, rule, name, text) for name, text in limits.items()])
            if own >= best:
                self.skipped |= reach(state.cell, job, None, rule, instance)
            start = max(start, own)
            if own == INFINITY:
                break
        return start

    def limit_free_from(self, job, instance, rule, name, text):
        state = self.state
        each = consumption_of(state, job, name, 1, True)
        if refuses(state, job, instance.host, name, text):
            return INFINITY
        if not each:
            return state.now
        left = limit_value(state, instance.host, text) - each
        return state.book.below(("quota", rule, name), left) if left >= 0 else INFINITY

    def earliest(self, job, instance):
        """From when on all that the job needs on an instance, but for quotas, stays free for ever."""
        state = self.state
        for_ever = INFINITY, INFINITY
        if min(instance_slots(state, job, instance, for_ever)) < 1 or level_slots(state, job, state.cell.globe, for_ever)[0] < 1:
            return INFINITY
        start = state.now
        inside = state.inside(job, instance)
        for holder in (inside,) if job.ar else (state.cell.globe, instance.host, inside):
            for name in holder.values:
                start = max(start, self.free_from(job, holder, name))
        return start

    def free_from(self, job, holder, name):
        state = self.state
        c = state.cell.by_name[name]
        if c.consumable == "NO":
            return state.now
        each = state.consumption(job, name)
        if c.relop == "EXCL" and each:
            return max(state.book.below((holder.name, name), 0), state.book.below((holder.name, name, "shared"), 0))
        if c.relop == "EXCL":		# an exclusive use of one slot is no obstacle to jobs that ask for none
            return state.book.below((holder.name, name), state.capacity(holder, name))
        return state.book.below((holder.name, name), state.capacity(holder, name) - each) if each else state.now

    def moments(self, job, pe):
        """
        (when to try a reservation, was there such a moment before now?): when more or less is booked of slots, or of what the job requests
        by name, on instances that could hold it in this PE, their hosts, and the cell, or of the PE; in an advance reservation, of its part
        of the instances. If nothing ever changes, now.
        """
        state = self.state
        instances = [i for i in self.queues if static_match(state, job, i, pe)]
        names = {"slots"} | {name for name in job.requests if state.cell.by_name[name].consumable != "NO"}
        holders = [state.inside(job, i) for i in instances] if job.ar else [state.cell.globe] + instances + [i.host for i in instances]
        keys = {(holder.name, name) for holder in holders for name in names & set(holder.values)}
        changes = {m for k in keys | {(("pe", pe), "slots")} for m in state.book.changes(k) if m < INFINITY}
        if not changes:
            return [state.now], False
        return sorted(m for m in changes if m >= state.now), any(m < state.now for m in changes)
