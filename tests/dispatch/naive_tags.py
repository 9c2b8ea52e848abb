# SPDX-License-Identifier: Apache-2.0
"""
The tag of an instance: can it be the master queue of a parallel job now, later, or never? Instances that are tagged LATER when a job
starts or is reserved are lost.

A host and its instances answer a job's requests by name, one after the other. An answer says when, and how many slots are there
now and at the end of all bookings.
"""
from naive_match import host_admits, host_is_named, queue_matches, static_match
from naive_quota import consumption_of, limit_value, rules_for
from naive_values import INFINITY, fits, number, relation

NEVER, LATER, NOW = 0, 1, 2
FOR_EVER = 1e18			# a moment at which nothing is booked that ends
NOTHING = NEVER, 0, 0


def booked_at_end(state, *keys):
    """Without bookings in time nothing is booked then."""
    return max(state.book.at(key, FOR_EVER) for key in keys) if state.cell.timed() else 0


def left_in_principle(state, capacity, key):
    """Return the amount that a request is compared with first: the capacity, or the amount left now if no job is
    reserved."""
    return capacity - (0 if state.cell.max_reservation else state.book.in_use.get(key, 0))


def consumable_answer(state, job, holder, name, span):
    each, key, exclusive = state.consumption(job, name), (holder.name, name), state.cell.by_name[name].relop == "EXCL"
    capacity = state.capacity(holder, name)
    if each > left_in_principle(state, capacity, key):
        return NOTHING
    if exclusive:
        keys = [key] + ([(*key, "shared")] if each else [])
        busy, at_end = max(state.book.most(k, *span) for k in keys), booked_at_end(state, *keys)
        return LATER if busy or at_end else NOW, 0 if busy else INFINITY, 0 if at_end else INFINITY
    if not each:
        return NOW, INFINITY, INFINITY
    now, at_end = (max(0, int((capacity - used) / each)) for used in (state.book.most(key, *span), booked_at_end(state, key)))
    if state.cell.by_name[name].consumable == "JOB":
        return NOW if now and at_end else LATER, INFINITY, INFINITY
    if state.cell.by_name[name].consumable == "HOST":
        return NOW, now and INFINITY, at_end and INFINITY
    return NOW, now, at_end


def answer(state, job, holder, name, span):
    """Return None if the holder does not know the attribute."""
    c = state.cell.by_name[name]
    if c.consumable != "NO" and name in holder.values:
        return consumable_answer(state, job, holder, name, span)
    offer = state.offer(holder, c) if c.consumable == "NO" or name in getattr(holder, "loads", ()) else None
    if offer is None:
        return None
    return (NOW, INFINITY, INFINITY) if fits(c.type, job.requests[name], relation(c.relop), offer) else NOTHING


def is_once(state, name):
    return state.cell.by_name[name].consumable == "JOB"


def implicit_answers(state, job, holder, span):
    """Yield the answers for slots and for the amounts that the job takes by default. Each must be available now."""
    for name in holder.values:
        if name not in job.requests and state.cell.by_name[name].consumable != "NO" and not is_once(state, name):
            yield answer(state, job, holder, name, span)


def host_answer(state, job, host, span):
    """The last request that the host knows says when. What the job takes once and will never be there counts as not known."""
    answers = list(implicit_answers(state, job, host, span))
    if any(when != NOW for when, slots, at_end in answers):
        return NOTHING
    for name in sorted(job.requests):
        found = answer(state, job, host, name, span)
        if found == NOTHING and not is_once(state, name):
            return NOTHING
        if found and found != NOTHING:
            answers.append(found)
    return answers[-1][0] if answers else NOW, min([a[1] for a in answers] + [INFINITY]), min([a[2] for a in answers] + [INFINITY])


def knows(state, job, holder, name, span):
    """Does a holder know a request and satisfy it, be it later? In an advance reservation what is consumed is kept with the instances alone."""
    return not (job.ar and state.cell.by_name[name].consumable != "NO") and answer(state, job, holder, name, span) not in (None, NOTHING)


def tag_for_quotas(state, job, instance, pe, span):
    """Check the amounts that the job takes once against their limits."""
    tag = NOW
    for rule, limits in rules_for(state, job, instance, pe):
        for name, text in limits.items():
            each = consumption_of(state, job, name, 0, True)
            if not each or not is_once(state, name) or name not in job.requests:
                continue
            key, limit = ("quota", rule, name), limit_value(state, instance.host, text)
            if each > left_in_principle(state, limit, key):
                tag = NEVER
            elif each > limit - max(state.book.most(key, *span), booked_at_end(state, key)):
                tag = min(tag, LATER)
    return tag


def tag_for_requests(state, job, instance, span, tag):
    """Return the tag after the requests. It is unchanged if the instance cannot provide slots and defaults now."""
    inside, others = state.inside(job, instance), (instance.host, state.cell.globe)
    if any(when != NOW for when, slots, at_end in implicit_answers(state, job, inside, span)):
        return tag
    for name in sorted(job.requests):
        found = answer(state, job, inside, name, span)
        never = found == NOTHING or not found and not any(knows(state, job, other, name, span) for other in others)
        if never and not is_once(state, name):
            return tag
        if is_once(state, name) and (never or found and found[0] == LATER):
            tag = NEVER if never else LATER
    return tag


class Tags:
    """Tags of the last search for a parallel job."""

    def __init__(self, state):
        self.state, self.tag_of = state, {}

    def reset(self):
        self.tag_of = {}

    def of(self, instance):
        return self.tag_of.get(instance, NOW)

    def later(self, instances):
        return {i for i in instances if self.of(i) == LATER}

    def look_at_host(self, job, host, instances, span):
        """Tag its instances, all of them; the slots that the host has at the end of all bookings."""
        if job.ar or not host_admits(self.state.cell, job, host) or self.is_not_named(job, host):
            return 0
        when, slots, at_end = host_answer(self.state, job, host, span)
        if when == LATER:
            self.tag_of.update({i: LATER for i in instances})
        return at_end

    def is_not_named(self, job, host):
        """Neither -q nor -masterq, where both are given, mean any queue there."""
        return bool(job.queues and job.master_queues) and not host_is_named(self.state.cell, job.queues + job.master_queues, host)

    def look_at_instance(self, job, instance, pe, span):
        if job.master_queues and not queue_matches(self.state.cell, job.master_queues, instance):
            self.tag_of[instance] = NEVER
        if not static_match(self.state, job, instance, pe):
            return
        tag = min(self.of(instance), tag_for_quotas(self.state, job, instance, pe, span))
        self.tag_of[instance] = tag_for_requests(self.state, job, instance, span, tag)
