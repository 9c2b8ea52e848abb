#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/run on a small queue: JSON lines with the fields that bench/README.md promises, a table, refusals; nothing stays behind.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
for program in fairlead bench/full_run bench/stream; do
	[ -x "$B/$program" ] || { echo "no $B/$program"; exit 77; }
done
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
work=$(mktemp -d) && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
trap 'rm -rf "$work" "$FAIRLEAD_SHM"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

bench/run --jobs 2000 --users 50 --json >"$work/lines" 2>"$work/err" || fail "--json: exit status $?"
python3 - "$work/lines" <<'END' || fail "--json: the lines are not as promised"
import json
import sys

FIELDS = {
    "stream": {"kernel": str, "bytes": int},
    "full_run": {"policy": str, "jobs": int, "users": int, "workers": int, "ns_per_job": float, "best_ns_per_job": float,
                 "bytes_per_job": float, "shared_bytes_per_job": float, "generation_bytes_per_job": float, "cell_bytes": int,
                 "add_ns_per_job": float, "tickets_ns_per_job": float, "publish_ns_per_job": float},
    "stat": {"jobs": int, "text_ns_per_job": float, "json_ns_per_job": float},
    "limit": {"jobs": int, "copy_ns_per_job": float, "run_over_copy": float, "publish_over_copy": float},
}
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [line["what"] for line in lines] == ["stream"] * 3 + ["full_run", "stat", "limit"], lines
for line in lines:
    for field, kind in FIELDS[line["what"]].items():
        assert isinstance(line[field], kind), (field, line)
        assert kind is str or line[field] > 0, (field, line)
run = lines[3]
assert (run["policy"], run["jobs"], run["users"], run["workers"]) == ("default", 2000, 50, 1), run
assert run["best_ns_per_job"] <= run["ns_per_job"], run
assert run["generation_bytes_per_job"] < run["shared_bytes_per_job"] <= run["bytes_per_job"] < 100000, run
END

bench/run --jobs 2000 --users 50 >"$work/table" 2>>"$work/err" || fail "table: exit status $?"
grep -q '^  full run .* ns/job' "$work/table" || fail "table: no full run"
grep -q '^  memory .* B/job' "$work/table" || fail "table: no memory"
bench/run --jobs 2000 --workers 2 >/dev/null 2>"$work/refusal"
[ $? = 2 ] && grep -q -e '--workers' "$work/refusal" || fail "--workers 2 is not refused"
B=$work bench/run --jobs 2000 >/dev/null 2>"$work/refusal" && fail "it ran without programs"
grep -q 'make bench' "$work/refusal" || fail "it does not say how to build what is missing"
[ -z "$(ls -A "$FAIRLEAD_SHM")" ] || fail "something stayed behind in FAIRLEAD_SHM"

[ "$failures" = 0 ] || cat "$work/err" "$work/lines"
echo "bench: $failures failures"
[ "$failures" = 0 ]
