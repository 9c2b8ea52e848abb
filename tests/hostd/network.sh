#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Three execution hosts and a scheduler, each in a network namespace of its own, on one bridge. A host is cut off: the scheduler says
# so, the host's tasks go on as they are. Tickets change meanwhile. Connected again, it has the new ones. Then the scheduler is killed and
# started again: all hosts come back by themselves. What the tasks have used is booked once, though no snapshot knows of it. Control: a store
# that forgets what it has debited.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead-hostd" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead-hostd or $B/fairlead-schedd"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root makes network namespaces"; exit 77; }
command -v ip >/dev/null && command -v setpriv >/dev/null && command -v sqlite3 >/dev/null || { echo "no ip(8), setpriv(1) or sqlite3(1)"; exit 77; }
work=$(mktemp -d /tmp/fairlead-test-XXXXXX) || exit 1
id=$$
groups=$((1000000000 + $$ * 100))	# that no other test has
pids= spaces= hostds=
clean() {
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
	for s in $spaces; do ip netns delete "$s" 2>/dev/null; done
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
mkdir "$work/shm"
export FAIRLEAD_SHM="$work/shm" FAIRLEAD_CELL="$work/cell"
unset NOTIFY_SOCKET JOURNAL_STREAM
failures=0

fail() {
	echo "FAIL $1"
	for file in "$work"/*.log; do echo "== $file"; grep -v "run at" "$file" | tail -n 15; done
	failures=$((failures + 1))
}

until_true() {	# for two minutes
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.2
	done
	fail "never: $*"
	return 1
}

says() { grep -q "$2" "$work/$1.log"; }
is_up() { grep "host node$1 is" "$work/schedd.log" | tail -n 1 | grep -q "is connected"; }
level() { awk '{ sub(/.*\) /, ""); print $17 }' "/proc/$1/stat"; }
is_weaker() { [ "$(level "$1")" -gt "$(level "$2")" ]; }

# CPU time in ticks: of all tasks, as the kernel counts it, and as it is booked, and in the history
used() { for j in 1 2; do for k in 1 2 3; do eval "cat /proc/\$task$j$k/stat"; done; done | awk '{ sub(/.*\) /, ""); n += $12 + $13 } END { print n }'; }
ask() { sqlite3 -readonly "$work/store" ".timeout 120000" "SELECT CAST(round(100 * ($1)) AS INTEGER)"; }
booked() { ask "SELECT sum(long_term_usage ->> 'cpu') FROM usage WHERE kind = 'user' AND name = 'ann'"; }
history() { ask "SELECT sum(cpu) FROM history WHERE user = 'ann'"; }
is_booked() { [ "$(used)" -ge 6 ] && [ "$(booked)" -ge "$(used)" ]; }
is_booked_twice() { [ "$(booked)" -ge $((2 * $(used))) ]; }
all_sleep() { for j in 1 2; do for k in 1 2 3; do eval "cat /proc/\$task$j$k/comm"; done; done | grep -cx sleep | grep -qx 6; }
[ "$(getconf CLK_TCK)" = 100 ] || { echo "a tick is not 10 ms"; exit 77; }

# ---- the network: fl$id-s has the bridge and the scheduler, fl$id-1 to -3 are hosts
space() {
	ip netns add "$1" 2>/dev/null || { echo "network namespaces cannot be made here"; exit 77; }
	spaces="$spaces $1"
	ip -n "$1" link set lo up
}
hub=fl$id-s
space "$hub"
ip -n "$hub" link add bridge type bridge && ip -n "$hub" link set bridge up && ip -n "$hub" address add 10.99.0.1/24 dev bridge ||
	{ echo "no bridges here"; exit 77; }
for k in 1 2 3; do
	space "fl$id-$k"
	ip -n "$hub" link add "port$k" type veth peer name eth netns "fl$id-$k" || { echo "no veth here"; exit 77; }
	ip -n "$hub" link set "port$k" master bridge up
	ip -n "fl$id-$k" address add "10.99.0.1$k/24" dev eth
	ip -n "fl$id-$k" link set eth up
done

# ---- the cell: on each host a task of job 1 and one of job 2
cp -r conf/default "$work/cell"
sed -i 's/^schedule_interval .*/schedule_interval 0:0:1/; s/^reprioritize_interval .*/reprioritize_interval 0:0:1/
	s/^weight_tickets_functional .*/weight_tickets_functional 0/; s/^weight_tickets_share .*/weight_tickets_share 0/' "$work/cell/sched_conf"
mkdir -p "$work/cell/users"
printf 'name ann\noticket 0\nfshare 100\ndelete_time 0\ndefault_project NONE\n' >"$work/cell/users/ann"
"$B/fairlead" keygen "$work/keys" >/dev/null || fail "no keys"
mkfifo "$work/events"
exec 9<>"$work/events"

schedd() {
	ip netns exec "$hub" "$B/fairlead-schedd" --events "$work/events" --hosts 'tcp://*:6445' --keys "$work/keys" --host-away 3 -v \
		--store "$work/store" --from-hosts usage >"$work/orders" 2>"$work/schedd.log" 9>&- &
	schedd=$!
	pids="$pids $schedd"
}

events() {	# TICKETS-OF-1 TICKETS-OF-2: a snapshot
	{
		echo '{"seq":1,"event":"snapshot_begin"}'
		for k in 1 2 3; do echo "{\"seq\":$((1 + k)),\"event\":\"queue_instance\",\"queue\":\"all.q@node$k\",\"slots\":8}"; done
		for j in 1 2; do
			eval "tickets=\$$j"
			printf '{"seq":%d,"event":"job_add","job_number":%d,"owner":"ann","submission_time":1700000000,' $((j * 4 + 1)) "$j"
			printf '"tasks":"1-3","override_tickets":%d}\n' "$tickets"
			for k in 1 2 3; do
				printf '{"seq":%d,"event":"task_start","job_number":%d,"task":%d,"start_time":1700000010,' \
					$((j * 4 + 1 + k)) "$j" "$k"
				printf '"granted":[{"queue":"all.q@node%d","slots":1}]}\n' "$k"
			done
		done
		echo '{"seq":13,"event":"snapshot_end"}'
	} >&9
}

for k in 1 2 3; do
	"$B/fairlead" keygen --host "node$k" "$work/keys" >/dev/null
	for j in 1 2; do
		mkdir -p "$work/spool$k/active_jobs/$j.$k"
		echo $((groups + j * 10 + k)) >"$work/spool$k/active_jobs/$j.$k/addgrpid"
		setsid setpriv --groups $((groups + j * 10 + k)) sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; exec sleep 1000' 9>&- &
		pids="$pids $!"
		eval "task$j$k=$!"
	done
	ip netns exec "fl$id-$k" "$B/fairlead-hostd" --scheduler tcp://10.99.0.1:6445 --keys "$work/keys" --name "node$k" --lever nice \
		--execd-spool "$work/spool$k" --interval 1 --report 1 -v 2>"$work/host$k.log" 9>&- &
	pids="$pids $!"
	hostds="$hostds $!"
done

schedd
events 3000 1000
for k in 1 2 3; do
	eval "rich=\$task1$k poor=\$task2$k"
	until_true says schedd "host node$k is connected"
	until_true is_weaker "$poor" "$rich"
done

# ---- cut off, and back
ip -n "$hub" link set port2 down
until_true says schedd "host node2 is down"
until_true says host2 "the scheduler is not connected"
until_true is_up 1		# on a busy machine one may have been late for a moment
until_true is_up 3
events 1000 3000
until_true is_weaker "$task11" "$task21"
until_true is_weaker "$task13" "$task23"
is_weaker "$task22" "$task12" || fail "the levels of the host that was cut off have changed"
: >"$work/schedd.log"
ip -n "$hub" link set port2 up
until_true says schedd "host node2 is connected"
until_true is_weaker "$task12" "$task22"

# ---- the scheduler is killed
kill -9 "$schedd"
wait "$schedd" 2>/dev/null
schedd
events 3000 1000
for k in 1 2 3; do
	eval "rich=\$task1$k poor=\$task2$k"
	until_true says schedd "host node$k is connected"
	until_true is_weaker "$poor" "$rich"
done
until_true all_sleep
until_true is_booked
echo "$(used) ticks used, $(booked) booked, $(history) in the history"
[ "$(booked)" = "$(used)" ] && [ "$(history)" = "$(used)" ] || fail "what is booked is not what was used"
kill -TERM "$schedd"
wait "$schedd"
[ $? = 0 ] || fail "the scheduler does not end well"

# ---- control
sqlite3 "$work/store" "DELETE FROM debited_task; UPDATE debited SET usage = '{}'; VACUUM"
schedd
events 3000 1000
until_true is_booked_twice
kill $hostds
for p in $hostds; do wait "$p" || fail "a fairlead-hostd ends with status $?"; done

echo "hostd_network: $failures failures"
[ "$failures" = 0 ]
