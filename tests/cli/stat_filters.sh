#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which jobs `fairlead stat` shows with -q, -l, -pe, -U, -s, -g, -P, -N and --me, in each format.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
failures=0

# all.q on both hosts, with the parallel environments; short.q on node2 alone, for physicists, of at most an hour
umask 022	# a configuration that other users may not read is not published
cp -r conf/default "$FAIRLEAD_CELL" && chmod -R a+rX "$FAIRLEAD_CELL"
sed 's/^qname .*/qname short.q/; s/^hostlist .*/hostlist node2/; s/^pe_list .*/pe_list NONE/; s/^user_lists .*/user_lists physics/; s/^h_rt .*/h_rt 1:00:00/' \
	conf/default/queue/all.q >"$FAIRLEAD_CELL/queue/short.q"
me=$(id -un)

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<END || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":3}
{"seq":3,"event":"queue_instance","queue":"all.q@node2","slots":4}
{"seq":4,"event":"queue_instance","queue":"short.q@node2","slots":4,"state":"d"}
{"seq":5,"event":"job_add","job_number":1,"owner":"ann","job_name":"run","project":"atlas","submission_time":1699990000}
{"seq":6,"event":"job_add","job_number":2,"owner":"ann","job_name":"wide","submission_time":1699990000,"pe":"mpi","pe_range":"4"}
{"seq":7,"event":"job_add","job_number":3,"owner":"bob","job_name":"users","submission_time":1699990001,"hold":{"u":"1"},"hard_resource_list":"h_rt=600"}
{"seq":8,"event":"job_add","job_number":4,"owner":"bob","job_name":"both","project":"cosmos","submission_time":1699990002,"hold":{"o":"1","s":"1"},"hard_resource_list":"h_rt=7200"}
{"seq":9,"event":"job_add","job_number":5,"owner":"fay","job_name":"after","submission_time":1699990003,"hold_jid":[1]}
{"seq":10,"event":"job_add","job_number":6,"owner":"fay","job_name":"later","submission_time":1699990004,"execution_time":1700000100}
{"seq":11,"event":"job_add","job_number":7,"owner":"$me","job_name":"array","submission_time":1699990005,"tasks":"1-9:2","hold":{"u":"3-5:2"},"hard_queue_list":"all.q@node1"}
{"seq":12,"event":"snapshot_end"}
{"seq":13,"event":"task_start","job_number":1,"task":1,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":14,"event":"task_start","job_number":2,"task":1,"start_time":1699999000,"granted_pe":"mpi","granted":[{"queue":"all.q@node2","slots":2},{"queue":"all.q@node1","slots":2}]}
END
grep -q '"answer":"refused"' "$work/answers" && { cat "$work/answers"; exit 1; }

# jobs OPTIONS...: their numbers, in order, each row of an array
jobs() {
	"$B/fairlead" stat "$@" 2>"$work/said" | awk 'NR > 2 { printf "%s%s", seen++ ? " " : "", $1 }'
}

# shows NUMBERS OPTIONS...
shows() {
	expected=$1
	shift
	found=$(jobs "$@")
	[ "$found" = "$expected" ] || { echo "FAIL stat $*: $found, not $expected"; failures=$((failures + 1)); }
	[ -s "$work/said" ] && grep -v 'has ended; this is its last run' "$work/said" && failures=$((failures + 1))
	found=$("$B/fairlead" stat --json "$@" 2>/dev/null | python3 -c 'import json, sys; print(*[j["job_number"] for j in json.load(sys.stdin)["jobs"]])')
	[ "$found" = "$expected" ] || { echo "FAIL stat --json $*: $found, not $expected"; failures=$((failures + 1)); }
	found=$("$B/fairlead" stat -xml "$@" 2>/dev/null | sed -n 's|.*<JB_job_number>\(.*\)</.*|\1|p' | paste -sd' ')
	[ "$found" = "$expected" ] || { echo "FAIL stat -xml $*: $found, not $expected"; failures=$((failures + 1)); }
}

# refuses CODE TEXT OPTIONS...
refuses() {
	code=$1 text=$2
	shift 2
	said=$("$B/fairlead" stat "$@" 2>&1)
	is=$?
	[ $is = "$code" ] && printf '%s\n' "$said" | grep -qF -e "$text" && return
	echo "FAIL stat $*: exit $is, not $code, or no \"$text\" in: $said"
	failures=$((failures + 1))
}

shows "1 2 7 7 3 4 5 6"
# as qstat: what has its master there, and what could run there if it were empty
shows "1 7 7 3 4 5 6" -q all.q@node1
shows "2 3 4 5 6" -q '*@node2'
shows "1 2 7 7 3 4 5 6" -q 'all.q,none.q'
shows "1 2 7 7 3 4 5 6" -pe 'm*'
shows "" -q short.q -u fay			# who is no physicist
shows "3" -q short.q -u bob			# job 4 wants two hours
refuses 3 "-q none.q: no queue instance matches; there are 3" -q none.q
refuses 3 "-pe none: no queue instance matches" -pe none
refuses 2 'there is no resource "frobs"' -l frobs=1
# queues that offer it
shows "1 2 7 7 3 4 5 6" -l h_rt=7200
shows "2 3 4 5 6" -l hostname=node2
refuses 0 "-l hostname=node9: no queue instance matches" -l hostname=node9
# queues that a user may use
shows "1 2 7 7 3 4 5 6" -U bob
refuses 3 "-U nobody: no queue instance matches" -q short.q -U nobody

shows "1 2" -s r
# those that wait for their time, too; as qstat, with p none but the held ones
shows "7 3 4 5 6" -s h
shows "7 3 4 5 6" -s ph
shows "7 3" -s hu
shows "4" -s ho
shows "4" -s hs
shows "5" -s hj
shows "6" -s ha
shows "" -s hd
shows "1 2 6" -s rhaho -u 'ann,fay'
refuses 2 "of holds hu ho hs hd hj ha" -s x

shows "1" -P atlas
shows "1 4" -P 'a*,cosmos'
shows "1 6" -N 'run,l*'
case $me in	# an ordinary user may have the name of an owner above
ann) shows "1 2 7 7" --me ;;
bob) shows "7 7 3 4" --me ;;
fay) shows "7 7 5 6" --me ;;
*) shows "7 7" --me ;;
esac
refuses 2 "needs a name" -P ,
# one row a task, of those that are meant
shows "7 7 7 7 7" -g d -N array
shows "7 7" -g d -N array -s hu
refuses 2 "d and t are allowed" -g x
exit $((failures > 0))
