#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/versus-slurm, where Slurm is installed already: figures of both systems, and nothing of it stays, even when it is stopped.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export B
for program in fairlead bench/multifactor; do
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
	grep -lz "SLURM_CONF=$work/tmp/" /proc/[0-9]*/environ 2>/dev/null
	ls -A "$work/tmp"
}

bench/versus-slurm --jobs none >/dev/null 2>"$work/err"
[ $? = 2 ] || fail "--jobs none is not refused"

TMPDIR=$work/tmp bench/versus-slurm --no-install --jobs 500 --users 20 --passes 1 --json >"$work/lines" 2>"$work/err"
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
assert real["what"] == "slurm" and (real["jobs"], real["users"], real["pending_jobs"], real["sprio_lines"]) == (500, 20, 500, 500), real
assert 0 < real["best_pass_ns_per_job"] <= real["pass_ns_per_job"], real
versus = [line for line in lines if line["what"] == "versus_slurm"]
assert [line["figure"] for line in versus] == ["pass", "whole run", "prio", "stat", "share"], versus
assert all(line["slurm"] > 0 and line["fairlead"] > 0 for line in versus), versus
END
[ -z "$(remains)" ] || fail "something remains: $(remains)"

TMPDIR=$work/tmp bench/versus-slurm --no-install --jobs 500 --users 20 >/dev/null 2>>"$work/err" &
versus=$!
for _ in $(seq 300); do	# until its controller runs
	grep -lz "SLURM_CONF=$work/tmp/" /proc/[0-9]*/environ 2>/dev/null | sed 's/environ/comm/' | xargs -r cat 2>/dev/null | grep -q '^slurmctld$' && break
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
echo "versus_slurm: $failures failures"
[ "$failures" = 0 ]
