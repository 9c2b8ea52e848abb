# SPDX-License-Identifier: Apache-2.0
"""The parts of a random cell that are always the same: an installation's defaults, and complexes of every kind."""

SCHED_CONF = [line.split(" ", 1) for line in """\
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
weight_ticket 0.000000
weight_waiting_time 0.000000
weight_deadline 0.000000
weight_urgency 0.000000
weight_priority 1.000000
max_reservation 0
default_duration INFINITY
""".splitlines()]

GLOBAL_CONF = """\
user_lists                   none
xuser_lists                  none
projects                     none
xprojects                    none
enforce_project              false
enforce_user                 auto
max_aj_instances             2000
max_aj_tasks                 75000
"""

QUEUE = [line.split(" ", 1) for line in """\
qname bulk.q
hostlist @old @mid
seq_no 15
load_thresholds np_load_avg=1.31
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
slots 3
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
""".splitlines()]

COMPLEXES = """\
#name               shortcut            type      relop requestable consumable default  urgency
arch                a                   STRING    ==    YES         NO         NONE     0
bo                  bo                  BOOL      ==    YES         NO         0        0
calendar            c                   STRING    ==    YES         NO         NONE     0
cpu                 cpu                 DOUBLE    >=    YES         NO         0        0
cs                  cs                  CSTRING   ==    YES         NO         NONE     0
dle                 dle                 DOUBLE    <=    YES         NO         0        0
excl                excl                BOOL      EXCL  YES         YES        0        0
fbo                 fbo                 BOOL      ==    FORCED      NO         0        0
flic                flic                INT       <=    FORCED      YES        0        0
gpu                 gpu                 INT       <=    YES         YES        0        0
h_core              h_core              MEMORY    <=    YES         NO         0        0
h_cpu               h_cpu               TIME      <=    YES         NO         0:0:0    0
h_data              h_data              MEMORY    <=    YES         NO         0        0
h_fsize             h_fsize             MEMORY    <=    YES         NO         0        0
h_rss               h_rss               MEMORY    <=    YES         NO         0        0
h_rt                h_rt                TIME      <=    YES         NO         0:0:0    0
h_stack             h_stack             MEMORY    <=    YES         NO         0        0
h_vmem              h_vmem              MEMORY    <=    YES         NO         0        0
hostname            h                   HOST      ==    YES         NO         NONE     0
ieq                 ieq                 INT       ==    YES         NO         0        0
ige                 ige                 INT       >=    YES         NO         0        0
igt                 igt                 INT       >     YES         NO         0        0
ile                 ile                 INT       <=    YES         NO         0        0
ilt                 ilt                 INT       <     YES         NO         0        0
ine                 ine                 INT       !=    YES         NO         0        0
jlic                jlic                INT       <=    YES         JOB        0        0
lic                 lic                 INT       <=    YES         YES        0        0
load_avg            la                  DOUBLE    >=    NO          NO         0        0
load_medium         lm                  DOUBLE    >=    NO          NO         0        0
load_short          ls                  DOUBLE    >=    NO          NO         0        0
mem                 mem                 MEMORY    <=    YES         YES        100M     0
mem_free            mf                  MEMORY    <=    YES         NO         0        0
mem_total           mt                  MEMORY    <=    YES         NO         0        0
min_cpu_interval    mci                 TIME      <=    NO          NO         0:0:0    0
np_load_avg         nla                 DOUBLE    >=    NO          NO         0        0
num_proc            p                   INT       ==    YES         NO         0        0
qname               q                   STRING    ==    YES         NO         NONE     0
qx                  qx                  BOOL      EXCL  YES         YES        0        0
rerun               re                  BOOL      ==    NO          NO         0        0
rex                 rex                 RESTRING  ==    YES         NO         NONE     0
s_core              s_core              MEMORY    <=    YES         NO         0        0
s_cpu               s_cpu               TIME      <=    YES         NO         0:0:0    0
s_data              s_data              MEMORY    <=    YES         NO         0        0
s_fsize             s_fsize             MEMORY    <=    YES         NO         0        0
s_rss               s_rss               MEMORY    <=    YES         NO         0        0
s_rt                s_rt                TIME      <=    YES         NO         0:0:0    0
s_stack             s_stack             MEMORY    <=    YES         NO         0        0
s_vmem              s_vmem              MEMORY    <=    YES         NO         0        0
seq_no              seq                 INT       ==    NO          NO         0        0
slots               s                   INT       <=    YES         YES        1        0
sst                 sst                 STRING    ==    YES         NO         NONE     0
tle                 tle                 TIME      <=    YES         NO         0        0
tmpdir              tmp                 STRING    ==    NO          NO         NONE     0
tok                 tok                 DOUBLE    <=    YES         YES        0        0
virtual_free        vf                  MEMORY    <=    YES         NO         0        0
"""
