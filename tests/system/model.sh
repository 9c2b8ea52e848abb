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

search() {	# directory, compiler options, macros...
	directory=$1 options=$2
	shift 2
	mkdir "$directory" && cd "$directory" && cp ../readers.pml . &&
		spin "$@" -a readers.pml >out 2>&1 && ${CC:-cc} $options -w -DSAFETY -DCOLLAPSE -DMEMLIM=8000 -o pan pan.c >>out 2>&1 && ./pan -n -m20000 >>out 2>&1
}

holds() (	# compiler options, what, macros...
	options=$1 what=$2
	shift 2
	if search "holds $what" "$options" "$@" && grep -q 'errors: 0' out && ! grep -q -e 'not completed' -e 'depth too small' out; then
		echo "holds: $what: $(sed -n 's/ states, stored.*//p' out | tr -d ' ') states"
	else
		echo "FAIL $what"
		cat out
		[ -f readers.pml.trail ] && spin "$@" -t -p readers.pml | tail -n 100
		exit 1
	fi
)

breaks() (	# property that is lost, a word of its assertion, macro
	if search "breaks $3" -O0 "-D$3" && grep -q "assertion violated.*$2" out; then
		echo "breaks: $3: $1"
	else
		echo "FAIL $3: $1 is not found to be violated"
		cat out
		exit 1
	fi
)

# The compiler takes longer than most of the searches do: it optimizes the large ones only.
large() {
	failed=0
	holds -O1 "one slot, a death at any step" -DKILLS=1 || failed=$((failed + 1))
	if [ "${1:-}" = long ]; then
		holds -O2 "a slot and none" -DSLOTLESS=1 -DSECTIONS=1 -DKILLS=0 || failed=$((failed + 1))
		holds -O2 "two slots" -DSLOTS=2 -DRUNS=3 -DSECTIONS=1 -DKILLS=0 || failed=$((failed + 1))
		holds -O2 "one slot, more of it" -DRUNS=6 -DKILLS=2 || failed=$((failed + 1))
	fi
	return $failed
}

large "$@" >large &
large=$!
failures=0
holds -O0 "no slot" -DSLOTTED=0 -DSLOTLESS=1 -DKILLS=0 || failures=$((failures + 1))
while read -r property word macro; do
	breaks "$property" "$word" "$macro" || failures=$((failures + 1))
done <<'END'
eviction told R1_RELAXED
eviction told R2_LEFT_OUT
eviction told R3_RELAXED
eviction told R4_LEFT_OUT
eviction told W2_UNFENCED
eviction told UNPINNED_EARLY
eviction told REAP_THE_LIVING
mixture mixed GEN_LEFT
mixture mixed END_UNCHECKED
progress chosen EVICT_NOBODY
memory <=2 REAP_NOBODY
hole leads.*hole STRAY_FORGOTTEN
END
wait "$large"
failures=$((failures + $?))
cat large

echo "model: $failures failures"
[ "$failures" = 0 ]
