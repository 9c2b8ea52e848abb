#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The measurements about readers, small: each line of JSON has its fields, and wrong words are refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
for program in read_section visible run_under_readers; do
	[ -x "$B/bench/$program" ] || { echo "no $B/bench/$program"; exit 77; }
done
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

"$B/bench/read_section" --readers 2 --repeat 1 --json >>"$work/lines" || fail "read_section: exit status $?"
"$B/bench/visible" --json >>"$work/lines" || fail "visible: exit status $?"
"$B/bench/run_under_readers" --jobs 500 --repeat 1 --json >>"$work/lines" || fail "run_under_readers: exit status $?"
python3 - "$work/lines" <<'END_OF_PROGRAM' || fail "the lines are not as promised"
import json
import sys

FIELDS = {
    "read_section": {"scheme": str, "readers": int, "ns": float, "min_ns": float, "ratio_to_memb": float, "ratio_to_memb_call": float},
    "visible": {"readers": int, "p50_ns": int, "p99_ns": int, "max_ns": int, "min_ns": int},
    "look": {"slots": int, "p50_ns": int, "p99_ns": int, "max_ns": int, "min_ns": int},
    "run_under_readers": {"jobs": int, "readers": int, "run_ns": int, "run_ns_plain_spinners": int, "ratio": float, "cpu_ns": int,
                          "cpu_ns_plain_spinners": int, "cpu_ratio": float},
}
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    for field, kind in FIELDS[line["what"]].items():
        assert isinstance(line[field], kind), (field, line)
        assert kind is str or field in ("slots", "readers") or line[field] > 0, (field, line)
schemes = {line["scheme"]: line for line in lines if line["what"] == "read_section"}
assert len(schemes) == 9 and schemes["liburcu-memb"]["ratio_to_memb"] == 1 == schemes["liburcu-memb-call"]["ratio_to_memb_call"], schemes
assert [line["slots"] for line in lines if line["what"] == "look"] == [0, 1, 128, 512], lines
assert {0, 1, 8} <= {line["readers"] for line in lines if line["what"] == "run_under_readers"}, lines
END_OF_PROGRAM

for wrong in "read_section --readers 0" "read_section --repeat x" "visible --fast" "run_under_readers --jobs 0" "run_under_readers more"; do
	"$B/bench/"$wrong >/dev/null 2>"$work/refusal"
	[ $? = 2 ] && grep -q usage "$work/refusal" || fail "$wrong is not refused"
done

[ "$failures" = 0 ] || cat "$work/lines"
echo "bench_readers: $failures failures"
[ "$failures" = 0 ]
