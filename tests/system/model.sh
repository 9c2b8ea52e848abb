#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/model/readers.pml holds in every interleaving within its bounds; and with any one thing left out it does not.
#
#   tests/system/model.sh          what `make check` runs
#   tests/system/model.sh long     two slots, and more runs and deaths, too: minutes, and up to 8 GB of memory
set -u
cd "$(dirname "$0")/../model" || exit 1
command -v spin >/dev/null || { echo "no spin"; exit 77; }
work=$(mktemp -d) && cp readers.pml "$work" && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

search() {	# compiler options, macros...
	options=$1
	shift
	spin "$@" -a readers.pml >out 2>&1 && ${CC:-cc} $options -w -DSAFETY -DCOLLAPSE -DMEMLIM=8000 -o pan pan.c >>out 2>&1 && ./pan -n -m20000 >>out 2>&1
}

holds() {	# what, macros...
	what=$1
	shift
	if search -O2 "$@" && grep -q 'errors: 0' out && ! grep -q -e 'not completed' -e 'depth too small' out; then
		echo "holds: $what: $(sed -n 's/ states, stored.*//p' out | tr -d ' ') states"
	else
		echo "FAIL $what"
		cat out
		[ -f readers.pml.trail ] && spin "$@" -t -p readers.pml | tail -n 100
		failures=$((failures + 1))
	fi
}

breaks() {	# property that is lost, a word of its assertion, macro
	if search -O0 "-D$3" && grep -q "assertion violated.*$2" out; then
		echo "breaks: $3: $1"
	else
		echo "FAIL $3: $1 is not found to be violated"
		cat out
		failures=$((failures + 1))
	fi
}

holds "one slot, a death at any step" -DKILLS=1
holds "no slot" -DSLOTTED=0 -DSLOTLESS=1 -DKILLS=0
if [ "${1:-}" = long ]; then
	holds "a slot and none" -DSLOTLESS=1 -DSECTIONS=1 -DKILLS=0
	holds "two slots" -DSLOTS=2 -DRUNS=3 -DSECTIONS=1 -DKILLS=0
	holds "one slot, more of it" -DRUNS=6 -DKILLS=2
fi
breaks eviction told R1_RELAXED
breaks eviction told R2_LEFT_OUT
breaks eviction told R3_RELAXED
breaks eviction told R4_LEFT_OUT
breaks eviction told W2_UNFENCED
breaks eviction told UNPINNED_EARLY
breaks eviction told REAP_THE_LIVING
breaks mixture mixed GEN_LEFT
breaks mixture mixed END_UNCHECKED
breaks progress chosen EVICT_NOBODY
breaks memory '<=2' REAP_NOBODY
breaks hole 'leads.*hole' STRAY_FORGOTTEN

echo "model: $failures failures"
[ "$failures" = 0 ]
