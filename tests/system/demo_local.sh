#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sched/demo/local plays for some seconds on $B: its jobs run, the shares that they receive are those that the tree promises, more or less, and nothing stays
# behind.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

sched/demo/local "$B" --seconds 14 >"$work/out" 2>"$work/err" || fail "exit status $?"
[ -s "$work/err" ] && fail "it complained"
grep -q '^lever: ' "$work/out" || fail "it does not tell its lever"
grep -q ' 9 tasks for ' "$work/out" || fail "not all jobs run"
grep -q '^lever: none' "$work/out" ||
	awk '$1 == "atlas" { a = $(NF - 2) + 0 } $1 == "cosmos" { c = $(NF - 2) + 0 } END { exit !(a > 30 && c > 1 && a > 1.5 * c) }' "$work/out" ||
	fail "the projects do not get what they are promised"
shm=$(sed -n 's|^ *\. \(/.*\)/env$|\1/shm|p' "$work/out" | sort -u)
[ -n "$shm" ] && [ ! -e "$shm" ] || fail "no directory named, or it is still there"
grep -qs "FAIRLEAD_SHM=$shm" /proc/[0-9]*/environ && fail "a process of it still lives"
for directory in /proc/[0-9]*/cwd; do
	case $(readlink "$directory" 2>/dev/null) in
	"${shm%/shm}"*) fail "a job of it still runs" ;;
	esac
done
[ "$failures" = 0 ] || sed 's/^/    /' "$work/err" "$work/out" | cut -c1-160
echo "demo_local: $failures failures"
[ "$failures" = 0 ]
