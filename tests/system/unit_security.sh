#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ratings of units in fairlead-packages(7) are those of systemd-analyze, and below 4.0 for each unit that starts no jobs.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

case $(systemd-analyze --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p') in
252) ;;
*) echo "the ratings are those of systemd 252, in Debian 12"; exit 77 ;;
esac
for template in sched/*/*.service.in; do
	name=$(basename "$template" .service.in)
	case $name in *@) unit=$work/${name}instance.service ;; *) unit=$work/$name.service ;; esac
	sed 's|@prefix@|/usr|' "$template" >"$unit"
	rating=$(systemd-analyze security --offline=true "$unit" 2>&1 | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
	manual=$(sed -n "/^|  $name\$/{n;s/^:  //p}" man/fairlead-packages.7.scd)
	[ -n "$rating" ] && [ "$rating" = "$manual" ] || fail "$name has the rating $rating, and in the manual $manual"
	[ "$name" = fairlead-local ] || [ "${rating%%.*}" -lt 4 ] || fail "$name has the rating $rating"
done
echo "unit_security: $failures failures"
[ "$failures" = 0 ]
