# SPDX-License-Identifier: Apache-2.0
"""Random cells with Slurm's priorities: what they consist of, and their files."""
import copy
import os

ACCOUNTS = "astro bio chem dyn eco fluid geo".split()
USERS = "ann bob cal dot eve".split()
FLAGS = "ACCRUE_ALWAYS SMALL_RELATIVE_TO_TIME CALCULATE_RUNNING INCR_ONLY MAX_TRES MAX_TRES_GRES NO_NORMAL_ASSOC NO_NORMAL_PART NO_NORMAL_QOS" \
        " NO_NORMAL_TRES NO_NORMAL_ALL".split()
KINDS = ["cpu", "mem", "node", "gres/gpu", "license/mat"]       # in the order in which the cell knows them
WEIGHTS = "Age Assoc Fairshare JobSize Partition QOS".split()
NODES = {"a[1-6]": (6, 4, 1000, 0), "b[1-2]": (2, 16, 8000, 2)}         # number; cpus, MiB, gpus of each
LICENCES = 5


class Association:
    default_qos = qos_list = ""                         # as written; "": not said

    def __init__(self, parent, account, user="", partition="", shares=1, priority=None):
        self.parent, self.account, self.user, self.partition, self.shares, self.own_priority = parent, account, user, partition, shares, priority
        self.children = []
        if parent:
            parent.children.append(self)

    @property
    def priority(self):
        if self.own_priority is None:
            return self.parent.priority if self.parent else 0
        return self.own_priority

    def key(self):
        return self.account, self.user, self.partition

    def inherited(self, name):
        return getattr(self, name) or (self.parent.inherited(name) if self.parent else "")

    def qos(self):
        """Return the QOS that may be used. The cluster has the QOS normal."""
        above, said = self.parent.qos() if self.parent else ["normal"], [name for name in self.qos_list.split(",") if name]
        if not said or said[0][0] not in "+-":
            return said or above
        kept = [name for name in above if "-" + name not in said]
        return kept + [name[1:] for name in said if name[0] == "+" and name[1:] not in kept]

    def path(self):
        return (self.parent.path() if self.parent else ()) + ((self.user or self.account, self.partition),)

    def line(self, defaults):
        what = "User - '%s'" % self.user if self.user else "Account - '%s'" % self.account
        qos = "".join(":%s='%s'" % item for item in (("DefaultQOS", self.default_qos), ("QOS", self.qos_list)) if item[1])
        return "%s:%s%sFairshare=%s%s%s" % (what, "Partition='%s':" % self.partition if self.partition else "",
                                         "DefaultAccount='%s':" % defaults[self.user] if self.user in defaults else "", self.shares,
                                         "" if self.own_priority is None else ":Priority=%d" % self.own_priority, qos)


class Partition:
    def __init__(self, name, factor, tier, max_time, billing, nodes):
        self.name, self.factor, self.tier, self.max_time, self.billing, self.nodes = name, factor, tier, max_time, billing, nodes

    def line(self):
        words = ["PartitionName=" + self.name, "Nodes=" + self.nodes, "PriorityJobFactor=%d" % self.factor, "PriorityTier=%d" % self.tier,
                 "MaxTime=%s" % (self.max_time or "UNLIMITED")]
        if self.billing:
            words.append("TRESBillingWeights=" + ",".join("%s=%r" % item for item in self.billing.items()))
        return " ".join(words)


