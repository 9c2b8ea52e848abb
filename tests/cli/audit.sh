#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# audit.sh: what fairlead audit says of journals, and its exit codes. $B is the build directory.
set -u
cd "$(dirname "$0")/../.." || exit 1
fairlead=${B:-build}/fairlead
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export TZ=UTC
unset FAIRLEAD_CELL
failed=0

# expect CODE TEXT ARGUMENTS...: the exit code, and a line that contains the text
expect() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" audit "$@" 2>&1)
	is=$?
	if [ $is -ne "$code" ] || ! printf '%s\n' "$said" | grep -qF -e "$text"; then
		failed=1
		printf 'fairlead audit %s: exit %d, not %d, or no "%s" in: %s\n' "$*" "$is" "$code" "$text" "$said"
	fi
}

# journal LINE...: with + for a TAB
journal() {
	rm -f "$dir"/fairlead-audit*
	printf '%s\n' "$@" | tr + '\t' >"$dir/fairlead-audit"
}

run='theirs=2+ours=2+agreeing=2+numbers=26'
off='differing=1+known=0+worst=17 nurg 0.50000 0.25000'
known='differing=2+known=2+worst=9.1 npprior 0.00000 0.50000+defect=cleared-by-tc'

expect 2 "no cell is named"
expect 2 "no option -q" -q
expect 2 "unexpected word" one two
expect 3 "no journal" -c "$dir"
: >"$dir/fairlead-audit"
expect 3 "it has no run" -c "$dir"

journal "now=60+$run+differing=0+known=0" "now=120+$run+differing=0+known=0+skipped=too late"
expect 0 "runs              2, of these 0 differ (0 by known defects of 8.1.9 alone), 1 cannot be compared" -c "$dir"
expect 0 "starts            2 theirs, 2 ours, 2 agree" -c "$dir"
expect 0 "1970-01-01T00:01:00  same     starts 2 of 2" --runs "$dir/fairlead-audit"
expect 0 "not comparable: too late" --runs "$dir/fairlead-audit"
expect 0 '"different":0' --json "$dir/fairlead-audit"

journal "now=60+$run+$known" "now=120+$run+$off" "now=180+theirs=1+ours=1+agreeing=0+numbers=0+differing=0+known=0+differ=starts+their=1.1 q@a=1+our=2.1 q@a=1+why=no slot"
expect 1 "first run that differs: 1970-01-01T00:02:00" -c "$dir"
expect 1 "job 17, nurg: theirs 0.50000, ours 0.25000" -c "$dir"
expect 1 "defect            1 runs: cleared-by-tc" -c "$dir"
expect 1 "  why     no slot" -c "$dir" --runs
expect 1 '"largest":{"of":"17","column":"nurg","theirs":"0.50000","ours":"0.25000","defect":null}' -c "$dir" --json
expect 1 '"first":{"theirs":"1.1 q@a=1","ours":"2.1 q@a=1","why":"no slot"}' -c "$dir" --json --runs
"$fairlead" audit -c "$dir" --json --runs | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["run"]) == 3' || failed=1

journal "now=60+$run+$known" "nonsense"
expect 1 "known defect of 8.1.9: cleared-by-tc" -c "$dir"
expect 0 "lines of the journal cannot be read" -c "$dir" --except-known

printf 'now=60\tdiffering=0\tknown=0\tskipped=\033[31mred\n' >"$dir/fairlead-audit"
expect 0 "not comparable: ?[31mred" -c "$dir" --runs
said=$("$fairlead" audit -c "$dir" 2>&1 >/dev/full) && failed=1
exit $failed
