# SPDX-License-Identifier: Apache-2.0
"""
Fair shares: classic, depth-oblivious, as in 2009, Fair Tree. Usage is in fractions that are rounded to the 64 bits of a long double, as
Slurm has them, since what is a tie in Fair Tree depends on the last of these.
"""
import math
from decimal import Decimal as exactly
from fractions import Fraction

INFINITY = math.inf
MARKER = 4294967294                                     # level fair-share of accounts that say parent; the root's level sum
SMALLEST = 2.2250738585072014e-308


def long_double(x):
    x = Fraction(x)
    if x == 0:
        return x
    shift = x.numerator.bit_length() - x.denominator.bit_length() - 64
    mantissa = round(x / Fraction(2) ** shift)
    if mantissa.bit_length() > 64:
        shift += 1
        mantissa = round(x / Fraction(2) ** shift)
    return mantissa * Fraction(2) ** shift


def double(x):
    try:
        return float(x)
    except OverflowError:
        return INFINITY


def logarithm(x):
    return (exactly(x.numerator) / exactly(x.denominator)).ln()


def left(decay, seconds):
    """Return usage after decay."""
    return Fraction(max(decay ** seconds, SMALLEST)) if seconds > 0 else Fraction(1)


def charged(decay, seconds):
    return seconds * decay ** seconds


