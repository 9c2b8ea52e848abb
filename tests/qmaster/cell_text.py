# SPDX-License-Identifier: Apache-2.0
"""The parts of a random cell that are always the same, and the attributes that one may have beside those of a new installation."""


def pairs(text):
    return [tuple(line.split(" ", 1)) for line in text.strip().splitlines()]


SCHED_CONF = pairs("""
algorithm default
schedule_interval 0:4:0
maxujobs 0
queue_sort_method load
job_load_adjustments NONE
load_adjustment_decay_time 0:0:0
load_formula np_load_avg
schedd_job_info true
flush_submit_sec 0
flush_finish_sec 0
params PROFILE=1,MONITOR=1
reprioritize_interval 0:0:0
halftime 168
usage_weight_list cpu=1.000000,mem=0.000000,io=0.000000
compensation_factor 5.000000
weight_user 0.250000
weight_project 0.250000
weight_department 0.250000
weight_job 0.250000
weight_tickets_functional 0
weight_tickets_share 0
share_override_tickets TRUE
share_functional_shares TRUE
max_functional_jobs_to_schedule 200
report_pjob_tickets TRUE
max_pending_tasks_per_job 50
halflife_decay_list none
policy_hierarchy OFS
weight_ticket 0.010000
weight_waiting_time 0.000000
weight_deadline 3600000.000000
weight_urgency 0.100000
weight_priority 1.000000
max_reservation 0
default_duration INFINITY
""")

QUEUE = pairs("""
qname main.q
hostlist @site
seq_no 0
load_thresholds NONE
suspend_thresholds NONE
nsuspend 1
suspend_interval 00:05:00
priority 0
min_cpu_interval 00:05:00
processors UNDEFINED
qtype BATCH INTERACTIVE
ckpt_list NONE
pe_list NONE
rerun FALSE
slots 1
tmpdir /var/tmp
shell /bin/sh
prolog NONE
epilog NONE
shell_start_mode posix_compliant
starter_method NONE
suspend_method NONE
resume_method NONE
terminate_method NONE
notify 00:00:60
owner_list NONE
user_lists NONE
xuser_lists NONE
subordinate_list NONE
complex_values NONE
projects NONE
xprojects NONE
calendar NONE
initial_state default
s_rt INFINITY
h_rt INFINITY
s_cpu INFINITY
h_cpu INFINITY
s_fsize INFINITY
h_fsize INFINITY
s_data INFINITY
h_data INFINITY
s_stack INFINITY
h_stack INFINITY
s_core INFINITY
h_core INFINITY
s_rss INFINITY
h_rss INFINITY
s_vmem INFINITY
h_vmem INFINITY
""")

HOST = {"hostname": "", "load_scaling": "NONE", "complex_values": "NONE", "load_values": "NONE", "processors": "0", "user_lists": "NONE",
        "xuser_lists": "NONE", "projects": "NONE", "xprojects": "NONE", "usage_scaling": "NONE", "report_variables": "NONE"}

