#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Command lines of the daemons: what is wrong is named, with what is expected; what is at a limit is taken.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=$(cd "${B:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset FAIRLEAD_CELL SGE_ROOT SGE_CELL
failed=0

fail() {
	echo "$*"
	failed=1
}

wrong() {	# program, what is said first, options...
	program=$1 said=$2
	shift 2
	"$B/$program" "$@" >out 2>err </dev/null
	rc=$?
	[ $rc = 2 ] || fail "$program $*: exit code $rc"
	[ ! -s out ] || fail "$program $*: something on standard output"
	[ "$(head -n 1 err)" = "$program: $said" ] || fail "$program $*: $(head -n 1 err)"
	[ "$(tail -n 1 err)" = "Try $program --help." ] || fail "$program $*: $(tail -n 1 err)"
}

# Valid options: the program stops at the missing cell or keys.
right() {	# program, options...
	program=$1
	shift
	"$B/$program" "$@" >out 2>err </dev/null
	rc=$?
	[ $rc = 3 ] || fail "$program $*: exit code $rc: $(cat err)"
}

schedd() {
	wrong fairlead-schedd "$@"
}

schedd '-c: no cell: name its directory with -c, set FAIRLEAD_CELL, or create /etc/fairlead/cell'
schedd '-c: no cell: name its directory with -c, set FAIRLEAD_CELL, or create /etc/fairlead/cell' -c ''
schedd 'cell: only options are expected' cell
seconds='whole seconds since 1970 are expected, 0..9007199254740992'
schedd "--now \"-1\": $seconds" --now -1
schedd "--now \"5 s\": $seconds" --now '5 s'
schedd "--now \"\": $seconds" --now ''
schedd "--now \"9007199254740993\": $seconds" --now 9007199254740993
schedd "--now \"99999999999999999999\": $seconds" --now 99999999999999999999
schedd '--now: only with --once' -c x --events - --now 5
schedd '--qmaster: SGE_ROOT is not set: name the cell'"'"'s directory, --qmaster=ROOT/CELL' --qmaster
schedd '--qmaster "nowhere": there is no such directory' --qmaster=nowhere
schedd '--qmaster: neither with --events nor with --local' --qmaster=. --local
schedd "--qmaster: not with -c: its cell is ROOT/CELL" --qmaster=. -c .
schedd '--shadow, --standby, --again, --audit: only with --qmaster' -c x --events - --again
schedd '--shadow: neither with --standby nor with --again: a shadow never has the scheduler role' --qmaster=. --shadow --standby
schedd '--standby: not with --once: it waits' --qmaster=. --standby --once
right fairlead-schedd --qmaster=.
for workers in 0 1025 -1 ' 2' 2x 4294967297; do
	schedd "--workers \"$workers\": a number of threads is expected, 1 to 1024" --workers "$workers"
done
schedd '--history-days "36501": a number of days is expected, 1 to 36500' --history-days=36501
schedd '--host-away "1": a number of seconds is expected, 2 to 86400' --host-away 1
for mode in 0999 0666 044 '' 1000; do
	schedd "--mode \"$mode\": octal permissions are expected: read and write for the owner, at most read for others" --mode "$mode"
done
schedd '--group "no such group": there is no such group' --group 'no such group'
schedd '--segment-bytes "1": a size from 128M to 65536G is expected, such as 2G' --segment-bytes 1
schedd '--lever "crowbar": cgroup, autogroup, nice, none or auto is expected' --local --lever crowbar
schedd '--state, --lever, --user-bytes: only with --local' -c x --lever nice
schedd '--state, --lever, --user-bytes: only with --local' -c x --user-bytes 1M
schedd '--user-bytes "1K": a size from 64K to 65536G is expected' -c x --local --user-bytes 1K
schedd '--local: not with --events: there is no qmaster but this scheduler itself' -c x --local --events -
schedd '--local: not with --once, --now or --no-dispatch' -c x --local --now 5
schedd '--events "local:x": that is --local; a file of this name is ./local:...' -c x --events local:x
schedd '--local: neither with --store nor with --hosts: it has a store, and no host but this one' -c x --local --keys y
schedd '--history-days: only with --store or --local' -c x --history-days 7
schedd '--hosts "127.0.0.1": tcp://ADDRESS:PORT is expected' --hosts 127.0.0.1
schedd '--from-hosts "all": usage, load or usage,load is expected' --from-hosts all
schedd '--hosts: needed for --keys, --from-hosts, --host-away, --munge' -c x --munge=/run/munge
right fairlead-schedd -c nowhere --once --now 9007199254740992 --workers 1024 --store x --history-days 36500 --mode 0644 --group 0 --segment-bytes 128M
right fairlead-schedd -cnowhere -v --events - --hosts tcp://127.0.0.1:1 --keys x --host-away 86400 --from-hosts load,usage --munge

hostd() {
	wrong fairlead-hostd "$@"
}

hostd '--scheduler: tcp://HOST:PORT is expected'
hostd '--scheduler "udp://a:1": tcp://HOST:PORT is expected' --scheduler udp://a:1
hostd '--keys: the directory of the keys is expected' --scheduler tcp://a:1
hostd '--interval "0": a number of seconds is expected, 1 to 3600' --interval 0
hostd '--report "3601": a number of seconds is expected, 1 to 3600' --report 3601
for nice in -21 21 - ' 1' 1.5; do
	hostd "--ptf-min-priority \"$nice\": a nice level is expected, -20 to 20" --ptf-min-priority "$nice"
done
hostd '--lever "crowbar": auto, cgroup, autogroup, nice or none is expected' --lever crowbar
right fairlead-hostd --scheduler tcp://127.0.0.1:1 --keys nowhere --interval 3600 --report 1 --ptf-max-priority -20 --ptf-min-priority 20 -v

# Every documented option is known.
for program in fairlead-schedd fairlead-hostd; do
	"$B/$program" -h >help || fail "$program -h: exit code $?"
	for option in $(grep -o -- '^  [-a-z, ]*--[a-z-]*' help | grep -o -- '--.*'); do
		"$B/$program" "$option" --no-such-option >out 2>err </dev/null	# those that need a value take that one
		! grep -q "'$option'" err || fail "$program: $option is explained, but not known"
	done
done
exit $failed
