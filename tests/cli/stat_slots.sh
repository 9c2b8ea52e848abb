#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# qstat's -g t, -t and -r: where parallel tasks have their slots, what they have used, what jobs ask for.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
failures=0
umask 022	# a configuration that other users may not read is not published
cp -r conf/default "$FAIRLEAD_CELL" && chmod -R a+rX "$FAIRLEAD_CELL"
sed -i 's/^job_is_first_task.*/job_is_first_task FALSE/' "$FAIRLEAD_CELL/pe/mpi"
sed -i 's/^job_is_first_task.*/job_is_first_task TRUE/' "$FAIRLEAD_CELL/pe/smp"

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":5}
{"seq":3,"event":"queue_instance","queue":"all.q@node2","slots":4}
{"seq":4,"event":"job_add","job_number":1,"owner":"ann","job_name":"extra","submission_time":1699990000,"pe":"mpi","pe_range":"3"}
{"seq":5,"event":"job_add","job_number":2,"owner":"bob","job_name":"first","submission_time":1699990001,"pe":"smp","pe_range":"2-"}
{"seq":6,"event":"job_add","job_number":3,"owner":"cal","job_name":"a_long_name_of_a_job","submission_time":1699990002,"hold_jid":[1],"hard_resource_list":"h_rt=60,gpu=5","soft_resource_list":"arch=lx*","hard_queue_list":"all.q,b.q","checkpoint":"self"}
{"seq":7,"event":"snapshot_end"}
{"seq":8,"event":"task_start","job_number":1,"task":1,"start_time":1699999000,"granted_pe":"mpi","granted":[{"queue":"all.q@node2","slots":2},{"queue":"all.q@node1","slots":1}]}
{"seq":9,"event":"task_start","job_number":2,"task":1,"start_time":1699999000,"granted_pe":"smp","granted":[{"queue":"all.q@node1","slots":2}]}
{"seq":10,"event":"usage","job_number":1,"task":1,"scaled_usage":{"cpu":90061,"mem":1.5,"io":0.25}}
END
grep -q '"answer":"refused"' "$work/answers" && { cat "$work/answers"; exit 1; }

# prints OPTIONS...: the lines on standard input
prints() {
	sed 's/\$$//' >"$work/expected"
	"$B/fairlead" stat "$@" >"$work/found" 2>/dev/null
	diff "$work/expected" "$work/found" && return
	echo "FAIL stat $*"
	failures=$((failures + 1))
}

# a line a slot, and one more where the master is none of them; equal values are printed once for each queue instance
prints -g t <<'END'
job-ID  prior   name       user         state submit/start at     queue                          master ja-task-ID $
------------------------------------------------------------------------------------------------------------------
      1 0.64762 extra      ann          r     11/14/2023 21:56:40 all.q@node2                    MASTER        $
                                                                  all.q@node2                    SLAVE         $
                                                                  all.q@node2                    SLAVE         $
      1 0.64762 extra      ann          r     11/14/2023 21:56:40 all.q@node1                    SLAVE         $
      2 1.50000 first      bob          r     11/14/2023 21:56:40 all.q@node1                    MASTER        $
                                                                  all.q@node1                    SLAVE         $
      3 0.00000 a_long_nam cal          hqw   11/14/2023 19:26:42                                              $
END
"$B/fairlead" stat -t -s r 2>/dev/null >"$work/tasks"
sed -n 3p "$work/tasks" | grep -q ' MASTER                        r     1:01:01:01 1.50000 0.25000 $' || { echo "FAIL stat -t tells no usage"; cat "$work/tasks"; failures=$((failures + 1)); }
sed -n 7p "$work/tasks" | grep -q ' MASTER                        r     NA         NA      NA      $' || { echo "FAIL stat -t tells usage that there is none of"; cat "$work/tasks"; failures=$((failures + 1)); }
[ "$(sed -n 2p "$work/tasks" | wc -c)" = 168 ] || { echo "FAIL the rule of -t"; failures=$((failures + 1)); }

prints -r --no-header <<'END'
      1 0.64762 extra      ann          r     11/14/2023 21:56:40 all.q@node2                        3        $
       Full jobname:     extra
       Master Queue:     all.q@node2
       Requested PE:     mpi 3
       Granted PE:       mpi 3
       Hard Resources:   $
       Soft Resources:   $
       Binding:          NONE
      2 1.50000 first      bob          r     11/14/2023 21:56:40 all.q@node1                        2        $
       Full jobname:     first
       Master Queue:     all.q@node1
       Requested PE:     smp 2-
       Granted PE:       smp 2
       Hard Resources:   $
       Soft Resources:   $
       Binding:          NONE
      3 0.00000 a_long_nam cal          hqw   11/14/2023 19:26:42                                    1        $
       Full jobname:     a_long_name_of_a_job
       Checkpoint Env.:  self
       Hard Resources:   h_rt=60 (0.000000)
                         gpu=5 (2500.000000)
       Soft Resources:   arch=lx*
       Hard requested queues: all.q, b.q
       Predecessor Jobs (request): 1
       Predecessor Jobs: 1
       Binding:          NONE
END
exit $((failures > 0))
