# SPDX-License-Identifier: Apache-2.0
"""Cells that tests have in common, as files of a directory (cell_files.py).

    plain    all.q on all hosts, PEs of each allocation rule, nothing else
    every    an object of every kind; wants the hosts sgehost, ada and bly
"""
import os

from cell_files import as_text
from cell_text import COMPLEXES, HOST, QUEUE, SCHED_CONF
from execution import NAMES

RULES = {"smp": "$pe_slots", "fill": "$fill_up", "robin": "$round_robin", "two": "2"}
# The scheduler looks soon, says all it knows, and steers what runs.
SCHEDULER = {"schedule_interval": "0:0:1", "flush_submit_sec": "1", "flush_finish_sec": "1", "reprioritize_interval": "0:0:2"}
SHARES = {"weight_tickets_share": "10000", "weight_tickets_functional": "5000", "max_reservation": "10", "default_duration": "1:0:0",
          "weight_waiting_time": "0.01", "halftime": "24"}


def pe(name, **others):
    return {"pe_name": name, "slots": 100, "user_lists": "NONE", "xuser_lists": "NONE", "start_proc_args": "NONE", "stop_proc_args": "NONE",
            "allocation_rule": RULES[name], "control_slaves": "TRUE", "job_is_first_task": "FALSE", "urgency_slots": "min",
            "accounting_summary": "TRUE", "qsort_args": "NONE", **others}


def queue(name, **others):
    return {**dict(QUEUE), "qname": name, "hostlist": "@allhosts", "slots": 10, "pe_list": " ".join(RULES), **others}


def host(name, **others):
    rows = {**HOST, "hostname": name, **others}
    return {key: rows[key] for key in rows if key not in ("load_values", "processors")}


def user(name, shares=0, tickets=0):
    return {"name": name, "oticket": tickets, "fshare": shares, "delete_time": 0, "default_project": "NONE"}


def project(name, shares=0, tickets=0, **others):
    return {"name": name, "oticket": tickets, "fshare": shares, "acl": "NONE", "xacl": "NONE", **others}


def userset(name, entries, kind="ACL", shares=0):
    return {"name": name, "type": kind, "fshare": shares, "oticket": 0, "entries": entries}


def group(name, hosts):
    return {"group_name": name, "hostlist": hosts}


class Site:
    def __init__(self, directory):
        self.directory = directory

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def objects(self, kind, *objects):
        for one in objects:
            self.file(os.path.join(kind, next(iter(one.values()))), as_text(one))

    def scheduler(self, **others):
        self.file("sched_conf", as_text({**dict(SCHED_CONF), "params": "none", **SCHEDULER, **others}))


def plain(directory, hosts=NAMES[:1], slots=40, projects=(), **scheduler):
    site = Site(directory)
    site.objects("projects", *(project(name) for name in projects))
    site.scheduler(**scheduler)
    site.file("complex", COMPLEXES)
    site.objects("hosts", *(host(name) for name in hosts))
    site.objects("hgrp", group("@allhosts", " ".join(hosts)))
    site.objects("pe", *(pe(name) for name in RULES))
    site.objects("queue", queue("all.q", slots=slots))


EVERY_COMPLEX = """\
lic     lic     INT     <=    YES YES 0     10
mem     mem     MEMORY  <=    YES YES 0     0
scratch scratch MEMORY  <=    YES JOB 0     0
tok     tok     DOUBLE  <=    YES YES 0     0.5
excl    excl    BOOL    EXCL  YES YES 0     1000
fab     fab     STRING  ==    YES NO  NONE  0
"""
EVERY_QUOTAS = """\
{
   name         slots_of_users
   description  "no user has all of a host"
   enabled      TRUE
   limit        users {*} hosts {*} to slots=30
}
{
   name         dynamic
   description  NONE
   enabled      TRUE
   limit        name per_host hosts {@allhosts} to slots=$num_proc*50
}
"""
EVERY_TREE = """\
id=0
name=Root
type=0
shares=1
childnodes=1,2,3
id=1
name=atlas
type=1
shares=300
childnodes=4
id=4
name=default
type=0
shares=10
childnodes=NONE
id=2
name=borealis
type=1
shares=100
childnodes=NONE
id=3
name=default
type=0
shares=50
childnodes=NONE
"""


def every(directory, hosts=NAMES[:3], slots=10, **scheduler):
    first, second, third = hosts[:3]
    site = Site(directory)
    site.scheduler(**{**SHARES, **scheduler})
    site.file("complex", COMPLEXES + EVERY_COMPLEX)
    site.file("rqs", EVERY_QUOTAS)
    site.file("share_tree", EVERY_TREE)
    site.objects("usersets", userset("night", "eve,fay"), userset("owls", "gus"), userset("physics", "ann,bob", "DEPT", 200),
                 userset("arusers", "ann,bob"), userset("deadlineusers", "cal"))
    site.objects("projects", project("atlas", 100), project("borealis", 50, xacl="owls"))
    site.objects("users", user("ann", 100), user("bob", 50, 1000))
    site.objects("calendar", {"calendar_name": "never", "year": "1.1.2020-2.1.2020=off", "week": "NONE"},
                 {"calendar_name": "always_off", "year": "NONE", "week": "mon-sun=off"})
    site.objects("ckpt", {"ckpt_name": "app", "interface": "application-level", "ckpt_command": "none", "migr_command": "none",
                          "restart_command": "none", "clean_command": "none", "ckpt_dir": "/var/tmp", "signal": "none", "when": "xs"})
    site.objects("hosts", host(first, complex_values="mem=8G,excl=true,fab=ib", usage_scaling="cpu=1.500000,mem=1.000000,io=1.000000"),
                 host(second, complex_values="mem=4G,scratch=10G,fab=eth", load_scaling="np_load_avg=0.500000"),
                 host(third, complex_values="mem=4G,excl=true", xuser_lists="owls"),
                 *(host(name) for name in hosts[3:]), host("global", complex_values="lic=6"))
    site.objects("hgrp", group("@first", first), group("@rest", " ".join(hosts[1:])), group("@allhosts", "@first @rest"))
    site.objects("pe", *(pe(name, user_lists="physics" if name == "two" else "NONE") for name in RULES))
    site.objects("queue",
                 queue("all.q", slots=slots, seq_no="0,[%s=5]" % second, ckpt_list="app", calendar="never",
                       complex_values="tok=3.5", load_thresholds="np_load_avg=50", rerun="TRUE"),
                 queue("low.q", seq_no=20, slots=2, priority=10, hostlist="@first", suspend_thresholds="lic=-1"),
                 queue("high.q", seq_no=10, slots=2, hostlist="@first", subordinate_list="low.q=1", user_lists="night"),
                 queue("slot.q", seq_no=30, slots=2, hostlist=third, subordinate_list="slots=4(low2.q:1:sr)"),
                 queue("low2.q", seq_no=40, slots=4, hostlist=third, projects="atlas"),
                 queue("off.q", seq_no=50, calendar="always_off", hostlist="@rest", s_rt="1:0:0", h_rt="2:0:0"))


SITES = {"plain": plain, "every": every}
