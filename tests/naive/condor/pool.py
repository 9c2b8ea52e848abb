# SPDX-License-Identifier: Apache-2.0
"""Slots, submitters and their jobs."""
from expressions import UNDEFINED, attribute, parse, single
from values import is_number, number

LOWEST = -3.4028234663852886e38


def rank_of(value, otherwise):
    return float(number(value)) if is_number(value) else otherwise


class Slot:
    def __init__(self, name, number_, weight, ad):
        self.name, self.number = name, number_
        self.ad = {"slotid": number_, "cpus": weight, "memory": 0, "rank": 0.0, "requirements": True, "name": name, **ad}
        self.weight = float(weight)
        self.limits = ""

    @property
    def customer(self):
        user = self.ad.get("remoteuser")
        return attribute(self.ad, "RemoteUser") if user is not None else None

    def claim(self, customer, rank, limits):
        self.ad.update(remoteuser=customer, remoteowner=customer.partition("@")[0], currentrank=rank)
        self.limits = limits


class Job:
    """A class of a submitter's jobs: a number of equal jobs."""

    def __init__(self, count, ad, limits):
        self.count, self.ad, self.limits = count, ad, limits


class Submitter:
    def __init__(self, name, jobs):
        self.name, self.jobs = name, jobs
        self.idle = 0                           # as it says at the begin of a cycle


def requirements_met(slot, job):
    """Both sides; true is TRUE, or a number that is not 0."""
    return all(is_number(value) and value != 0
               for value in (attribute(job.ad, "Requirements", slot.ad), attribute(slot.ad, "Requirements", job.ad)))


def rank_by(expression, slot, job):
    """Return a rank of the negotiator: single precision, the lowest value if it is not a number."""
    return single(rank_of(expression.evaluate(slot.ad, job.ad), LOWEST))


def is_unclaimed(slot):
    return slot.customer is None


EXPRESSIONS = {
    "PREEMPTION_REQUIREMENTS": "False",
    "PREEMPTION_RANK": "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRunTime), 0, TotalJobRunTime)",
    "NEGOTIATOR_PRE_JOB_RANK": "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory",
    "NEGOTIATOR_POST_JOB_RANK": "(RemoteOwner =?= UNDEFINED) * (ifThenElse(isUndefined(KFlops), 1000, KFlops) - SlotID - 1.0e10 * (Offline =?= True))",
}


def policy(config, name):
    return parse(config.text(name, EXPRESSIONS[name]))


__all__ = ["EXPRESSIONS", "Job", "LOWEST", "Slot", "Submitter", "UNDEFINED", "is_unclaimed", "policy", "rank_by", "rank_of", "requirements_met"]