COMPLEXES = """\
arch                a                   STRING    ==    YES         NO         NONE     0
calendar            c                   STRING    ==    YES         NO         NONE     0
cpu                 cpu                 DOUBLE    >=    YES         NO         0        0
display_win_gui     dwg                 BOOL      ==    YES         NO         0        0
h_core              h_core              MEMORY    <=    YES         NO         0        0
h_cpu               h_cpu               TIME      <=    YES         NO         0:0:0    0
h_data              h_data              MEMORY    <=    YES         NO         0        0
h_fsize             h_fsize             MEMORY    <=    YES         NO         0        0
h_rss               h_rss               MEMORY    <=    YES         NO         0        0
h_rt                h_rt                TIME      <=    YES         NO         0:0:0    0
h_stack             h_stack             MEMORY    <=    YES         NO         0        0
h_vmem              h_vmem              MEMORY    <=    YES         NO         0        0
hostname            h                   HOST      ==    YES         NO         NONE     0
load_avg            la                  DOUBLE    >=    NO          NO         0        0
load_long           ll                  DOUBLE    >=    NO          NO         0        0
load_medium         lm                  DOUBLE    >=    NO          NO         0        0
load_report_host    load_report_host    STRING    ==    NO          NO         NONE     0
load_short          ls                  DOUBLE    >=    NO          NO         0        0
m_core              core                INT       <=    YES         NO         0        0
m_socket            socket              INT       <=    YES         NO         0        0
m_thread            thread              INT       <=    YES         NO         0        0
m_topology          topo                STRING    ==    YES         NO         NONE     0
m_topology_inuse    utopo               STRING    ==    YES         NO         NONE     0
mem_free            mf                  MEMORY    <=    YES         NO         0        0
mem_total           mt                  MEMORY    <=    YES         NO         0        0
mem_used            mu                  MEMORY    >=    YES         NO         0        0
min_cpu_interval    mci                 TIME      <=    NO          NO         0:0:0    0
np_load_avg         nla                 DOUBLE    >=    NO          NO         0        0
np_load_long        nll                 DOUBLE    >=    NO          NO         0        0
np_load_medium      nlm                 DOUBLE    >=    NO          NO         0        0
np_load_short       nls                 DOUBLE    >=    NO          NO         0        0
num_proc            p                   INT       ==    YES         NO         0        0
qname               q                   STRING    ==    YES         NO         NONE     0
rerun               re                  BOOL      ==    NO          NO         0        0
s_core              s_core              MEMORY    <=    YES         NO         0        0
s_cpu               s_cpu               TIME      <=    YES         NO         0:0:0    0
s_data              s_data              MEMORY    <=    YES         NO         0        0
s_fsize             s_fsize             MEMORY    <=    YES         NO         0        0
s_rss               s_rss               MEMORY    <=    YES         NO         0        0
s_rt                s_rt                TIME      <=    YES         NO         0:0:0    0
s_stack             s_stack             MEMORY    <=    YES         NO         0        0
s_vmem              s_vmem              MEMORY    <=    YES         NO         0        0
seq_no              seq                 INT       ==    NO          NO         0        0
slots               s                   INT       <=    YES         YES        1        1000
swap_free           sf                  MEMORY    <=    YES         NO         0        0
swap_rate           sr                  MEMORY    >=    YES         NO         0        0
swap_rsvd           srsv                MEMORY    >=    YES         NO         0        0
swap_total          st                  MEMORY    <=    YES         NO         0        0
swap_used           su                  MEMORY    >=    YES         NO         0        0
tmpdir              tmp                 STRING    ==    NO          NO         NONE     0
virtual_free        vf                  MEMORY    <=    YES         NO         0        0
virtual_total       vt                  MEMORY    <=    YES         NO         0        0
virtual_used        vu                  MEMORY    >=    YES         NO         0        0
"""

# feature: {attribute: type, relation, requestable, consumable, default, urgency}
ATTRIBUTES = {feature: {line.split()[0]: line.split()[1:] for line in text.strip().splitlines()} for feature, text in {
    "consumables": """
lic INT <= YES YES 0 0
mem MEMORY <= YES YES 0 0
gpu INT <= YES YES 0 0
tok DOUBLE <= YES YES 0 0
flic INT <= FORCED YES 0 0
jmem MEMORY <= YES JOB 0 0
""", "excl": """
excl BOOL EXCL YES YES 0 0
qx BOOL EXCL YES YES 0 0
""", "types": """
ieq INT == YES NO 0 0
ige INT >= YES NO 0 0
ile INT <= YES NO 0 0
ine INT != YES NO 0 0
dlt DOUBLE < YES NO 0 0
tle TIME <= YES NO 0 0
bo BOOL == YES NO 0 0
sst STRING == YES NO NONE 0
cs CSTRING == YES NO NONE 0
rex RESTRING == YES NO NONE 0
""", "soft": """
fab STRING == YES NO NONE 0
ssd BOOL == YES NO 0 0
gen INT <= YES NO 0 0
""", "float": """
f1 DOUBLE <= YES YES 0 0
f2 DOUBLE <= YES YES 0 0
f3 MEMORY <= YES YES 0 0
""", "formulas": """
scr DOUBLE >= YES NO 0 0
"""}.items()}


