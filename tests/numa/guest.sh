# SPDX-License-Identifier: Apache-2.0
# Runs in the machine that boot.sh starts, with its files in the working directory.
set -u
export FAIRLEAD_SHM=/dev/shm FAIRLEAD_CELL=/test/cell
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# publish FILE COMMAND...: one run of the events in the file, the scheduler started by the command
publish() {
	file=$1
	shift
	"$@" ./fairlead-schedd -v --once --workers 8 --now "$(cat now)" --events "$file" 2>&1 >/dev/null | grep -v "no more events"
}

# doctor CODE TEXT...: its exit status, and what its JSON has in it
doctor() {
	code=$1
	shift
	./fairlead doctor memory 2>/dev/null
	is=$?
	[ $is = "$code" ] || fail "fairlead doctor memory: exit $is, not $code"
	for text in "$@"; do
		./fairlead doctor memory --json 2>/dev/null | grep -qF "$text" || fail "fairlead doctor memory --json: no $text"
	done
}

[ "$(ls -d /sys/devices/system/node/node* | wc -l)" = 4 ] || fail "this machine has not four nodes"
./placement || fail "placement"
./workers || fail "workers"

publish events env
./fairlead stat --json 2>/dev/null | tail -n +2 | md5sum | cmp - expected || fail "other results than those of one node"
doctor 0 '"state":"bound"' '"misplaced":0,"nodes"' '"chunks":4,"chunks_away":0'

# With the same plan nothing is bound, and the first touch is on the last node. doctor must detect it.
{ head -n 1001 events; echo '{"seq":1002,"event":"snapshot_end"}'; } >few
publish few taskset -c 7 env HWLOC_SYNTHETIC="numa:4 pu:2"
doctor 1 '"state":"foreign"' '"chunks":1,"chunks_away":0' '"misplaced":4194304,"nodes"'

# Where the administrator allows huge pages, they lie there, too.
mount -o remount,huge=advise /dev/shm
publish few env
doctor 0 '"node":0,"planned":4194304,"there":4194304,"huge":4194304,"misplaced":0,'

echo "numa: $failures failures"
[ "$failures" = 0 ]
