# SPDX-License-Identifier: Apache-2.0
"""Cases of kind allocation through the model: what each cycle brings, in the form of a case's "expect"."""
import collections

from cycle import Negotiator
from expressions import attribute, ad_of
from pool import Job, Slot, Submitter, rank_of
from visit import BY_PRIORITY, BY_RANK, NOBODY

START, BETWEEN = 1700000000, 60
NOBODY_HERE = "false"
KINDS = {NOBODY: 0, BY_RANK: 1, BY_PRIORITY: 2}


def expression(text):
    return NOBODY_HERE if text == "none" else text


def job_of(count, ad, requirements, limits):
    return Job(count, {"requirements": True, "rank": 0.0, **ad_of({**ad, **({"Requirements": expression(requirements)} if requirements else {})})}, limits or "")


class Pool:
    def __init__(self, case):
        self.case = case
        self.negotiator = Negotiator({"PRIORITY_HALFLIFE": 1e30, **case.get("config", {})})
        pool = case["pool"]
        weights = pool.get("weights") or [pool.get("weight_each", 1)] * pool["slots"]
        ads = pool.get("ads") or [{}] * len(weights)
        self.slots = [Slot("s%d" % (i + 1), i + 1, weight, ad_of(ad)) for i, (weight, ad) in enumerate(zip(weights, ads))]
        for slot in self.slots:
            if slot.customer is not None:
                slot.claim(slot.customer, rank_of(attribute(slot.ad, "CurrentRank"), 0.0), "")
        self.submitters = [self.submitter(record) for record in case["submitters"]]
        for record in case.get("others", []):
            self.customer(record)
        self.jobs = {}
        self.negotiator.accountant.last_update = START
        self.now = START

    def customer(self, record):
        customer = self.negotiator.accountant.customer(record["name"])
        customer.rup, customer.factor = float(record.get("rup", customer.rup)), float(record.get("factor", customer.factor))
        customer.ceiling, customer.floor = record.get("ceiling", -1), record.get("floor", 0)

    def submitter(self, record):
        self.customer(record)
        limits = record.get("concurrency_limits")
        jobs = record.get("jobs") or [{"count": record["idle"], "ad": {}}]
        made = [job_of(job["count"], job["ad"], job.get("requirements", record.get("may_use")), job.get("limits", limits)) for job in jobs]
        free = [slot for slot in self.slots if slot.customer is None]
        for slot in free[:record["running"]]:
            slot.claim(record["name"], 0.0, limits or "")
        return Submitter(record["name"], made)

    def cycle(self):
        """Makes one, and then claims of its matches."""
        made = self.negotiator.cycle(self.slots, self.submitters, self.now)
        self.now += BETWEEN
        self.preempted = collections.defaultdict(collections.Counter)
        for submitter, job, _, slot, loser in made.matches:
            if loser is not None:
                self.preempted[submitter.name][loser] += 1
                self.wait_again(slot)
            slot.claim(submitter.name, rank_of(attribute(slot.ad, "Rank", job.ad), 0.0), job.limits)
            self.jobs[slot] = job
        return made

    def wait_again(self, slot):
        if slot in self.jobs:
            self.jobs[slot].count += 1

    def running(self):
        return dict(collections.Counter(slot.customer for slot in self.slots if slot.customer is not None))

    def weight(self):
        found = collections.Counter()
        for slot in self.slots:
            if slot.customer is not None:
                found[slot.customer] += slot.ad["cpus"]
        return dict(found)

    def quotas(self):
        return {group.name: {"quota": group.quota, "subtree_quota": group.subtree_quota, "allocated": group.alloc} for group in self.negotiator.groups.all}


def results(case):
    """Return the results of the cycles of a case, in the format of tests/negotiation/driver."""
    pool, outcome = Pool(case), {name: [] for name in ("running_after_cycle", "preempted_in_cycle", "negotiated", "groups", "served", "matches")}
    for _ in range(case.get("cycles", 2)):
        made = pool.cycle()
        outcome["running_after_cycle"].append(pool.running())
        outcome["preempted_in_cycle"].append({taker: dict(losers) for taker, losers in pool.preempted.items()})
        outcome["negotiated"].append(made.contacts)
        outcome["matches"].append([[submitter.name, "slot%d@m" % slot.number, KINDS[preempts]] for submitter, _, preempts, slot, _ in made.matches])
        first = getattr(made, "first_allocated", {})
        outcome["groups"].append({name: {**values, "allocated_round1": first[name]} for name, values in pool.quotas().items() if name in first})
        outcome["served"].append([{"group": name, "limit_before_cut": slots, "limit": float(int(slots))} for name, slots in made.served])
    return outcome
