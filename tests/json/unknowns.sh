#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unknown names in events: the log has each once and the event is accepted. With --strict it is refused.
B=${B:-build}
[ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead-schedd"; exit 77; }
FAIRLEAD_SHM=$(mktemp -d) && export FAIRLEAD_SHM && work=$(mktemp -d) || exit 1
trap 'rm -rf "$FAIRLEAD_SHM" "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1: $2"
	sed 's/^/    /' "$work/answers" "$work/log" | cut -c1-300
	failures=$((failures + 1))
}

# Event 3 is $1, and event 4 is the same of another job, in a cell with all kinds of objects; what else is given are
# options of the scheduler.
run() {
	event=$1
	again=$(echo "$event" | sed 's/"job_number":17/"job_number":18/')
	shift
	printf '%s\n' '{"seq":1,"event":"snapshot_begin"}' '{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":8}' \
		"{\"seq\":3,$event}" "{\"seq\":4,$again}" '{"seq":5,"event":"snapshot_end"}' |
		"$B/fairlead-schedd" -c conf/default --once --now 1700000100 "$@" >"$work/answers" 2>"$work/log"
	code=$?
}

# An event of which the log says $2, once, though it came twice.
reported() {
	run "$1"
	[ $code -eq 0 ] || fail "$2" "refused, exit code $code"
	[ "$(grep -cF "$2" "$work/log")" = 1 ] || fail "$2" "the log does not have it once"
	run "$1" --strict
	[ $code -eq 1 ] || fail "$2" "taken with --strict, exit code $code"
	grep -F '"seq":3' "$work/answers" | sed 's/\\"/"/g' | grep -qF "$2" || fail "$2" "not in the answer with --strict"
}

# An event without a message.
known() {
	run "$1" --strict
	! grep -F '"seq":3' "$work/answers" || fail "$1" "refused with --strict"
}

job='"event":"job_add","job_number":17,"owner":"ann","submission_time":1700000000'
reported "$job,\"prioriti\":3" 'job_add: "prioriti" is not one of its members; did you mean "priority"?'
reported '"event":"queue_instance","queue":"all.q@node2","state_changes":[{"state":"D","untill":5}]' '"untill" is not one of its members'
reported "$job,\"hard_resource_list\":\"foo=1\"" 'job_add: hard_resource_list: unknown resource "foo"'
reported "$job,\"soft_resource_list\":\"h_rt=lots\"" 'soft_resource_list: the value "lots" of the resource "h_rt": a duration, such as 1:30:00 or 5400 seconds, is expected'
reported "$job,\"hard_queue_list\":\"nosuch.q\"" 'hard_queue_list: it requests the unknown queue "nosuch.q"'
reported "$job,\"pe\":\"nosuch\",\"pe_range\":\"2\"" 'pe: the requested parallel environment "nosuch" does not exist'
reported "$job,\"checkpoint\":\"nosuch\"" 'checkpoint: the checkpointing environment "nosuch" does not exist'
reported "$job,\"project\":\"nosuch\"" 'project: the project "nosuch" does not exist'
reported '"event":"queue_instance","queue":"nosuch.q@node1","slots":1' 'queue_instance: queue: the cell has no queue "nosuch.q"'

# A value has a comma of its own, a pattern may match what comes later, null is absent.
known "$job,\"hard_resource_list\":\"arch=lx\\\\,x86|sol*,h_rt=1:0:0\""
known "$job,\"hard_queue_list\":\"no*.q,all.q@node1\",\"prioriti\":null"

# More different ones than a log should have.
{
	echo '{"seq":1,"event":"snapshot_begin"}'
	k=2
	while [ $k -le 200 ]; do
		echo "{\"seq\":$k,$job,\"job_number_\":$k,\"strange$k\":1}" | sed "s/\"job_number\":17/\"job_number\":$k/; s/,\"job_number_\":$k//"
		k=$((k + 1))
	done
	echo '{"seq":201,"event":"snapshot_end"}'
} | "$B/fairlead-schedd" -c conf/default --once --now 1700000100 >"$work/answers" 2>"$work/log" || fail many "refused"
[ "$(grep -c 'is not one of its members' "$work/log")" = 100 ] || fail many "the log does not have 100 of them"
[ "$(grep -c 'further ones are only counted' "$work/log")" = 1 ] || fail many "the log does not say that there are more"

[ $failures -eq 0 ]