class Cell:
    """Properties of a cell that naive.py needs."""

    def associations(self):
        def walk(a):
            yield a
            for child in a.children:
                yield from walk(child)
        return list(walk(self.root))

    def default_account(self, user):
        """Only the users named in the file are known."""
        return self.defaults.get(user, "") if any(a.user == user for a in self.associations()) else ""

    def association(self, account, user, partition):
        for key in ((account, user, partition.lower()), (account, user, "")):     # those of associations are in lower case
            found = [a for a in self.associations() if a.key() == key]
            if found:
                return found[0]
        return None

    def flag(self, name):
        return name in self.flags

    def method(self):
        if self.is_2009:
            return "2009"
        return "DEPTH_OBLIVIOUS" if self.flag("DEPTH_OBLIVIOUS") else "CLASSIC" if self.flag("NO_FAIR_TREE") else "FAIR_TREE"

    def decay(self):
        return 1 - 0.693 / self.half_life if self.half_life else 1.0

    def weight(self, name):
        return 0 if self.no_storage and name in ("Age", "Fairshare") else self.weights[name]

    def weighted_tres(self):
        return [(kind, self.tres[kind]) for kind in KINDS if self.tres.get(kind)]

    def total(self, partition, kind):
        if kind == "license/mat":
            return float(LICENCES)
        place = {"node": None, "cpu": 1, "mem": 2, "gres/gpu": 3}[kind]
        there = [kinds for name, kinds in NODES.items() if partition.nodes in (name, "ALL")]
        return float(sum(kinds[0] * (kinds[place] if place else 1) for kinds in there))

    def nodes(self):
        return sum(kinds[0] for kinds in NODES.values())

    def cpus(self):
        return sum(kinds[0] * kinds[1] for kinds in NODES.values())

    def partition(self, name):
        return next((p for p in self.partitions if p.name == name), None)

    def default_partition(self):
        return self.default

    def partitions_of(self, job):
        """Return each existing name once, as written."""
        names = job.of("partition", "") or self.default
        return [self.partition(name) for name in dict.fromkeys(names.split(",")) if self.partition(name)]

    def named(self, job):
        return next(iter(self.partitions_of(job)), None)

    def default_qos(self, association):
        said, listed = (association.inherited("default_qos"), association.qos()) if association else ("", ["normal", "several"])
        if said in listed:
            return said
        return listed[0] if len(listed) == 1 else "normal"

    def qos_factor(self, name):
        return self.qos.get(name, (0, 1.0))[1]

    # ---- files ----

    def write(self, directory):
        for name, lines in (("slurm.conf", self.conf_lines()), ("associations", self.association_lines()), ("qos", self.qos_lines())):
            with open(os.path.join(directory, name), "w") as file:
                file.write("\n".join(lines) + "\n")

    def conf_lines(self):
        yield "PriorityType=priority/multifactor"
        yield "PriorityVersion=%s" % ("2009" if self.is_2009 else "current")
        yield "FairTreeTies=%s" % ("documented" if self.documented else "implemented")
        yield "FairTreeSiblings=%s" % ("name" if self.by_name else "newest")
        yield "ChargeJobEnd=%s" % ("always" if self.charge_always else "limits")
        yield "PriorityCalcPeriod=%d" % (self.calc_period // 60)
        yield "PriorityDecayHalfLife=%d" % (self.half_life // 60)
        yield "PriorityUsageResetPeriod=%s" % self.reset
        yield "PriorityMaxAge=%d" % (self.max_age // 60)
        yield "PriorityFavorSmall=%s" % ("yes" if self.favor_small else "no")
        yield "FairShareDampeningFactor=%d" % self.damping
        yield "AccountingStorageType=accounting_storage/%s" % ("none" if self.no_storage else "slurmdbd")
        yield "AccountingStorageEnforce=associations" + (",limits" if self.limits else "")
        yield "AccountingStorageTRES=gres/gpu,license/mat"
        yield "Licenses=mat:%d" % LICENCES
        yield from ("PriorityWeight%s=%d" % item for item in self.weights.items())
        if self.flags:
            yield "PriorityFlags=" + self.flags
        if self.tres:
            yield "PriorityWeightTRES=" + ",".join("%s=%r" % item for item in self.tres.items())
        for name, (_, cpus, memory, gpus) in NODES.items():
            yield "NodeName=%s CPUs=%d RealMemory=%d%s" % (name, cpus, memory, " Gres=gpu:%d" % gpus if gpus else "")
        yield from (p.line() + (" Default=YES" if p.name == self.default else "") for p in self.partitions)

    def association_lines(self):
        yield "Cluster - 'random':Fairshare=1:QOS='normal'"
        for account in [a for a in self.associations() if a.children]:
            yield "Parent - '%s'" % account.account
            yield from (child.line(self.defaults) for child in account.children)

    def qos_lines(self):
        yield "Name|Priority|UsageFactor|Flags"
        yield from ("%s|%d|%f|" % (name, priority, factor) for name, (priority, factor) in self.qos.items())


class Maker:
    def __init__(self, rng):
        self.rng = rng

    def sometimes(self, chance=0.3):
        return self.rng.random() < chance

    def cell(self):
        rng, cell = self.rng, Cell()
        cell.is_2009, cell.documented, cell.by_name = self.sometimes(0.15), self.sometimes(), self.sometimes()
        cell.charge_always, cell.limits, cell.no_storage = self.sometimes(0.7), self.sometimes(), self.sometimes(0.05)
        cell.calc_period, cell.half_life = rng.choice([60, 300]), rng.choice([0, 60, 3600, 86400, 604800])
        cell.reset = rng.choice(["NONE"] * 4 + "NOW DAILY WEEKLY MONTHLY QUARTERLY YEARLY".split())
        cell.max_age, cell.favor_small, cell.damping = rng.choice([0, 60, 3600, 86400]), self.sometimes(), rng.choice([1, 1, 3, 0, 65535])
        cell.flags = ",".join([flag for flag in FLAGS if self.sometimes(0.15)] + rng.choice([[], [], ["NO_FAIR_TREE"], ["DEPTH_OBLIVIOUS"]]))
        cell.weights = {name: rng.choice([0, 1, 1000, 100000]) if self.sometimes(0.95) else 4294967295 for name in WEIGHTS}
        cell.tres = {kind: rng.choice([0.0, 1.5, 1000.0, 0.001]) for kind in KINDS if self.sometimes()}
        cell.qos = {name: (rng.choice([0, 1, 50, 4294967294]), rng.choice([1.0, 2.0, 0.25, 0.0, -1.0])) for name in ("normal", "high", "low")}
        self.partitions(cell)
        self.tree(cell)
        return cell

    def partitions(self, cell):
        names = ["batch", "debug", "Gpu"][:self.rng.randint(1, 3)]
        cell.partitions = [self.partition(name) for name in names]
        cell.default = self.rng.choice(names)

    def partition(self, name):
        rng = self.rng
        billing = {kind: rng.choice([0.0, 0.5, 1.0, 8.0]) for kind in KINDS if self.sometimes(0.6)} if self.sometimes(0.6) else {}
        return Partition(name, rng.choice([0, 1, 10, 65533]), rng.choice([0, 1, 1, 5, 65533]), rng.choice([0, 60, 1440]), billing,
                         rng.choice([*NODES, "ALL"]))

    def shares(self):
        return self.rng.choice([0, 1, 1, 1, 2, 3, 2147483646, "parent"])

    def priority(self):
        return self.rng.choice([0, 5, 100, 4294967294]) if self.sometimes(0.2) else None

    def tree(self, cell):
        cell.root = Association(None, "root")
        if self.sometimes(0.8):
            Association(cell.root, "root", "root", shares=self.rng.choice([0, 1]))
        accounts = [cell.root]
        for name in ACCOUNTS[:self.rng.randint(1, len(ACCOUNTS))]:
            accounts.append(Association(self.rng.choice(accounts[-3:]), name, shares=self.shares(), priority=self.priority()))
        for account in accounts[1:]:
            for user in self.rng.sample(USERS, self.rng.randint(0, 4)):
                if self.sometimes(0.9):
                    Association(account, account.account, user, shares=self.shares(), priority=self.priority())
                if self.sometimes(0.1):
                    Association(account, account.account, user, self.rng.choice(cell.partitions).name.lower(), self.shares(), self.priority())
            self.rng.shuffle(account.children)
        self.rng.shuffle(cell.root.children)
        for a in cell.associations()[1:] if self.sometimes() else []:
            a.default_qos = self.rng.choice(["", "", "", "high", "low"])
            a.qos_list = self.rng.choice(["", "", "low", "high", "high,low", "+low", "+high,-normal"])
        cell.defaults = {user: self.rng.choice(accounts).account for user in USERS if self.sometimes(0.6)}

    def changed(self, cell):
        """The cell as it is read next."""
        cell = copy.deepcopy(cell)
        what = self.rng.randrange(6)
        if what == 0:
            self.tree(cell)
        elif what == 1:
            for a in cell.associations()[1:]:
                a.shares = self.shares()
        elif what == 2:
            cell.partitions = [self.partition(p.name) for p in cell.partitions]
        elif what == 3:
            for a in [a for a in cell.associations() if a.user and self.sometimes()]:
                a.parent.children.remove(a)
        else:
            other = self.cell()
            for name in ("weights", "flags", "qos", "half_life", "max_age", "limits")[what - 4:]:
                setattr(cell, name, getattr(other, name))
        return cell
