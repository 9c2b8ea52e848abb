#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead explain and compare on a run whose scheduler is dead: their output and exit status.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
umask 022	# a configuration that other users may not read is not published
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
mkdir "$FAIRLEAD_CELL" && echo '# the defaults' >"$FAIRLEAD_CELL/sched_conf"
failures=0

fail() {
	echo "FAIL $*"
	failures=$((failures + 1))
}

"$B/fairlead-schedd" --once --no-dispatch --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"job_add","job_number":1,"owner":"ann","submission_time":1699990000,"priority":-10}
{"seq":3,"event":"job_add","job_number":2,"owner":"bob","job_name":"render","submission_time":1699990000,"deadline":1700003600,"hard_resource_list":"h_rt=60"}
{"seq":4,"event":"job_add","job_number":3,"owner":"bob","submission_time":1699990000,"hold":{"u":"1"}}
{"seq":5,"event":"job_add","job_number":4,"owner":"cal","submission_time":1699990000,"tasks":"2-9"}
{"seq":6,"event":"snapshot_end"}
END

# prints CODE VERB...: what is expected comes in, and the exit code is CODE
prints() {
	code=$1
	shift
	cat >"$work/expected"
	"$B/fairlead" "$@" >"$work/found" 2>"$work/errors"
	was=$?
	[ $was = "$code" ] || fail "$*: exit status $was, and $code is due: $(cat "$work/errors")"
	diff "$work/expected" "$work/found" || fail "$*"
}

# refused CODE SENTENCE VERB...: nothing is printed, and this is said
refused() {
	code=$1 sentence=$2
	shift 2
	prints "$code" "$@" </dev/null
	grep -qxF "fairlead: $sentence" "$work/errors" || { cat "$work/errors"; fail "$*: it does not say: $sentence"; }
}

# The memory of the published run, but not the readers' own table
published() {
	cksum "$work"/fairlead-*/state
}

before=$(published)

# options may follow the jobs, and a name stands for the jobs that have it
by_number=$("$B/fairlead" explain --no-place --no-start 2 2>/dev/null)
[ -n "$by_number" ] && [ "$("$B/fairlead" explain render --no-start --no-place 2>/dev/null)" = "$by_number" ] || fail "a job is not explained by its name"
[ "$("$B/fairlead" explain 'ren*' --no-start 2 --no-place 2>/dev/null | grep -c '^Job 2 ')" = 2 ] || fail "a pattern and a number"
"$B/fairlead" compare 1 render --json 2>/dev/null | grep -q '"job_number":2' || fail "a job is not compared by its name"
refused 3 "there is no job named nothing" explain nothing
refused 3 "0 jobs are named nothing; the name of one is expected" compare 1 nothing

prints 0 explain --no-place --no-start 2 <<'END'
Job 2 of bob (qw): prio 0.60500

             weight       value       least              most        normalised  contribution  percent
  urgency   0.10000  2000.00000  1000.00000  of 1  2000.00000  of 2     1.00000       0.10000     16.5
  tickets   0.01000     0.00000     0.00000           0.00000  of 1     0.50000       0.00500      0.8
  priority  1.00000        1024     0.00000        2048.00000           0.50000       0.50000     82.6
  prio                                                                                0.60500    100.0

Urgency of its requests
  resource     value     urgency  slots  contribution
  slots               1000.00000      1    1000.00000
  h_rt=60   60.00000     0.00000      1       0.00000
  rrcontr                                  1000.00000

Urgency in sum
             seconds         weight  contribution
  resources                            1000.00000
  waiting      10000        0.00000       0.00000
  deadline      3600  3600000.00000    1000.00000
  urg                                  2000.00000

Override tickets
  The job, its user, project and department have no override tickets.

Functional tickets
  weight_tickets_functional is 0: there are no functional tickets.

Share tree tickets
  weight_tickets_share is 0: there are no share tree tickets.

Tickets in sum
              tickets
  share tree  0.00000
  functional  0.00000
  override    0.00000
  tckts       0.00000
  policy_hierarchy OFS: each policy ranks tasks by the tickets of those before it.
END
prints 0 explain --no-place --no-start 3 <<'END'
Job 3 of bob (hqw): no priority: it is held (u): its owner or an operator can release it
END
prints 0 compare 1 2 <<'END'
Job 2 is before job 1 mainly because of its urgency, which contributes 0.1 more, mainly for its deadline.

              job 2    job 1  difference  percent
  urgency   0.10000  0.00000     0.10000     95.3
  tickets   0.00500  0.00500     0.00000      0.0
  priority  0.50000  0.49512     0.00488      4.7
  prio      0.60500  0.50012     0.10488    100.0

What they come from
                job 2       job 1  difference
  rrcontr  1000.00000  1000.00000     0.00000
  wtcontr     0.00000     0.00000     0.00000
  dlcontr  1000.00000     0.00000  1000.00000
  urg      2000.00000  1000.00000  1000.00000
  nurg        1.00000     0.00000     1.00000
  otckt       0.00000     0.00000     0.00000
  ftckt       0.00000     0.00000     0.00000
  stckt       0.00000     0.00000     0.00000
  tckts       0.00000     0.00000     0.00000
  ntckts      0.50000     0.50000     0.00000
  npprior     0.50000     0.49512     0.00488
  prio        0.60500     0.50012     0.10488
END
# Place and start: of a held job, and of one for which all that would bring it forward is tried
prints 0 explain 3 <<'END'
Job 3 of bob (hqw): no priority: it is held (u): its owner or an operator can release it

Place
  None: only jobs that can be started have one.

Why it does not start
  it is held (u): its owner or an operator can release it

When it starts
  That depends on who lets it go.
END

"$B/fairlead" explain --no-start 1 2>/dev/null | sed -n '/^Place/,$p' >"$work/found"
diff - "$work/found" <<'END' || fail "the place of job 1"
Place
  3rd of 3 pending jobs that can be started; 1 more waits for something else.
  Ahead of it: 2 jobs with 9 tasks, which ask for 9 slots; right before it job 4.
  user  jobs  tasks  slots
  cal      1      8      8
  bob      1      1      1

What would bring it forward, each tried (18 runs)
                     past the next  to the first place
  -p instead of -10           -p 0              -p 205
  waiting: no time up to 30 d does it: all others wait as well.
  usage of ann: no: usage has no effect: weight_tickets_share or weight_ticket is 0.
  -p upwards is for operators: users may only lower it.
END
refused 2 'explain: --assume-run-time: "soon": a duration is expected, such as 1:30:00 (h:m:s), 90m, 1h30m or 5400 (seconds), more than 0' explain --assume-run-time soon 1

refused 3 "job 77 does not exist" explain 77
refused 3 "job 4 has no pending or running task 1" explain 4.1
refused 2 "explain: name at least one job: JOB, JOB.TASK or a name" explain
refused 2 'explain: JOB.TASK: "0" is not a number from 1 to 4294967295' explain 4.0
refused 2 "explain: --json has all digits; --exact is for text" explain --json --exact 1
refused 2 "compare: name two jobs: JOB, JOB.TASK or a name each" compare 1
refused 2 "compare: both operands are the same job" compare 4.3 4.3
refused 2 "compare: both operands are the same job" compare 1 1.1
refused 3 "job 77 does not exist" compare 1 77
[ -n "$before" ] && [ "$before" = "$(published)" ] || fail "the published run was touched"
[ $failures = 0 ]