def one(*texts):
    return lambda r: r.choice(texts)


# attribute: where it is given with which probability, and how much
AMOUNTS = {
    "lic": [("global", 0.8, lambda r: "%d" % r.randint(2, 10)), ("host", 0.05, one("2", "4"))],
    "mem": [("host", 0.9, lambda r: "%dM" % r.randint(500, 4800)), ("queue", 0.1, one("650M", "1898M"))],
    "gpu": [("host", 0.4, one("1", "2", "3"))],
    "tok": [("queue", 0.4, one("0.7", "1.75", "2.5")), ("host", 0.2, one("1.5", "2.2"))],
    "flic": [("queue", 0.3, one("1", "2"))],
    "jmem": [("host", 0.6, lambda r: "%dM" % r.randint(700, 2500)), ("global", 0.2, one("5G"))],
    "excl": [("host", 0.8, one("true"))], "qx": [("queue", 0.5, one("true"))],
    "ieq": [("host", 0.6, one("0", "1", "2"))], "ige": [("host", 0.6, one("0", "3", "4", "5"))],
    "ile": [("host", 0.5, one("0", "1", "2", "3")), ("queue", 0.1, one("2"))],
    "ine": [("host", 0.5, one("0", "1"))], "dlt": [("host", 0.5, one("0.07", "0.84", "1.87", "2.42"))],
    "tle": [("host", 0.6, one("17", "77", "197", "0:5:17"))],
    "bo": [("host", 0.5, one("TRUE", "FALSE"))], "sst": [("host", 0.4, one("Abc", "abc")), ("queue", 0.2, one("Abc"))],
    "cs": [("host", 0.4, one("Foo", "BAR"))], "rex": [("host", 0.4, one("red-1", "red-2", "green", "blue-1"))],
    "fab": [("host", 0.7, one("ib", "opa", "eth"))], "ssd": [("host", 0.6, one("TRUE", "FALSE")), ("queue", 0.2, one("TRUE"))],
    "gen": [("host", 0.7, one("0", "1", "2", "3", "4"))],
    "f1": [("host", 0.7, one("0.3", "0.7", "1.1", "0.6")), ("global", 0.3, one("2.3"))], "f2": [("queue", 0.6, one("0.7", "0.3", "1.4"))],
    "f3": [("host", 0.6, one("0.7G", "1.1G", "999M"))],
    "mem_free": [("host", 0.7, lambda r: "%dM" % r.randint(300, 6000))],
}

# attribute: how often it is requested, and how much of it
REQUESTS = {
    "lic": [(0.25, one("1", "2"))], "mem": [(0.4, one("64M", "99M", "512M", "700M", "1.3G"))], "gpu": [(0.15, one("1", "2"))],
    "tok": [(0.2, one("0.1", "0.3", "0.6", "1"))], "flic": [(0.15, one("1"))], "jmem": [(0.2, one("300M", "700M", "1.5G"))],
    "excl": [(0.5, one("true", "true", "true", "false"))], "qx": [(0.3, one("true", "true", "false"))],
    "ieq": [(0.1, one("0", "1"))], "ige": [(0.1, one("2", "4"))], "ile": [(0.12, one("1", "2"))], "ine": [(0.1, one("0", "1"))],
    "dlt": [(0.12, one("0.2", "1.1"))], "tle": [(0.1, one("60", "0:1:30"))], "bo": [(0.12, one("0", "TRUE"))],
    "sst": [(0.1, one("Abc", "A*"))], "cs": [(0.12, one("foo", "BA*"))], "rex": [(0.12, one("red*", "red-1|green", "!blue*"))],
    "f1": [(0.5, one("0.1", "0.2", "0.3", "0.05"))], "f2": [(0.35, one("0.1", "0.3", "0.7", "0.05"))], "f3": [(0.3, one("0.1G", "333M", "0.37G"))],
    "mem_free": [(0.3, one("500M", "1G"))],
}

SOFT = {"fab": one("ib", "opa", "none", "eth"), "ssd": one("TRUE", "FALSE"), "gen": one("1", "2", "3", "4")}
