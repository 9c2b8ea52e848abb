#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# golden.sh [CASE...]: what `fairlead stat` and `fairlead tree` print is what qstat and sge_share_mon printed at that moment.
#
# tests/reference/run lets the scheduler compute each recorded case (default: all of them) and calls this script again with
# FAIRLEAD_CELL, FAIRLEAD_SHM and CASE set. Exit status: 0 equal, 1 different. $B is the build directory.
#
# Not compared:
#   JB_jobshare         the recorded one is not the job's share
#   hard_request        qstat shows values as the qmaster rewrote them, and a contribution of each
#   usage of tasks      the replayed events have the booked usage, not the reports of each task
#   suspended rows      keep values of a run that was not recorded
#   jobs of case 26     qstat shows the tickets of those queue entries only in which a slave task runs
#   times of the tree   the tool ran after the scheduler, and users whom a run has not touched keep an older one there: their
#                       usage, not decayed, may be a little larger than here
#   job_count and target shares of the tree   the recorded ones are mostly zeros
#   order of users below `default`            here by name, there as the qmaster's list had them
set -u
cd "$(dirname "$0")/../.." || exit 1
fairlead=${B:-build}/fairlead
export TZ=UTC LC_ALL=C

# same WHAT RECORDED OURS: the texts are equal
same() {
	[ "$2" = "$3" ] && return
	failed=1
	echo "$(basename "$CASE"): $1 differs:"
	printf '%s\n' "$2" >"$scratch/recorded"
	printf '%s\n' "$3" >"$scratch/ours"
	diff "$scratch/recorded" "$scratch/ours" | head -n 8
}

table() {
	grep -v ' s     *[0-9][0-9]/[0-9][0-9]/' "$@" |
		sed -E 's/^(.{180})([0-9]+:..:..:.. +[0-9.]+ [0-9.]+ |NA         NA      NA      )/\1usage /'
}

document() {
	awk '/<job_list/ { row = ""; suspended = 0 }
	     { gsub(/<JB_jobshare>.*</, "<JB_jobshare><"); sub(/<hard_request.*/, "<hard_request>") }
	     /<state>s</ { suspended = 1 }
	     !/<(cpu|mem|io)_usage>/ { row = row $0 "\n" }
	     /<\/job_list|_info>/ { if (!suspended) printf "%s", row; row = ""; suspended = 0 }' "$@"
}

shares() {
	awk -F'\t' 'NF > 1 { $1 = $2 = $7 = $10 = $11 = ""; print }' "$@" | sort
}

# Numbers of the second text that are less than 1 % off become those of the first. All other text is unchanged.
nearly() {
	{ printf '%s\n' "$1" ""; printf '%s\n' "$2"; } | awk '
		!second && $0 == "" { second = 1; next }
		!second { recorded[++n] = $0; next }
		{ words = split(recorded[++m], a)
		  line = $0
		  if (words == NF) {
			for (k = 1; k <= NF; k++)
				if ($k != a[k] && $k ~ /^[0-9.]+$/ && a[k] ~ /^[0-9.]+$/ && ($k - a[k]) ^ 2 < (a[k] / 100) ^ 2)
					$k = a[k]
			same = 1
			for (k = 1; k <= NF; k++)
				same = same && $k == a[k]
			if (same)
				line = recorded[m]
		  }
		  print line }'
}

compare() {
	raw=$CASE/raw
	case $CASE in
	*26-tight-pe-slaves) ;;
	*)
		same qstat "$(table "$raw/qstat.txt")" "$("$fairlead" stat | table)"
		same "qstat -ext -urg -pri" "$(table "$raw/qstat-ext-urg-pri.txt")" "$("$fairlead" stat -ext -urg -pri | table)"
		same "qstat -xml" "$(document "$raw/qstat.xml")" "$("$fairlead" stat -xml | document)"
		same "qstat -ext -urg -pri -xml" "$(document "$raw/qstat-ext-urg-pri.xml")" \
			"$("$fairlead" stat -ext -urg -pri -xml | document)"
		same "qstat -r -xml" "$(document "$raw/qstat-ext-urg-pri-r.xml")" \
			"$("$fairlead" stat -ext -urg -pri -r -xml | document)"
		;;
	esac
	if [ -s "$raw/share_mon.txt" ]; then
		recorded=$(shares "$raw/share_mon.txt")
		same sge_share_mon "$recorded" "$(nearly "$recorded" "$("$fairlead" tree -h | shares)")"
	else
		"$fairlead" tree >/dev/null 2>&1
		same "exit status without a tree" 3 $?
	fi
}

if [ "${1-}" = --compare ]; then
	failed=0
	scratch=$(mktemp -d) || exit 1
	compare
	rm -r "$scratch"
	exit $failed
fi
[ $# -gt 0 ] || set -- tests/reference/sge/*
exec tests/reference/run --shell 'sh tests/system/golden.sh --compare' "$@"
