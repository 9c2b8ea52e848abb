# SPDX-License-Identifier: Apache-2.0
"""Resource quota sets: in every enabled set the first rule that is about a job on an instance counts.  sge_resource_quota(5)."""
import fnmatch
import re

from naive_values import INFINITY, STRINGS, fits, number, relation

KINDS = ("users", "projects", "pes", "queues", "hosts")


def word_matches(cell, kind, word, name, group):
    if word.startswith("@"):
        if kind == "hosts":
            return any(name in cell.group_hosts([g]) for g in cell.groups if fnmatch.fnmatchcase(g, word))
        return any(fnmatch.fnmatchcase(u, word[1:]) and cell.in_userset(u, name, group) for u in cell.usersets)
    return fnmatch.fnmatchcase(name, word)


def filter_matches(cell, kind, listed, name, group):
    if listed is None:
        return True
    included = [w for w in listed if not w.startswith("!")]
    excluded = [w[1:] for w in listed if w.startswith("!")]
    if name is None:
        return not included		# no project or PE: matches whatever excludes only
    if any(word_matches(cell, kind, w, name, group) for w in excluded):
        return False
    return not included or any(word_matches(cell, kind, w, name, group) for w in included)


def rules_for(state, job, instance, pe):
    """(set, rule number, limits, key) that count here; the key has the names that stand in braces. Advance reservations know none."""
    if job.ar:
        return
    names = dict(zip(KINDS, (job.owner, job.project, pe, instance.queue, instance.host.name)))
    for set_name, rules in state.cell.quotas:
        for k, (filters, limits) in enumerate(rules):
            if all(filter_matches(state.cell, f, filters.get(f, (None,))[0], names[f], job.group) for f in KINDS):
                key = tuple(names[f] if filters.get(f, (None, False))[1] else "" for f in KINDS)
                yield (set_name, k, key), limits
                break


def limit_value(state, host, text):
    """A static limit, or a sum of `$complex` and `$complex*factor` of the host."""
    if "$" not in text:
        return number(text)
    total = 0.0
    for sign, term in re.findall(r"([+-]?)([^+-]+)", text):
        total += (-1 if sign == "-" else 1) * (state.formula_term(host, term) or 0.0)
    return total


def consumption_of(state, job, name, slots, master):
    """Return the amount of a limited complex that slots on an instance use. JOB and HOST consumables count on the master's
    instance only."""
    each, kind = state.consumption(job, name), state.cell.by_name[name].consumable
    return each * slots if kind == "YES" else each if kind in ("JOB", "HOST") and master else 0


def refuses(state, job, host, name, text):
    """
    A limit on what is not consumed is one of the request. What is FORCED must be requested. (Of parallel jobs 8.1.9 refuses all
    that request it, and those that do not it lets pass.)
    """
    c = state.cell.by_name[name]
    if c.consumable != "NO":
        return False
    if name not in job.requests:
        return c.requestable == "FORCED" and not job.pe
    value = text if c.type in STRINGS else repr(limit_value(state, host, text))
    return bool(job.pe) or not fits(c.type, job.requests[name], relation(c.relop), value)


def quota_slots(state, job, instance, pe, span, taken=None, skipped=None, answers=None):
    """
    Slots that the quotas leave to a job on an instance; `taken`: what this attempt has already given per rule; `skipped`: cluster
    queues and hosts that failures elsewhere have put out of question. (A parallel search asks for the hosts before it visits them.)
    `answers`, to copy a defect of 8.1.9: the first instance that an attempt asks about a rule answers for all that share it, and one
    of a queue without slots says never.
    """
    if skipped and (instance.queue in skipped or not pe and instance.host in skipped):
        return 0
    slots = INFINITY
    for rule, limits in rules_for(state, job, instance, pe):
        never = answers is not None and answers.setdefault(rule, instance.slots == 0 and "slots" in limits)
        for name, text in limits.items():
            each = consumption_of(state, job, name, 1, not pe)
            if never or refuses(state, job, instance.host, name, text):
                slots = 0
            elif each:
                left = limit_value(state, instance.host, text) - state.book.most(("quota", rule, name), *span)
                slots = min(slots, max(0, int(left / each)) - (taken or {}).get(rule, 0))
            if slots <= 0:
                if skipped is not None:
                    skipped |= reach(state.cell, job, pe, rule, instance)
                return 0
    return slots


