#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sched/demo/qmaster plays for some seconds on $B: priorities are printed and change, tasks start as ordered, neither side refuses anything,
# and nothing stays behind.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# The rows under NEXT IN LINE of all pictures.
pending() {
	awk '/^NEXT IN LINE/ { on = 1; getline; next } /^$/ { on = 0 } on' "$work/out"
}

sched/demo/qmaster "$B" --seconds 8 >"$work/out" 2>"$work/err"
code=$?
[ "$code" = 0 ] || fail "exit status $code"
[ -s "$work/err" ] && fail "it complained"
grep -q '"answer":"error"' "$work/out" "$work/err" && fail "the scheduler refused an event"
grep -q 'errors: 0$' "$work/out" || fail "no count of errors"
[ "$(pending | awk '$2 ~ /^[0-9]+\.[0-9]+$/ && $2 > 0' | wc -l)" -ge 20 ] || fail "too few priorities"
pending | awk '$3 ~ /^[0-9]/ && $2 != $3 { moved = 1 } END { exit !moved }' || fail "no priority has moved"
grep -q '^RUNNING' "$work/out" || fail "no task was started"
grep -Eq '; [1-9][0-9]* orders obeyed, 0 refused; errors: 0$' "$work/out" || fail "no orders, or some were refused"
grep -q '^ *science .*[#|]' "$work/out" || fail "no share tree"

shm=$(sed -n 's/^ *export FAIRLEAD_SHM=//p' "$work/out" | sort -u)
[ -n "$shm" ] && [ "$(echo "$shm" | wc -l)" = 1 ] || fail "it does not say where its shared memory is"
if [ -n "$shm" ]; then
	[ -e "$shm" ] && fail "$shm is still there"
	grep -qs "FAIRLEAD_SHM=$shm" /proc/[0-9]*/environ && fail "a process of it still lives"
fi

[ "$failures" = 0 ] || sed 's/^/    /' "$work/err" "$work/out" | cut -c1-160
echo "demo: $failures failures"
[ "$failures" = 0 ]
