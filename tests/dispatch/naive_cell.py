# SPDX-License-Identifier: Apache-2.0
"""A cell and its jobs, read from the files of a case directory: the text forms of sge-formats and jobs.jsonl."""
import json
import os
import re
from collections import namedtuple

from naive_calendar import Calendar
from naive_reserved import AdvanceReservation
from naive_values import number

Complex = namedtuple("Complex", "name shortcut type relop requestable consumable default urgency")
ACCESS = ("user_lists", "xuser_lists", "projects", "xprojects")
LIMITS = [f"{p}_{k}" for k in ("rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem") for p in "sh"]


def lines(path):
    """The lines of a file, comments dropped and continuations joined: after a comma without a blank."""
    with open(path) as f:
        text = f.read()
    text = re.sub(r"\s*\\\n\s*", lambda m: "" if text[m.start() - 1] == "," else " ", text)
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def attributes(path):
    return {k: v.strip() for k, _, v in (line.partition(" ") for line in (l.expandtabs() for l in lines(path)))}


def none(text):
    return text.upper() in ("NONE", "")


def words(text):
    return [] if none(text) else re.split(r"[,\s]+", text)


def pairs(text):
    """`a=1,b=2` in order; a name alone has the value TRUE. The ids in parentheses are left out."""
    return {k: v or "TRUE" for k, _, v in (w.partition("=") for w in words(re.sub(r"\([^)]*\)", "", text)))}


class Host:
    def __init__(self, name, a):
        self.name, self.a = name, a
        self.values = pairs(a["complex_values"])
        self.access = {k: words(a.get(k, "NONE")) for k in ACCESS}
        scale = {k: float(v) for k, v in pairs(a.get("load_scaling", "NONE")).items()}
        self.loads = {}
        for k, v in pairs(a.get("load_values", "NONE")).items():
            self.loads[k] = "%8.3f" % (number(v) * scale[k]) if k in scale else v


class Instance:
    """A queue on a host, with the values that hold there."""

    def __init__(self, queue, host, get):
        self.queue, self.host, self.name = queue, host, f"{queue}@{host.name}"
        self.seq_no = int(get("seq_no"))
        self.slots = int(get("slots"))
        self.load_thresholds = pairs(get("load_thresholds"))
        self.suspend_thresholds = pairs(get("suspend_thresholds"))
        self.pes = words(get("pe_list"))
        self.access = {k: words(get(k)) for k in ACCESS}
        self.batch = "BATCH" in get("qtype").upper()
        self.nsuspend, self.suspend_interval = int(get("nsuspend")), number(get("suspend_interval"))
        self.subordinates = subordinates(get("subordinate_list"))
        self.calendar = get("calendar")
        self.state = ""				# letters of qstat, as they were before the run
        self.values = {"qname": queue, "hostname": host.name}
        self.values.update({k: get(k) for k in LIMITS})
        self.values.update(pairs(get("complex_values")))
        self.values["slots"] = str(self.slots)


def subordinates(text):
    """[(queue, threshold)]: `low.q=3,idle.q`, or `slots=3(low.q:1:sr, ...)`; a threshold of None is reached when the instance is full."""
    slotwise = re.match(r"slots=\d+\((.*)\)$", text)
    if slotwise:
        return [(w.split(":")[0], None) for w in words(slotwise.group(1))]
    return [(k, int(v) or None if v != "TRUE" else None) for k, v in pairs(text).items()]


