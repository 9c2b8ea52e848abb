#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The directory of the published files is a small tmpfs that another program fills. The scheduler must say that shared memory is full, stay
# alive, and keep the last run for all readers, new ones too. With room it must continue. A scheduler that starts meanwhile must say
# why it cannot. Needs root, to mount.
#
# First a scheduler that does not ask for memory before it uses it (tests/preload/populate.c) must be found to die of that.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
if [ "${1:-}" != flawed ]; then
	[ -e "$B/tests/preload/populate.so" ] || { echo "no $B/tests/preload/populate.so"; exit 77; }
	said=$(B=$B sh tests/shm/full.sh flawed)
	case $? in
	77) echo "$said"; exit 77 ;;
	0) echo "FAIL a scheduler that does not ask for memory passes"; exit 1 ;;
	esac
	echo "$said" | grep -q 'FAIL full: the scheduler has ended' || { echo "$said"; echo "FAIL it is not found that it has ended"; exit 1; }
fi
flaw=${1:+$PWD/$B/tests/preload/populate.so}
case $B in /*) flaw=${1:+$B/tests/preload/populate.so} ;; esac
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
export FAIRLEAD_SHM="$work/shm" FAIRLEAD_CELL="$work/cell"
scheduler=
finish() {
	[ -z "$scheduler" ] || { kill -KILL "$scheduler"; wait "$scheduler"; } 2>/dev/null
	umount "$FAIRLEAD_SHM" 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
mkdir "$FAIRLEAD_SHM" "$FAIRLEAD_CELL" && echo '# the defaults' >"$FAIRLEAD_CELL/sched_conf"
mount -t tmpfs -o size=72m fairlead-test "$FAIRLEAD_SHM" 2>/dev/null || { echo "cannot mount a tmpfs"; exit 77; }
mkfifo "$work/events"
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

start() {
	LD_PRELOAD="$flaw" "$B/fairlead-schedd" --events "$work/events" >"$work/answers" 2>"$work/log" &
	scheduler=$!
}

alive() {
	kill -0 "$scheduler" 2>/dev/null || { fail "$1: the scheduler has ended"; scheduler=; }
}

# wait_for WHAT COMMAND...: until it succeeds; two minutes are never.
wait_for() {
	what=$1 tries=0
	shift
	until "$@"; do
		[ -z "$flaw" ] || kill -0 "$scheduler" 2>/dev/null || return	# what is looked for has come
		tries=$((tries + 1))
		[ $tries -lt 2400 ] || { fail "$what does not come"; return; }
		sleep 0.05
	done
}

# snapshot JOBS [NAME]: with this name, else each with one of its own, so that strings need memory, too. Numbered on from the last one.
seq=0
snapshot() {
	awk -v jobs="$1" -v seq="$seq" -v name="${2:-}" 'BEGIN {
		printf "{\"seq\":%d,\"event\":\"snapshot_begin\"}\n", ++seq
		for (j = 1; j <= jobs; j++)
			printf "{\"seq\":%d,\"event\":\"job_add\",\"job_number\":%d,\"owner\":\"ann\",\"job_name\":\"%s\"," \
			       "\"submission_time\":1700000000}\n", ++seq, j, name ? name : "a-long-name-of-job-" j
		printf "{\"seq\":%d,\"event\":\"snapshot_end\"}\n", ++seq
	}' >&3
	seq=$((seq + $1 + 2))
}

shows() {
	"$B/fairlead" stat --json 2>"$work/reader" | grep -q "^{\"run\":.*\"pending\":$1,"
}

acknowledged() {
	grep -q "{\"answer\":\"ack\",\"seq\":$seq}" "$work/answers"
}

fill() {
	head -c 100m /dev/zero >"$FAIRLEAD_SHM/filler" 2>/dev/null
}

# as many runs as there are buffers, so that each has its memory, and so many that none is in reserve
start
exec 3>"$work/events"
for jobs in $(seq 101 124); do
	snapshot $jobs
	wait_for "a snapshot" shows $jobs
done

# more jobs than there is room for
fill
snapshot 200000 all-alike
wait_for "an answer to what does not fit" acknowledged
alive "full"
[ -z "$flaw" ] || { echo "shm_full: flawed, $failures failures"; exit $((failures > 0)); }
grep -q 'not published: .*no room in shared memory' "$work/log" || fail "it does not say that shared memory is full"
grep -q '"answer":"error"' "$work/answers" && fail "jobs are refused though only readers cannot be shown them"
shows 124 || fail "readers do not see the last run"
snapshot 200000
wait_for "an answer to names that do not fit" acknowledged
alive "full of names"
grep -q '"answer":"error"' "$work/answers" || fail "jobs whose names have no room are not refused"

# what needs no more than before is published still
for jobs in 96 95 94 93 92; do
	snapshot $jobs
	wait_for "a run that needs no more room" shows $jobs
	alive "little room"
done

rm "$FAIRLEAD_SHM/filler"
snapshot 200000
wait_for "all jobs, with room" shows 200000
alive "room"
[ -z "$(find "$FAIRLEAD_SHM" -name '*.new')" ] || fail "something stayed behind"

# a successor that finds no room
kill -KILL "$scheduler"
wait "$scheduler" 2>/dev/null
scheduler=
fill
"$B/fairlead-schedd" --once --events /dev/null >"$work/answers" 2>"$work/refusal"
code=$?
[ $code = 5 ] || fail "without room a scheduler starts with $code instead of 5"
grep -q "no room in shared memory: .* MiB left, .* needed: mount -o remount,size=128M $FAIRLEAD_SHM, or set FAIRLEAD_SHM" "$work/refusal" ||
	fail "it does not say what is there, what is needed and what helps: $(cat "$work/refusal")"
shows 200000 || fail "readers do not see the last run of the dead one"
[ -z "$(find "$FAIRLEAD_SHM" -name '*.new')" ] || fail "it left something behind"
rm "$FAIRLEAD_SHM/filler"
"$B/fairlead-schedd" --once --events /dev/null >"$work/answers" 2>>"$work/refusal" || fail "with room a scheduler does not start"
shows 0 || fail "readers do not see its run"

# one for which there was never room, nor for its first run
umount "$FAIRLEAD_SHM"
for size in 40k 200k 1m; do
	mount -t tmpfs -o size=$size fairlead-test "$FAIRLEAD_SHM" || exit 1
	seq=0
	{ snapshot 20000 all-alike; } 3>"$work/jobs"
	"$B/fairlead-schedd" --once --events "$work/jobs" >"$work/answers" 2>"$work/refusal" && fail "20000 jobs in $size"
	grep -q "no room in shared memory: .* needed: mount -o remount,size=64M $FAIRLEAD_SHM" "$work/refusal" ||
		grep -q '"answer":"error"' "$work/answers" || fail "$size: it says $(cat "$work/refusal")"
	grep -q "previous run" "$work/refusal" && fail "$size: there was no run before: $(cat "$work/refusal")"
	"$B/fairlead" stat 2>&1 | grep -q "ended before its first run; read its log" || fail "$size: a reader gets $("$B/fairlead" stat 2>&1)"
	umount "$FAIRLEAD_SHM"
done
FAIRLEAD_SHM=/nonexistent "$B/fairlead-schedd" --once --events /dev/null 2>&1 | grep -q "there is no directory /nonexistent, where FAIRLEAD_SHM says" ||
	fail "a wrong FAIRLEAD_SHM is not named"

[ "$failures" = 0 ] || sed 's/^/    /' "$work/log" "$work/refusal" "$work/reader" | cut -c1-200 | head -n 40
echo "shm_full: $failures failures"
[ "$failures" = 0 ]
