# SPDX-License-Identifier: Apache-2.0
"""Resource quota sets: in every enabled set the first rule that is about a job on an instance counts.  sge_resource_quota(5)."""
import fnmatch
import re

from naive_values import INFINITY, number

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
        return not included and excluded == ["*"]
    if any(word_matches(cell, kind, w, name, group) for w in excluded):
        return False
    return not included or any(word_matches(cell, kind, w, name, group) for w in included)


def rules_for(state, job, instance, pe):
    """(set, rule number, limits, key) that count here; the key has the names that stand in braces."""
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


def quota_slots(state, job, instance, pe, span, taken=None):
    """Slots that the quotas leave to a job on an instance; `taken`: what this attempt has already given per rule."""
    slots = INFINITY
    for rule, limits in rules_for(state, job, instance, pe):
        for name, text in limits.items():
            each = state.consumption(job, name)
            if not each:
                continue
            left = limit_value(state, instance.host, text) - state.book.most(("quota", rule, name), *span)
            slots = min(slots, max(0, int(left / each)) - (taken or {}).get(rule, 0))
    return max(0, slots)


def quota_take(state, job, instance, pe, slots, taken):
    for rule, limits in rules_for(state, job, instance, pe):
        taken[rule] = taken.get(rule, 0) + slots


def quota_debit(state, job, granted, pe, span):
    for instance, slots in granted:
        for rule, limits in rules_for(state, job, instance, pe):
            for name in limits:
                each = state.consumption(job, name)
                if each:
                    state.book.add(("quota", rule, name), *span, each * slots)
