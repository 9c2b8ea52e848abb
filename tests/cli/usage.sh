#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cli_usage.sh: exit codes and messages of the command line. The second half runs on the segment of a recorded case.
# $B is the build directory.
set -u
cd "$(dirname "$0")/../.." || exit 1
fairlead=${B:-build}/fairlead
failed=0

# expect CODE TEXT ARGUMENTS...: the exit code, and a line of output or error output that contains the text
expect() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" "$@" 2>&1)
	is=$?
	if [ $is -ne "$code" ] || ! printf '%s\n' "$said" | grep -qF -e "$text"; then
		failed=1
		printf 'fairlead %s: exit %d, not %d, or no "%s" in: %s\n' "$*" "$is" "$code" "$text" "$said"
	fi
}

# full ARGUMENTS...: a full disk is an error
full() {
	said=$("$fairlead" "$@" 2>&1 >/dev/full)
	is=$?
	[ $is -eq 3 ] && [ -n "$said" ] && return
	failed=1
	printf 'fairlead %s >/dev/full: exit %d, "%s"\n' "$*" "$is" "$said"
}

without_scheduler() {
	unset FAIRLEAD_CELL SGE_ROOT SGE_CELL
	expect 0 "usage: fairlead" --help
	expect 0 "usage: fairlead" -h
	expect 0 "-ext" stat -h
	expect 0 "-hold_jid" submit --help
	expect 2 "needs an argument" -c /nowhere hosts -h
	expect 2 "no option --exakt" -c /nowhere explain 17 --exakt
	expect 0 "usage: fairlead" help
	expect 0 "-ext" stat --help
	expect 0 "--interval" help tree
	expect 0 "--json" help lint
	expect 0 "fairlead " --version
	expect 2 "usage: fairlead"
	expect 2 "no verb dance" dance
	expect 2 "no verb stats; did you mean stat?" stats
	expect 2 "no verb kill; did you mean fairlead del?" kill 17
	expect 2 "no verb log; did you mean fairlead stat -j JOB" log 17
	expect 2 "no verb queue; did you mean fairlead stat;" queue
	expect 3 "2: no such cell: there is no such directory; -c names a cell, and slots are requested with -pe, as -pe smp 2" submit -c 2 true
	expect 0 "usage: fairlead" -help
	expect 0 "-ext" stat -help
	expect 2 "no option -utg; did you mean -urg?" -c /nowhere stat -utg
	expect 2 "no option --jsom; did you mean --json?" -c /nowhere stat --jsom
	expect 2 "no verb dance" help dance
	expect 2 "no verb better-analyze; did you mean fairlead explain JOB" better-analyze 1
	expect 2 "no cell is named" stat
	expect 2 "-c needs" stat -c
	expect 2 "no option -Q" -c /nowhere stat -Q
	expect 2 "needs an argument" -c /nowhere stat -q
	expect 2 "needs an argument" -c /nowhere stat -u
	expect 2 "takes no argument" -c /nowhere stat --json=yes
	expect 2 "the states are" -c /nowhere stat -s x
	expect 2 "is not a number" -c /nowhere stat -j 12x
	expect 2 "is not a number" -c /nowhere stat -j -1
	expect 2 "is not a number" -c /nowhere stat -j 4294967296
	expect 2 "unexpected word" -c /nowhere stat word
	expect 2 "they are aACDduESsco" -c /nowhere queues -qs x
	expect 2 "they are aAcE" -c /nowhere queues -explain d
	expect 2 "c, d and t are allowed" -c /nowhere queues -g x
	expect 2 "named by -q all.q" -c /nowhere queues all.q
	expect 2 "named by -h node1" -c /nowhere hosts node1
	expect 2 "quotas: unexpected word" -c /nowhere quotas x
	expect 2 "needs RESOURCE=VALUE" -c /nowhere hosts -l ,
	expect 2 "needs a name" -c /nowhere quotas -u ,
	expect 2 "more than one output format" -c /nowhere stat -xml --json
	expect 2 "-r can only be used with" -c /nowhere stat -r --json
	expect 2 "-g t and -t can only be used with" -c /nowhere stat -t --json
	expect 0 "--json" help acct
	expect 2 "acct: name a cell" acct
	expect 2 "no cell is named" doctor
	expect 3 "/nowhere: no such cell" -c /nowhere doctor
	expect 2 "can only be used with nice" -c /nowhere doctor --lever nice
	expect 2 "unexpected word" -c /nowhere doctor head
	expect 2 "unexpected word" -c /nowhere doctor memory memory
	expect 2 "no option -q" -c /nowhere doctor memory -q
	expect 3 "/nowhere: no such cell" doctor --json memory -c /nowhere
	expect 2 "no field" -c /nowhere tree -f colour
	expect 2 "--bars goes neither" -c /nowhere tree --bars -x
	expect 2 "--bars goes neither" -c /nowhere tree --json --bars
	expect 2 "is not a number" -c /nowhere tree --interval 0
	expect 0 "%[.][WIDTH]LETTER" prio --help
	expect 2 '"%x" is not a column' -c /nowhere prio -o "%i %x"
	expect 2 "letters iurcYy" -c /nowhere prio --format=%5
	expect 2 "the letters are" -c /nowhere prio -S -Yz
	expect 2 "is not a number" -c /nowhere prio -j 1,x
	expect 2 "needs a name" -c /nowhere prio -u ,
	expect 2 "needs a name" -c /nowhere prio --partition=
	expect 2 "cannot be combined with --json" -c /nowhere prio --json -o %i
	expect 2 "unexpected word" -c /nowhere prio 17
	expect 2 "no option -ln" -c /nowhere prio -ln
	expect 3 "/nowhere: no such cell" prio -c /nowhere
	expect 0 "COLUMN[%WIDTH]" share --help
	expect 2 'no column "colour"' -c /nowhere share -o user,colour
	expect 2 '"0" is not a width' -c /nowhere share -o user%0
	expect 2 "needs a name" -c /nowhere share -A ,
	expect 2 "cannot be combined with --json" -c /nowhere share --json -o user
	expect 2 "unexpected word" -c /nowhere share physics
	expect 3 "/nowhere: no such cell" share -c /nowhere -a
	expect 0 "-hold_jid" submit --help
	expect 0 "JOB[.TASKS]..." help release
	expect 2 "no cell is named" submit -- true
	expect 3 "/nowhere: no such cell" -c /nowhere submit true
	expect 3 "/nowhere: no such cell" submit -c /nowhere true -c 1 --help
	expect 2 "name a job" -c /nowhere del
	expect 2 "name a job" -c /nowhere hold -h u
	expect 2 "no change is requested" -c /nowhere alter 17
	expect 3 "/nowhere: no such cell" -c /nowhere submit -- sh -c true
	own=$(mktemp -d) && cp -r conf/default/. "$own"	# no scheduler of this machine has published for this one
	expect 3 "$own: no scheduler listens for jobs there" -c "$own" del 17
	rm -r "$own"
	of_a_qmaster
	expect 3 "/nowhere: no such cell" stat -c /nowhere
	expect 3 "a?[2Jb: no such cell" stat -c "$(printf 'a\033[2Jb')"
	full --help
	full stat --help
}

