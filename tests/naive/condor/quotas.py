# SPDX-License-Identifier: Apache-2.0
"""Limits of each group: quotas, allocation by demand, surplus of other groups, and whole slots."""
import math


def assign(group, amount, oversubscription):
    """Quotas become weights of the pool, from the root down."""
    if amount <= 0:
        for below in group.subtree():
            below.quota = below.subtree_quota = 0.0
        return
    group.subtree_quota = amount
    static = sum(child.configured for child in group.children if child.is_static)
    dynamic = sum(child.configured for child in group.children if not child.is_static)
    for_static = static if oversubscription else min(static, amount)
    for_dynamic = max(0.0, amount - for_static)
    given = 0.0
    for child in group.children:
        if child.is_static:
            quota = child.configured * (for_static / static) if static > 0 else 0.0
        else:
            quota = child.configured * (for_dynamic / max(dynamic, 1.0))
        assign(child, quota, oversubscription)
        given += quota
    group.quota = amount if oversubscription and group.parent else max(0.0, amount - given)


def allocate(group):
    """Allocate from the bottom up. Return what the subtree does not use."""
    group.alloc = min(group.requested, group.quota)
    group.requested -= group.alloc
    group.wanted = group.requested
    surplus = group.quota - group.alloc
    for child in group.children:
        surplus += allocate(child)
        if child.accepts_surplus:
            group.wanted += child.wanted
    return give(group, surplus) if group.children else surplus


class Member:
    """A receiver of surplus: a child group or the group itself."""

    def __init__(self, group, weight, wanted):
        self.group, self.weight, self.wanted, self.gift = group, weight, wanted, 0.0

    def take(self, amount):
        amount = min(amount, self.wanted)
        self.gift, self.wanted = self.gift + amount, self.wanted - amount
        return amount


def members_of(group):
    children = [Member(child, child.subtree_quota, child.wanted) for child in group.children if child.accepts_surplus and child.wanted > 0]
    return children + [Member(group, group.quota, group.requested)]


def give(group, surplus):
    """Distribute surplus among receivers with demand, by quota, then evenly. Return the rest."""
    if surplus <= 0 or group.wanted <= 0:
        return max(0.0, surplus)
    members, wanted = members_of(group), group.wanted
    if surplus >= wanted:
        for member in members:
            member.take(member.wanted)
        rest, group.wanted = surplus - wanted, 0.0
    else:
        rest = split_evenly(members, split(members, surplus))
        group.wanted = max(0.0, wanted - (surplus - rest))
    pass_on(group, members, give)
    return rest


def split(members, surplus):
    """In proportion to their weights."""
    for member in members:
        member.share = member.weight
    return split_by_share(members, surplus)


def split_evenly(members, surplus):
    for member in members:
        member.share = 1.0
    return split_by_share(members, surplus)


def split_by_share(members, surplus):
    while surplus > 0:
        wanting = [member for member in members if member.share > 0 and member.wanted > 0]
        shares = sum(member.share for member in wanting)
        if not wanting or shares <= 0:
            return surplus
        parts = [surplus * (member.share / shares) for member in wanting]
        enough = any(part > member.wanted for part, member in zip(parts, wanting))
        surplus = max(0.0, surplus - sum(member.take(part) for part, member in zip(parts, wanting)))
        if not enough:                          # all of it is given away, but for what rounding leaves
            return 0.0
    return surplus


def pass_on(group, members, how):
    for member in members:
        if member.group is group:
            group.alloc += member.gift
            group.requested -= member.gift
        elif member.gift > 0:
            how(member.group, member.gift)


def whole_slots(root):
    """Slots without weights: fractions are collected, and handed out as whole slots in turns."""
    for group in root.subtree():
        group.fraction = group.alloc - math.floor(group.alloc)
        group.alloc = float(math.floor(group.alloc))
        group.requested = float(round(group.requested + group.fraction))
        group.served = group.round_demand <= 0
    round_robin(root)


def round_robin(group):
    collected, group.wanted = group.fraction, group.requested
    waits = [group.last_served] if group.requested > 0 else []
    for child in group.children:
        collected += round_robin(child)
        if child.accepts_surplus and child.wanted > 0:
            group.wanted += child.wanted
            waits.append(child.waits_since)
    group.waits_since = min(waits, default=math.inf)      # the submitter with demand there that was served longest ago
    return hand_out(group, collected)


def hand_out(group, collected):
    if collected < 1 or group.wanted <= 0:
        return collected
    before = collected
    members = sorted((member for member in members_of(group) if member.wanted > 0),
                     key=lambda member: (member.group.last_served if member.group is group else member.group.waits_since, -member.weight, -member.wanted))
    while collected >= 1 and any(member.wanted > 0 for member in members):
        wanting = [member for member in members if member.wanted > 0]
        most = max(1.0, math.floor(collected / len(wanting)))
        for member in wanting:
            if collected >= 1:
                collected -= member.take(min(most, math.floor(collected)))
                group.served |= member.group is group
    group.wanted = max(0.0, group.wanted - (before - collected))
    pass_on(group, members, hand_out)
    return collected


def cap(group, new, used):
    """NEGOTIATOR_STRICT_ENFORCE_QUOTA: how much more it may use; used: group -> weight of its own submitters, now."""
    for above in group.path():
        if not above.accepts_surplus:
            limit = above.configured if above.is_static else above.subtree_quota
            new = min(new, max(0.0, limit - sum(used(below) for below in above.subtree())))
    return new
