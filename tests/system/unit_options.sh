#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files of /etc/fairlead explain each option of the daemons that the units do not set, and no other option. The packages have the
# version of the build, and are built with the packages that make deps installs.
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

# options FILE...: names of the options that the files explain
options() {
	sed -n 's/^# *--\([a-z-]*\)[^a-z-]*.*/\1/p' "$@" | sort -u
}

# check PROGRAM ELSEWHERE FILE...: the files explain the options of the program, except those listed in ELSEWHERE
check() {
	program=$1 elsewhere=$2 && shift 2
	"$B/$program" --help | sed -n 's/^ *\(-[a-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort -u >"$work/has"
	options "$@" >"$work/explained"
	printf '%s\n' $elsewhere | sort -u >"$work/elsewhere"
	[ "$(wc -l <"$work/has")" -gt 6 ] || fail "$program --help lists $(wc -l <"$work/has") options"
	unexplained=$(comm -23 "$work/has" "$work/explained" | comm -23 - "$work/elsewhere")
	[ -z "$unexplained" ] || fail "$*: not explained: $(echo $unexplained)"
	unknown=$(comm -13 "$work/has" "$work/explained")
	[ -z "$unknown" ] || fail "$program has no option $(echo $unknown)"
}
others="version help cell events strict local state qmaster once now"
check fairlead-schedd "$others shadow audit standby again no-dispatch store hosts keys from-hosts host-away munge" packaging/etc/local.conf
check fairlead-schedd "$others lever user-bytes" packaging/etc/qmaster.conf
check fairlead-hostd "version help scheduler keys" packaging/etc/hostd.conf
check fairlead-relay "version help keys serve from" packaging/etc/relay.conf
check fairlead-metrics "version help cell" packaging/etc/metrics.conf

version=$(sed -n 's/^VERSION *:= *//p' GNUmakefile)
[ "$(sed -n '1s/^fairlead (\([^)-]*\).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog is not of version $version"

# gcc, make, libc6-dev are on each machine that builds packages
for package in $(make -s -f GNUmakefile --eval 'print: ; @echo $(DEBIAN)' print); do
	case $package in gcc | make | libc6-dev) continue ;; esac
	grep -q "^ *\(Build-Depends: \)*$package\(:any\)*\( <!nocheck>\)*,*\$" debian/control || fail "debian/control does not build with $package"
done
echo "unit_options: $failures failures"
[ "$failures" = 0 ]
