#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A host without a connection logs the reason for its administrator: no peer answers; the peer is not a
# scheduler; the scheduler does not know its key. The scheduler names the host of that key.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead-hostd" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead-hostd or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d /tmp/fairlead-test-XXXXXX) || exit 1
pids=
clean() {
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
mkdir "$work/shm"
export FAIRLEAD_SHM="$work/shm"
unset NOTIFY_SOCKET JOURNAL_STREAM FAIRLEAD_CELL
failures=0

until_says() {	# LOG TEXT, for two minutes
	for _ in $(seq 600); do
		grep -qF "$2" "$work/$1.log" && return 0
		sleep 0.2
	done
	echo "FAIL $1 never says: $2"
	tail -n 15 "$work/$1.log"
	failures=$((failures + 1))
	return 1
}

"$B/fairlead" keygen "$work/keys" >/dev/null && "$B/fairlead" keygen --host node1 "$work/keys" >/dev/null || { echo "FAIL keygen"; exit 1; }
"$B/fairlead" keygen "$work/others" >/dev/null

# ---- no peer
at=tcp://127.$((64 + $$ / 65536)).$(($$ / 256 % 256)).$(($$ % 256)):6445	# an address that no other test has
"$B/fairlead-hostd" --scheduler "$at" --keys "$work/keys" --name node1 --lever none \
	--execd-spool "$work/spool" --interval 1 2>"$work/hostd.log" &
hostd=$!
pids="$pids $hostd"
until_says hostd "no scheduler at $at: no process accepts the connection"

# ---- a spool that comes later, with an entry that is no task
until_says hostd "cannot search for tasks: "
mkdir -p "$work/spool/active_jobs"
until_says hostd "spool/active_jobs is readable again"
: >"$work/spool/active_jobs/odd"
until_says hostd "spool/active_jobs: 1 unexpected entries were skipped"

# ---- a scheduler that does not know this host; both say so
mkdir "$work/keys-without" && cp "$work/keys/scheduler."* "$work/keys-without" && mkdir "$work/keys-without/hosts"
"$B/fairlead-schedd" -c conf/default --events "unix:$work/socket" --hosts "$at" --keys "$work/keys-without" 2>"$work/schedd.log" &
schedd=$!
pids="$pids $schedd"
until_says hostd "does not know this host's key"
until_says schedd "of an unknown key (the last from 127.0.0.1, key $(cat "$work/keys/hosts/node1.pub"))"
kill "$schedd" && wait "$schedd"

# ---- one with another key
"$B/fairlead-schedd" -c conf/default --events "unix:$work/socket" --hosts "$at" --keys "$work/others" 2>"$work/schedd.log" &
schedd=$!
pids="$pids $schedd"
until_says hostd "its key is not that of scheduler.pub"
kill "$schedd" && wait "$schedd"

# ---- the right one: it is there, and nothing more is said
"$B/fairlead-schedd" -c conf/default --events "unix:$work/socket" --hosts "$at" --keys "$work/keys" 2>"$work/schedd.log" &
pids="$pids $!"
until_says hostd "the scheduler is connected"
until_says schedd "host node1 is connected"

# ---- SIGHUP: the keys are read again, and bad ones are refused
kill -HUP "$hostd"
until_says hostd "keys read again"
mv "$work/keys/scheduler.pub" "$work/scheduler.pub"
kill -HUP "$hostd"
until_says hostd "cannot connect with the new keys: "
until_says hostd "; the old connection is kept"
mv "$work/scheduler.pub" "$work/keys/scheduler.pub"
kill "$hostd"
wait "$hostd" || { echo "FAIL fairlead-hostd ends with status $?"; failures=$((failures + 1)); }
[ -z "$(grep "no scheduler at" "$work/hostd.log" | uniq -d)" ] || { echo "FAIL a reason twice, one behind the other:"; cat "$work/hostd.log"; failures=$((failures + 1)); }
[ $failures -eq 0 ]
