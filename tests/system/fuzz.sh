#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The corpora of tests/fuzz/, each file once through its harness. Then the same with a harness that has a defect built in: the corpus must
# find it, or it would find none.
B=${B:-build}
[ -x "$B/tests/fuzz/events" ] || { echo "no $B/tests/fuzz/events"; exit 77; }
FAIRLEAD_SHM=$(mktemp -d "${FAIRLEAD_SHM:-/dev/shm}/f-XXXXXX") && export FAIRLEAD_SHM || exit 1
output=$FAIRLEAD_SHM/output
trap 'rm -rf "$FAIRLEAD_SHM"' EXIT
failures=0

for corpus in tests/fuzz/corpus/*; do
	harness=$(basename "$corpus")
	if "$B/tests/fuzz/$harness" "$corpus" >"$output" 2>&1; then
		echo "$harness: $(tail -n 1 "$output")"
	else
		echo "FAIL $harness: exit code $? at the last file named"
		tail -n 20 "$output"
		failures=$((failures + 1))
	fi
	if (ulimit -c 0; "$B/tests/fuzz/$harness-broken" "$corpus") >"$output" 2>&1; then
		echo "FAIL $harness: its corpus does not find a defect that was built in"
		failures=$((failures + 1))
	fi
done
[ "$failures" = 0 ]