def is_used_up_before_last(state, job, instance, pe, span):
    """Has a quota set nothing left for a slot of a parallel job on an instance, while a later set also applies to it?"""
    def used_up(rule, name, text):
        each = consumption_of(state, job, name, 1, False)
        return each > 0 and int((limit_value(state, instance.host, text) - state.book.most(("quota", rule, name), *span)) / each) < 1
    return any(used_up(rule, name, text) for rule, limits in list(rules_for(state, job, instance, pe))[:-1] for name, text in limits.items())


def quota_lets_lead(state, job, instance, pe, span):
    """Do the quotas leave to the master what the job takes once?"""
    return all(consumption_of(state, job, name, 0, True) <= limit_value(state, instance.host, text) -
               state.book.most(("quota", rule, name), *span)
               for rule, limits in rules_for(state, job, instance, pe) for name, text in limits.items()
               if state.cell.by_name[name].consumable != "NO")


def is_for_all(filter_):
    return filter_[0] in ([], ["*"])


def about_job(cell, job, pe, filters):
    """Do users, projects and PEs of a rule match?"""
    names = {"users": job.owner, "projects": job.project, "pes": pe}
    return all(filter_matches(cell, f, filters.get(f, (None,))[0], names[f], job.group) for f in names)


def reach(cell, job, pe, rule, instance):
    """
    The cluster queues or hosts that are not looked at any more for a job when a rule leaves it nothing on an instance: those that
    the rule names, but in braces the present one, if it is about each host, or queue, by itself. More than the limit says. Where
    an earlier rule for this job is about the others of the two, nothing; what such a rule names itself is left.
    """
    set_name, number_, key = rule
    rules = dict(cell.quotas)[set_name]
    nothing = [], False
    queues, hosts = (rules[number_][0].get(kind, nothing) for kind in ("queues", "hosts"))
    before = [filters for filters, limits in rules[:number_] if about_job(cell, job, pe, filters)]

    def named_before(kind, name=None):
        return any(not is_for_all(filters.get(kind, nothing)) and (name is None or filter_matches(cell, kind, filters[kind][0], name, None))
                   for filters in before)
    if not is_for_all(queues) and is_for_all(hosts) and hosts[1] and not named_before("hosts"):
        names = {instance.queue} if queues[1] else \
            {i.queue for i in cell.instances if filter_matches(cell, "queues", queues[0], i.queue, None)}
        return {name for name in names if not named_before("queues", name)}
    if not is_for_all(hosts) and is_for_all(queues) and queues[1] and not named_before("queues"):
        found = {instance.host} if hosts[1] else {h for h in cell.hosts if filter_matches(cell, "hosts", hosts[0], h.name, None)}
        return {h for h in found if not named_before("hosts", h.name)}
    return set()


def user_is_named(cell, job):
    """Does a rule for each single user, or one that is not for all users, match this user?"""
    about = [filters["users"] for name, rules in cell.quotas for filters, limits in rules if "users" in filters]
    return any((f[1] or not is_for_all(f)) and filter_matches(cell, "users", f[0], job.owner, job.group) for f in about)


def project_is_named(cell, job):
    """Does an entry of a rule mean this project, included or excluded? (That there is a count for each does not matter.)"""
    about = [filters["projects"] for name, rules in cell.quotas for filters, limits in rules if "projects" in filters]
    return job.project is not None and any(word_matches(cell, "projects", word.lstrip("!"), job.project, None)
                                           for words, braces in about for word in words)


def quota_take(state, job, instance, pe, slots, taken):
    for rule, limits in rules_for(state, job, instance, pe):
        taken[rule] = taken.get(rule, 0) + slots


def quota_uses(state, job, instance, pe, slots, master):
    """Return the amounts that slots on an instance take from quotas: (level, set, key as text, key, amount)."""
    for rule, limits in rules_for(state, job, instance, pe):
        for name in limits:
            amount = consumption_of(state, job, name, slots, master)
            if amount:
                yield "L", rule[0], "/".join(n or "" for n in rule[2]) + "/", ("quota", rule, name), amount
