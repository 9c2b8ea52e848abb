qname                 wide.q
hostlist              ada bly sgehost @one @nested_group_with_a_long_name
seq_no                10,[@one=1],[@nested_group_with_a_long_name=5],[ada=2], \
                      [bly=3],[sgehost=4]
load_thresholds       np_load_avg=1.75,mem_free=1G,[@one=load_short=2, \
                      load_long=3.5],[ada=NONE],[bly=np_load_avg=50]
suspend_thresholds    np_load_avg=9,[sgehost=cpu=99]
nsuspend              3
suspend_interval      00:10:00
priority              -5,[ada=19]
min_cpu_interval      INFINITY
processors            0-3,[ada=UNDEFINED]
qtype                 BATCH,[ada=INTERACTIVE],[bly=NONE]
ckpt_list             ckpt1 ckpt2 ckpt3,[bly=transparent]
pe_list               parallel-env-1 parallel-env-2 parallel-env-3 \
                      parallel-env-4 parallel-env-5,[@one=parallel-env-6 \
                      parallel-env-7],[ada=NONE]
rerun                 FALSE,[ada=TRUE]
slots                 8,[@one=4],[ada=3],[bly=0]
tmpdir                /scratch
shell                 /bin/csh,[ada=/bin/sh]
prolog                root@/usr/local/bin/prolog.sh $host $job_owner
epilog                NONE,[ada=/bin/true]
shell_start_mode      posix_compliant
starter_method        /bin/starter
suspend_method        SIGTSTP
resume_method         NONE
terminate_method      SIGTERM,[ada=/bin/kill -TERM $job_pid]
notify                00:00:90
owner_list            ann bob cal dot eve fay,[ada=gus]
user_lists            team_number_1 team_number_2 team_number_3 team_number_4 \
                      team_number_5,[ada=team_number_6]
xuser_lists           dep-one
subordinate_list      low.q=2,[ada=high.q=1]
complex_values        disk1=50G,disk2=2.5,str1=x*y,[ada=disk1=1G,excl1=TRUE], \
                      [bly=NONE]
projects              project_alpha project_beta project_gamma project_delta \
                      project_epsilon,[bly=NONE]
xprojects             project_zeta,[ada=project_eta]
calendar              nights,[ada=NONE]
initial_state         disabled,[ada=enabled]
s_rt                  23:59:59
h_rt                  24:00:00,[ada=3600],[bly=INFINITY]
s_cpu                 INFINITY
h_cpu                 INFINITY
s_fsize               INFINITY
h_fsize               1073741824
s_data                INFINITY
h_data                INFINITY
s_stack               INFINITY
h_stack               INFINITY
s_core                INFINITY
h_core                INFINITY
s_rss                 INFINITY
h_rss                 INFINITY
s_vmem                INFINITY
h_vmem                4G,[ada=2.5G]
