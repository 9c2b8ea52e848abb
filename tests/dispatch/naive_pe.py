# SPDX-License-Identifier: Apache-2.0
"""Parallel jobs: which PE, how many slots, on which instances.  sge_pe(5)."""
from naive_cell import words
from naive_match import (allowed, can_be_master, instance_slots, is_used_exclusively, level_slots, queue_admits, queue_in_question,
                         queue_matches, soft_violations, static_match)
from naive_quota import is_used_up_before_last, quota_lets_lead, quota_slots, quota_take
from naive_tags import FOR_EVER, LATER, NOW
from naive_values import INFINITY, pattern


class Grant:
    def __init__(self, pe, slots, granted, violations, start):
        self.pe, self.slots, self.granted, self.violations, self.start = pe, slots, granted, violations, start
        self.blind = False			# found after another amount: load thresholds are not looked at when it has started


def per_host(rule, amount):
    """Slots that each host used must give; 0: as they come; None: impossible."""
    rule = rule.lower()
    if rule[:1].isdigit():
        k = int(rule)
        return k if k and amount % k == 0 else None
    if rule == "$pe_slots":
        return amount
    return 0 if rule in ("$fill_up", "$round_robin") else None


def amounts(job, rule, most):
    """Return all amounts of slots that the job accepts, ascending."""
    ids = set()
    for low, high, step in job.slot_ranges:
        ids.update(range(low, min(most if high is None else high, most) + 1, step))
    return [n for n in sorted(ids) if per_host(rule, n) is not None]


