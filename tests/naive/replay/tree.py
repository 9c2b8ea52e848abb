# SPDX-License-Identifier: Apache-2.0
"""A share tree: users with shares below the root, or below nodes of it that have shares. A user below the fair share
gets more tickets, and so does the user's branch. Each further job of a branch gets a smaller part of the branch's
tickets."""
import math

SHARE_TICKETS = 1000000.0


class Node:
    """`parts`: (name, shares, parts) of each below it; none: a user."""

    def __init__(self, name, shares, parts=()):
        self.name, self.shares, self.usage, self.stamp = name, shares, 0.0, None
        self.parts = [Node(*part) for part in parts]

    def leaves(self):
        return [leaf for part in self.parts for leaf in part.leaves()] or [self]

    def decay(self, constant, now):
        if self.stamp is not None and now > self.stamp:
            self.usage *= math.pow(constant, float(now - self.stamp) / 60.0)
        self.stamp = now

    def used(self):
        return sum((part.used() for part in self.parts), 0.0) if self.parts else self.usage

    def active(self, jobs):
        """The parts that have jobs."""
        names = {job.user for job in jobs}
        return [part for part in self.parts if any(leaf.name in names for leaf in part.leaves())]


class Tree:
    def __init__(self, policy):
        self.root = Node("Root", 1, policy.shares)
        self.users = {leaf.name: leaf for leaf in self.root.leaves()}
        self.compensation = policy.compensation
        minutes = 60 * policy.halftime
        self.constant = 1.0 - (-math.log(0.5) / (minutes * 60)) * 60 if minutes else 1.0

    def charge(self, now, jobs):
        """Add the usage of each job since the last call."""
        for job in jobs:
            user = self.users[job.user]
            user.decay(self.constant, now)
            user.usage += max(job.reported - job.booked, 0)
            job.booked = job.reported

    def divide(self, node, jobs, due, part, results):
        """`results` gets (part of its parent, part of everything) for each child of the node that has jobs: shares in
        the square, by usage."""
        parts = node.active(jobs)
        total = sum(float(p.shares) for p in parts)
        dues = {p: due * (p.shares / total) for p in parts}
        weight = {p: float(p.shares) * p.shares / max(p.used(), dues[p]) for p in parts}
        everything = sum(weight.values())
        for p in parts:
            results[p] = weight[p] / everything, part * (weight[p] / everything)
        if self.compensation != 0:
            self.compensate(parts, dues, part, results, weight)
        for p in parts:
            self.divide(p, jobs, dues[p], results[p][1], results)

    def compensate(self, parts, dues, part, results, weight):
        """Limit each part to a multiple of its due. The weight of a part above the limit is reduced by the excess."""
        over, hit = {}, False
        for p in parts:
            over[p], most = weight[p], self.compensation * dues[p]
            if results[p][1] > most:
                over[p] = float(p.shares) * p.shares / (max(p.used(), dues[p]) * (results[p][1] / most))
                hit = True
        everything = sum(over.values())
        for p in parts if hit else ():
            results[p] = over[p] / everything, part * (over[p] / everything)

    def targets(self, jobs):
        results = {self.root: (1.0, 1.0)}
        if jobs:
            self.divide(self.root, jobs, 1.0, 1.0, results)
        return results

    def running_tickets(self, running, pending):
        """Return each user's tickets, divided evenly among all the user's jobs. Pending jobs count as well."""
        names, results = [job.user for job in running + pending], self.targets(running + pending)
        return [results[self.users[job.user]][1] * SHARE_TICKETS / names.count(job.user) for job in running]

    def ranked(self, node, top, jobs, results):
        """Jobs of a branch as [waits, -tickets, rank, job]: those that run first, then by what the level below has made of them. On the level of the
        highest branches that share something, and on those below, each gets a part that is the smaller the more slots stand before it."""
        if node.parts:
            entries = [entry for part in node.active(jobs) for entry in self.ranked(part, top, jobs, results)]
        else:
            entries = [[job.start is None, 0.0, job.rank, job] for job in jobs if job.user == node.name]
        if node.parts and node is top:
            return entries
        entries.sort(key=lambda entry: entry[:3])
        divisor = 1
        for entry in entries:
            entry[1] = -(results[node][0] / divisor * SHARE_TICKETS)
            divisor += entry[3].slots
        return entries

    def top(self, jobs):
        """Where branches with jobs part."""
        node = self.root
        while len(node.active(jobs)) == 1:
            node = node.active(jobs)[0]
        return node

    def tickets(self, now, running, finished, pending):
        """Normalised to the largest of anybody, by rank of the pending job."""
        self.charge(now, finished)
        self.charge(now, running)
        for user in self.users.values():
            user.decay(self.constant, now)
        results, top = self.targets(running + pending), self.top(running + pending)
        tickets = {rank: -value for waits, value, rank, _ in self.ranked(top, top, running + pending, results) if waits}
        most = max([-1.0] + list(tickets.values()) + self.running_tickets(running, pending) + self.running_tickets(running, []))
        return {rank: value / most if most >= 0.00001 else 0.5 for rank, value in tickets.items()}
