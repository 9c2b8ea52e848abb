#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead clean takes away what ended schedulers have left, and nothing else: not what is a living one's, another user's, or nobody's that we
# know.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
fairlead=$B/fairlead
[ -x "$fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $fairlead or $B/fairlead-schedd"; exit 77; }
umask 022
work=$(mktemp -d) && bin=$(mktemp -d) && chmod 755 "$work" "$bin" && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
chmod 1777 "$FAIRLEAD_SHM"
unset FAIRLEAD_CELL
scheduler=
trap '[ -z "$scheduler" ] || kill -9 "$scheduler" 2>/dev/null; rm -rf "$work" "$bin" "$FAIRLEAD_SHM"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# clean CODE TEXT ARGUMENTS...
clean() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" clean "$@" 2>&1)
	is=$?
	[ $is -eq "$code" ] && echo "$said" | grep -q -e "$text" || fail "clean $*: exit $is, not $code, or no \"$text\" in: $said"
}

left() {	# how many directories of a cell of this name are there
	ls -d "$FAIRLEAD_SHM/fairlead-$1"-* 2>/dev/null | wc -l
}

for cell in dead killed alive mixed other; do mkdir "$work/$cell" && echo '# the defaults' >"$work/$cell/sched_conf"; done
for cell in dead mixed other; do "$B/fairlead-schedd" -c "$work/$cell" --once --events /dev/null >"$work/log" 2>&1 || fail "$(cat "$work/log")"; done
mkfifo "$work/events"
start() {
	"$B/fairlead-schedd" -c "$work/$1" --events "$work/events" >"$work/answers" 2>"$work/log" &
	scheduler=$!
	exec 3>"$work/events"
	for _ in $(seq 2400); do "$fairlead" -c "$work/$1" stat >/dev/null 2>&1 && return; sleep 0.05; done
	fail "the scheduler of $1 does not publish: $(cat "$work/log")"
}
start killed
kill -9 "$scheduler"
wait "$scheduler" 2>/dev/null
exec 3>&-
start alive
: >"$(echo "$FAIRLEAD_SHM"/fairlead-mixed-*)/diary"
mkdir "$FAIRLEAD_SHM/fairlead-pipe-0123456789abcdef" && mkfifo "$FAIRLEAD_SHM/fairlead-pipe-0123456789abcdef/lock"
clean 0 "fairlead-pipe-[0-9a-f]* has files that no scheduler makes" --dry-run
rm -r "$FAIRLEAD_SHM/fairlead-pipe-0123456789abcdef"
mkdir "$FAIRLEAD_SHM/fairlead-mine" "$FAIRLEAD_SHM/fairlead-x-0123456789abcdeg" && : >"$FAIRLEAD_SHM/fairlead-y-0123456789abcdef"

before=$(ls -R "$FAIRLEAD_SHM")
clean 0 "would free .* MiB  fairlead-dead-[0-9a-f]*, process [0-9]*$" --dry-run
clean 0 "^$FAIRLEAD_SHM: would free .* MiB of 3 ended schedulers; 1 runs$" --dry-run
[ "$(ls -R "$FAIRLEAD_SHM")" = "$before" ] || fail "--dry-run changes something"
clean 0 "would free .* of 1 ended scheduler$" --dry-run "$work/dead"
clean 3 "nowhere: no such cell" "$work/nowhere"
clean 2 "unexpected word" "$work/dead" more

if [ "$(id -u)" = 0 ]; then	# with a copy of the program that another user can reach
	cp "$fairlead" "$bin/fairlead" && chmod 755 "$bin/fairlead"
	said=$(setpriv --reuid 65534 --clear-groups "$bin/fairlead" clean 2>&1)
	[ $? = 0 ] && echo "$said" | grep -q "freed 0.0 MiB of 0 ended schedulers; 6 belong to other users" || fail "another user: $said"
	[ "$(ls -R "$FAIRLEAD_SHM")" = "$before" ] || fail "another user takes something away"
fi

clean 0 "^freed .* MiB  fairlead-other-" "$work/other"
[ "$(left other)$(left dead)" = 01 ] || fail "of one cell: $(ls "$FAIRLEAD_SHM")"
clean 0 "fairlead-mixed-[0-9a-f]* has files that no scheduler makes" --dry-run
clean 0 "fairlead-y-0123456789abcdef has files that no scheduler makes" --dry-run
clean 0 "of 2 ended schedulers; 1 runs$"
[ "$(left dead)$(left killed)$(left alive)$(left mixed)" = 0011 ] || fail "what is left: $(ls "$FAIRLEAD_SHM")"
[ -d "$FAIRLEAD_SHM/fairlead-mine" ] && [ -e "$FAIRLEAD_SHM/fairlead-y-0123456789abcdef" ] || fail "what is no cell's is gone"
[ "$(ls "$FAIRLEAD_SHM" | wc -l)" = 5 ] || fail "something is left behind: $(ls "$FAIRLEAD_SHM")"
"$fairlead" -c "$work/alive" stat >/dev/null || fail "the segment of the living scheduler cannot be read"
kill -0 "$scheduler" || fail "the living one does not live"
"$B/fairlead-schedd" -c "$work/dead" --once --events /dev/null >"$work/log" 2>&1 || fail "afterwards a scheduler does not start: $(cat "$work/log")"
[ "$(left dead)" = 1 ] || fail "it does not publish"

echo "clean: $failures failures"
[ "$failures" = 0 ]
