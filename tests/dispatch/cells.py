#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Random cells for dispatch: small, and every feature beside every other.

    cells.py [--only WORD,WORD...] SEED DIR
    cells.py [--only WORD,WORD...] FIRST-LAST DIR

writes a case directory (DIR, or DIR/SEED for each): the cell's files, jobs.jsonl, and expected.json with the decisions of naive.py. The
same seed gives the same case.
Priorities come from -p alone (no tickets, no urgency), and no two jobs that wait have the same. WORDs leave only these features on:
load access quotas pe soft reserve arrays running consumables excl types thresholds calendars subordinates states holds ar tags.
"""
import json
import os
import random
import re
import sys

sys.dont_write_bytecode = True

import cells_later  # noqa: E402
from cells_text import COMPLEXES, GLOBAL_CONF, QUEUE, SCHED_CONF  # noqa: E402
from naive import Run  # noqa: E402
from naive_cell import Cell  # noqa: E402

NOW = 1800000000
FEATURES = "load access quotas pe soft reserve arrays running consumables excl types thresholds".split()
LATER = "calendars subordinates states holds ar tags".split()
# the result that a parallel job's search leaves and that later searches use
TAGS = "load pe consumables excl thresholds".split()
HOSTS = "ada bly cor dun eek fox gil hob ivy jag kea lux".split()
USERS = "ann bob cal dot eve fay gus hal".split()
PROJECTS = "atlas borealis cosmos".split()
QUEUES = "bulk.q fast.q main.q wide.q".split()
RULES = ["$fill_up", "$round_robin", "$pe_slots", "2", "3", "1"]


class Maker:
    def __init__(self, seed, directory, only, maps=False):
        self.r, self.dir, self.maps = random.Random(seed), directory, maps
        self.on = {f: (f in only) if only else self.r.random() < 0.45 for f in FEATURES}
        self.on.update({f: (f in only) if only else self.r.random() < 0.15 for f in LATER})
        if not only and (self.on["ar"] or self.on["subordinates"]):	# one thing at a time: beside loads the two still differ now and then
            self.on.update(load=False, tags=False)
        self.on.update(dict.fromkeys(TAGS if self.on["tags"] else (), True))
        self.hosts = HOSTS[:self.r.randint(4, 12)]
        self.queues = sorted(self.r.sample(QUEUES, self.r.randint(1, 4)))
        cut = sorted(self.r.sample(range(1, len(self.hosts)), 2))
        self.groups = {"@old": self.hosts[:cut[0]], "@mid": self.hosts[cut[0]:cut[1]], "@big": self.hosts[cut[1]:],
                       "@site": ["@old", "@mid", "@big"]}
        self.pes = ["fu", "mpi-a", "mpi-b", "rr", "smp"][:self.r.randint(1, 5)] if self.on["pe"] else []

    def chance(self, p, feature=None):
        return (feature is None or self.on[feature]) and self.r.random() < p

    def some(self, items, most=2):
        return self.r.sample(items, self.r.randint(1, min(most, len(items))))

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def attributes(self, name, rows):
        self.write(name, "".join("%-22s %s\n" % row for row in rows))

    # -- the cell ---------------------------------------------------------------------------------------------------------------

    def sched_conf(self):
        r, conf = self.r, dict(SCHED_CONF)
        conf["queue_sort_method"] = r.choice(["load", "load", "seqno"])
        if self.on["load"]:
            conf["load_formula"] = r.choice(["np_load_avg", "load_avg", "-load_avg*0.5+np_load_avg", "$load_avg+num_proc*0.25-0.5"])
            if self.chance(0.4, "consumables"):
                conf["load_formula"] = r.choice(["-mem", "gpu", "-gpu+np_load_avg", "lic", "jlic-gpu*2", "mem*0.5-gpu", "slots"])
            conf["job_load_adjustments"] = r.choice(["np_load_avg=0.50" if self.on["tags"] else "NONE", "np_load_avg=0.50",
                                                     "np_load_avg=0.25,load_avg=0.75"])
            conf["load_adjustment_decay_time"] = r.choice(["0:7:30", "0:0:40", "0:0:0"])
        if self.on["reserve"]:
            conf["max_reservation"] = str(r.randint(1, 5))
            conf["default_duration"] = r.choice(["0:20:0", "0:10:0", "INFINITY"])
        if self.on["arrays"]:
            conf["maxujobs"] = str(r.choice([0, 0, 4, 7]))
        algorithm = r.choice(["", ",PE_RANGE_ALG=bin", ",PE_RANGE_ALG=least", ",PE_RANGE_ALG=highest", ",PE_RANGE_ALG=auto"])
        conf["params"] = "MONITOR=1" + algorithm + r.choice(["", "", ",DURATION_OFFSET=0"])
        self.write("sched_conf", "".join("%-33s %s\n" % row for row in conf.items()))

    def complex_values(self, where):
        """Consumables and fixed values of the global host, a host or a queue."""
        r, values = self.r, []
        def add(p, feature, text):
            if self.chance(p, feature):
                values.append(text)
        if where == "global":
            add(0.7, "consumables", "lic=%d" % r.randint(3, 20))
            add(0.3, "consumables", "jlic=%d" % r.randint(1, 6))
        elif where == "host":
            add(0.8, "consumables", "mem=%dM" % r.choice([600, 1000, 1500, 2048]))
            add(0.4, "consumables", "gpu=%d" % r.randint(1, 3))
            add(0.3, "consumables", "jlic=%d" % r.randint(1, 3))
            add(0.1, "consumables", "slots=%d" % r.randint(2, 6))
            add(0.5, "excl", "excl=true")
            for name, choices in (("ieq", "0 1 2"), ("ine", "0 1 2"), ("ile", "2 5 8"), ("ige", "1 3 5"), ("ilt", "2 4"), ("igt", "2 4"),
                                  ("dle", "0.5 1.25"), ("tle", "100 0:5:0"), ("bo", "TRUE FALSE"), ("sst", "Abc xyz"),
                                  ("cs", "FooBar BAZ"), ("rex", "red-1 red-2 green")):
                add(0.5, "types", "%s=%s" % (name, r.choice(choices.split())))
        else:
            add(0.3, "consumables", "tok=%s" % r.choice(["0.5", "1.75", "3"]))
            add(0.1, "consumables", "flic=%d" % r.randint(1, 4))
            add(0.3, "excl", "qx=true")
            add(0.1, "types", "fbo=TRUE")
            add(0.2, "types", "ile=%d" % r.randint(2, 8))
        return ",".join(values) or "NONE"

    def access(self, p):
        rows = []
        for key, names in (("user_lists", ["wet", "dry", "grp"]), ("xuser_lists", ["wet", "dry", "grp"]), ("projects", PROJECTS),
                           ("xprojects", PROJECTS)):
            rows.append((key, " ".join(self.some(names)) if self.chance(p, "access") else "NONE"))
        return rows

    def loads(self):
        procs = self.r.choice([1, 2, 4, 8])
        average = self.r.choice([0.25, 0.5, 0.5, 1.0, 1.5, round(self.r.random() * procs, 3)])
        text = "arch=%s,num_proc=%d,load_avg=%f,np_load_avg=%f,mem_free=%d.000M" % (
            self.r.choice(["lx-amd64", "sol-sparc64"]), procs, average, average / procs, self.r.randint(500, 4000))
        if self.chance(0.2, "consumables"):		# others than jobs use it, too
            text += ",mem=%dM" % self.r.choice([100, 400, 700, 1000, 1400, 2500])
        return text + (",gpu=%d" % self.r.randint(0, 3) if self.chance(0.1, "consumables") else "")

    def host_files(self):
        for name in self.hosts + ["global"]:
            rows = [("hostname", name), ("load_scaling", "load_avg=0.500000" if name != "global" and self.chance(0.1, "load") else "NONE"),
                    ("complex_values", self.complex_values("global" if name == "global" else "host")),
                    ("load_values", "NONE" if name == "global" else self.loads()), ("processors", "0")]
            rows += self.access(0 if name == "global" else 0.05) + [("usage_scaling", "NONE"), ("report_variables", "NONE")]
            if name != "global" or rows[2][1] != "NONE":
                self.attributes("hosts/" + name, rows)

    def special(self, value, make, p=0.3):
        """A queue's value, sometimes another one on a host or in a group."""
        text = value
        if self.chance(p):
            text += ",[%s=%s]" % (self.r.choice(self.hosts), make())
        if self.chance(p):
            text += ",[%s=%s]" % (self.r.choice(["@old", "@mid", "@big"]), make())
        return text

    def thresholds(self):
        if not self.chance(0.6, "thresholds"):
            return "NONE"
        return self.r.choice(["np_load_avg=1.75", "np_load_avg=0.9", "np_load_avg=1.25,load_avg=6", "mem_free=600M", "slots=1"])

    def queue_file(self, name):
        r = self.r
        rows = dict(QUEUE)
        rows.update({"qname": name, "hostlist": r.choice(["@site", "@site", " ".join(self.some(["@old", "@mid", "@big"])),
                                                          " ".join(self.some(self.hosts, 5))]),
                     "seq_no": self.special(str(r.randint(0, 9)), lambda: str(r.randint(0, 9))),
                     "slots": self.special(str(r.randint(1, 5)), lambda: str(r.randint(1, 6))), "load_thresholds": self.thresholds(),
                     "complex_values": self.special(self.complex_values("queue"), lambda: self.complex_values("queue"), 0.15),
                     "pe_list": " ".join(p for p in self.pes if self.chance(0.8)) or "NONE"})
        if self.on["calendars"]:
            rows["calendar"] = self.special(r.choice(["NONE"] + self.calendars), lambda: r.choice(self.calendars), 0.3)
        if self.on["subordinates"]:
            rows["subordinate_list"] = cells_later.subordinate_list(r, name, self.queues)
        if self.on["states"]:
            rows.update({"suspend_thresholds": r.choice(["NONE", "np_load_avg=0.6", "np_load_avg=1,load_avg=2"]),
                         "nsuspend": str(r.randint(1, 3)), "suspend_interval": "00:00:01"})
        rows.update(self.access(0.07))
        if self.chance(0.15):
            rows["h_rt"] = r.choice(["0:10:0", "0:30:0"])
        self.attributes("queue/" + name, rows.items())

    def pe_file(self, name):
        access = self.access(0.1)[:2]
        rule = "$pe_slots" if name == "smp" else "$fill_up" if name == "fu" else "$round_robin" if name == "rr" else self.r.choice(RULES)
        rows = [("pe_name", name), ("slots", str(self.r.choice([3, 5, 8] if self.on["tags"] else [5, 9, 14, 40, 999])))] + access + \
            [("start_proc_args", "NONE"), ("stop_proc_args", "NONE"), ("allocation_rule", rule), ("control_slaves", "FALSE"),
             ("job_is_first_task", "TRUE"), ("urgency_slots", "min"), ("accounting_summary", "FALSE"), ("qsort_args", "NONE")]
        self.attributes("pe/" + name, rows)

    def quota_file(self):
        r, sets = self.r, []
        def braces(text):
            return "{%s}" % text if r.random() < 0.5 else text
        def filters():
            yield "users", r.choice(["*", "ann,bob", "@wet", "!@dry", "!hal", "*,!ann"])
            yield "queues", r.choice(self.queues + ["*", "!" + self.queues[0]])
            yield "hosts", r.choice(["*", "@old", "@big", self.hosts[0], "!@mid"])
            yield "projects", r.choice(["*", "atlas", "!cosmos", "!*"])
            if self.pes:
                yield "pes", r.choice(["*", self.pes[0], "!*"])
        for k in range(r.randint(1, 3)):
            rules = []
            for j in range(r.randint(1, 3)):
                chosen = [f for f in filters() if r.random() < 0.35]
                limits = r.choice(["slots=%d" % r.randint(2, 20), "slots=%d" % r.randint(5, 30),
                                   "slots=%d,lic=%d" % (r.randint(5, 20), r.randint(1, 5)),
                                   "mem=%dM" % r.randint(1500, 9000),
                                   r.choice(["h_rt=%d" % r.choice([100, 400, 1000]), "ile=5", "ige=3", "num_proc=2", "fbo=1",
                                             "jlic=%d" % r.randint(1, 5)]),
                                   r.choice(["sst=Abc", "cs=FOOBAR", "rex=red-2", "bo=TRUE", "arch=lx-amd64", "hostname=" + self.hosts[0]])])
                if any(kind == "hosts" for kind, text in chosen) and r.random() < 0.4:
                    limits = r.choice(["slots=$num_proc*2", "slots=$num_proc", "slots=$num_proc*1.5"])
                    chosen = [(k, "{" + t + "}" if k == "hosts" else t) for k, t in chosen]
                else:
                    chosen = [(k, braces(t)) for k, t in chosen]
                rules.append("   limit        %s to %s\n" % (" ".join("%s %s" % c for c in chosen), limits))
            sets.append("{\n   name         set%d\n   description  NONE\n   enabled      %s\n%s}\n" % (
                k, "FALSE" if r.random() < 0.1 else "TRUE", "".join(rules)))
        if self.chance(0.5):		# what is full on one host, or in one queue, is not tried on others
            rule = r.choice(["queues %s hosts {*}" % r.choice(self.queues), "queues {*} hosts %s" % r.choice(["@old", "@mid", self.hosts[0]])])
            before = ["users %s" % r.choice(["ann,bob", "@wet"]), "projects atlas hosts @old", "hosts %s" % r.choice(self.hosts),
                      "queues %s" % r.choice(self.queues), "users !@dry queues %s" % r.choice(self.queues)]
            earlier = "".join("   limit        %s to slots=9\n" % text for text in before if r.random() < 0.2)
            sets.append("{\n   name         each\n   description  NONE\n   enabled      TRUE\n%s   limit        %s to slots=%d\n}\n" % (
                earlier, rule, r.randint(1, 3)))
        self.write("rqs", "".join(sets))

    # -- jobs -------------------------------------------------------------------------------------------------------------------

    def hard(self):
        r, asked = self.r, []
        def add(p, feature, text):
            if self.chance(p, feature):
                asked.append(text)
        add(0.15, "consumables", "lic=%d" % r.randint(1, 3))
        add(0.3, "consumables", "mem=%dM" % r.choice([100, 200, 450, 900]))
        add(0.1, "consumables", "gpu=1")
        add(0.08, "consumables", "tok=%s" % r.choice(["0.25", "0.5", "1.5"]))
        add(0.2, "consumables", "jlic=%d" % r.choice([1, 2]))
        add(0.08, "consumables", "flic=1")
        add(0.3 if self.on["tags"] else 0.12, "excl", "excl=%s" % r.choice(["true", "true", "false"]))
        add(0.1, "excl", "qx=true")
        add(0.08, "types", "fbo=%s" % r.choice(["TRUE", "FALSE"]))
        for name, choices in (("ieq", "0 1"), ("ine", "0 1"), ("ile", "1 4 6"), ("ige", "2 4"), ("ilt", "1 3"), ("igt", "3 5"),
                              ("dle", "0.75"), ("tle", "0:2:0"), ("bo", "TRUE FALSE"), ("sst", "A* xyz"), ("cs", "foobar ba*"),
                              ("rex", "red-*|green !red-1"), ("arch", "lx-* sol-sparc64"), ("num_proc", "2 4"), ("h", "!ada&!b* [a-f]*")):
            add(0.025, "types", "%s=%s" % (name, r.choice(choices.split())))
        if self.chance(0.8, "reserve") or self.chance(0.1):
            asked.append("h_rt=%d" % r.choice([60, 120, 300, 457, 900, 1500]))
        return ",".join(asked)

    def places(self):
        r = self.r
        group = r.choice(["old", "mid", "big"])
        return r.choice([r.choice(self.queues), "*@%s" % r.choice(self.hosts), "%s@@%s" % (r.choice(self.queues), group),
                         "*@@mid,%s" % r.choice(self.queues)])

    def job(self, kind):
        r = self.r
        row = {"owner": r.choice(USERS)}
        if kind == "run":
            row["phase"] = "run"
        if self.chance(0.4, "access") or self.chance(0.3, "quotas"):
            row["project"] = r.choice(PROJECTS)
        if self.hard_text and self.chance(0.6):
            row["l"] = r.choice(self.hard_text)
        if self.pes and self.chance(0.45):
            row["pe"] = r.choice(self.pes + ["*", "mpi-*"])
            row["slots"] = r.choice(["2", "3", "4", "5", "6", "2-6", "3-", "2-8,16", "1-4", "7"])
            if self.chance(0.2):
                row["masterq"] = self.places()
        elif kind == "pend" and self.chance(0.25, "arrays"):
            row["tasks"] = r.choice(["1-4", "2-11:3", "1-7"])
            if self.chance(0.5):
                row["tc"] = r.randint(1, 3)
        if self.chance(0.15):
            row["q"] = self.places()
        if self.chance(0.3, "soft"):
            row["soft_l"] = r.choice(["ile=4", "bo=TRUE,cs=foobar", "arch=lx-amd64", "num_proc=4,ieq=1"])
        if self.chance(0.25, "soft"):
            row["soft_q"] = self.places()
        if self.chance(0.4, "reserve"):
            row["R"] = "y"
        if kind == "pend" and self.chance(0.25, "ar"):
            row.update({"ar": "r%d" % r.randint(1, 3), "l": "h_rt=%d" % r.choice([60, 300, 800])})
        return row

    def jobs(self):
        """Few kinds of requests, so that categories are shared."""
        self.hard_text = [t for t in (self.hard() for k in range(8)) if t]
        rows = [self.job("run") for k in range(self.r.randint(3, 9))] if self.on["running"] else []
        waiting = [self.job("pend") for k in range(self.r.randint(20, 80))]
        waiting += [dict(row) for row in waiting if "-" in row.get("slots", "") and self.chance(0.5)]
        for row, p in zip(waiting, self.r.sample(range(-1023, 0), len(waiting))):
            row["p"] = p
        rows = [dict({"id": "j%03d" % (k + 1)}, **row) for k, row in enumerate(rows + waiting)]
        for k, row in enumerate(rows):
            if row.get("phase") != "run" and self.chance(0.4, "holds"):
                cells_later.wait_for(self.r, row, rows[:k], NOW)
        return rows

    # -- the case ---------------------------------------------------------------------------------------------------------------

    def cell(self, seed):
        self.sched_conf()
        self.write("complex", COMPLEXES)
        self.write("global_conf", GLOBAL_CONF)
        for u in USERS:
            self.attributes("users/" + u, [("name", u), ("oticket", "0"), ("fshare", "0"), ("delete_time", "0"),
                                           ("default_project", "NONE")])
        for p in PROJECTS:
            self.attributes("projects/" + p, [("name", p), ("oticket", "0"), ("fshare", "0"), ("acl", "NONE"), ("xacl", "NONE")])
        for n, entries in (("wet", "ann,bob,cal"), ("dry", "dot,eve,cal"), ("grp", "@hal,gus")):
            self.attributes("usersets/" + n, [("name", n), ("type", "ACL"), ("fshare", "0"), ("oticket", "0"), ("entries", entries)])
        for g, members in self.groups.items():
            self.attributes("hgrp/" + g, [("group_name", g), ("hostlist", " ".join(members))])
        self.host_files()
        self.calendars = ["day", "night", "maint"]
        for name in self.calendars if self.on["calendars"] else ():
            self.attributes("calendar/" + name, cells_later.calendar_rows(self.r, name, NOW))
        for q in self.queues:
            self.queue_file(q)
        for pe in self.pes:
            self.pe_file(pe)
        if self.on["quotas"]:
            self.quota_file()
        none = {"time_stamp": 0, "usage": {}, "long_term": {}}
        self.write("usage.json", json.dumps({"users": {u: none for u in USERS}, "projects": {p: none for p in PROJECTS}}))
        self.write("case.json", json.dumps({"name": "random/%s" % seed, "seed": seed, "what": " ".join(f for f in self.on if self.on[f])}))

    def decide(self, rows, now, running, facts):
        """Compute the decisions of one run over these jobs. `facts`: everything else that the qmaster reported."""
        numbers = {row["id"]: int(row["id"][1:]) for row in rows}
        started = {r["id"] for r in running}
        waiting = [{"id": r["id"], "job_number": numbers[r["id"]], "owner": r["owner"], "prio": (1024 + r.get("p", 0)) / 2048,
                    "pending_tasks": [], "held_tasks": cells_later.held_tasks(r)} for r in rows if r["id"] not in started]
        self.write("jobs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.write("expected.json", json.dumps({"now": now, "queue_list_order": self.queues, "exec_host_list_order": self.hosts,
                                                "already_running": running, "started": [], "reservations": [], "pending": waiting,
                                                **facts}))
        return facts | Run(self.dir).run().result()

    def states(self, now, by_hand):
        cell = Cell(self.dir, self.hosts, self.queues)
        return {"queue_states": cells_later.letters(self.r, cell.instances, now, cell.calendars, by_hand)}

    def reservations(self, running):
        """Make reservations on slots that no job uses."""
        free = {i.name: i.slots for i in Cell(self.dir, self.hosts, self.queues).instances}
        for entry in (entry for row in running for entry in row["granted"]):
            free[entry["queue"]] -= entry["slots"]
        free = {i: free[i.name] for i in Cell(self.dir, self.hosts, self.queues).instances}
        made = [cells_later.advance_reservation(self.r, k, free, NOW) for k in range(1, self.r.randint(1, 3) + 1)]
        return {"advance_reservations": [row for row in made if row]}

    @staticmethod
    def with_ids(found):
        return "%s%s(%s)" % (found[1], found[2], " ".join("g%d" % (k // 2) for k in range(int(found[2]))))

    def use_maps(self):
        """Count jlic once for each host, and give the units of gpu ids, as only Open Cluster Scheduler can."""
        text = COMPLEXES.replace("JOB ", "HOST").replace("gpu                 INT  ", "gpu                 RSMAP")
        self.write("complex", text)
        for name in os.listdir(os.path.join(self.dir, "hosts")):
            with open(os.path.join(self.dir, "hosts", name)) as f:
                text = f.read()
            self.write("hosts/" + name, re.sub(r"(?m)^(complex_values .*\bgpu=)(\d+)", self.with_ids, text))

    def case(self, seed):
        self.cell(seed)
        if self.maps:
            self.use_maps()
        rows = self.jobs()
        first = [r for r in rows if r.get("phase") == "run"]
        running = self.decide(first, NOW - 20, [], self.states(NOW - 20, False))["started"] if first else []
        for row in running:
            del row["seq"]
        facts = self.states(NOW, self.on["states"])
        if self.on["states"]:
            facts["running_states"] = cells_later.running_states(self.r, running)
        if self.on["ar"]:
            facts.update(self.reservations(running))
        known = {row["AR_name"] for row in facts.get("advance_reservations", ())}
        rows = [{k: v for k, v in row.items() if k != "ar" or v in known} for row in rows
                if row not in first or row["id"] in {x["id"] for x in running}]
        result = self.decide(rows, NOW, running, facts)
        self.write("expected.json", json.dumps({"case": "random/%s" % seed, "seed": seed, **result}, indent=1) + "\n")


def main(arguments):
    only = []
    if arguments[:1] == ["--only"] and len(arguments) > 1:
        only, arguments = arguments[1].split(","), arguments[2:]
    first, dash, last = arguments[0].partition("-") if len(arguments) == 2 else ("", "", "")
    if not first.isdigit() or dash and not last.isdigit() or set(only) - set(FEATURES + LATER):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for seed in range(int(first), int(last or first) + 1):
        Maker(seed, os.path.join(arguments[1], str(seed)) if dash else arguments[1], only).case(seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