class FairShare:
    """Results for all associations by key: S, U_A, U_E, the factor, level fair-share and rank."""

    def __init__(self, cell, before, usage):
        self.cell, self.users = cell, [a for a in cell.associations() if a.user]
        self.share, self.norm, self.effective, self.factor, self.level, self.rank = {}, {}, {}, {}, {}, {}
        {"FAIR_TREE": self.fair_tree, "CLASSIC": self.classic, "DEPTH_OBLIVIOUS": self.oblivious, "2009": self.as_in_2009}[cell.method()](before, usage)

    def raw(self, association, usage):
        """Summed up from below."""
        if association.user:
            return usage.get(association.key(), Fraction(0))
        total = Fraction(0)
        for child in reversed(association.children):
            total = long_double(total + self.raw(child, usage))
        return total

    def competitors(self, account):
        """Return all competitors below an account. Associations with share parent are included, and so are those
        below such accounts."""
        for child in account.children:
            yield child
            if child.shares == "parent" and not child.user:
                yield from self.competitors(child)

    def above(self, association):
        """Return the fair-share ancestor."""
        parent = association.parent
        return self.above(parent) if parent.parent and parent.shares == "parent" else parent

    def level_sum(self, association):
        return sum(a.shares for a in self.competitors(self.above(association)) if a.shares != "parent")

    def each(self, of=lambda a: True):
        return [a for a in self.cell.associations() if of(a)]

    # ---- classic ----

    def classic_shares(self):
        for a in self.each():
            if not a.parent:
                self.share[a.key()] = 1.0
            elif a.shares == "parent":
                self.share[a.key()] = self.share[self.above(a).key()]
            else:
                total = self.level_sum(a)
                self.share[a.key()] = self.share[self.above(a).key()] * (a.shares / total) if total else 0.0

    def part_of_root(self, a, usage):
        root = self.raw(self.cell.root, usage)
        return min(long_double(self.raw(a, usage) / root), Fraction(1)) if root else Fraction(0)

    def lent(self, a):
        """U_E, those above it being known."""
        own = self.norm[a.key()]
        if not a.parent:
            return Fraction(1)
        if not self.above(a).parent:
            return own
        over, total = self.effective[self.above(a).key()], self.level_sum(a)
        if a.shares == "parent" or not total:
            return over
        return long_double(own + long_double(long_double(long_double(over - own) * a.shares) / total))

    def source(self, a):
        return self.above(a) if a.user and a.shares == "parent" else a

    def halved(self):
        for a in self.each():
            share, used = self.share[self.source(a).key()], self.effective[self.source(a).key()]
            overuse = double(long_double(used / Fraction(share))) if share else INFINITY
            self.factor[a.key()] = 1.0 if overuse == 0 else 2.0 ** -(overuse / self.cell.damping) if self.cell.damping else 0.0
        self.no_levels()

    def no_levels(self):
        self.level, self.rank = {a.key(): 0.0 for a in self.each()}, {a.key(): 0 for a in self.each()}

    def classic(self, before, usage, effective=None):
        self.classic_shares()
        for user, when in ((False, before), (True, usage)):
            for a in self.each(lambda a: bool(a.user) == user):
                self.norm[a.key()] = self.part_of_root(a, when)
            for a in self.each(lambda a: bool(a.user) == user):
                self.effective[a.key()] = (effective or self.lent)(a)
        self.halved()

    # ---- depth-oblivious ----

    def oblivious(self, before, usage):
        """Siblings' sums have users' usage of before as long as accounts are looked at."""
        for a in self.each():
            self.norm[a.key()] = self.part_of_root(a, before)
        self.classic(before, usage, self.pulled)

    def pulled(self, a):
        over = self.above(a) if a.parent else None
        if not over or not over.parent or a.shares == "parent":
            return self.lent(a)
        share, norm, over_share, over_used = self.share[a.key()], self.norm[a.key()], self.share[over.key()], self.effective[over.key()]
        if 0 in (share, norm, over_share, over_used):
            return norm
        siblings = Fraction(0)
        for b in [b for b in self.competitors(over) if b.shares != "parent"]:
            siblings = long_double(siblings + self.norm[b.key()])
        level = long_double(siblings / Fraction(over_share))
        return self.pull(long_double(over_used / Fraction(over_share)), long_double(long_double(norm / Fraction(share)) / level), Fraction(share))

    def pull(self, ratio, own, share):
        """Only the power is taken in double."""
        far = logarithm(ratio)
        if far * logarithm(own) < 0:
            own = Fraction(float(own) ** float(1 / (1 + (5 * far) ** 2)))
        return min(long_double(long_double(ratio * own) * share), Fraction(1))

    # ---- 2009 ----

    def as_in_2009(self, before, usage):
        capacity = self.cell.cpus() * self.cell.half_life * 2
        self.classic_shares()
        for a in self.each():
            self.norm[a.key()] = min(long_double(self.raw(a, before) / capacity), Fraction(1)) if capacity else Fraction(0)
            self.effective[a.key()] = self.lent(a)
        for a in self.each():
            self.factor[a.key()] = (self.share[self.source(a).key()] - float(self.effective[self.source(a).key()]) + 1) / 2
        self.no_levels()

    # ---- Fair Tree ----

    def fair_tree(self, before, usage):
        root = self.cell.root
        self.long_level = {}
        self.no_levels()
        self.factor = {a.key(): 0.0 for a in self.each()}
        self.share[root.key()], self.norm[root.key()], self.effective[root.key()] = 1 / MARKER, float(self.raw(root, usage) > 0), 1.0
        for a in self.each(lambda a: a.parent):
            self.weigh(a, self.raw(a, usage), self.raw(self.above(a), usage), self.raw(root, usage))
        self.last = self.next = len(self.users)
        self.walk([root], False)

    def weigh(self, a, own, over, root):
        total, used = self.level_sum(a), long_double(own / over) if over else Fraction(0)
        share = self.share[self.above(a).key()] if a.shares == "parent" else a.shares / total if total else 0.0
        self.share[a.key()], self.effective[a.key()], self.norm[a.key()] = share, float(used), float(own / root) if root else 0.0
        if a.shares == "parent":
            level = INFINITY if a.user else MARKER
        elif share == 0:
            level = Fraction(0)
        else:
            level = long_double(Fraction(share) / used) if used else INFINITY
        self.long_level[a.key()] = level
        self.level[a.key()] = 0.0 if level == MARKER and a.shares == "parent" else double(level)

    def sorted_level(self, accounts):
        """Best first; among equals users, then the newest, or by name."""
        level = [a for account in accounts for a in self.competitors(account)]
        if self.cell.documented:
            level = [a for a in level if a.user or a.shares != "parent"]
        places = {a.key(): i for i, a in enumerate(self.each())}
        if self.cell.by_name:
            level.sort(key=lambda a: a.path())
        else:
            level.sort(key=lambda a: -places[a.key()])
        level.sort(key=lambda a: not a.user)
        return sorted(level, key=lambda a: self.long_level[a.key()], reverse=True)

    def walk(self, accounts, tied):
        level, at = self.sorted_level(accounts), 0
        while at < len(level):
            a, end = level[at], at + 1
            if a.user:
                self.rank_user(a, tied)
            else:
                while self.cell.documented and end < len(level) and self.equal(level[end], a):
                    end += 1
                if a.shares != "parent":
                    self.walk(level[at:end], tied)
            tied = end < len(level) and self.equal(level[end], level[end - 1])
            at = end

    def equal(self, a, b):
        return self.long_level[a.key()] == self.long_level[b.key()]

    def rank_user(self, a, tied):
        self.last = self.last if tied else self.next
        self.rank[a.key()], self.factor[a.key()] = self.last, self.last / len(self.users)
        self.next -= 1

    # ---- what is shown ----

    def shown(self, cell, usage, running):
        """[account, user, partition, depth, shares, rank, running, usage, S, U_A, U_E, factor, level fair-share]"""
        def lines(a, depth):
            key = a.key()
            yield [a.account, a.user or "-", a.partition or "-", depth, 0x7fffffff if a.shares == "parent" else a.shares, self.rank[key],
                   running.get(key, 0), float(self.raw(a, usage)), self.share[key], float(self.norm[key]), float(self.effective[key]), self.factor[key],
                   self.level[key]]
            for child in sorted(a.children, key=lambda a: (not a.user, a.user or a.account, a.partition)):
                yield from lines(child, depth + 1)
        return list(lines(cell.root, 0))
