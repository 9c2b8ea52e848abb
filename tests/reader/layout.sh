#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The binary interface of libfairlead is the recorded one, and a change is found. The library exports the functions of its symbols file.
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
packaging/layout --check debian/libfairlead0.layout || fail "the interface differs from debian/libfairlead0.layout"
for change in 's/^fl_node.parent 8 4$/fl_node.parent 12 4/' '/^struct fl_run /d' 's/^int fl_end(.*/int fl_end(void)/'; do
	sed "$change" debian/libfairlead0.layout >"$work/changed"
	cmp -s debian/libfairlead0.layout "$work/changed" && fail "$change changes nothing"
	packaging/layout --check "$work/changed" >/dev/null && fail "the change is not found: $change"
done
nm -D --defined-only "$B/libfairlead.so" | awk '{ print $3 }' | sort >"$work/exported"
sed -n 's/^ \(.*\)@Base .*/\1/p' debian/libfairlead0.symbols | sort >"$work/recorded"
grep -q asan "$work/exported" || diff "$work/recorded" "$work/exported" || fail "exported symbols differ from debian/libfairlead0.symbols"
echo "layout: $failures failures"
[ "$failures" = 0 ]
