#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead doctor qmaster where no Grid Engine is: obstacles are reported with the file, the line and the remedy. What a real
# qmaster says is looked at in tests/qmaster/.

set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] || { echo "no $B/fairlead"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/doctor-qmaster-XXXXXX") || exit 1
trap 'rm -r "$work"' EXIT
failures=0
unset SGE_ROOT SGE_CELL FAIRLEAD_CELL
SGE_QMASTER_PORT=1	# nobody listens there
export SGE_QMASTER_PORT

# says CODE TEXT: exit status of the doctor, and something it must say
says() {
	"$B/fairlead" doctor qmaster "$work/cell" >"$work/said" 2>&1
	code=$?
	if [ $code -ne "$1" ] || ! grep -qF -- "$2" "$work/said"; then
		echo "exit code $code where $1 is due, or nothing is said of '$2':"
		cat "$work/said"
		failures=$((failures + 1))
	fi
}

cell() {
	mkdir -p "$work/cell/common"
	printf '# a cell\nadmin_user nobody\nsecurity_mode %s\nignore_fqdn false\nscheduler_threads 1\n' "$1" >"$work/cell/common/bootstrap"
	echo "${2:-localhost}" >"$work/cell/common/act_qmaster"
}

says 1 "fault  cell: $work/cell/common/bootstrap: No such file or directory"
cell csp
says 1 "fault  security: $work/cell/common/bootstrap:3: 'csp': this security_mode is not supported; none and munge are"
cell none "two words"
says 1 "fault  cell: $work/cell/common/act_qmaster:1: 'two words': this is not a valid host name"
cell none no.such.host.invalid
says 1 "fault  name: the qmaster's host no.such.host.invalid has no address"
cell none
says 1 "note   security: security_mode none: the qmaster trusts the user name in each request"
says 1 "fault  connection: qmaster on localhost, port 1: Connection refused"
says 1 "on localhost: $work/cell/common/sgemaster start"
printf 'localhost\033[31m\n' >"$work/cell/common/act_qmaster"
says 1 "act_qmaster:1: found a byte that is not text"

cell none
SGE_QMASTER_PORT=many
says 1 "SGE_QMASTER_PORT is 'many': it must be from 1 to 65535"
SGE_QMASTER_PORT=1
"$B/fairlead" doctor qmaster --json "$work/cell" | python3 -c '
import json, sys
said = json.load(sys.stdin)
assert said["ready"] is False and said["cell"].endswith("/cell"), said
assert [row["state"] for row in said["found"]] == ["ok", "note", "fault"], said
assert said["found"][2]["remedy"], said' || failures=$((failures + 1))
(SGE_ROOT=$work SGE_CELL=cell; export SGE_ROOT SGE_CELL; "$B/fairlead" doctor qmaster) | grep -q "^ok     cell: $work/cell:" || failures=$((failures + 1))
"$B/fairlead" -c "$work/cell" doctor qmaster | grep -q "^ok     cell: $work/cell:" || failures=$((failures + 1))
(SGE_CELL=cell; export SGE_CELL; "$B/fairlead" doctor qmaster "$work") | grep -q "^ok     cell: $work/cell:" || failures=$((failures + 1))
# The scheduler itself takes no directory but the cell's, and says where that may be.
(SGE_CELL=cell; export SGE_CELL; "$B/fairlead-schedd" --qmaster="$work" --once 2>&1) | grep -qF "No such file or directory; there is a cell in $work/cell" || failures=$((failures + 1))

echo "doctor qmaster: $failures failures"
[ $failures -eq 0 ]
