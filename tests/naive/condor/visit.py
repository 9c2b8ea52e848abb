# SPDX-License-Identifier: Apache-2.0
"""One visit to a submitter: its requests one by one, and the best slot for each."""
import math

from expressions import attribute
from pool import policy, rank_by, rank_of, requirements_met

BY_PRIORITY, BY_RANK, NOBODY = 0, 1, 2          # the kind of preemption by a match; a higher value is better
DONE, RESUME = "done", "resume"


class Candidate:
    def __init__(self, slot, preempts, ranks):
        self.slot, self.preempts, self.ranks = slot, preempts, ranks


class MatchList:
    """The candidates of one autocluster, as they were when it was made, best first."""

    def __init__(self, cluster, rank_only):
        self.cluster, self.rank_only = cluster, rank_only
        self.candidates, self.limit_refused = [], False


class Requests:
    """Requests of a visit, class by class. A refused request removes all requests of its autocluster."""

    def __init__(self, jobs):
        self.jobs, self.rejected = jobs, set()

    def next(self):
        return next((job for job in self.jobs if job.count > 0 and job.cluster not in self.rejected), None)

    def reject(self, job):
        self.rejected.add(job.cluster)


class Visit:
    def __init__(self, cycle, submitter, limit, limit_free, room, left, rank_only_beyond):
        self.cycle, self.submitter = cycle, submitter
        self.limit, self.limit_free, self.room, self.left = limit, limit_free, room, left
        self.rank_only_beyond = rank_only_beyond        # machine RANK may still preempt for a submitter at its limit
        self.used = self.used_free = 0.0
        self.limit_refused = False

    def make(self):
        """DONE or RESUME."""
        requests = Requests(self.submitter.jobs)
        while True:
            if self.used >= self.limit and not self.rank_only_allowed() or self.used >= self.room:
                return RESUME
            rank_only = self.used >= self.limit
            self.limit_refused |= rank_only
            job = requests.next()
            if not job:
                return RESUME if self.limit_refused else DONE
            if not self.serve(job, rank_only):
                if self.refused_by_limit and not self.cycle.preemption and not self.cycle.weights:
                    return RESUME
                requests.reject(job)

    def rank_only_allowed(self):
        return self.rank_only_beyond

    def serve(self, job, rank_only):
        self.refused_by_limit = False
        if not self.cycle.limits.admit(job.limits):
            return False
        candidate = self.best(job, rank_only)
        if not candidate:
            self.limit_refused |= self.refused_by_limit
            return False
        self.match(candidate, job)
        return True

    def best(self, job, rank_only):
        found = self.cycle.match_list
        if self.cycle.caching and found and found.cluster == (self.submitter.name, job.cluster) and found.rank_only == rank_only:
            fits = self.fits_again
        else:
            found = self.cycle.match_list = self.list_for(job, rank_only)
            fits = None
        while found.candidates:
            candidate = found.candidates.pop(0)
            if not fits or fits(candidate):
                return candidate
            found.limit_refused = True
        self.refused_by_limit = found.limit_refused
        return None

    def list_for(self, job, rank_only):
        made = MatchList((self.submitter.name, job.cluster), rank_only)
        self.cycle.describe_submitter(job, self.submitter)
        for slot in self.cycle.slots:
            if not requirements_met(slot, job):
                continue
            preempts = self.kind_of_preemption(slot, job, rank_only)
            if preempts is None:
                continue
            if not self.fits(slot.weight, preempts):
                made.limit_refused = True
                continue
            made.candidates.append(Candidate(slot, preempts, self.ranks(slot, job, preempts)))
        made.candidates.sort(key=lambda candidate: candidate.ranks, reverse=True)      # stable: the first of equals stays first
        return made

    def kind_of_preemption(self, slot, job, rank_only):
        """Return the kind of preemption. None: the job cannot have the slot."""
        if slot.customer is None:
            return None if rank_only else NOBODY
        rank = rank_of(attribute(slot.ad, "Rank", job.ad), 0.0)
        current = rank_of(attribute(slot.ad, "CurrentRank", job.ad), 0.0)
        if rank > current:
            return BY_RANK
        if rank_only or slot.customer == self.submitter.name or rank < current:
            return None
        return BY_PRIORITY if self.cycle.requirements.evaluate(slot.ad, job.ad) is True else None

    def fits(self, weight, preempts):
        if preempts == BY_RANK:
            return True
        return within(self.used, weight, self.limit) if preempts == BY_PRIORITY else within(self.used_free, weight, self.limit_free)

    def fits_again(self, candidate):
        weight = candidate.slot.weight
        if within(self.used_free, weight, self.limit_free):
            return True
        return candidate.preempts != NOBODY and within(self.used, weight, self.limit)

    def ranks(self, slot, job, preempts):
        own = rank_of(attribute(job.ad, "Rank", slot.ad), 0.0)
        preemption = 0.0 if preempts == NOBODY else rank_by(self.cycle.preemption_rank, slot, job)
        return rank_by(self.cycle.pre_rank, slot, job), own, rank_by(self.cycle.post_rank, slot, job), preempts, preemption

    def match(self, candidate, job):
        weight = candidate.slot.weight
        self.used += weight
        self.left -= weight
        if candidate.preempts == NOBODY:
            self.used_free += weight
        job.count -= 1
        self.cycle.match(self.submitter, job, candidate.slot, candidate.preempts)


def within(used, weight, limit):
    """A fraction of a slot is rounded up, once a visit."""
    return used + weight <= limit or used == 0 and limit > 0


def room_below(ceiling, used):
    return math.inf if ceiling < 0 else max(0.0, ceiling - int(used))


__all__ = ["DONE", "RESUME", "Visit", "policy", "room_below"]
