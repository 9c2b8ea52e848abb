#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/versus-gridengine, where Grid Engine is installed already: figures of both systems, and nothing of it stays, even when it is stopped.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export B
for program in fairlead fairlead-schedd bench/full_run bench/events; do
	[ -x "$B/$program" ] || { echo "no $B/$program"; exit 77; }
done
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "not root"; exit 77; }
work=$(mktemp -d) && chmod 755 "$work" && mkdir "$work/tmp" || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

remains() {	# processes of the cell, and files
	grep -lz "SGE_ROOT=$work/tmp/" /proc/[0-9]*/environ 2>/dev/null
	ls -A "$work/tmp"
}

bench/versus-gridengine --jobs none >/dev/null 2>"$work/err"
[ $? = 2 ] || fail "--jobs none is not refused"

TMPDIR=$work/tmp bench/versus-gridengine --no-install --jobs 300 --users 5 --json >"$work/lines" 2>"$work/err"
status=$?
[ $status = 3 ] && { cat "$work/err"; exit 77; }
[ $status = 0 ] || fail "exit status $status"
python3 - "$work/lines" <<'END' || fail "the lines are not as promised"
import json
import re
import sys

rows = re.findall(r"^\| `(\w+)` \| (`.*`) \|$", open("bench/README.md").read(), re.M)
promised = {what: re.findall(r"`(\w+)`", members) for what, members in rows}
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    assert list(line)[1:] == promised[line["what"]], (line, promised[line["what"]])
real = lines[0]
assert real["what"] == "gridengine" and (real["jobs"], real["users"]) == (300, 5), real
assert 250 <= real["pending_jobs"] <= 300, real
assert real["profile"][-1].startswith("schedd run took") and "jobs: 300," in real["profile"][-1], real
versus = [line for line in lines if line["what"] == "versus"]
assert [line["figure"] for line in versus] == ["run", "best run", "policies", "stat", "memory", "intake"], versus
assert all(line["fairlead"] > 0 for line in versus), versus
END
[ -z "$(remains)" ] || fail "something remains: $(remains)"

TMPDIR=$work/tmp bench/versus-gridengine --no-install --jobs 20000 --users 5 >/dev/null 2>>"$work/err" &
versus=$!
for _ in $(seq 300); do	# until its qmaster runs
	[ "$(grep -lz "SGE_ROOT=$work/tmp/" /proc/[0-9]*/environ 2>/dev/null | wc -l)" -ge 2 ] && break
	sleep 0.1
done
[ -n "$(remains)" ] || fail "it has not started"
kill -TERM $versus
wait $versus
[ $? = 143 ] || fail "it was stopped and ended with $?"
for _ in $(seq 50); do
	[ -z "$(remains)" ] && break
	sleep 0.1
done
[ -z "$(remains)" ] || fail "it was stopped, but something remains: $(remains)"

[ "$failures" = 0 ] || cat "$work/err" "$work/lines"
echo "versus_gridengine: $failures failures"
[ "$failures" = 0 ]
