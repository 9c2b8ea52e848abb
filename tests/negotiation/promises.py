# SPDX-License-Identifier: Apache-2.0
"""Conditions that hold for all rules, checked in the driver's result for a pool, match by match.

A cap of a group is not among them: HTCondor looks at the use of a group once a spin, and several of its submitters may pass its limit together.
"""
import collections

NEVER_TRUE = (None, "Missing", "1")             # of PREEMPTION_REQUIREMENTS


class Pool:
    def __init__(self, case):
        self.case, self.config, pool = case, case["config"], case["pool"]
        self.ads = pool["ads"]
        self.weights = pool.get("weights") or [pool["weight_each"]] * pool["slots"]
        # nothing is hidden, and a slot weighs what its Cpus are
        self.simple = "NEGOTIATOR_SLOT_CONSTRAINT" not in self.config and "SLOT_WEIGHT" not in self.config and not any("SlotWeight" in ad for ad in self.ads)
        if str(self.config.get("NEGOTIATOR_USE_SLOT_WEIGHTS")) == "False":
            self.weights = [1] * pool["slots"]
        self.owners = [ad["RemoteUser"].strip('"') if "RemoteUser" in ad else None for ad in self.ads]
        self.ranks = [float(ad.get("CurrentRank", 0)) for ad in self.ads]
        self.limits, self.begun = [""] * pool["slots"], [False] * pool["slots"]
        self.submitters = {submitter["name"]: submitter for submitter in case["submitters"]}
        self.waiting = {name: sum(job["count"] for job in classes(submitter)) for name, submitter in self.submitters.items()}

    def use(self, name):
        return sum(weight for owner, weight in zip(self.owners, self.weights) if owner == name)



def classes(submitter):
    return submitter.get("jobs") or [{"count": submitter["idle"], "ad": {}, "limits": submitter.get("concurrency_limits")}]


def rank(ad, job):
    """Return the machine's rank of the job. The expressions are those of pools.py."""
    text = ad.get("Rank", "0")
    return {"0": 0.0, "1.0": 1.0, "TARGET.Fast =?= true": float("Fast" in job["ad"])}.get(text, 2.0 * ("Dept" in job["ad"]))


def broken(case, results):
    """A sentence, or None."""
    pool = Pool(case)
    for number, matches in enumerate(results["matches"], 1):
        what = cycle(pool, matches)
        if what:
            return "cycle %d: %s" % (number, what)
    return None


def cycle(pool, matches):
    taken, back, in_use = set(), [], collections.Counter()
    for limits in pool.limits:
        in_use.update(units(limits))
    for name, slot, kind in matches:
        at, jobs = int(slot[len("slot"):-len("@m")]) - 1, classes(pool.submitters[name])
        what = one(pool, name, jobs, at, kind, taken, in_use)
        if what or pool.waiting[name] == 0:
            return "%s on %s: %s" % (name, slot, what or "no job of it waits")
        if pool.begun[at]:                      # waits again, from the next cycle on
            back.append(pool.owners[at])
        limits = jobs[0].get("limits") if len(jobs) == 1 else ""
        in_use.update(units(limits))
        taken.add(at)
        pool.waiting[name] -= 1
        pool.owners[at], pool.ranks[at], pool.limits[at], pool.begun[at] = name, min(rank(pool.ads[at], job) for job in jobs), limits, True
    for name in back:
        pool.waiting[name] += 1
    return idle(pool)


def one(pool, name, jobs, at, kind, taken, in_use):
    ceiling = pool.submitters[name].get("ceiling", -1)
    if at in taken:
        return "it was given away in this cycle already"
    if (kind == 0) != (pool.owners[at] is None):
        return "%s has it" % (pool.owners[at] or "nobody")
    if pool.simple and 0 <= ceiling <= pool.use(name):
        return "its ceiling is %d" % ceiling
    if kind and not may_drive_out(pool, jobs, at):
        return "%s was driven out, which nothing allows" % pool.owners[at]
    for limit, wanted in units(jobs[0].get("limits") if len(jobs) == 1 else "").items():
        if pool.simple and in_use[limit] + wanted > most(pool.config, limit):
            return "more than %g of %s" % (most(pool.config, limit), limit)
    return None


def may_drive_out(pool, jobs, at):
    if str(pool.config.get("NEGOTIATOR_CONSIDER_PREEMPTION")) == "False":
        return False
    return pool.config.get("PREEMPTION_REQUIREMENTS") not in NEVER_TRUE or any(rank(pool.ads[at], job) > pool.ranks[at] for job in jobs)


def units(limits):
    found = collections.Counter()
    for word in (limits or "").lower().replace(",", " ").split():
        name, _, many = word.partition(":")
        found[name] += float(many or 1)
    return found


def most(config, name):
    macros = {macro.lower(): value for macro, value in config.items()}
    otherwise = macros["concurrency_limit_default"]
    if "." in name:
        otherwise = macros.get("concurrency_limit_default_" + name.rpartition(".")[0], otherwise)
    return float(macros.get(name + "_limit", otherwise))


def idle(pool):
    """If all slots are equal and every user may have them, no more slots are left than the fractions of shares allow."""
    config = pool.config
    bound = any("floor" in submitter or "ceiling" in submitter or "may_use" in submitter for submitter in pool.case["submitters"])
    picky = any(job.get("limits") or job.get("requirements") for submitter in pool.case["submitters"] for job in classes(submitter))
    uneven = len(set(pool.weights)) > 1 or any("Requirements" in ad for ad in pool.ads)
    if bound or picky or uneven or "GROUP_NAMES" in config or any(name.startswith("NEGOTIATOR_SLOT") for name in config):
        return None
    free, waiting = pool.owners.count(None), [name for name, count in pool.waiting.items() if count]
    if waiting and free >= len(pool.submitters):
        return "%d slots are idle, and %s waits" % (free, waiting[0])
    return None
