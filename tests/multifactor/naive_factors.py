# SPDX-License-Identifier: Apache-2.0
"""The factors of a job, their sum, and the charge of a job for each second."""
import re

UNLIMITED = 4294967295                          # minutes, as Slurm writes it
UNITS = {"": 1, "K": 1024, "M": 1024 ** 2, "G": 1024 ** 3, "T": 1024 ** 4}


def counts_of(text):
    """{"cpu": 2.0, "mem": 4096.0} of "cpu=2,mem=4G": memory in MiB"""
    counts = {}
    for name, count, unit in re.findall(r"([^,=]+)=([0-9.]+)([KMGT]?)", text):
        counts[name] = float(count) * UNITS[unit] / (UNITS["M"] if name == "mem" and unit else 1)
    return counts


def left_over(there, wanted):
    """In 32 bits without a sign, as Slurm has it."""
    return (there - wanted) % 2 ** 32


def asked(job):
    """Trackable resources that a job asks for: what is said, else processors and nodes."""
    if job.of("tres", ""):
        return counts_of(job.of("tres"))
    return {"cpu": float(job.of("cpus")), "billing": float(job.of("cpus")), "node": float(job.of("nodes") or 1)}


def billable(cell, weights, counts):
    competing = ["cpu", "mem", "node"] if cell.flag("MAX_TRES_GRES") else ["cpu", "mem", "node", "gres/"]
    costs = {name: weight * counts.get(name, 0.0) for name, weight in weights.items()}
    if not cell.flag("MAX_TRES"):                       # MAX_TRES_GRES has it in its name
        return sum(costs.values())
    dearest = max([cost for name, cost in costs.items() if any(name.startswith(c) for c in competing)], default=0.0)
    return sum(cost for name, cost in costs.items() if not any(name.startswith(c) for c in competing)) + dearest


def granted(cell, job, task, partition):
    """Return the trackable resources of a task. "billing" is the cost of a second, or the reported value."""
    text = task.get("tres") or job.of("tres", "")
    counts = counts_of(text) if text else {"node": float(job.of("nodes") or 1)}
    if not counts.get("cpu"):
        counts["cpu"] = float(sum(entry["slots"] for entry in task["granted"]))
    counts["billing"] = counts.get("billing") or cost(cell, partition, counts)
    return counts


def cost(cell, partition, counts):
    return counts["cpu"] if not partition or not partition.billing or cell.is_2009 else billable(cell, partition.billing, counts)


def usage_factor(cell, job):
    factor = cell.qos_factor(job.of("qos", ""))
    return 1.0 if factor < 0 or (factor == 0 and cell.is_2009) else factor


def usage_rate(cell, job, task, partition):
    """Return the cost of a second of the task, without a reported billing."""
    return cost(cell, partition, granted(cell, job, task, partition)) * usage_factor(cell, job)


class Factors:
    """A job's, with the shares and the clock of the last pass."""

    def __init__(self, cell, shares, last_pass, job):
        self.cell, self.job, self.last_pass = cell, job, last_pass
        named = cell.named(job)
        self.association = cell.association(job.account(), job.of("owner"), named.name if named else "")
        self.fair = shares.factor[self.association.key()] if self.association else 0.0

    def age(self):
        age, longest = max(self.last_pass - self.job.accrue, 0), self.cell.max_age
        if not self.job.accrue or not self.cell.weight("Age"):
            return 0.0
        return age / longest if age < longest else 1.0

    def assoc(self):
        if not self.association or not self.cell.weight("Assoc"):
            return 0.0
        return self.rank("ASSOC", self.association.priority, max(a.priority for a in self.cell.associations()))

    def rank(self, kind, value, largest):
        if self.cell.flag("NO_NORMAL_" + kind) or self.cell.flag("NO_NORMAL_ALL"):
            return float(value)
        return value / largest if largest else 0.0

    def job_size(self):
        cell, nodes = self.cell, self.job.of("nodes") or 1
        cpus = self.job.of("cpus") or int(asked(self.job).get("cpu", 0))
        if not cell.weight("JobSize"):
            return 0.0
        if cell.flag("SMALL_RELATIVE_TO_TIME") and not cell.is_2009:
            size = max(nodes * cell.cpus() / cell.nodes(), cpus) / self.minutes() / cell.cpus()
            size = 1 - size if cell.favor_small else size
        else:
            parts = [(left_over(cell.nodes(), nodes) if cell.favor_small else nodes) / cell.nodes()]
            if cpus and not cell.is_2009:
                parts.append((left_over(cell.cpus(), cpus) if cell.favor_small else cpus) / cell.cpus())
            size = sum(parts) / len(parts)
        return min(max(size, 0.0), 1.0)

    def minutes(self):
        named, minutes = self.cell.named(self.job), self.job.of("time_limit", None)
        if minutes is None:
            minutes = (named.max_time or UNLIMITED) if named else 1
        return max(minutes, 1)

    def partition(self, partition):
        if not partition or not self.cell.weight("Partition"):
            return 0.0
        return self.rank("PART", partition.factor, max(p.factor for p in self.cell.partitions))

    def qos(self):
        priority = self.cell.qos.get(self.job.of("qos", ""), (0, 1.0))[0]
        return self.rank("QOS", priority, max(priority for priority, _ in self.cell.qos.values())) if self.cell.weight("QOS") else 0.0

    def tres(self, partition):
        """Return the factors of the kinds with a weight, in their order. Without a partition there are none."""
        counts, flags = asked(self.job), self.cell.flag("NO_NORMAL_TRES") or self.cell.flag("NO_NORMAL_ALL")
        for kind, _ in self.cell.weighted_tres() if partition else []:
            total, count = self.cell.total(partition, kind), counts.get(kind, 0.0)
            yield count if flags else count / total if total else 0.0

    def tres_term(self, partition):
        term = 0.0
        for (_, weight), factor in zip(self.cell.weighted_tres(), self.tres(partition)):
            term += weight * factor
        return term

    def fairshare(self):
        return self.fair if self.cell.weight("Fairshare") else 0.0

    def sum(self, partition):
        weight = self.cell.weight
        return (weight("Age") * self.age() + weight("Assoc") * self.assoc() + weight("Fairshare") * self.fairshare()
                + weight("JobSize") * self.job_size() + weight("Partition") * self.partition(partition) + weight("QOS") * self.qos()
                + self.tres_term(partition) + self.job.of("site_factor") - self.job.of("nice"))

    def shown(self, partition):
        return [self.age(), self.assoc(), self.fairshare(), self.job_size(), self.partition(partition), self.qos(), self.tres_term(partition),
                *self.tres(partition)]
