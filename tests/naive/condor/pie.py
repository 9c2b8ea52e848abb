# SPDX-License-Identifier: Apache-2.0
"""A pie and its slices: submitters in the order of their priorities, repeated until no submitter gets a match."""
import math

import visit
from expressions import single
from visit import DONE, Visit


class Turn:
    """A submitter in a pie."""

    def __init__(self, submitter):
        self.submitter, self.name = submitter, submitter.name
        self.limit = self.limit_free = self.share = self.starvation = 0.0


class Pie:
    """A pie. A submitter without further requests leaves `submitters` for the rest of the cycle."""

    def __init__(self, cycle, submitters, size, group=None, quota=math.inf, floor_round=False):
        self.cycle, self.accountant = cycle, cycle.accountant
        self.turns, self.submitters = [Turn(submitter) for submitter in submitters], submitters
        self.size, self.group, self.floor_round = size, group, floor_round
        self.quota = single(quota) if group else math.inf

    def group_use(self):
        return single(self.accountant.weight_used(self.group.name)) if self.group else 0.0

    def negotiate(self):
        spin = 0
        while True:
            spin += 1
            before = len(self.turns)
            self.beyond = spin == 1 and self.cycle.preemption
            self.used_by_group = self.group_use()
            if self.group and not self.beyond and self.used_by_group >= self.quota:
                return
            self.slice_up()
            self.leave()
            self.left = sum(turn.limit for turn in self.turns)
            if not self.cycle.preemption and self.left <= 0:
                return
            if spin == 1:
                self.turns.sort(key=self.sort_key)
            left = self.left
            self.cycle.match_list = None
            self.serve(spin)
            self.leave()
            moved = self.left < left or len(self.turns) < before
            if not moved or not self.turns or not self.cycle.slots or self.floor_round:
                return

    def sort_key(self, turn):
        return self.accountant.eup(turn.name), turn.starvation

    def leave(self):
        self.submitters[:] = [turn.submitter for turn in self.turns]

    def slice_up(self):
        if not self.cycle.preemption:
            self.turns = [turn for turn in self.turns if turn.submitter.idle > 0]
        if not self.turns:
            return
        worst = max(self.accountant.eup(turn.name) for turn in self.turns)
        whole = sum(worst / self.accountant.eup(name) for name in {turn.name: 0 for turn in self.turns})
        for turn in self.turns:
            turn.share = worst / (self.accountant.eup(turn.name) * whole)
            self.limit(turn)
            use = self.accountant.weight_used(turn.name)
            turn.starvation = use / (use + turn.limit) if use + turn.limit > 0 else math.inf

    def limit(self, turn):
        use = self.accountant.weight_used(turn.name)
        turn.limit = math.inf if self.cycle.ignore_priorities else max(0.0, turn.share * min(self.size, self.quota) - use)
        turn.limit_free = turn.limit
        if self.group:
            turn.limit_free = min(turn.limit_free, max(0.0, single(self.quota - self.used_by_group)))
        if not self.cycle.preemption:
            turn.limit = turn.limit_free

    def serve(self, spin):
        stay = []
        for at, turn in enumerate(self.turns):
            if self.group and not self.beyond and self.group_use() >= self.quota:
                stay += self.turns[at:]
                break
            if self.turn(turn, spin) != DONE:
                stay.append(turn)
        self.turns = stay

    def turn(self, turn, spin):
        self.limit(turn)
        customer = self.accountant.customer(turn.name)
        if self.floor_round:
            turn.limit = min(float(customer.floor), turn.limit)
        turn.limit = min(turn.limit, self.left)
        room, least = visit.room_below(customer.ceiling, customer.weight_used), self.cycle.least_weight
        if turn.submitter.idle == 0:
            return DONE
        if spin > 1 and (turn.limit < least or self.left < least):
            return "resume"
        if room == 0 or room < least:
            return DONE
        self.cycle.contacts.append(turn.name)
        made = Visit(self.cycle, turn.submitter, turn.limit, turn.limit_free, room, self.left, self.beyond)
        outcome = made.make()
        self.left = made.left
        return outcome