class Attempt:
    """One attempt to give a job exactly `amount` slots in a PE for a span of time."""

    def __init__(self, search, job, pe, amount, start, span):
        self.search, self.state, self.job, self.pe, self.amount = search, search.state, job, pe, amount
        self.start, self.span, self.hidden = start, span, start == FOR_EVER
        self.rule = self.state.cell.pes[pe]["allocation_rule"].lower()
        self.answers = {} if search.copies_defects else None
        self.least = per_host(self.rule, amount) or 1
        self.granted = []
        self.total, self.master, self.violations, self.taken = 0, False, 0, {}
        self.never = lambda instance: False		# is it out of question at any time?

    def run(self, rules_out=False):
        queues = self.search.queues
        soft = self.job.soft
        if level_slots(self.state, self.job, self.state.cell.globe, self.span)[0] < self.amount:
            return None
        if not self.hidden:
            self.search.order.begin_search(queues, True)
        self.search.skipped = set()			# each attempt for itself
        self.out = self.search.out[self.pe] if self.search.out is not None else ()
        possible = {i: instance_slots(self.state, self.job, i, self.span, self.pe) for i in queues}
        self.left = {i: q if self.start is not None or not i.state else 0 for i, (q, h) in possible.items()}
        self.usable = {i for i in queues if static_match(self.state, self.job, i, self.pe)}
        hosts = {i.host for i in self.usable}
        self.host_left = {h: min(level_slots(self.state, self.job, h, self.span, True)[0], self.headroom(h)) for h in hosts}
        self.in_question = {queue for queue in {i.queue for i in queues} if queue_in_question(self.state, self.job, queue, self.pe, self.amount)}
        if soft:
            counts = {queue: queue_admits(self.state, self.job, queue, self.pe) for queue in {i.queue for i in queues}}
            self.violated = {i: soft_violations(self.state, self.job, i) if counts[i.queue] else 0 for i in queues}
        if soft and not self.hidden:
            queues.sort(key=lambda i: (not counts[i.queue], self.violated[i]) + self.search.order.key(i))
        hosts = list(dict.fromkeys(i.host for i in queues if i.queue in self.in_question))
        if not self.hidden:
            self.search.order.visited(hosts)
        others = list(dict.fromkeys(i.host for i in queues if i.host not in hosts))
        before = -1
        while not self.done() and self.total != before:
            before = self.total
            for host in hosts + others:
                if not self.done() and host not in self.out:
                    self.visit(host, [i for i in queues if i.host is host])
                    if rules_out and not self.granted and self.ever(host) < self.amount:
                        self.out.add(host)
            if self.rule != "$round_robin":
                break
        if self.answers and any(self.answers.values()) and self.job.id not in self.search.copied:
            self.search.copied.append(self.job.id)
        if not self.done():
            return None
        if soft:
            self.violations = sum(n * self.violated[i] for i, n in self.granted)
        return Grant(self.pe, self.amount, [(i, n) for i, n in self.granted], self.violations, self.start)

    def done(self):
        return self.total >= self.amount and self.master

    def headroom(self, host):
        """
        The most that a host's instances leave, whether the job may use them or not. Once a search for the amount now has found one,
        thresholds on loads are forgotten, but not those on consumables.
        """
        later = self.start is not None
        return max(self.state.headroom(self.job, i, self.span if later else None, later or not self.search.found)
                   for i in self.search.queues if i.host is host)

    def visit(self, host, instances):
        """Take from a host what the allocation rule says, or nothing."""
        if host in self.search.skipped:
            return
        self.look(host, instances)
        instances = [i for i in instances if i.queue in self.in_question]
        possible = min(sum(self.left[i] for i in instances), self.host_left.get(host, 0))
        if possible < self.least:
            return
        share = self.least
        if self.rule == "$fill_up":
            share = min(self.amount - self.total, possible)
        kept = list(self.granted), dict(self.taken), dict(self.left)
        got, suited = 0, False
        for i in instances:
            n = self.offer(i, share - got, self.total + got, self.master or suited)
            if n > 0:
                suited |= self.suited(i)
                self.take(i, n)
                got += n
        if got < self.least:
            self.granted, self.taken, self.left = kept
            return
        if self.hidden and self.rule == "$round_robin":
            self.left = kept[2]			# 8.1.9 does not count what earlier rounds have taken at the end of all bookings
        else:
            self.host_left[host] -= got
        self.total += got
        self.master |= suited

    def look(self, host, instances):
        """
        Check a host. If it can provide its share now or at the end of all bookings, also check its candidate
        instances, by quotas too. This happens even without slots or need, since the checks exclude instances
        as a side effect.
        """
        at_end = 0 if self.hidden else self.search.tags.look_at_host(self.job, host, instances, self.span)
        if max(self.host_left.get(host, 0), at_end) < self.least:
            return
        for i in instances:
            if i.queue in self.in_question and i.queue not in self.search.skipped and not self.never(i):
                if i in self.usable:
                    quota_slots(self.state, self.job, i, self.pe, self.span, self.taken, self.search.skipped, self.answers)
                if not self.hidden:
                    self.search.tags.look_at_instance(self.job, i, self.pe, self.span)

    def means_master(self, instance):
        return not self.job.master_queues or queue_matches(self.state.cell, self.job.master_queues, instance)

    def ever(self, host):
        """
        Slots of a host at the end of all times, by what is free then and by quotas; load does not matter. Without reservations a quota that
        leaves nothing now is taken to do so for ever.
        """
        span, taken, got = (1e18 if self.state.cell.max_reservation else INFINITY, INFINITY), {}, 0
        possible = level_slots(self.state, self.job, host, span, True)[0]
        for i in self.search.queues:
            if i.host is host:
                n = min(self.amount - got, instance_slots(self.state, self.job, i, span, self.pe)[0])
                n = min(n, quota_slots(self.state, self.job, i, self.pe, span, taken))
                if i.queue in self.search.skipped or span[0] == INFINITY and not quota_slots(self.state, self.job, i, self.pe, self.span):
                    n = 0
                quota_take(self.state, self.job, i, self.pe, n, taken)
                got += n
        return min(possible, got)

    def offer(self, instance, wanted, so_far, master):
        n = 0 if self.never(instance) else min(wanted, self.left[instance])
        if self.master_only(instance) and not self.master:
            n = min(n, 1)			# at each visit: round robin comes back; and only until there is a master
        if not master and not self.suited(instance) and so_far + n >= self.amount:
            n -= 1
        return n if n < 1 else min(n, quota_slots(self.state, self.job, instance, self.pe, self.span, self.taken, self.search.skipped, self.answers))

    def suited(self, instance):
        if not self.means_master(instance) or self.search.tags.of(instance) < (LATER if self.hidden else NOW):
            return False
        return can_be_master(self.state, self.job, instance, self.span) and \
            quota_lets_lead(self.state, self.job, instance, self.pe, self.span)

    def master_only(self, instance):
        """Allowed by -masterq alone, while -q says where the others go."""
        return bool(self.job.queues and self.job.master_queues) and not queue_matches(self.state.cell, self.job.queues, instance)

    def take(self, instance, n):
        """Until the host that provides the master is finished, instances suited as master are put at the head."""
        quota_take(self.state, self.job, instance, self.pe, n, self.taken)
        self.left[instance] -= n
        for k, (i, slots) in enumerate(self.granted):
            if i is instance:
                self.granted[k] = (i, slots + n)
                return
        at_head = not self.master and self.suited(instance)
        self.granted.insert(0 if at_head else len(self.granted), (instance, n))


def candidates_of(search, job, name):
    """The amounts worth an attempt in a PE: none if the user is not let in or too few of its slots are left."""
    pe = search.state.cell.pes[name]
    if not allowed(search.state.cell, job, {k: words(pe[k]) for k in ("user_lists", "xuser_lists")}):
        return []
    return amounts(job, pe["allocation_rule"], int(pe["slots"]))


def pe_left(search, job, name, span):
    """Return the slots left in a PE. Jobs of an advance reservation are not limited: the reservation keeps their
    slots."""
    if job.ar:
        return INFINITY
    return int(search.state.cell.pes[name]["slots"]) - search.state.book.most((("pe", name), "slots"), *span)