# The cell of a Grid Engine without a running qmaster.
of_a_qmaster() {
	root=$(mktemp -d) && mkdir -p "$root/default/common" "$root/blue/common" && echo security_mode none | tee "$root/default/common/bootstrap" >"$root/blue/common/bootstrap"
	expect 3 "$root/default: the qmaster manages the jobs of this cell: use qdel 12 14.1-3" -c "$root/default" del 12 14.1-3
	expect 3 "use qrls 12" -c "$root/default" release 12
	expect 3 "use qhold -h u 12" hold -h u 12 -c "$root/default"
	expect 3 "use qalter -p -10 12" -c "$root/default" alter -p -10 12
	expect 3 "use qmod -rj 12" -c "$root/default" mod -rj 12
	expect 3 "use qsub" -c "$root/default" submit -- true
	expect 3 "use qsub" submit -c "$root/default" true
	expect 3 "use qrsub, qrstat or qrdel" -c "$root/default" reserve stat
	export SGE_ROOT="$root"
	expect 3 "no fairlead-schedd serves $root/default;" attach --wait 1
	expect 3 "no scheduler has published" stat
	expect 3 "$root/default: the qmaster manages the jobs of this cell: use qdel 12 (named by SGE_ROOT and SGE_CELL" del 12
	export SGE_QMASTER_PORT=1	# which a new machine has no line for in /etc/services
	expect 1 "$root/default/common/act_qmaster" doctor qmaster "$root"
	export SGE_CELL=blue
	expect 3 "$root/blue: no scheduler has published" stat
	expect 1 "$root/blue/common/act_qmaster" doctor qmaster "$root"
	unset SGE_ROOT SGE_CELL
	rm -r "$root"
}

with_scheduler() {
	expect 0 "j001" stat
	expect 0 "owner:                      ann" stat -j 1
	expect 0 '"job_number":1,' stat --json -j 1
	expect 3 "job 4711 does not exist" stat -j 1,4711
	expect 3 "no share tree" tree
	expect 3 'write "algorithm multifactor" into sched_conf' prio
	expect 3 'write "algorithm multifactor" into sched_conf' share --json
	[ -z "$("$fairlead" stat -u nobody 2>/dev/null)" ] || { failed=1; echo "stat -u nobody printed something"; }
	[ "$("$fairlead" stat -u 'a*' 2>/dev/null | grep -c ' ann ')" = 3 ] || { failed=1; echo "stat -u 'a*' is not ann's three jobs"; }
	[ -z "$("$fairlead" stat -s rsh 2>/dev/null)" ] || { failed=1; echo "stat -s rsh printed pending jobs"; }
	full stat
	full stat --json
	full stat -xml
}

if [ "${1-}" = --with-scheduler ]; then
	with_scheduler
else
	without_scheduler
	tests/reference/run --shell 'sh tests/cli/usage.sh --with-scheduler' tests/reference/sge/01-defaults || failed=1
fi
exit $failed
