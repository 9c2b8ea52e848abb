# SPDX-License-Identifier: Apache-2.0
"""Does a job fit on a queue instance, and with how many slots?"""
from naive_values import INFINITY, STRINGS, fits, number, pattern, relation

MISSING = None		# an attribute that does not exist; otherwise a number of slots


def host_matches(cell, text, host):
    """The host part of a queue name: a host, or @group, each with patterns."""
    if text.startswith("@"):
        return host.name in cell.group_hosts([g for g in cell.groups if pattern(text[1:], g[1:])])
    return pattern(text, host.name)


def queue_matches(cell, words, instance):
    """-q, -masterq: cluster queues, queue@host, queue@@group, each with patterns."""
    parts = [word.partition("@") for word in words]
    return any(pattern(queue, instance.queue) and (not at or host_matches(cell, host, instance.host)) for queue, at, host in parts)


def host_is_named(cell, words, host):
    """Does one of them mean queues on a host, whatever their names?"""
    parts = [word.partition("@") for word in words]
    return any(not at or host_matches(cell, text, host) for queue, at, text in parts)


def allowed(cell, job, access):
    """User lists and projects of a queue, a host or a PE: one of the first, none of the second kind."""
    def listed(lists):
        return any(cell.in_userset(n, job.owner, job.group) for n in lists)
    if listed(access.get("xuser_lists", ())) or access.get("user_lists") and not listed(access["user_lists"]):
        return False
    if job.project in access.get("xprojects", ()):
        return False
    return not access.get("projects") or job.project in access["projects"]


def forced_missing(cell, job, holder):
    return any(cell.by_name[n].requestable == "FORCED" and n not in job.requests for n in holder.values)


def host_admits(cell, job, host):
    """Check all properties of a host that no booking can change."""
    return allowed(cell, job, host.access) and not forced_missing(cell, job, host)


def static_match(state, job, instance, pe=None):
    """Check all properties that no booking can change."""
    cell = state.cell
    if not state.inside(job, instance):
        return False
    if not host_admits(cell, job, instance.host) or not allowed(cell, job, instance.access) or forced_missing(cell, job, instance):
        return False
    if pe is None and (job.pe or not instance.batch) or pe is not None and pe not in instance.pes:
        return False
    if not job.queues:
        return True
    return queue_matches(cell, job.queues, instance) or \
        bool(job.master_queues) and queue_matches(cell, job.master_queues, instance)


def queue_satisfies(state, instances, name, text):
    """Does the configuration of a cluster queue leave a request a chance on any of its instances?"""
    c = state.cell.by_name[name]
    return any(name not in i.values or fits(c.type, text, relation(c.relop), i.values[name]) for i in instances)


def queue_in_question(state, job, queue, pe, amount=1):
    """A cluster queue as a whole; pe None: for a sequential job. For more slots than one, requests of numbers are passed over."""
    instances = [i for i in state.cell.instances if i.queue == queue]
    asked = [(name, text) for name, text in job.requests.items() if amount == 1 or state.cell.by_name[name].type in STRINGS]
    return queue_admits(state, job, queue, pe) and all(queue_satisfies(state, instances, *request) for request in asked)


def queue_admits(state, job, queue, pe):
    """Check conditions that do not depend on the request."""
    instances = [i for i in state.cell.instances if i.queue == queue]
    if not any(state.inside(job, i) for i in instances):
        return False
    named = [word.partition("@")[0] for word in job.queues + job.master_queues]
    if job.queues and not any(pattern(word, queue) for word in named):
        return False
    return any((pe in i.pes if pe else i.batch) and allowed(state.cell, job, i.access) for i in instances)


def exclusive_slots(state, job, holder, name, span):
    """An exclusive job needs an empty holder; any other one a holder that is not exclusively used."""
    busy = state.used(holder, name, span)
    if state.consumption(job, name):
        busy = max(busy, state.shared(holder, name, span))
    return 0 if busy >= number(holder.values[name]) else INFINITY


