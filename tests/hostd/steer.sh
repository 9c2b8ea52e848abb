#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scheduler and fairlead-hostd with two tasks of an outside cluster that burn one CPU, tickets 3:1: the tasks are found in the spool, the
# one with fewer tickets gets a weaker nice level, usage reaches the scheduler, a killed fairlead-hostd finds all again, and levels stay as
# they are when it ends.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead-hostd" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead-hostd or $B/fairlead-schedd"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root may give processes groups and levels"; exit 77; }
command -v setpriv >/dev/null || { echo "no setpriv"; exit 77; }
work=$(mktemp -d /tmp/fairlead-test-XXXXXX) || exit 1
mkdir "$work/shm" "$work/spool" "$work/spool/active_jobs"
export FAIRLEAD_SHM="$work/shm" FAIRLEAD_CELL="$work/cell"
unset NOTIFY_SOCKET JOURNAL_STREAM
pids=
trap 'for p in $pids; do kill -9 "$p" 2>/dev/null; done; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failures=0
groups=$((1000000000 + $$ * 100))	# that no other test has

fail() {
	echo "FAIL $1"
	for file in "$work"/*.log; do echo "== $file"; grep -v "run at" "$file" | tail -n 20; done
	failures=$((failures + 1))
}

# until COMMAND...: for ten minutes, since a task with a weak level hardly gets a busy processor
until_true() {
	for _ in $(seq 3000); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.2
	done
	fail "never: $*"
	return 1
}

# burner GROUP: a session of its own that burns one CPU, the same for all, with the additional group; its pid in $burner
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
burner() {
	setsid setpriv --groups "$1" taskset -c "$cpu" sh -c 'while :; do :; done' &
	burner=$!
	pids="$pids $burner"
}

hostd() {	# the options of all of them
	"$B/fairlead-hostd" --scheduler "$endpoint" --keys "$work/keys" --name node1 --execd-spool "$work/spool" \
		--interval 1 --report 1 -v "$@" 2>>"$work/hostd.log" &
	hostd=$!
	pids="$pids $hostd"
}

# The level that counts: of the kernel's group for the session where there are such groups, and of the process.
group_level() { sed -n 's/.* nice //p' "/proc/$1/autogroup" 2>/dev/null; }
level() { awk '{ sub(/.*\) /, ""); print $17 }' "/proc/$1/stat"; }
is_weaker() { [ "$(level "$1")" -gt "$(level "$2")" ]; }
group_is_weaker() { [ "$(group_level "$1")" -gt "$(group_level "$2")" ]; }
says() { grep -q "$2" "$work/$1.log"; }
# cpu_is_above SECONDS: of both jobs, as the scheduler knows it
cpu_is_above() { "$B/fairlead" stat --json | python3 -c '
import json, sys
jobs = json.load(sys.stdin)["jobs"]
assert len(jobs) == 2 and all((j["cpu"] or 0) > float(sys.argv[1]) for j in jobs)' "$1"; }

cp -r conf/default "$work/cell"
sed -i 's/^schedule_interval .*/schedule_interval 0:0:1/; s/^reprioritize_interval .*/reprioritize_interval 0:0:1/
	s/^weight_tickets_functional .*/weight_tickets_functional 0/; s/^weight_tickets_share .*/weight_tickets_share 0/' "$work/cell/sched_conf"
"$B/fairlead" keygen "$work/keys" >/dev/null && "$B/fairlead" keygen --host node1 "$work/keys" >/dev/null || fail "no keys"

cat >"$work/events" <<'END'
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":8}
{"seq":3,"event":"job_add","job_number":1,"owner":"ann","submission_time":1700000000,"override_tickets":3000}
{"seq":4,"event":"job_add","job_number":2,"owner":"bob","submission_time":1700000000,"override_tickets":1000}
{"seq":5,"event":"task_start","job_number":1,"start_time":1700000010,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":6,"event":"task_start","job_number":2,"start_time":1700000010,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":7,"event":"snapshot_end"}
END
# Sessions are weighed where the kernel has groups for them and no cgroup of ours comes before them.
lever=$("$B/fairlead" doctor nice --json | sed -n 's/^{"lever":"\([a-z]*\)".*/\1/p')

"$B/fairlead-schedd" --events "$work/events" --hosts 'tcp://127.0.0.1:*' --keys "$work/keys" --from-hosts usage,load -v \
	>"$work/orders" 2>"$work/schedd.log" &
pids="$pids $!"
until_true says schedd 'waiting for 1 execution hosts'
endpoint=$(sed -n 's/.*execution hosts at //p' "$work/schedd.log")

burner $((groups + 1)); rich=$burner
burner $((groups + 2)); poor=$burner
for job in 1 2; do
	mkdir "$work/spool/active_jobs/$job.1" && echo $((groups + job)) >"$work/spool/active_jobs/$job.1/addgrpid"
done

hostd --lever nice
until_true is_weaker "$poor" "$rich"
[ "$(level "$rich")" = 0 ] || fail "the task with more tickets has nice level $(level "$rich")"
until_true cpu_is_above 0.1
grep -q 'CapEff:.*[1-9a-f]' "/proc/$hostd/status" && grep -Eq 'CapEff:	0{8}0[08]8[0-9a-f]{5}$' "/proc/$hostd/status" ||
	fail "other capabilities than those for steering: $(grep CapEff "/proc/$hostd/status")"
says hostd 'node1 controls CPU shares by nice' || fail "the CPU control mechanism is not logged"

# Killed, it leaves everything as it is; started again, it finds everything again, and its usage goes on.
kill -9 "$hostd"; wait "$hostd" 2>/dev/null
before=$(level "$poor")
[ "$before" -gt 0 ] || fail "the level has gone with fairlead-hostd"
: >"$work/hostd.log"
if [ "$lever" = autogroup ]; then
	hostd
	until_true group_is_weaker "$poor" "$rich"
	says hostd 'controls CPU shares by autogroup' || fail "sessions are steered, but nobody says so"
else
	hostd --lever nice
fi
until_true says hostd 'received tickets of 2 tasks; 2 tasks are present'
cpu_is_above 0.1 || fail "usage has gone back"
until_true cpu_is_above 0.2

# Levels stay as they are when it ends well, too.
before=$(level "$poor") group_before=$(group_level "$poor")
kill -TERM "$hostd"; wait "$hostd"
[ $? = 0 ] || fail "SIGTERM is no clean end"
[ "$(level "$poor") $(group_level "$poor")" = "$before $group_before" ] && [ "$before" -gt 0 ] || fail "levels have changed at the end"

# A task that the spool does not show any more is not touched any more; others' files are not taken for groups.
rm -r "$work/spool/active_jobs/2.1"
mkdir "$work/spool/active_jobs/3.1" && echo 0 >"$work/spool/active_jobs/3.1/addgrpid"
: >"$work/hostd.log"
hostd --lever nice
until_true says hostd 'unexpected entries were skipped'
until_true says hostd 'received tickets of 2 tasks; 1 tasks are present'
[ "$(level "$poor")" = "$before" ] || fail "a task that is not this host's was steered"
kill -0 "$poor" && kill -0 "$rich" || fail "a task has gone"

echo "hostd_steer: $failures failures"
[ "$failures" = 0 ]
