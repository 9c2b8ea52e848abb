#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead-security(7) names the test for each promise. Each of these tests must exist.
page=man/fairlead-security.7.scd
failures=0

tests_named() {	# what stands in parentheses, between underscores
	tr '\n' ' ' <"$1" | grep -o '([^()]*)' | grep -o '_[a-z][a-z0-9_/.]*_\|_[a-z][a-zA-Z/.]*\.md_' | sed 's/^_//; s/_$//' | sort -u
}

is_there() {
	for path in "tests/$1" "tests/$1.c" "tests/$1.sh" "$1"; do
		[ -e "$path" ] && return 0
	done
	return 1
}

for name in $(tests_named "$page"); do
	is_there "$name" || { echo "FAIL $page names a test that is not there: $name"; failures=$((failures + 1)); }
done
[ "$(tests_named "$page" | wc -l)" -gt 30 ] || { echo "FAIL hardly any test was found in $page"; failures=$((failures + 1)); }
is_there hostile/nothing && { echo "FAIL a test that is not there is found"; failures=$((failures + 1)); }
for path in tests/hostile/*; do	# but for modules of theirs
	[ "${path%.py}" = "$path" ] || continue
	grep -q "_hostile/$(basename "$path")_" "$page" || { echo "FAIL $page does not name $path"; failures=$((failures + 1)); }
done
[ "$failures" = 0 ]
