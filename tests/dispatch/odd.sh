#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs that ask for what makes no sense, through the programs: those that can start are ordered, of all others `fairlead stat -j` says why not.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
cp -R conf/default "$FAIRLEAD_CELL"
failures=0

job() {	# number, members behind the usual ones
	seq=$((seq + 1))
	printf '{"seq":%d,"event":"job_add","job_number":%d,"owner":"ann","submission_time":1699990000%s}\n' "$seq" "$1" "$2"
}

seq=3
{
	echo '{"seq":1,"event":"snapshot_begin"}'
	echo '{"seq":2,"event":"queue_instance","queue":"all.q@node1"}'
	echo '{"seq":3,"event":"queue_instance","queue":"lost.q@node9","slots":4}'
	job 1 ''
	job 2 ',"hard_resource_list":"gpu=-1"'
	job 3 ',"hard_resource_list":"gpu=NaN"'
	job 4 ',"hard_resource_list":"gpu=1e300"'
	job 5 ',"hard_resource_list":"gpu,nothing=7"'
	job 6 ',"hard_queue_list":"lost.q"'
	job 7 ',"hard_queue_list":"((((all.q"'
	job 8 ',"pe":"none*","pe_range":"2-"'
	job 9 ',"pe":"mpi","pe_range":"9-9999999","reserve":true'
	job 10 ',"checkpoint":"none"'
	job 11 ',"hard_resource_list":"arch=lx*"'
	job 12 ',"hard_resource_list":"gpu"'
	echo "{\"seq\":$((seq + 1)),\"event\":\"snapshot_end\"}"
} >"$work/events"
"$B/fairlead-schedd" --once --now 1700000000 <"$work/events" >"$work/answers" 2>"$work/log" || { cat "$work/answers" "$work/log"; exit 1; }

ordered=$(sed -n 's/^{"order":"start".*"job_number":\([0-9]*\),.*/\1/p' "$work/answers" | sort -n | tr '\n' ' ')
[ "$ordered" = "1 12 " ] || { echo "FAIL: ordered are $ordered"; cat "$work/answers" "$work/log"; failures=$((failures + 1)); }

says() {	# job, words
	"$B/fairlead" stat -j "$1" 2>/dev/null | sed -n '/^scheduling info:/,$p' | grep -qF "$2" && return
	echo "FAIL: stat -j $1 does not say: $2"
	"$B/fairlead" stat -j "$1" | sed -n '/^scheduling info:/,$p'
	failures=$((failures + 1))
}

says 2 "does not satisfy the request gpu=-1"
says 3 "does not satisfy the request gpu=NaN"
says 4 "not enough gpu is left"
says 5 "does not have the requested nothing=7"
says 6 "not among the requested queues lost.q"
says 7 "not among the requested queues ((((all.q"
says 8 "there is no parallel environment none*"
says 9 "too few slots were found for parallel environment mpi"
says 10 "there is no checkpointing environment none"
says 11 "does not have the requested arch=lx*"
[ $failures = 0 ]
