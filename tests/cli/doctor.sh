#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead doctor memory on a scheduler that sees this machine, another one, and one that the kernel does not know of. On several real nodes
# it is tested by numa/guest.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d "${FAIRLEAD_SHM:-/dev/shm}/doctor-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL=conf/default
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# publish VARIABLE=VALUE...: a run of ten jobs; what is logged is in $work/log
publish() {
	awk 'BEGIN {
		print "{\"seq\":1,\"event\":\"snapshot_begin\"}"
		for (j = 1; j <= 10; j++)
			printf "{\"seq\":%d,\"event\":\"job_add\",\"job_number\":%d,\"owner\":\"ann\",\"job_name\":\"j\",\"submission_time\":1700000000}\n", j + 1, j
		print "{\"seq\":12,\"event\":\"snapshot_end\"}"
	}' >"$work/events"
	env "$@" "$B/fairlead-schedd" --once --now 1700000100 --events "$work/events" >"$work/answers" 2>"$work/log" ||
		fail "$*: the scheduler ends with $?: $(cat "$work/log")"
}

# doctor CODE TEXT: its exit status, and something it must say; it must not make the file larger
doctor() {
	before=$(stat -c %b "$work"/*/state)
	"$B/fairlead" doctor memory >"$work/said" 2>&1
	is=$?
	[ $is = "$1" ] && grep -q "$2" "$work/said" || fail "exit $is, not $1, or no \"$2\" in: $(cat "$work/said")"
	[ "$before" = "$(stat -c %b "$work"/*/state)" ] || fail "looking at memory has made some"
	"$B/fairlead" doctor memory --json 2>/dev/null >"$work/json"
	[ $? = "$1" ] || fail "--json ends otherwise"
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/json" || fail "this is not JSON: $(cat "$work/json")"
}

publish HWLOC_SYNTHETIC="core:2 pu:1"
doctor 0 "one node"
python3 - "$work/json" "$(stat -c %b "$work"/*/state)" <<'END' || fail "the files are not listed"
import json, sys
seen = json.load(open(sys.argv[1]))
assert seen["nodes"][0]["there"] == 512 * int(sys.argv[2]), seen
assert seen["run"]["chunks"] == 1 and seen["run"]["jobs"] == 4 << 20, seen
assert seen["where_known"] is False or sum(seen["nodes"][0]["on"].values()) + seen["nodes"][0]["elsewhere"] == seen["nodes"][0]["there"], seen
END

publish HWLOC_SYNTHETIC="numa:4 pu:1"
grep -q "planned for 4 NUMA nodes of another machine" "$work/log" || fail "the log says nothing of another machine"
"$B/fairlead" doctor memory --json 2>/dev/null | grep -q '"where_known":true' && doctor 1 "4 nodes of another machine"

if [ "$(nproc)" -gt 1 ] && [ ! -e /sys/devices/system/node/node1 ]; then
	publish HWLOC_SYNTHETIC="numa:2 pu:1" HWLOC_THISSYSTEM=1
	if grep -q "cannot bind memory to 2 NUMA nodes: " "$work/log"; then
		"$B/fairlead" doctor memory --json 2>/dev/null | grep -q '"where_known":true' && doctor 1 "could not be bound"
	else
		fail "the log does not say that memory cannot be bound: $(cat "$work/log")"
	fi
fi

# The number of nodes follows `grown`.
printf '\377\377\377\377' | dd of="$(echo "$work"/*/state)" bs=1 seek=88 conv=notrunc status=none
"$B/fairlead" doctor memory >/dev/null 2>&1
[ $? = 3 ] || fail "a plan for four billion nodes is not refused"

echo "doctor: $failures failures"
[ "$failures" = 0 ]
