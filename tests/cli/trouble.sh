#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Why a cell cannot be read: each cause has words of its own, and where the user may not look the exit code says so.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
fairlead=$B/fairlead
[ -x "$fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
umask 022
work=$(mktemp -d) && bin=$(mktemp -d) && chmod 755 "$work" "$bin" && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
scheduler=
trap '[ -z "$scheduler" ] || kill -9 "$scheduler" 2>/dev/null; rm -rf "$work" "$bin" "$FAIRLEAD_SHM"' EXIT
unset FAIRLEAD_CELL
failures=0

# expect CODE TEXT ARGUMENTS...
expect() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" "$@" 2>&1 </dev/null)
	is=$?
	[ $is -eq "$code" ] && printf '%s\n' "$said" | grep -qF -e "$text" && return
	failures=$((failures + 1))
	echo "FAIL fairlead $*: exit $is, not $code, or no \"$text\" in: $said"
}

once() {
	"$B/fairlead-schedd" -c "$cell" --once --events /dev/null >"$work/log" 2>&1 || { failures=$((failures + 1)); cat "$work/log"; }
}

# bytes OCTAL...: the beginning of the state file, and what follows as it was
bytes() {
	{ printf "$1"; tail -c +$(($2 + 1)) "$work/state"; } >"$state"
}

cell=$work/cell
mkdir "$cell" "$work/empty" && echo '# the defaults' >"$cell/sched_conf" && mkdir "$work/typo" && : >"$work/typo/sched_cnf" || exit 1

# which cell
if [ ! -e /etc/fairlead/cell ]; then
	expect 2 "use -c CELL or set FAIRLEAD_CELL; there is no /etc/fairlead/cell" stat
	expect 2 "use -c CELL or set FAIRLEAD_CELL, or name it; there is no /etc/fairlead/cell" lint
fi
FAIRLEAD_CELL=$work/nowhere expect 3 "no such directory (named by FAIRLEAD_CELL)" stat

# the directory
for verb in stat tree "doctor memory" "del 1" lint; do
	expect 3 "$work/nowhere: no such cell: there is no such directory" -c "$work/nowhere" $verb
	expect 3 "$cell/sched_conf: no such cell: it is not a directory" -c "$cell/sched_conf" $verb
done
expect 3 "$work/empty: not a cell: there is no sched_conf, slurm.conf or condor_config" -c "$work/empty" stat
expect 3 "$work/empty: not a cell" -c "$work/empty" submit -- true
expect 1 "$work/empty: fault: not a cell" lint "$work/empty"
expect 1 "$work/typo/sched_cnf: fault: not a part of a cell: is sched_conf meant?" lint "$work/typo"
"$B/fairlead-schedd" -c "$work/typo" --once --events /dev/null >"$work/log" 2>&1
[ $? -eq 3 ] && grep -q 'is sched_conf meant?' "$work/log" || { failures=$((failures + 1)); echo "FAIL a scheduler takes it"; }
if [ "$(id -u)" = 0 ]; then	# with a copy of the program that another user can reach
	cp "$fairlead" "$bin/fairlead" && chmod 755 "$bin/fairlead"
	chmod 700 "$cell"
	for verb in stat "del 1" lint; do
		said=$(setpriv --reuid 65534 --clear-groups "$bin/fairlead" -c "$cell" $verb 2>&1 </dev/null)
		[ $? -eq 4 ] && echo "$said" | grep -q "this user may not search the cell's directory" || {
			failures=$((failures + 1))
			echo "FAIL $verb, not searchable: $said"
		}
	done
	chmod 755 "$cell"
fi

# shared memory
expect 3 "$cell: no scheduler has published in $FAIRLEAD_SHM yet" -c "$cell" stat
FAIRLEAD_SHM=/nonexistent expect 3 "there is no directory /nonexistent, which FAIRLEAD_SHM names" -c "$cell" stat
FAIRLEAD_SHM=/nonexistent expect 3 "there is no directory /nonexistent, which FAIRLEAD_SHM names" -c "$cell" del 1
mkfifo "$work/events"
"$B/fairlead-schedd" -c "$cell" --events "$work/events" >"$work/log" 2>&1 &
scheduler=$!
exec 3>"$work/events"
for _ in $(seq 2400); do [ -e "$(echo "$FAIRLEAD_SHM"/*/state)" ] && break; sleep 0.05; done
state=$(echo "$FAIRLEAD_SHM"/*/state)
mv "$state" "$state.new"	# as before its first publication
expect 3 "a scheduler is starting and has not published yet" -c "$cell" stat
kill -9 "$scheduler" && wait "$scheduler" 2>/dev/null
exec 3>&-
scheduler=
expect 3 "the last one ended before its first run" -c "$cell" stat

# what lies in its place
once
expect 0 "" -c "$cell" stat
state=$(ls "$FAIRLEAD_SHM"/*/state) && cp "$state" "$work/state" || exit 1
: >"$state"
expect 3 "$state is empty" -c "$cell" stat
echo "a letter" >"$state"
expect 3 "$state is not a file of a scheduler" -c "$cell" stat
head -c 5000 "$work/state" >"$state"
expect 3 "$state is damaged: its header does not match its size of 5000 bytes" -c "$cell" stat
head -c 20 "$work/state" >"$state"
expect 3 "$state is damaged: its header does not match its size of 20 bytes" -c "$cell" stat
bytes 'daelriaf' 8
expect 3 "$state was written on a machine with another byte order" -c "$cell" stat
bytes 'fairlead\001' 9
expect 3 "is of another version than this program: it publishes layout 1 with records" -c "$cell" stat
rm "$state" && mkfifo "$state"
expect 3 "$state is not a regular file" -c "$cell" stat
rm "$state" && cp "$work/state" "$state"
expect 0 "" -c "$cell" stat

echo "trouble: $failures failures"
[ "$failures" = 0 ]