class Cell:
    def __init__(self, path, hosts_in_order, queues_in_order, instances_in_order=(), pes_in_order=()):
        self.path = path
        self.conf = attributes(f"{path}/sched_conf")
        self.params = {k.lower()[:7]: v for k, v in pairs(self.conf["params"]).items()}
        self.max_reservation = int(self.conf["max_reservation"])
        self.max_aj_instances = int(self.attributes_of("global_conf").get("max_aj_instances", "2000"))
        self.complexes = [Complex(*line.split()) for line in lines(f"{path}/complex")]
        self.by_name = {c.shortcut: c for c in self.complexes}
        self.by_name.update({c.name: c for c in self.complexes})
        self.groups = {n: words(a["hostlist"]) for n, a in self.objects("hgrp").items()}
        self.usersets = {n: a for n, a in self.objects("usersets").items()}
        hosts = self.objects("hosts")
        self.globe = Host("global", hosts.get("global", {"complex_values": "NONE"}))
        self.hosts = [Host(n, hosts[n]) for n in hosts_in_order]
        pes = self.objects("pe")
        self.pes = {n: pes[n] for n in sorted(pes, key=lambda n: pes_in_order.index(n) if n in pes_in_order else -1)}
        self.quotas = self.quotas_as_given = self.read_quotas()
        self.calendars = {n: Calendar(a) for n, a in self.objects("calendar").items()}
        self.ars = {}
        self.instances = [i for q in queues_in_order for i in self.queue_instances(q)]
        place = {name: k for k, name in enumerate(instances_in_order)}
        self.instances.sort(key=lambda i: place.get(i.name, -1))
        for holder in [self.globe] + self.hosts + self.instances:
            holder.values = {self.by_name[k].name: v for k, v in holder.values.items()}

    def used(self, granted, pe, sets):
        """Move the object used last to the end of its list: a PE, a quota set, or an instance after the others of its
        queue."""
        for instance in granted:
            place = max(k for k, i in enumerate(self.instances) if i.queue == instance.queue)
            self.instances.remove(instance)
            self.instances.insert(place, instance)
        if pe:
            self.pes[pe] = self.pes.pop(pe)
        self.quotas = [q for q in self.quotas if q[0] not in sets] + [q for q in self.quotas_as_given if q[0] in sets]

    def reserve(self, rows):
        self.ars = {row["AR_name"]: AdvanceReservation(row, lambda name: self.by_name[name].name) for row in rows}

    def list_reserved(self):
        """Move the objects that advance reservations keep to the end of their lists, as used ones."""
        by_name = {i.name: i for i in self.instances}
        for ar in self.ars.values():
            self.used([by_name[name] for name in ar.inside], ar.pe, ())

    def timed(self):
        """Are there bookings in time? Else all is booked for ever."""
        return bool(self.max_reservation or self.ars)

    def attributes_of(self, name):
        return attributes(f"{self.path}/{name}") if os.path.exists(f"{self.path}/{name}") else {}

    def objects(self, folder):
        base = f"{self.path}/{folder}"
        return {n: attributes(f"{base}/{n}") for n in sorted(os.listdir(base))} if os.path.isdir(base) else {}

    def group_hosts(self, names):
        """The hosts of a list of hosts and @groups, each once."""
        found = []
        for n in names:
            found += [h for h in (self.group_hosts(self.groups[n]) if n.startswith("@") else [n]) if h not in found]
        return found

    def queue_instances(self, queue):
        a = attributes(f"{self.path}/queue/{queue}")
        hosts = {h.name: h for h in self.hosts}
        return [Instance(queue, hosts[n], lambda key, n=n: self.value_at(a[key], n))
                for n in self.group_hosts(words(a["hostlist"])) if n in hosts]

    def value_at(self, text, host):
        """`value,[host=value],[@group=value]` on a host: its own value before that of a group."""
        base, special = re.split(r",?\s*\[", text, maxsplit=1)[0], re.findall(r"\[([^=\]]+)=([^\]]*)\]", text)
        for who, value in special:
            if who == host:
                return value.strip()
        for who, value in special:
            if who.startswith("@") and host in self.group_hosts([who]):
                return value.strip()
        return base.strip()

    def in_userset(self, name, user, group):
        """Is the user, or the user's primary group as @group, in an access list?"""
        entries = words(self.usersets[name]["entries"]) if name in self.usersets else []
        return user in entries or "@" + group in entries

    def read_quotas(self):
        """[(name, [(filters, limits)])] of the enabled sets; a filter is (list of words, in braces?)."""
        sets = []
        if not os.path.exists(f"{self.path}/rqs"):
            return sets
        for line in lines(f"{self.path}/rqs"):
            key, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if key == "name":
                sets.append([rest, True, []])
            elif key == "enabled":
                sets[-1][1] = rest.upper() == "TRUE"
            elif key == "limit":
                left, limits = re.match(r"(.*?)\bto\s+(.*)$", rest).groups()
                filters = {}
                for kind, text in re.findall(r"\b(name|users|projects|pes|queues|hosts)\s+(\{[^}]*\}|\S+)", left):
                    filters[kind] = (words(text.strip("{}").replace(" ", "")), text.startswith("{"))
                sets[-1][2].append((filters, {self.by_name[k].name: v for k, v in pairs(limits).items()}))
        return [(name, rules) for name, enabled, rules in sets if enabled]


def ranges(text):
    """`2-8:3,16,3-` as [(low, high, step)], high None when open."""
    out = []
    for part in str(text).split(","):
        span, _, step = part.partition(":")
        low, dash, high = span.partition("-")
        out.append((int(low or 1), (int(high) if high else None) if dash else int(low), int(step or 1)))
    return out


def task_ids(text):
    span, _, step = str(text).partition(":")
    low, _, high = span.partition("-")
    return list(range(int(low), int(high or low) + 1, int(step or 1)))


class Job:
    """A submitted job and its state. `pending` holds the ids that have not started."""

    def __init__(self, row, number_, cell, group):
        self.id, self.number, self.owner, self.group = row["id"], number_, row["owner"], group
        self.project = row.get("project")
        self.requests = self.named(cell, row.get("l"))
        self.soft_requests = self.named(cell, row.get("soft_l"))
        self.queues = words(row.get("q", "NONE"))
        self.master_queues = words(row.get("masterq", "NONE"))
        self.soft_queues = words(row.get("soft_q", "NONE"))
        self.soft = bool(self.soft_requests or self.soft_queues)
        self.pe = row.get("pe")
        self.slot_ranges = ranges(row["slots"]) if self.pe else [(1, 1, 1)]
        self.reserve = row.get("R") in ("y", True)
        self.pending = task_ids(row["tasks"]) if "tasks" in row else [1]
        self.reserved = set()			# of them
        self.held = []				# ids that a hold keeps back
        self.begin = int(row.get("a", 0))
        self.predecessors = words(row.get("hold_jid") or "NONE")
        self.ar = row.get("ar") if row.get("ar") in cell.ars else None	# the qmaster refuses others
        self.array = "tasks" in row
        self.tc = int(row.get("tc", 0))
        self.enrolled = 0
        self.prio = {}

    @staticmethod
    def named(cell, text):
        """Requests in the order typed; of one name given twice the last counts."""
        return {cell.by_name[k].name: v for k, v in pairs(text or "NONE").items()}


def read_jobs(path):
    with open(f"{path}/jobs.jsonl") as f:
        return [json.loads(line) for line in f if line.strip()]
