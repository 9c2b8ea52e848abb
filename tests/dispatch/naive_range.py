# SPDX-License-Identifier: Apache-2.0
"""The amount of slots that is tried next for a parallel job with a range: PE_RANGE_ALG.  sched_conf(5)."""


class RangeSearch:
    """PE_RANGE_ALG: how the largest amount that can be had is searched for.  All ways assume that less is always possible."""

    def __init__(self, algorithm):
        self.algorithm = algorithm.lower()
        self.score = {"bin": 0, "least": 0, "highest": 0}

    def way(self):
        if self.algorithm != "auto":
            return self.algorithm
        s = self.score
        return "bin" if s["bin"] >= max(s["least"], s["highest"]) else "highest" if s["highest"] >= s["least"] else "least"

    def find(self, candidates, attempt):
        if len(candidates) < 2:
            return attempt(candidates[0]) if candidates else None
        way, tried = self.way(), []

        def counted(n):
            tried.append(n)
            return attempt(n)
        found, index = getattr(self, way)(candidates, counted)
        self.learn(len(candidates), index, len(tried) if way == "bin" else len(candidates).bit_length() - 1)
        return found

    def first(self, candidates):
        way, last = self.way(), len(candidates) - 1
        return candidates[0 if way == "least" else last if way == "highest" else last // 2]

    def least(self, candidates, attempt):
        best = None, -1
        for k, n in enumerate(candidates):
            found = attempt(n)
            if not found:
                break
            best = found, k
        return best

    def highest(self, candidates, attempt):
        for k in range(len(candidates) - 1, -1, -1):
            found = attempt(candidates[k])
            if found:
                return found, k
        return None, -1

    def bin(self, candidates, attempt):
        low, high, best = 0, len(candidates) - 1, (None, -1)
        while low <= high:
            k = (low + high) // 2
            found = attempt(candidates[k])
            if found:
                best, low = (found, k), k + 1
            else:
                high = k - 1
        return best

    def learn(self, n, index, halvings):
        """Charge each search method with its actual or estimated cost. Older charges fade."""
        runs = {"bin": halvings, "least": index + 1, "highest": n - index + 1}
        for way, cost in runs.items():
            self.score[way] = int(self.score[way] * 66 / 100) - int(cost * 100 * 34 / 100)
