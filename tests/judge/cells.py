# SPDX-License-Identifier: Apache-2.0
"""Random cells that a real Grid Engine accepts: the cell of a class and a seed, as files in a directory (record.py has what is read of it).

The same class and seed give the same cell. Its jobs are made in jobs.py.
"""
import json
import os
import random

from cell_text import AMOUNTS, ATTRIBUTES, COMPLEXES, HOST, QUEUE, SCHED_CONF
from cellspace import HOSTS, USERS
from classes import CLASSES, FEATURES
from jobs import Jobs

PROJECTS = "atlas borealis cosmos".split()
QUEUES = "aux.q bulk.q fast.q main.q".split()
PES = {"fu": "$fill_up", "rr": "$round_robin", "smp": "$pe_slots", "one": "1", "two": "2", "three": "3"}


class Cell:
    def __init__(self, kind, seed, directory):
        self.kind, self.seed, self.directory = kind, seed, directory
        r = self.r = random.Random("%s/%d" % (kind, seed))
        self.on = {feature: r.random() < CLASSES[kind].get(feature, 0) for feature in FEATURES}
        self.hosts = HOSTS[:r.randint(3, 8)]
        self.queues = r.sample(QUEUES, r.randint(2 if self.on["subordinates"] else 1, 4 if r.random() < 0.2 else 3))
        cut = sorted(r.sample(range(1, len(self.hosts)), 2))
        self.groups = {"@old": self.hosts[:cut[0]], "@mid": self.hosts[cut[0]:cut[1]], "@big": self.hosts[cut[1]:], "@site": ["@old", "@mid", "@big"]}
        if self.on["hostgroups"]:
            self.groups.update({"@a2": self.some(self.hosts, 4), "@nest": ["@old", "@a2"]})
        self.pes = sorted(r.sample(sorted(PES), r.randint(1, 5))) if self.on["pe"] else []
        self.attributes = self.chosen_attributes()
        what = "random cell of class %s: %s" % (kind, " ".join(feature for feature in FEATURES if self.on[feature]))
        self.about = {"name": "%s/%d" % (kind, seed), "seed": seed, "what": what, "queue_order": self.queues, "host_order": self.host_order()}

    # -- helpers ------------------------------------------------------------------------------------------------------------------

    def chance(self, p, feature=None):
        return (feature is None or self.on[feature]) and self.r.random() < p

    def some(self, items, most=2):
        return self.r.sample(items, self.r.randint(1, min(most, len(items))))

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def rows(self, name, rows):
        self.file(name, "".join("%-30s %s\n" % row for row in dict(rows).items()))

    def special(self, value, make, p=0.3):
        """A queue's value, sometimes another one on a host or in a group."""
        groups = ["@old", "@mid", "@big"] + (["@nest", "@a2"] if self.on["hostgroups"] else [])
        names = self.some(groups, 2) if self.chance(p) or self.on["hostgroups"] else []
        names += [self.r.choice(self.hosts)] if self.chance(p) else []
        return ",".join([value] + ["[%s=%s]" % (name, make()) for name in names])

    def host_order(self):
        order = list(self.hosts)
        if self.chance(0.25):
            self.r.shuffle(order)
        return order

    # -- the scheduler ------------------------------------------------------------------------------------------------------------

    def sched_conf(self):
        r, conf = self.r, dict(SCHED_CONF)
        conf["queue_sort_method"] = "seqno" if self.on["seqno"] else r.choice(["load", "load", "seqno"])
        conf["load_formula"] = "np_load_avg"
        if self.on["formulas"] or self.chance(0.3):
            formulas = ["np_load_avg", "load_avg*1.37-num_proc*0.11", "np_load_avg*10+load_avg", "-mem_free*0.00000001+load_avg",
                        "-load_avg", "slots", "num_proc"]
            formulas += [formula for name, formula in (("scr", "load_avg+scr*0.5"), ("mem", "-mem"), ("mem", "mem*0.5-np_load_avg"),
                                                       ("gpu", "gpu+np_load_avg")) if name in self.attributes]
            conf["load_formula"] = r.choice(formulas)
        if self.on["adjust"]:
            conf["job_load_adjustments"] = r.choice(["np_load_avg=0.50", "np_load_avg=0.15", "load_avg=0.37", "np_load_avg=0.43,mem_free=211M"])
            conf["load_adjustment_decay_time"] = r.choice(["0:7:30", "0:1:0", "0:0:20", "0:0:0"])
        if self.on["reserve"] or self.chance(0.5, "calendars") or self.chance(0.5, "ar"):
            conf["max_reservation"] = r.choice(["1", "2", "3", "5", "10"])
        if self.on["times"] or self.on["reserve"]:
            conf["default_duration"] = r.choice(["0:20:0", "1:0:0", "INFINITY"])
        if self.on["limits"]:
            conf["maxujobs"] = str(r.choice([0, 2, 3, 5]))
        if self.on["priorities"]:
            self.policy(conf)
        algorithms = [",PE_RANGE_ALG=bin", ",PE_RANGE_ALG=least", ",PE_RANGE_ALG=highest"]
        if not self.on["running"]:              # auto, the default, goes by what earlier runs of the scheduler have seen
            algorithms += ["", "", ",PE_RANGE_ALG=auto"]
        algorithm = r.choice(algorithms)
        offset = r.choice(["", "", ",DURATION_OFFSET=0", ",DURATION_OFFSET=120"]) if self.on["reserve"] else ""
        conf["params"] = "PROFILE=1,MONITOR=1" + algorithm + offset
        self.rows("sched_conf", conf)

    def policy(self, conf):
        r = self.r
        for name, choices in (("weight_ticket", "0.01 1 0.5"), ("weight_urgency", "0.1 1 0.01 0.3"), ("weight_priority", "1 0.1 0.5"),
                              ("weight_waiting_time", "0 0 0.278 10"), ("weight_tickets_functional", "0 100000 1000"),
                              ("weight_tickets_share", "0 0 120000"),
                              ("policy_hierarchy", "OFS OF F SOF NONE"), ("max_pending_tasks_per_job", "50 5 1"), ("weight_deadline", "3600000 0"),
                              ("share_functional_shares", "TRUE FALSE"), ("share_override_tickets", "TRUE FALSE"),
                              ("max_functional_jobs_to_schedule", "200 200 10")):
            conf[name] = r.choice(choices.split())
        weights = r.choice(["0.25 0.25 0.25 0.25", "0.4 0.2 0.1 0.3", "1 0 0 0", "0.1 0.6 0.2 0.1"]).split()
        conf.update(zip(["weight_user", "weight_project", "weight_department", "weight_job"], weights))

    def chosen_attributes(self):
        r = self.r
        out = {}
        for feature, names in ATTRIBUTES.items():
            if self.on[feature]:
                out.update({name: list(words) for name, words in names.items() if r.random() < (0.7 if len(names) > 3 else 1)})
        if "mem" in out and self.chance(0.3):
            out["mem"][-2] = "173M"
        if self.on["priorities"]:
            for words in out.values():
                words[-1] = str(r.choice([0, 0, 100, 0.5, 3000])) if words[1] != "EXCL" else "0"
        return out

    def complex_file(self):
        rows = {line.split()[0]: line.split() for line in COMPLEXES.splitlines()}
        if self.chance(0.15, "consumables"):
            rows["mem_free"][5] = "YES"
            self.attributes["mem_free"] = rows["mem_free"][2:]
        if self.chance(0.3, "priorities"):
            rows["slots"][7] = str(self.r.choice([0, 1, -500]))
        rows.update((name, [name, name, *words]) for name, words in self.attributes.items())
        self.file("complex", "".join(" ".join(words) + "\n" for words in rows.values()))

    def global_conf(self):
        limit = self.r.choice([2000, 2, 3, 4, 1]) if self.on["limits"] else 2000
        self.rows("global_conf", [("max_aj_instances", limit), ("max_aj_tasks", 75000)])

    # -- users and hosts ----------------------------------------------------------------------------------------------------------

    def people(self):
        r, shares = self.r, self.on["priorities"]
        for user in USERS if shares else []:
            self.rows("users/" + user, [("name", user), ("oticket", r.choice([0, 0, r.randint(1, 5000)])), ("fshare", r.randint(0, 500)),
                                        ("delete_time", 0), ("default_project", "NONE")])
        self.projects = PROJECTS[:r.randint(1, 3)] if self.on["access"] or self.on["quotas"] or shares and self.chance(0.7) else []
        for project in self.projects:
            self.rows("projects/" + project, [("name", project), ("oticket", r.randint(0, 2000) if shares and self.chance(0.4) else 0),
                                              ("fshare", r.randint(0, 300) if shares else 0), ("acl", "NONE"), ("xacl", "NONE")])
        lists = {"wet": ",".join(self.some(USERS, 3)), "dry": ",".join(self.some(USERS, 3)), "grp": "@%s,%s" % (r.choice(USERS), r.choice(USERS))}
        self.lists = lists if self.on["access"] or self.on["quotas"] else {}
        for name, entries in self.lists.items():
            self.rows("usersets/" + name, [("name", name), ("type", "ACL"), ("fshare", 0), ("oticket", 0), ("entries", entries)])
        for name, wanted in (("arusers", self.on["ar"]), ("deadlineusers", self.on["holds"] or shares)):
            if wanted:
                self.rows("usersets/" + name, [("name", name), ("type", "ACL"), ("fshare", 0), ("oticket", 0), ("entries", ",".join(USERS))])
        if shares and self.chance(0.5):
            self.share_tree()

    def share_tree(self):
        """Two groups, and users in them or beside them."""
        r = self.r
        nodes, children = [(0, "Root", 1), (1, "gA", 40), (2, "gB", r.choice([20, 40, 60]))], {0: [1, 2], 1: [], 2: []}
        for k, user in enumerate(USERS[:r.randint(5, 8)], 3):
            nodes.append((k, user, r.randint(1, 70)))
            children[r.choice([0, 1, 2, 1, 2])].append(k)
        if not children[1] or not children[2]:
            return
        self.file("share_tree", "".join("id=%d\nname=%s\ntype=0\nshares=%d\nchildnodes=%s\n" % (
            number, name, shares, ",".join(map(str, children.get(number, []))) or "NONE") for number, name, shares in nodes))

    def access(self, p):
        """No name is in two lists of the same object: the real one refuses that."""
        out, left = {}, {"user_lists": list(self.lists), "projects": list(self.projects)}
        for key in ("user_lists", "xuser_lists", "projects", "xprojects"):
            known = left[key.lstrip("x")]
            chosen = self.some(known) if known and self.chance(p, "access") else []
            left[key.lstrip("x")] = [name for name in known if name not in chosen]
            out[key] = " ".join(chosen) or "NONE"
        return out

    def loads(self, average):
        r, procs = self.r, self.r.choice([1, 2, 4, 4, 8])
        if self.on["ties"]:
            procs, load = 4, self.r.choice(average) * 4
        else:
            load = r.random() * procs * 1.2
        total = 7950 if procs == 4 else 3975
        return [("arch", r.choice(["lx-amd64", "lx-amd64", "sol-sparc64"])), ("num_proc", "%d" % procs), ("load_avg", "%f" % load),
                ("np_load_avg", "%f" % (load / procs)), ("load_short", "%f" % (load * 1.1)), ("load_medium", "%f" % load),
                ("mem_total", "%fM" % total), ("mem_free", "%fM" % (r.random() * total)), ("virtual_free", "%fM" % (r.random() * 12000))]

    def values(self, where):
        """Amounts and fixed values of the global host, a host or a queue."""
        out = []
        for name, words in self.attributes.items():
            for level, p, make in AMOUNTS.get(name, ()):
                if level == where and self.chance(p):
                    out.append("%s=%s" % (name, make(self.r)))
        return out

    def host_files(self):
        average = self.r.sample([0.25, 0.5, 0.5, 0.75, 1.0], self.r.choice([1, 1, 2, 3]))
        for host in self.hosts:
            scaling = self.r.choice(["load_avg=0.350000", "mem_free=0.500000", "np_load_avg=2.000000"]) if self.chance(0.25, "formulas") else "NONE"
            loads = self.loads(average)
            if self.chance(0.1, "states"):      # it has never been heard of
                loads = []
            if "scr" in self.attributes and loads:
                loads.append(("scr", "%f" % self.r.choice([0, 1, 2.5])))
            self.rows("hosts/" + host, {**HOST, "hostname": host, "load_scaling": scaling, **self.access(0.06),
                                        "complex_values": ",".join(self.values("host") + ["load_report_host=nohost"]),
                                        "load_values": ",".join("%s=%s" % pair for pair in loads) or "NONE"})
        values = self.values("global")
        if values:
            self.rows("hosts/global", {**HOST, "hostname": "global", "complex_values": ",".join(values)})

    # -- queues and PEs -----------------------------------------------------------------------------------------------------------

    def queue_file(self, name):
        r, rows = self.r, dict(QUEUE)
        few = (0, 3) if self.on["seqno"] else (0, 20)
        hosts = r.choice(["@site", "@site", "@mid @big", "@old @mid", " ".join(self.some(self.hosts, 5))])
        rows.update({"qname": name, "hostlist": hosts,
                     "seq_no": self.special(str(r.randint(*few)), lambda: str(r.randint(*few)), 0.5 if self.on["seqno"] else 0.05),
                     "slots": self.special(str(r.randint(1, 4)), lambda: str(r.randint(0 if self.chance(0.15) else 1, 5)), 0.4),
                     "pe_list": " ".join(pe for pe in self.pes if self.chance(0.8)) or "NONE",
                     "complex_values": self.special(",".join(self.values("queue")) or "NONE", lambda: ",".join(self.values("queue")) or "NONE", 0.1)})
        for key, value in self.access(0.25).items():
            rows[key] = self.special(value, lambda key=key: self.access(1)[key], 0.15) if value != "NONE" else value
        if self.on["thresholds"]:
            rows["load_thresholds"] = r.choice(["NONE", "np_load_avg=1.75", "np_load_avg=1.1", "np_load_avg=0.9,load_avg=5", "slots=1",
                                                "np_load_avg=1.2,mem_free=260M", "NONE,[@big=np_load_avg=1.2]", "np_load_avg=0.6"])
        if self.on["suspend"]:
            rows["suspend_thresholds"] = r.choice(["NONE", "np_load_avg=2,load_avg=12", "NONE,[@big=np_load_avg=1.75]", "np_load_avg=1.75",
                                                   "np_load_avg=2"])
            rows.update(nsuspend=str(r.choice([1, 1, 2, 3, 10])), suspend_interval="00:00:01")
        if self.chance(0.15, "times"):
            rows[r.choice(["h_rt", "s_rt"])] = self.special(r.choice(["0:10:0", "0:30:0", "1:30:0"]), lambda: "0:5:0", 0.2)
        if self.chance(0.06, "states"):
            rows["qtype"] = r.choice(["BATCH", "INTERACTIVE", "NONE"])
        self.rows("queue/" + name, rows)

    def subordinates(self):
        """A queue over others: by queue with thresholds, or slot-wise, where a queue stands below one other at most."""
        slotwise = set()
        for k, name in enumerate(self.queues[:-1]):
            below = self.queues[k + 1:]
            if k and not self.chance(0.2):
                return
            if self.chance(0.5) or slotwise:
                text = ",".join(low + self.r.choice(["", "=1", "=2", "=3"]) for low in self.some(below, 3))
            else:
                slotwise.update(below)
                lows = ["%s:%d:%s" % (low, self.r.randint(0, 2), self.r.choice(["sr", "lr"])) for low in self.some(below, 3)]
                text = "slots=%d(%s)" % (self.r.randint(1, 5), ", ".join(lows))
            path = "queue/" + name
            with open(os.path.join(self.directory, path)) as file:
                rows = dict(line.split(None, 1) for line in file.read().splitlines())
            self.rows(path, {**rows, "subordinate_list": text})

    def pe_file(self, name):
        access = self.access(0.25)
        self.rows("pe/" + name, {
            "pe_name": name, "slots": self.r.choice([6, 11, 30, 999, 999]), "user_lists": access["user_lists"], "xuser_lists": access["xuser_lists"],
            "start_proc_args": "NONE", "stop_proc_args": "NONE", "allocation_rule": PES[name], "control_slaves": self.r.choice(["TRUE", "FALSE"]),
            "job_is_first_task": self.r.choice(["TRUE", "FALSE"]), "urgency_slots": self.r.choice("min max avg 1 3".split()),
            "accounting_summary": "FALSE", "qsort_args": "NONE"})

    def calendars(self):
        """
        With times from now on, which the recorder fills in: {t600} is the time of day in ten minutes, {d600} the date then. No two times
        of a calendar end together: 8.1.9 may find no end of either.
        """
        r, out = self.r, {}
        for name in ["c0", "c1", "c2"][:r.randint(1, 3)]:
            year, week, ends = [], [], set()
            for _ in range(r.choice([1, 1, 2, 3])):
                begin = r.choice([-1800, -600, 600, 900, 3600, 7200])
                end = begin + r.choice([1000, 2700, 5000, 8100])
                if end in ends:
                    continue
                ends.add(end)
                day = "{t%d}-{t%d}=%s" % (begin, end, r.choice(["off", "off", "suspended", "on" if year or week else "off"]))
                r.choice([lambda: week.append("mon-sun=" + day), lambda: year.append("{d0}=" + day), lambda: week.append("{w0}=" + day)])()
            out[name] = [" ".join(year) or "NONE", " ".join(week) or "NONE"]
        self.about["calendars"] = out
        for queue in self.queues:
            with open(os.path.join(self.directory, "queue", queue)) as file:
                rows = dict(line.split(None, 1) for line in file.read().splitlines())
            rows["calendar"] = r.choice([r.choice(list(out)), self.special("NONE", lambda: r.choice(list(out)), 0.7), "NONE", r.choice(list(out))])
            self.rows("queue/" + queue, rows)

    # -- quotas -------------------------------------------------------------------------------------------------------------------

    def quota_rule(self):
        r, filters = self.r, []
        choices = {"users": ["*", "ann,dot", "@wet", "!@dry", "!hal", "ann,bob,cal", "!@wet"], "projects": ["*", "atlas", "!atlas", "!*"],
                   "pes": ["*", "!*"] + self.pes, "queues": ["*", "!" + self.queues[0], ",".join(self.some(self.queues))] + self.queues,
                   "hosts": ["*", "@big", "@mid", "!@big", "@old", ",".join(self.some(self.hosts))]}
        for kind, texts in choices.items():
            if self.chance({"pes": 0.15, "projects": 0.25}.get(kind, 0.4)):
                text = r.choice(texts)
                filters.append((kind, "{%s}" % text if self.chance(0.45) and text != "!*" else text))
        limits = ["slots=%d" % r.choice([1, 2, 3, 4, 5, 6, 8, 12])]
        if ("hosts", "{*}") in filters or any(kind == "hosts" and text.startswith("{@") for kind, text in filters):
            limits = r.choice([limits, ["slots=$num_proc*2"], ["slots=$num_proc*1.5"], ["slots=$num_proc"]])
        for name, text in (("mem", r.choice(["700M", "1.5G", "2.5G"])), ("lic", str(r.randint(1, 6))), ("jmem", "1G"), ("gpu", "1")):
            if name in self.attributes and self.chance(0.25):
                limits.append("%s=%s" % (name, text))
        return "   limit        %sto %s\n" % ("".join("%s %s " % pair for pair in filters), ",".join(limits[self.chance(0.1) and len(limits) > 1:]))

    def quota_file(self):
        sets = []
        for k in range(self.r.choice([1, 1, 2, 3, 5])):
            rules = "".join(self.quota_rule() for j in range(self.r.choice([1, 1, 2, 3])))
            enabled = "FALSE" if self.chance(0.08) else "TRUE"
            sets.append("{\n   name         s%d\n   description  NONE\n   enabled      %s\n%s}\n" % (k, enabled, rules))
        self.file("rqs", "".join(sets))

    # -- what changes between the runs, and all of it -----------------------------------------------------------------------------

    def changes(self):
        r = self.r
        if self.on["running"]:
            self.about["run_age"] = r.choice([0, 1, 1, 3])
        if self.on["suspend"]:
            self.about["loads1"] = {host: {"np_load_avg": "0.200000", "load_avg": "0.800000"} for host in self.hosts}
            heavy = {host: r.choice(["0.900000", "2.500000", "4.000000"]) for host in self.hosts}
            phase = "loads_between" if self.chance(0.3) else "loads2"
            self.about[phase] = {host: {"np_load_avg": load, "load_avg": "%f" % (4 * float(load))} for host, load in heavy.items()}
            if phase == "loads_between":
                light = {host: r.choice(["0.300000", "0.300000", "2.500000"]) for host in self.hosts}
                self.about["loads2"] = {host: {"np_load_avg": load, "load_avg": "%f" % (4 * float(load))} for host, load in light.items()}
        if self.on["states"]:
            self.about["before_run"] = self.by_hand()
        if self.on["ar"]:
            self.about.update(ars=[self.reservation("r%d" % k) for k in range(r.randint(1, 4))], ar_wait=4)

    def by_hand(self):
        """Queues disabled and suspended, jobs that run suspended; {j001} is the number of that job."""
        r = self.r
        where = ["%s@%s" % (r.choice(self.queues), r.choice(self.hosts)), r.choice(self.queues), "*@" + r.choice(self.hosts)]
        out = [["qmod", r.choice(["-d", "-d", "-sq"]), where] for where in self.some(where)]
        if self.on["running"] and self.chance(0.5):
            out.append(["qmod", "-sj", "{j%03d}" % r.randint(1, 3)])
        return out

    def reservation(self, name):
        r = self.r
        start = r.choice([2, 2, 600, 1500])
        options = []
        if self.pes and self.chance(0.5):
            options.append("-pe %s %s" % (r.choice(self.pes), r.choice(["2", "4", "2-6"])))
        if self.chance(0.3):
            options.append("-q %s" % r.choice(self.queues))
        if "mem" in self.attributes and self.chance(0.3):
            options.append("-l mem=200M")
        if self.chance(0.2):
            options.append("-u %s" % ",".join(self.some(USERS, 4)))
        return {"id": name, "owner": r.choice(USERS), "start": start, "end": start + r.choice([895, 3595, 8995]), "options": " ".join(options)}

    def write(self):
        self.sched_conf()
        self.complex_file()
        self.global_conf()
        self.people()
        for group, members in self.groups.items():
            self.rows("hgrp/" + group, [("group_name", group), ("hostlist", " ".join(members))])
        self.host_files()
        for queue in self.queues:
            self.queue_file(queue)
        for pe in self.pes:
            self.pe_file(pe)
        if self.on["subordinates"]:
            self.subordinates()
        if self.on["calendars"]:
            self.calendars()
        if self.on["quotas"]:
            self.quota_file()
        self.changes()
        self.file("jobs-as-given.jsonl", "".join(json.dumps(row) + "\n" for row in Jobs(self).all()))
        self.file("case.json", json.dumps(self.about, indent=1) + "\n")
