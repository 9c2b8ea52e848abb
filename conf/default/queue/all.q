# A queue: queue_conf(5).

# The same as the name of this file.
qname                 all.q

# Hosts, and host groups with @, that have an instance of this queue.
hostlist              @allhosts

# Place among the queues, lowest first: see queue_sort_method in sched_conf.
seq_no                0

# No new jobs on a host while one of these is exceeded.
load_thresholds       np_load_avg=1.75

# Jobs are suspended while one of these is exceeded: nsuspend at a time, every suspend_interval.
suspend_thresholds    NONE
nsuspend              1
suspend_interval      00:05:00

# Nice value of jobs, -20 to 20.
priority              0

# Time between two checkpoints.
min_cpu_interval      00:05:00

# Processors to use; UNDEFINED for all.
processors            UNDEFINED

# Kinds of jobs: BATCH, INTERACTIVE, both or NONE (parallel ones only).
qtype                 BATCH INTERACTIVE

# Checkpointing and parallel environments that are offered here.
ckpt_list             self
pe_list               smp mpi

# Whether jobs are started again after a crash of the host.
rerun                 FALSE

# Jobs, or slots of parallel ones, at a time. Each attribute may have values for single hosts or host groups behind the default.
slots                 8,[node2=4]

# Left to the execution side: how a job is started, stopped, and what it finds.
tmpdir                /tmp
shell                 /bin/sh
prolog                NONE
epilog                NONE
shell_start_mode      posix_compliant
starter_method        NONE
suspend_method        NONE
resume_method         NONE
terminate_method      NONE

# How long before it is stopped a job is told (qsub -notify).
notify                00:00:60

# Users who may disable and enable the queue.
owner_list            NONE

# Usersets whose users may use it, and those whose may not.
user_lists            NONE
xuser_lists           NONE

# Queues that are suspended on a host while so many slots of this one are used there, as low.q=2 (without a number: all of them).
# Or, slot by slot: with slots=4(low.q:1:sr, lower.q:2:lr) only four tasks of all these queues run on a host; those of the highest
# number are suspended first, of a queue the one that has run shortest (sr) or longest (lr).
subordinate_list      NONE

# What an instance has of the consumable and other attributes in the complex.
complex_values        NONE

# Projects that may use it, and those that may not.
projects              NONE
xprojects             NONE

# When the queue is open: the name of a calendar; NONE for always.
calendar              NONE

# State after a start of the system: default (as before), enabled or disabled.
initial_state         default

# Limits of a job, soft and hard: elapsed and CPU time, file size, data, stack, core file, resident and virtual memory.
s_rt                  INFINITY
h_rt                  INFINITY
s_cpu                 INFINITY
h_cpu                 INFINITY
s_fsize               INFINITY
h_fsize               INFINITY
s_data                INFINITY
h_data                INFINITY
s_stack               INFINITY
h_stack               INFINITY
s_core                INFINITY
h_core                INFINITY
s_rss                 INFINITY
h_rss                 INFINITY
s_vmem                INFINITY
h_vmem                INFINITY
