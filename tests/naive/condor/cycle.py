# SPDX-License-Identifier: Apache-2.0
"""A negotiation cycle: the slots, their users, the order of submitters, and the rounds of groups."""
import math

import quotas
from accountant import Accountant
from clusters import Clusters
from configuration import Configuration, Groups
from expressions import attribute, parse, single
from limits import Limits
from pie import Pie
from pool import policy

HUGE = 3.40282346e38


class Negotiator:
    """State that is kept from cycle to cycle."""

    def __init__(self, macros):
        self.config = Configuration(macros)
        self.groups = Groups(self.config)
        self.accountant = Accountant(self.config, self.groups)
        self.cycles = 0

    def cycle(self, slots, submitters, now):
        self.cycles += 1
        cycle = Cycle(self, slots, submitters, now)
        cycle.make()
        return cycle


class Cycle:
    def __init__(self, negotiator, slots, submitters, now):
        config = self.config = negotiator.config
        self.accountant, self.groups, self.number, self.now = negotiator.accountant, negotiator.groups, negotiator.cycles, now
        self.preemption = config.truth("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        self.early = self.preemption and config.truth("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", False)
        self.weights = config.truth("NEGOTIATOR_USE_SLOT_WEIGHTS", True)
        self.caching = config.truth("NEGOTIATOR_MATCHLIST_CACHING", True)
        self.ignore_priorities = config.truth("NEGOTIATOR_IGNORE_USER_PRIORITIES", False)
        self.requirements, self.preemption_rank = policy(config, "PREEMPTION_REQUIREMENTS"), policy(config, "PREEMPTION_RANK")
        self.pre_rank, self.post_rank = policy(config, "NEGOTIATOR_PRE_JOB_RANK"), policy(config, "NEGOTIATOR_POST_JOB_RANK")
        self.all_slots = self.slots = self.constrained(slots, "NEGOTIATOR_SLOT_CONSTRAINT")
        for slot in slots:
            slot.weight = self.weight(slot)
        for submitter in submitters:
            submitter.idle = sum(job.count for job in submitter.jobs)
            submitter.running = [slot for slot in slots if slot.customer == submitter.name]
        self.submitters = [submitter for submitter in submitters if submitter.idle or submitter.running]
        self.match_list, self.contacts, self.matches, self.served = None, [], [], []

    def constrained(self, slots, name):
        if not self.config.has(name):
            return list(slots)
        expression = parse(self.config.text(name, ""))
        return [slot for slot in slots if expression.evaluate(slot.ad, {}, self.now) not in (False, 0) and
                isinstance(expression.evaluate(slot.ad, {}, self.now), (bool, int, float))]

    def weight(self, slot):
        if not self.weights:
            return 1.0
        own = "slotweight" in slot.ad and not self.config.truth("FORCE_NEGOTIATOR_SLOT_WEIGHT", False)
        value = attribute(slot.ad, "SlotWeight") if own else parse(self.config.text("SLOT_WEIGHT", "Cpus")).evaluate(slot.ad, {}, self.now)
        return float(value) if isinstance(value, (int, float)) and value >= 0 else 1.0

    def weigh(self, slots):
        return sum(slot.weight for slot in slots) if self.weights else float(len(slots))

    def make(self):
        self.least_weight = min((slot.weight for slot in self.all_slots), default=0.0)
        self.size = self.weigh(self.constrained(self.all_slots, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT"))
        claims = {slot.name: (slot.customer, slot.weight) for slot in self.all_slots if slot.customer is not None}
        self.accountant.update(self.now)
        self.accountant.check_matches(claims, self.now)
        self.limits = Limits(self.config, [slot.limits for slot in self.all_slots])
        policies = [self.requirements, self.preemption_rank, self.pre_rank, self.post_rank]
        clusters = Clusters(self.config, self.all_slots, policies)
        for submitter in self.submitters:
            for job in submitter.jobs:
                job.cluster = clusters.of(job)
        self.slots = [slot for slot in self.all_slots if self.takes_part(slot)]
        for slot in self.slots:
            if slot.customer is not None:
                self.describe_remote(slot)
        if self.groups.configured:
            Quotas(self).make()
        else:
            self.negotiate(list(self.submitters), self.size)

    def takes_part(self, slot):
        if slot.customer is None:
            return True
        return self.preemption and (self.early or not slot.ad.get("retirementtimeremaining", 0) > 0)

    def describe_remote(self, slot):
        name = slot.customer
        slot.ad["remoteuserprio"] = single(self.accountant.eup(name))
        slot.ad["remoteuserfloor"] = self.accountant.customer(name).floor
        slot.ad["remoteuserresourcesinuse"] = lambda: self.accountant.weight_used(name)
        if self.groups.configured:
            group = self.groups.of(name)
            slot.ad["remotegroup"] = group.name
            slot.ad["remotegroupresourcesinuse"] = lambda: self.accountant.weight_used(group.name)
            slot.ad["remotegroupquota"] = lambda: group.quota

    def describe_submitter(self, job, submitter):
        job.ad["submitteruserprio"] = job.ad["submittorprio"] = self.accountant.eup(submitter.name)
        job.ad["submitteruserresourcesinuse"] = self.accountant.weight_used(submitter.name)
        if self.groups.configured:
            group = self.groups.of(submitter.name)
            job.ad["submittergroup"] = group.name
            job.ad["submittergroupresourcesinuse"] = self.accountant.weight_used(group.name)
            job.ad["submittergroupquota"] = group.quota

    def negotiate(self, submitters, size, group=None, quota=math.inf):
        below = [submitter for submitter in submitters if self.below_floor(submitter.name)]
        if below:
            Pie(self, below, size, group, quota, floor_round=True).negotiate()
        Pie(self, submitters, size, group, quota).negotiate()

    def below_floor(self, name):
        customer = self.accountant.customer(name)
        return customer.floor > 0 and customer.weight_used < customer.floor

    def match(self, submitter, job, slot, preempts):
        self.slots.remove(slot)
        self.limits.use(job.limits)
        self.matches.append((submitter, job, preempts, slot, slot.customer))
        self.accountant.add_match(submitter.name, slot.name, slot.weight, self.now)


class Quotas:
    """The groups' rounds."""

    def __init__(self, cycle):
        self.cycle, self.config, self.accountant = cycle, cycle.config, cycle.accountant
        self.root, self.groups = cycle.groups.root, cycle.groups.all
        self.any_surplus = any(group.accepts_surplus for group in self.groups[1:])

    def make(self):
        self.look()
        oversubscription = self.config.truth("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", True)
        quotas.assign(self.root, self.cycle.size, oversubscription)
        for number in range(int(self.config.number("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 3))):
            self.allocate()
            if number == 0:
                self.cycle.first_allocated = {group.name: group.alloc for group in self.groups}
            self.serve()
            for group in self.groups:
                group.usage = self.accountant.weight_used(group.name)
            if sum(min(group.usage, group.alloc) for group in self.groups) >= sum(group.alloc for group in self.groups):
                break
            for group in self.groups:
                group.round_demand = min(group.round_demand, group.usage) if group.usage < group.alloc else group.round_demand
        for group in self.groups:
            if getattr(group, "served", False):
                group.last_served = self.cycle.number

    def look(self):
        weighted = self.config.truth("NEGOTIATOR_USE_WEIGHTED_DEMAND", True)
        for group in self.groups:
            group.submitters, group.demand = [], 0.0
            group.usage = self.accountant.weight_used(group.name)
        for submitter in self.cycle.submitters:
            group = self.cycle.groups.of(submitter.name)
            group.submitters.append(submitter)
            group.demand += submitter.idle + (self.cycle.weigh(submitter.running) if weighted else len(submitter.running))
        for group in self.groups[1:]:
            self.root.submitters += group.submitters if group.autoregroup else []
        for group in self.groups:
            group.round_demand = group.demand

    def allocate(self):
        for group in self.groups:
            group.alloc, group.requested = 0.0, group.round_demand
        quotas.allocate(self.root)
        if not self.cycle.weights:
            quotas.whole_slots(self.root)
        if self.root.autoregroup:
            self.root.quota = self.root.alloc = self.cycle.size
        self.target = lambda group: group.alloc if self.any_surplus else group.quota

    def sort_key(self, group):
        if self.config.has("GROUP_SORT_EXPR"):
            value = parse(self.config.text("GROUP_SORT_EXPR", "")).evaluate({
                "accountinggroup": group.name, "groupquota": group.quota, "groupresourcesinuse": group.usage, "groupresourcesallocated": group.alloc}, {})
            return float(value) if isinstance(value, (bool, int, float)) else HUGE
        if group is self.root:
            return 3.4e38
        return group.usage / group.quota if group.quota > 0 else 3.3e38

    def serve(self):
        order = sorted(self.groups, key=lambda group: (self.root.autoregroup and group is self.root, self.sort_key(group)))
        self.most = max(max(0.0, self.target(group) - group.usage) for group in self.groups)
        rate, n = self.config.number("GROUP_QUOTA_ROUND_ROBIN_RATE", 1e100), 0.0
        while True:
            n = min(n + rate, self.most)
            for group in order:
                if self.takes_part(group):
                    self.negotiate(group, n)
            if n >= self.most:
                return

    def takes_part(self, group):
        return group.alloc > 0 and (self.cycle.preemption or group.usage < group.alloc) and group.submitters

    def negotiate(self, group, n):
        whole = max(group.alloc, group.quota)
        missing = max(0.0, whole - group.usage)
        slots = whole
        if missing > 0:
            slots = min(whole, group.usage + missing * (n / self.most)) if self.most > 0 else 0.0
        if not self.cycle.weights:
            slots = math.floor(slots)
        if self.config.truth("NEGOTIATOR_STRICT_ENFORCE_QUOTA", True):
            used = lambda below: self.accountant.weight_used(below.name)
            slots = quotas.cap(group, slots - group.usage, used) + group.usage
        self.cycle.served.append((group.name, slots))
        if group is self.root and self.root.autoregroup:
            self.cycle.negotiate(group.submitters, min(self.cycle.size, float(int(slots))))
        else:
            self.cycle.negotiate(group.submitters, self.cycle.size, group, float(int(slots)))
