#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file in tests/bad/events holds one broken event. It is sent between good ones. The answer must be an error
# that
# names the event's number (10) and the word after the number in the file's name: 03-slots-zero.jsonl
# must bring an answer about "slots". The good events around it must do what they do without it.
B=${B:-build}
[ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d "${FAIRLEAD_SHM:-/tmp}/XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work/shm"
mkdir "$work/shm" "$work/cell" && echo '# the defaults' >"$work/cell/sched_conf"
failures=0

before='{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":8}
{"seq":3,"event":"job_add","job_number":17,"owner":"ann","submission_time":1700000000}
{"seq":4,"event":"job_add","job_number":18,"owner":"bob","submission_time":1700000003,"tasks":"1-10"}
{"seq":5,"event":"job_add","job_number":19,"owner":"bob","submission_time":1700000003}
{"seq":6,"event":"snapshot_end"}
{"seq":7,"event":"task_start","job_number":17,"start_time":1700000010,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":8,"event":"task_start","job_number":19,"start_time":1700000010,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":9,"event":"usage","job_number":17,"scaled_usage":{"cpu":12.5,"mem":0.25,"io":0.001}}'
after='{"seq":11,"event":"job_add","job_number":30,"owner":"ann","submission_time":1700000020}
{"seq":12,"event":"task_requeue","job_number":19}
{"seq":13,"event":"job_add","job_number":31,"owner":"ann","submission_time":1700000020}'

# The stream with line 10 from standard input; leaves answers, log, and what the run counted.
run() {
	{ echo "$before"; cat; echo "$after"; } |
		"$B/fairlead-schedd" -c "$work/cell" --once --now 1700000100 -v >"$work/answers" 2>"$work/log"
	code=$?
	counted=$(sed -n 's/.*run at \(.*\); ms:.*/\1/p' "$work/log")
}

fail() {
	echo "FAIL $1: $2"
	sed 's/^/    /' "$work/answers" "$work/log" | cut -c1-300
	failures=$((failures + 1))
}

run <<-END
	{"seq":10,"event":"host_state","host":"node1","available":true}
END
expected=$counted
[ "$code" = 0 ] && [ -n "$expected" ] || fail "the good stream" "exit $code"

checked=0
for file in tests/bad/events/*/*.jsonl; do
	name=${file##*/}
	word=${name#"${name%%[!0-9]*}-"} word=${word%%[-.]*}
	run <"$file"
	error=$(grep -am 1 '"answer":"error"' "$work/answers")
	[ "$code" = 1 ] || fail "$file" "exit $code instead of 1"
	case $error in
	*'"text":"'*"$word"*) ;;
	*) fail "$file" "the answer does not name $word" ;;
	esac
	if grep -aq '^{"seq":10,' "$file"; then
		case $file:$error in
		*/submitter_edit/*:*'"request":'*) fail "$file" "a snapshot would not help" ;;
		*/submitter_edit/*:*'"seq":10,'*) ;;
		*'"seq":10,'*'"request":"snapshot"'*) ;;
		*) fail "$file" "the answer does not name the number, or asks for nothing" ;;
		esac
	fi
	[ "$counted" = "$expected" ] || fail "$file" "the run counted $counted instead of $expected"
	[ "$(tail -n 1 "$work/answers")" = '{"answer":"ack","seq":13}' ] || fail "$file" "not acknowledged up to 13"
	checked=$((checked + 1))
done
echo "$checked broken events, $failures failures"
[ "$failures" = 0 ]
