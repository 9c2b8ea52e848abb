#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fairlead stat` shows an array in a row for each state that its tasks are in, as qstat does.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
mkdir "$FAIRLEAD_CELL" && echo '# the defaults' >"$FAIRLEAD_CELL/sched_conf"
failures=0

# No slot is free, so nothing starts.
"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"job_add","job_number":1,"owner":"ann","submission_time":1699990000,"tasks":"1-10","hold":{"u":"2-6:2","s":"4-5"}}
{"seq":3,"event":"tasks_enrolled","job_number":1,"tasks":"5,8,9","error":"5,9"}
{"seq":4,"event":"job_add","job_number":2,"owner":"ann","submission_time":1699990000,"tasks":"1-10","hold_jid_ad":[1]}
{"seq":5,"event":"job_add","job_number":3,"owner":"ann","submission_time":1699990000,"tasks":"1-4","hold":{"u":"1-4"}}
{"seq":6,"event":"job_add","job_number":4,"owner":"ann","submission_time":1699990000,"tasks":"1-4","hold_jid":[1]}
{"seq":7,"event":"tasks_enrolled","job_number":4,"tasks":"2","error":"2"}
{"seq":8,"event":"job_add","job_number":5,"owner":"ann","submission_time":1699990000,"tasks":"1-4","error":"disk"}
{"seq":9,"event":"job_add","job_number":6,"owner":"ann","submission_time":1699990000,"tasks":"1-3000000:3","hold":{"u":"1-1500000:3"}}
{"seq":10,"event":"task_start","job_number":1,"task":10,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":11,"event":"job_add","job_number":7,"owner":"ann","submission_time":1699990000,"tasks":"6-12","hold_jid_ad":[1]}
{"seq":12,"event":"snapshot_end"}
END

# shows JOB OPTIONS ROW...: state and tasks of each row
shows() {
	job=$1 options=$2
	shift 2
	printf '%s\n' "$@" >"$work/expected"
	"$B/fairlead" stat -u ann $options | awk -v job="$job" '$1 == job && $(NF - 4) != "r" && $(NF - 5) != "r" { print $(NF - 4), $NF }' >"$work/found"
	diff "$work/expected" "$work/found" || { echo "FAIL stat $options, job $job"; failures=$((failures + 1)); }
}

shows 1 "" "qw 1,3,7,8" "hqw 2-6:2" "Eqw 9" "Ehqw 5"
shows 2 "" "hqw 1-10:1"
shows 3 "" "hqw 1-4:1"
shows 4 "" "hqw 1,3,4" "Ehqw 2"
shows 5 "" "Eqw 1-4:1"
shows 6 "" "qw 1500001-2999998:3" "hqw 1-1499998:3"
shows 7 "" "qw 11,12" "hqw 6-10:1"
shows 1 "-s h" "hqw 2-6:2" "Ehqw 5"

"$B/fairlead" stat --json | python3 -c '
import json, sys
rows = [(j["state"], j["tasks"], j["prio"] > 0) for j in json.load(sys.stdin)["jobs"] if j["job_number"] == 1 and j["kind"] == "pending"]
print([r[0] for r in rows], [r[2] for r in rows], rows[2][1])' >"$work/found"
echo "['qw', 'hqw', 'Eqw', 'Ehqw'] [True, False, False, False] [[9, 9, 1]]" | diff - "$work/found" || { echo "FAIL stat --json"; failures=$((failures + 1)); }
[ "$failures" = 0 ]