def is_used_exclusively(state, job, holder, span):
    """Do other jobs use an exclusive resource that the job does not request? 8.1.9 assumes that a parallel job will
    never get it."""
    return any(name not in job.requests and state.cell.by_name[name].relop == "EXCL" and state.used(holder, name, span) for name in holder.values)


def consumable_slots(state, job, holder, name, span, parallel=False):
    """JOB consumables of hosts and queues do not limit a parallel job's slots. They determine which hosts can run the
    master task."""
    c = state.cell.by_name[name]
    if c.relop == "EXCL":
        return exclusive_slots(state, job, holder, name, span)
    each = state.consumption(job, name)
    if not each:
        return INFINITY
    left = state.capacity(holder, name) - state.used(holder, name, span)
    if c.consumable != "YES":
        return INFINITY if left >= each or (parallel and c.consumable == "JOB") else 0
    return max(0, int(left / each))


def can_be_master(state, job, instance, span):
    """Are the JOB consumables that the job takes once there, on every level that has them, and does one have each?"""
    holders = state.cell.globe, instance.host, instance
    known = {name for holder in holders for name in holder.values}
    return all(name in known for name in job.requests if state.cell.by_name[name].consumable == "JOB") and \
        all(consumable_slots(state, job, holder, name, span) for holder in holders[1:] for name in holder.values
            if state.cell.by_name[name].consumable == "JOB")


def request_slots(state, job, holder, name, span, parallel):
    """Slots that one request leaves on one level; MISSING when the level does not know the attribute."""
    c = state.cell.by_name[name]
    if c.consumable != "NO":
        if name in holder.values:
            return consumable_slots(state, job, holder, name, span, parallel)
        if name not in getattr(holder, "loads", ()):
            return MISSING			# else a reported value that is not counted is an offer like any other
    offer = state.offer(holder, c)
    if offer is None:
        return MISSING
    return INFINITY if fits(c.type, job.requests[name], relation(c.relop), offer) else 0


def level_slots(state, job, holder, span, parallel=False):
    """Slots possible on one level, and the requests that it knows: every level that knows one must satisfy it."""
    slots, known = INFINITY, set()
    kept = job.ar and isinstance(holder.name, str)		# by its advance reservation: what others use does not matter
    for name in job.requests:
        n = INFINITY if kept and state.cell.by_name[name].consumable != "NO" else request_slots(state, job, holder, name, span, parallel)
        if n is not MISSING:
            if name in holder.values or state.cell.by_name[name].consumable == "NO" or job.pe or not state.cell.max_reservation:
                known.add(name)			# but of a load alone nothing can be booked in time
            slots = min(slots, n)
    for name in () if kept else holder.values:
        if name not in job.requests and state.cell.by_name[name].consumable != "NO":
            slots = min(slots, consumable_slots(state, job, holder, name, span, parallel))
    return slots, known


def instance_slots(state, job, instance, span, pe=None):
    """Slots possible on (the instance, its host), requests of all levels considered."""
    if not static_match(state, job, instance, pe):
        return 0, 0
    globe = level_slots(state, job, state.cell.globe, span)
    host = level_slots(state, job, instance.host, span, pe is not None)
    queue = level_slots(state, job, state.inside(job, instance), span, pe is not None)
    known = globe[1] | host[1] | queue[1]
    if any(name not in known and not (pe and state.cell.by_name[name].consumable == "JOB") for name in job.requests):
        return 0, 0
    return queue[0], host[0]


def soft_violations(state, job, instance):
    """
    One for each level that knows a softly requested attribute and does not satisfy it, one more when no level satisfied
    it and the queue does not know it, and one for each soft queue request that the instance does not match.
    """
    count = 0
    for name, text in job.soft_requests.items():
        c, satisfied = state.cell.by_name[name], False
        for holder in (state.cell.globe, instance.host, instance):
            offer = state.offer(holder, c)
            if offer is not None:
                good = fits(c.type, text, relation(c.relop), offer)
                satisfied |= good
                count += not good
            elif holder is instance and not satisfied:
                count += 1
    return count + sum(not queue_matches(state.cell, [word], instance) for word in job.soft_queues)
