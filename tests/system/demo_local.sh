#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sched/demo/local runs for some seconds on $B: its jobs run, it shows what each project is promised and receives, and it leaves nothing. How near
# these shares are is measured by bench/convergence.
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

sched/demo/local "$B" --seconds 6 >"$work/out" 2>"$work/err" || fail "exit status $?"
[ -s "$work/err" ] && fail "it complained"
grep -q '^CPU control mechanism: ' "$work/out" || fail "it does not tell its lever"
grep -q ' 9 tasks for ' "$work/out" || fail "not all jobs run"
for row in 'atlas .* 60 *60.0%' 'borealis .* 30 *30.0%' 'cosmos .* 10 *10.0%'; do
	grep -q "^  $row  *[0-9.]*%  *[0-9.]*  *[0-9.]*%$" "$work/out" || fail "no row of a project with its shares, what it is promised and receives: $row"
done
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
