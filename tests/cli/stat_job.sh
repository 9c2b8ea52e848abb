#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reasons in `fairlead stat -j` for jobs that wait because of their own attributes, as reported by the scheduler.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
mkdir "$FAIRLEAD_CELL" && echo '# the defaults' >"$FAIRLEAD_CELL/sched_conf"
failures=0

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":8}
{"seq":3,"event":"job_add","job_number":1,"owner":"ann","submission_time":1699990000}
{"seq":4,"event":"job_add","job_number":2,"owner":"ann","submission_time":1699990000,"hold":{"u":"1"}}
{"seq":5,"event":"job_add","job_number":3,"owner":"ann","submission_time":1699990000,"hold":{"o":"1"},"hold_jid":[1],"error":true}
{"seq":6,"event":"job_add","job_number":4,"owner":"ann","submission_time":1699990000,"execution_time":1700000100}
{"seq":7,"event":"job_add","job_number":5,"owner":"ann","submission_time":1699990000,"tasks":"1-9","task_concurrency":1}
{"seq":8,"event":"job_add","job_number":6,"owner":"ann","submission_time":1699990000,"error":"no such directory: /nowhere"}
{"seq":9,"event":"job_add","job_number":7,"owner":"ann","submission_time":1699990000,"ar":3}
{"seq":10,"event":"snapshot_end"}
{"seq":11,"event":"task_start","job_number":5,"task":4,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}]}
END

# says JOB SENTENCE...: its scheduling info, for people and for programs
says() {
	job=$1
	shift
	"$B/fairlead" stat -j "$job" 2>/dev/null | sed -n '/^scheduling info:/,$p' | cut -c29- >"$work/found"
	printf '%s\n' "$@" >"$work/expected"
	diff "$work/expected" "$work/found" || { echo "FAIL stat -j $job"; failures=$((failures + 1)); }
	"$B/fairlead" stat --json -j "$job" 2>/dev/null | python3 -c '
import json, sys
pending = [j for j in json.load(sys.stdin)["jobs"] if j["kind"] == "pending"]
for r in pending[0]["scheduling_info"]:
    print(r["text"])' | diff "$work/expected" - || { echo "FAIL stat --json -j $job"; failures=$((failures + 1)); }
}

says 2 "it is held (u): its owner or an operator can release it"
says 3 "it is in error state" "it is held (o): an operator can release it" "it waits for the end of job 1"
# more than one job before it; those that are gone are not waited for
"$B/fairlead" stat -j 3 2>/dev/null >"$work/job"
for line in 'jid_predecessor_list:       1' 'operator hold:              TRUE'; do
	grep -qx "$line" "$work/job" || { echo "FAIL stat -j 3 has no: $line"; cat "$work/job"; failures=$((failures + 1)); }
done
"$B/fairlead" stat -j 1 2>/dev/null | grep -qx 'jid_successor_list:         3' || { echo "FAIL the successor of job 1 is not shown"; failures=$((failures + 1)); }
"$B/fairlead" stat -j 5 2>/dev/null | grep -qx 'task_concurrency:           1' || { echo "FAIL no -tc"; failures=$((failures + 1)); }
"$B/fairlead" stat --json -j 3 2>/dev/null | grep -q '"hold":"o","predecessors":\[1\],"array_predecessors":\[\],"successors":\[\]' ||
	{ echo "FAIL no predecessors in JSON"; failures=$((failures + 1)); }
"$B/fairlead" stat -j 2>/dev/null >"$work/all"
grep -q '^scheduling info:' "$work/all" && grep -q 'it waits for the end of job 1' "$work/all" && [ "$(grep -c 'it is held (u)' "$work/all")" = 1 ] ||
	{ echo "FAIL why all jobs wait"; cat "$work/all"; failures=$((failures + 1)); }
said=$("$B/fairlead" stat -j nosuch 2>&1) && { echo "FAIL a job of no name is found"; failures=$((failures + 1)); }
[ "$said" = "fairlead: there is no job named nosuch" ] || { echo "FAIL said: $said"; failures=$((failures + 1)); }

says 6 "it is in error state: no such directory: /nowhere"
"$B/fairlead" stat -j 6 | grep -qx 'error reason          1:      no such directory: /nowhere' || { echo "FAIL no error reason as qstat has it"; failures=$((failures + 1)); }
"$B/fairlead" stat -j 3 | grep -q '^error reason' && { echo "FAIL a reason that was not reported"; failures=$((failures + 1)); }
says 4 "it must not start before 11/14/2023 22:15:00"
says 5 "as many of its tasks run as -tc and max_aj_instances allow"
[ "$("$B/fairlead" stat -j 5 2>/dev/null | grep -c '^scheduling info:')" = 1 ] || { echo "FAIL a started task says why it did not start"; failures=$((failures + 1)); }
"$B/fairlead" stat --json 2>/dev/null | grep -q scheduling_info && { echo "FAIL reasons of jobs that were not asked for"; failures=$((failures + 1)); }
"$B/fairlead" stat -j 7 2>/dev/null | grep -qx 'ar_id:                      3' || { echo "FAIL no advance reservation"; failures=$((failures + 1)); }
"$B/fairlead" stat -j 6 2>/dev/null | grep -qx 'ar_id:                      NONE' || { echo "FAIL one that nobody has asked for"; failures=$((failures + 1)); }
"$B/fairlead" stat --json 2>/dev/null | grep -q '"job_number":7,.*"ar":3,' || { echo "FAIL no advance reservation in JSON"; failures=$((failures + 1)); }
"$B/fairlead" stat --json 2>/dev/null | grep -q '"job_number":6,.*"ar":null,' || { echo "FAIL one in JSON that nobody has asked for"; failures=$((failures + 1)); }
[ $failures = 0 ]
