# A queue: queue_conf(5).

# Must be the name of this file.
qname                 all.q

# Hosts, and host groups with @, that have an instance of this queue.
hostlist              @allhosts

# Position among the queues, lowest first: see queue_sort_method in sched_conf.
seq_no                0

# No job starts on a host while one of these is exceeded.
load_thresholds       np_load_avg=1.75

# While one of these is exceeded, nsuspend jobs are suspended every suspend_interval.
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

# Maximum number of jobs, or of slots of parallel jobs. Each attribute may have values for single
# hosts or host groups after the default.
slots                 8,[node2=4]

# Used only by execution hosts: how a job is started and stopped, and its environment.
tmpdir                /tmp
shell                 /bin/sh
prolog                NONE
epilog                NONE
shell_start_mode      posix_compliant
starter_method        NONE
suspend_method        NONE
resume_method         NONE
terminate_method      NONE

# Time between the warning and the end of a job that is stopped (qsub -notify).
notify                00:00:60

# Users who may disable and enable the queue.
owner_list            NONE

# Usersets whose users may use it, and usersets whose users may not.
user_lists            NONE
xuser_lists           NONE

# Queues that are suspended on a host while this many slots of this queue are used there, for
# example low.q=2. Without a number: all slots. The other form is slot-wise: with
# slots=4(low.q:1:sr, lower.q:2:lr) at most four tasks of all these queues run on a host. Tasks of
# the queue with the highest number are suspended first, and of these the task that has run shortest
# (sr) or longest (lr).
subordinate_list      NONE

# Amounts of consumables and values of other attributes of the complex on each instance.
complex_values        NONE

# Projects that may use it, and projects that may not.
projects              NONE
xprojects             NONE

# Times at which the queue is open: the name of a calendar; NONE for always.
calendar              NONE

# State after a start of the system: default (as before), enabled or disabled.
initial_state         default

# Limits of a job, soft and hard: run time and CPU time, file size, data, stack, core file, resident
# and virtual memory.
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
