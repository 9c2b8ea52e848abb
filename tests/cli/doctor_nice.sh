#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead doctor nice on this machine. Where autogroups are on, the one that is chosen moves CPU time and nice alone does not. In a machine with cgroup v2
# it is tested by cgroup/guest.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] || { echo "no $B/fairlead"; exit 77; }
unset FAIRLEAD_CELL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# run OUT ERR WORD...: again if a busy processor left nothing to measure
run() {
	out=$1 err=$2
	shift 2
	for _ in $(seq 20); do
		"$B/fairlead" doctor "$@" >"$out" 2>"$err"
		is=$?
		grep -q "too busy to measure" "$err" || return
	done
}

# doctor CODE TEXT WORD...: its exit status, and something that it must say
doctor() {
	code=$1 text=$2
	shift 2
	run "$work/out" "$work/err" "$@"
	cat "$work/out" "$work/err" >"$work/said"
	[ $is = "$code" ] && grep -q "$text" "$work/said" || fail "$*: exit $is, not $code, or no \"$text\" in: $(cat "$work/said")"
}

doctor 2 "no cell is named"
doctor 2 "allowed are memory, nice, store and qmaster" neice
doctor 2 "unexpected word nice" nice nice
doctor 2 "unexpected word memory" nice memory
doctor 2 "\"foo\" is not a CPU control mechanism" nice --lever foo
doctor 2 "\"auto\" is not a CPU control mechanism" nice --lever auto
doctor 2 "needs an argument" nice --lever
doctor 2 "lever can only be used with nice" memory --lever nice
doctor 2 "no cell is named" memory

doctor 1 "moves no CPU time" nice --lever none
run "$work/json" "$work/log" nice --json
python3 - "$work/json" $is <<'END' || fail "--json ends with $is: $(cat "$work/json" "$work/log")"
import json, sys
answer, code = json.load(open(sys.argv[1])), int(sys.argv[2])
assert [l["lever"] for l in answer["levers"]] == ["cgroup", "autogroup", "nice", "none"]
assert [l["lever"] for l in answer["levers"] if l["chosen"]] == [answer["lever"]]
assert all(l["reason"] for l in answer["levers"])
assert len(answer["burners"]) == 2 and answer["wanted"] > 2
assert answer["effective"] == (code == 0)
assert answer["lever"] not in ("autogroup", "cgroup") or answer["effective"]
END
if grep -q '"lever":"autogroup","levers"' "$work/json"; then
	doctor 1 "moves no CPU time" nice --lever nice
fi

echo "doctor nice: $failures failures"
[ "$failures" = 0 ]