def maximize(search, job, name, start, candidates):
    """The most slots that a PE can give at a moment; start None: now."""
    span = search.span(job, start)
    search.found = False
    left = pe_left(search, job, name, span)

    ruled_out = rule_out(search, job, name, span, candidates, left) if search.out is not None and candidates else set()
    tried = []
    if start is None:
        search.tried[name] = candidates, tried

    def apply():
        if ruled_out:
            search.out[name] |= ruled_out

    def attempt(n):
        if n != search.ranges.first(candidates):
            apply()
        tried.append(n)
        grant = Attempt(search, job, name, n, start, span).run()
        apply()
        if grant:
            grant.blind, search.found = search.found, True
        return grant
    return search.ranges.find([n for n in candidates if n <= left], attempt)


def rule_out(search, job, name, span, candidates, left):
    """
    With $pe_slots, hosts on which the first amount tried will never fit are out of question for the category, if it has more
    jobs than one: smaller amounts are not tried there either. What a quota has put out of question by then never fits. Return these hosts.
    They are visited in the attempt that finds this.
    """
    out = search.out[name]
    before = set(out)
    first = search.ranges.first(candidates)
    if search.state.cell.pes[name]["allocation_rule"].lower() == "$pe_slots" and first <= left:
        Attempt(search, job, name, first, None, span).run(rules_out=True)
    found = out - before
    out -= found
    return found


def is_open(search, job):
    """Is the advance reservation, if there is one, there now? Else nothing is tried."""
    return not job.ar or search.state.cell.ars[job.ar].running


def matching(search, job):
    """In an advance reservation its PE takes the place of the job's."""
    ar = search.state.cell.ars.get(job.ar)
    if ar and ar.pe:
        return [ar.pe]
    return [n for n in search.state.cell.pes if pattern(job.pe, n)]


def parallel_now(search, job):
    best = None
    if not is_open(search, job):
        return None
    for name in matching(search, job):
        least = best.slots if best else 0
        found = maximize(search, job, name, None, [n for n in candidates_of(search, job, name) if n >= least])
        if found and (not best or better(found, best)):
            best = found
    return best


def better(a, b):
    """More slots, or as many with fewer violations of soft requests."""
    return (-a.slots, a.violations) < (-b.slots, b.violations)


def comes_later(search, job):
    """
    Will a PE ever have room, as 8.1.9 sees it? The first tried amount that will ever be available decides, unless
    it is the smallest one: the search continues with the slots that are free now, which are fewer than any
    amount. If a quota set had nothing left in that search, the sets after it were not reached, which counts as
    never.
    """
    now = search.span(job, None)

    def ever(name, n):
        attempt = Attempt(search, job, name, n, FOR_EVER, (FOR_EVER, INFINITY))
        if pe_left(search, job, name, attempt.span) < n:
            return False
        if pe_left(search, job, name, now) >= n:
            attempt.never = lambda instance: is_used_up_before_last(search.state, job, instance, name, now) or any(
                is_used_exclusively(search.state, job, holder, now) for holder in (search.state.inside(job, instance), instance.host) if holder)
            if is_used_exclusively(search.state, job, search.state.cell.globe, now):
                return False
        return attempt.run() is not None
    for name, (candidates, tried) in search.tried.items():
        for n in tried or candidates[:1]:
            if ever(name, n):
                if n == candidates[0]:
                    return True
                break
    return not search.tried


def parallel_later(search, job):
    """
    The first PE that will ever have the smallest amount, be it one that its allocation rule does not divide, says when; the others are
    tried at that moment only, and taken for fewer violations of soft requests. Then as much as possible. All of this finds the tags of
    the moment before, which failed.
    """
    kept, search.tags.tag_of = search.tags.tag_of, {}
    comes = is_open(search, job) and comes_later(search, job)
    search.tags.tag_of = kept			# those of the search for now, until a moment is tried
    if not comes:
        return None
    search.order.begin_select(search.queues)
    best, least = None, min(low for low, _, _ in job.slot_ranges)
    for name in matching(search, job):
        if not candidates_of(search, job, name):
            continue
        if not best:
            best = earliest(search, job, name, least)
        else:
            found = try_at(search, job, name, least, best.start)
            best = found if found and found.violations < best.violations else best
    most = best and maximize(search, job, best.pe, best.start, candidates_of(search, job, best.pe)) or best
    if most:
        most.blind |= best.blind
    return most


def try_at(search, job, name, amount, moment):
    span = search.span(job, moment)
    return Attempt(search, job, name, amount, moment, span).run() if pe_left(search, job, name, span) >= amount else None


def earliest(search, job, name, amount):
    """
    From the last moment backwards as long as the job fits. 8.1.9 goes on to moments before now: what it finds there is not taken, but
    its tags are. There it finds what it finds now.
    """
    best, (moments, any_before) = None, search.moments(job, name)
    for moment in reversed(moments):
        search.tags.reset()
        found = try_at(search, job, name, amount, moment)
        if not found:
            return best
        found.blind, best = best is not None, found
    if any_before:
        search.tags.reset()
        try_at(search, job, name, amount, search.state.now)
    return best
