#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program and shared memory of different versions: the program says so and gives no numbers; a scheduler starts over.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
trap 'rm -rf "$work" "$FAIRLEAD_SHM"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

run() {	# a scheduler's life with one job; what is there before it must not be taken for its own
	mkfifo "$work/events"
	timeout 120 "$B/fairlead-schedd" -c conf/default --events - <"$work/events" >"$work/answers" 2>"$work/log" &
	scheduler=$!
	exec 3>"$work/events"
	printf '{"seq":1,"event":"snapshot_begin"}\n{"seq":2,"event":"job_add","job_number":1,"owner":"%s","submission_time":1700000000}\n%s\n' \
		"$1" '{"seq":3,"event":"snapshot_end"}' >&3
	tries=0
	until "$B/fairlead" -c conf/default stat 2>/dev/null | grep -q "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 2400 ] || { fail "the run of $1 does not come: $(cat "$work/log")"; break; }
		sleep 0.05
	done
	kill "$scheduler"
	wait "$scheduler"
	exec 3>&-
	rm "$work/events"
}

set_version() {	# byte
	printf "$1" | dd of="$(ls "$FAIRLEAD_SHM"/*/state)" bs=1 seek=8 conv=notrunc status=none
}

refused() {	# what
	"$B/fairlead" -c conf/default stat >"$work/out" 2>"$work/err"
	code=$?
	[ $code = 3 ] || fail "$1: exit status $code"
	[ ! -s "$work/out" ] || fail "$1: it prints numbers all the same"
	grep -q 'another version' "$work/err" || fail "$1: it says $(cat "$work/err")"
}

run ann
set_version '\377'
refused "state file of another version"
run bob
[ "$(ls "$FAIRLEAD_SHM" | wc -l)" = 1 ] && [ "$(ls "$FAIRLEAD_SHM"/* | wc -l)" = 2 ] || fail "not a directory and two files: $(ls -R "$FAIRLEAD_SHM")"

echo "version: $failures failures"
[ "$failures" = 0 ]
