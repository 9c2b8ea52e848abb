# SPDX-License-Identifier: Apache-2.0
"""Random pools, as cases of kind allocation (tests/reference/README.md): what a seed stands for never changes."""
import random

# even: all slots are equal, and every user may have them
KINDS = ("plain", "groups", "preemption", "constraints", "even")
FACTORS, RUPS = (1, 2, 4, 10, 1000), (0.5, 0.55, 0.6, 0.7, 0.77, 1, 1.1, 2, 5, 5.5, 10, 20, 22.0, 33.3)
LIMITS = ("lic", "lic:2", "Other", "lic.sub", "lic, other:2")
QUOTAS, PARTS = (0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 30), (0.1, 0.25, 0.3, 0.33, 0.5, 0.66, 0.75, 1.0)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kind = KINDS[seed % len(KINDS)]
        self.config = {}

    def one(self, *choices):
        return self.random.choice(choices)

    def often(self, probability):
        return self.random.random() < probability

    def maybe(self, probability, name, *values):
        if self.often(probability):
            self.config[name] = self.one(*values)

    def case(self):
        self.configure()
        names = self.groups() if self.kind == "groups" or self.kind != "even" and self.often(0.2) else []
        slots = self.random.randint(2, 30)
        users = [self.user(names, i) for i in range(self.random.randint(2, 7))]
        pool = self.pool(slots, users)
        submitters = [self.submitter(user, slots) for user in users]
        others = [{"name": "old@pool", "rup": self.one(1.007, 5.007, 50.007, 500.007), "factor": self.one(1, 10)}]
        return {"config": self.config, "pool": pool, "submitters": submitters, "others": others, "cycles": self.random.randint(1, 3)}

    # ---- configuration ----

    def configure(self):
        self.config.update({"lic_LIMIT": self.random.randint(2, 5), "CONCURRENCY_LIMIT_DEFAULT": self.one(1, 4)})
        self.maybe(0.3, "CONCURRENCY_LIMIT_DEFAULT_lic", 2, 3)
        self.maybe(0.4 if self.kind == "groups" else 0.25, "NEGOTIATOR_USE_SLOT_WEIGHTS", False)
        if self.kind == "preemption":
            self.preemption()
        else:
            self.maybe(0.5, "NEGOTIATOR_CONSIDER_PREEMPTION", False)
        if self.kind == "constraints" or self.kind != "even" and self.often(0.1):
            self.constraints()

    def preemption(self):
        self.maybe(0.9, "PREEMPTION_REQUIREMENTS", True, "Missing", "RemoteUserPrio > SubmitterUserPrio * 1.2", "1",
                   "RemoteUserResourcesInUse > SubmitterUserResourcesInUse", "(InState > 3600) && (RemoteUserPrio > TARGET.SubmitterUserPrio)",
                   "(InState > 3600) && RemoteUserPrio > SubmitterUserPrio * 1.2 && SubmitterGroup =?= RemoteGroup")
        self.maybe(0.3, "PREEMPTION_RANK", "TotalJobRunTime", "-RemoteUserPrio", "Missing", "SlotID % 3")

    def constraints(self):
        self.maybe(0.3, "NEGOTIATOR_IGNORE_USER_PRIORITIES", True)
        self.maybe(0.3, "NEGOTIATOR_MATCHLIST_CACHING", False)
        self.maybe(0.3, "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", True, False)
        self.maybe(0.3, "NEGOTIATOR_SLOT_CONSTRAINT", "Cpus < 4", "SlotID % 5 != 0", "Big =!= true")
        self.maybe(0.3, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "SlotID <= 8", "Big =?= true", "Cpus <= 2", "SlotID > 100")
        self.maybe(0.2, "NEGOTIATOR_PRE_JOB_RANK", "0", "MY.Rank", "SlotID % 4")
        self.maybe(0.2, "NEGOTIATOR_POST_JOB_RANK", "-SlotID", "SlotID", "Missing")
        self.maybe(0.2, "DEFAULT_PRIO_FACTOR", 1, 500)
        self.maybe(0.2, "SLOT_WEIGHT", "Cpus * 0.5", "ifThenElse(Big =?= true, 2.5, 1)", "Missing", "-1")
        self.maybe(0.1, "FORCE_NEGOTIATOR_SLOT_WEIGHT", True)

    def groups(self):
        names = []
        for top in self.random.sample("abcd", self.random.randint(1, 4)):
            names.append(top)
            for middle in self.random.sample("xyz", self.one(0, 0, 1, 2, 3)):
                names.append(top + "." + middle)
                if self.often(0.3):
                    names.append(top + "." + middle + ".q")
        self.random.shuffle(names)
        self.config["GROUP_NAMES"] = ", ".join(names)
        dynamic, surplus = self.one(0.0, 0.3, 0.5, 1.0), self.one(0.0, 0.3, 0.7)
        for name in names:
            self.quota(name, dynamic)
            self.maybe(surplus, "GROUP_ACCEPT_SURPLUS_" + name, True, True, False)
            self.maybe(0.1, "GROUP_AUTOREGROUP_" + name, True)
        self.rounds()
        return names

    def quota(self, name, dynamic):
        if self.often(dynamic):
            self.config["GROUP_QUOTA_DYNAMIC_" + name] = self.one(*PARTS)
        elif self.often(0.95):
            self.config["GROUP_QUOTA_" + name] = self.one(*QUOTAS, 2.5, 3.5, 6.67)

    def rounds(self):
        self.maybe(0.4, "GROUP_ACCEPT_SURPLUS", True, False)
        self.maybe(0.15, "GROUP_AUTOREGROUP", True)
        self.maybe(0.5, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", True, False)
        self.maybe(0.2, "NEGOTIATOR_STRICT_ENFORCE_QUOTA", False)
        self.maybe(0.2, "NEGOTIATOR_USE_WEIGHTED_DEMAND", False)
        self.maybe(0.3, "GROUP_QUOTA_ROUND_ROBIN_RATE", 1, 2, 3.5)
        self.maybe(0.3, "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 1, 2, 5)
        self.maybe(0.3, "GROUP_SORT_EXPR", "-GroupQuota", "GroupQuota % 3", "GroupResourcesInUse", "Missing",
                   'ifThenElse(AccountingGroup == "c", -1, GroupResourcesAllocated)')

    # ---- slots ----

    def pool(self, slots, users):
        pool = {"slots": slots, "ads": [self.slot(users) for _ in range(slots)]}
        if self.kind != "even" and self.often(0.4):
            pool["weights"] = [self.one(1, 1, 1, 2, 4, 8) for _ in range(slots)]
        else:
            pool["weight_each"] = 1
        return pool

    def slot(self, users):
        ad = {}
        if self.often(0.6 if self.kind == "preemption" else 0.25):
            ad.update(RemoteUser='"%s"' % self.one(*users, "old@pool"), InState=self.one(100, 3601, 4000), TotalJobRunTime=self.random.randint(1000, 50000))
            if self.often(0.4):
                ad["CurrentRank"] = self.one(0.0, 1.0, 2.0)
            if self.often(0.15):
                ad["RetirementTimeRemaining"] = self.one(0, 50)
        if self.kind == "even":
            return ad
        if self.often(0.3):
            ad["Rank"] = self.one("1.0", "TARGET.Fast =?= true", 'ifThenElse(TARGET.Dept =?= "p", 2, 0)')
        if self.often(0.4):
            ad["Big"] = True
        if self.kind == "constraints" and self.often(0.1):
            ad["SlotWeight"] = self.one(0.5, 3, "Cpus + 1", "Missing")
        if self.often(0.2):
            ad["Requirements"] = self.one("TARGET.Fast =?= true", 'TARGET.Dept =!= "p"')
        return ad

    # ---- submitters ----

    def user(self, groups, i):
        name = "u%d@pool" % i
        if not groups or self.often(0.2):
            return name
        return self.one(*groups) + "." + name

    def submitter(self, name, slots):
        rup = self.one(*RUPS) * self.one(1, 1, 1.1, 1.013)
        record = {"name": name, "idle": self.one(0, 1, 2, 3, 5, 8, 13, 30, 60), "running": 0, "rup": round(rup, 4), "factor": self.one(*FACTORS)}
        if self.kind == "even":
            return record
        if self.often(0.15):
            record["ceiling"] = self.random.randint(0, 6)
        if self.often(0.15):
            record["floor"] = self.random.randint(1, 10)
        if self.often(0.4):
            record["jobs"] = self.jobs(record["idle"], slots)
            return record
        if self.often(0.2):
            record["may_use"] = self.one("none", "TARGET.Big =?= true", "TARGET.SlotID > %d" % self.random.randint(1, slots))
        if self.often(0.2):
            record["concurrency_limits"] = self.one(*LIMITS)
        return record

    def jobs(self, idle, slots):
        counts = [0] * self.random.randint(1, 3)
        for _ in range(idle):
            counts[self.random.randrange(len(counts))] += 1
        return [self.job(count, slots) for count in counts]

    def job(self, count, slots):
        ad = {}
        if self.often(0.35):
            ad["Fast"] = "true"
        if self.often(0.35):
            ad["Dept"] = '"p"'
        if self.often(0.3):
            ad["Rank"] = self.one("-TARGET.SlotID * 1.0", "TARGET.Cpus * 1.0", "Missing", "TARGET.Big =?= true")
        job = {"count": count, "ad": ad}
        if self.often(0.3):
            job["requirements"] = self.one("none", "TARGET.Cpus <= 2", "TARGET.Big =?= true", "TARGET.SlotID <= %d" % self.random.randint(1, slots))
        if self.often(0.15):
            job["limits"] = self.one(*LIMITS)
        return job


def pool(seed):
    return Maker(seed).case()
