#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cell that fairlead init makes: without findings, complete or not there, never in the place of something, and jobs run in it.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
fairlead=$B/fairlead
[ -x "$fairlead" ] && [ -x "$B/fairlead-schedd" ] && [ -x "$B/fairlead-shepherd" ] || { echo "no programs in $B"; exit 77; }
umask 022
work=$(mktemp -d) && bin=$(mktemp -d) && chmod 755 "$work" "$bin" && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
scheduler=
trap '[ -z "$scheduler" ] || kill -9 "$scheduler" 2>/dev/null; rm -rf "$work" "$bin" "$FAIRLEAD_SHM"' EXIT
unset FAIRLEAD_CELL
cell=$work/cell
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# init CODE TEXT ARGUMENTS...
init() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" init "$@" 2>&1)
	is=$?
	[ $is -eq "$code" ] && echo "$said" | grep -qF -e "$text" || fail "init $*: exit $is, not $code, or no \"$text\" in: $said"
}

init 0 "$cell: a cell for $(hostname)" "$cell"
[ "$("$fairlead" lint "$cell")" = "$cell: 0 faults, 0 warnings" ] || fail "findings: $("$fairlead" lint "$cell")"
grep -q "^slots  *$(nproc --all)\$\|^slots  *$(nproc)\$" "$cell/queue/all.q" || fail "$(nproc) processors, and $(grep ^slots "$cell/queue/all.q")"
[ "$(stat -c %a "$cell")" = "$(printf '%o' $((0777 & ~$(umask))))" ] || fail "the directory has mode $(stat -c %a "$cell")"
[ -z "$(grep -rlE '@(host|slots)@' "$cell")" ] || fail "marks are left in $(grep -rlE '@(host|slots)@' "$cell")"
[ "$(cd "$cell" && echo usersets/* hgrp/*)" = "usersets/arusers usersets/deadlineusers usersets/defaultdepartment hgrp/@allhosts" ] || fail "what each cell of Grid Engine has is missing: $(ls "$cell"/*)"

# nothing is overwritten
before=$(cat "$cell"/* "$cell"/*/* 2>/dev/null | cksum)
init 1 "$cell: it is not empty" "$cell"
[ "$(cat "$cell"/* "$cell"/*/* 2>/dev/null | cksum)" = "$before" ] || fail "something was changed"
: >"$work/file" && ln -s file "$work/link"
init 1 "$work/file: it is not empty" "$work/file"
init 1 "$work/link: it is not empty" "$work/link"
mkdir "$work/empty"
init 0 "with 3 slots" --slots 3 "$work/empty/"
init 3 "No such file or directory" "$work/nowhere/cell"
init 2 "one directory is expected" "$work/a" "$work/b"
init 2 "is not a number" --slots 0 "$work/a"
[ "$(ls "$work" | tr '\n' ' ')" = "cell empty file link " ] || fail "something is left behind: $(ls "$work")"
if [ "$(id -u)" = 0 ]; then	# with a copy of the program that another user can reach
	cp "$fairlead" "$bin/fairlead" && chmod 755 "$bin/fairlead"
	setpriv --reuid 65534 --clear-groups "$bin/fairlead" init "$work/a" 2>/dev/null
	[ $? -eq 4 ] || fail "another user makes a cell in a directory that is not his"
fi
# the cell for all users: they read it whatever umask root has
# shellcheck disable=SC2016
if unshare -m sh -c 'mount -t tmpfs init "$1" && mkdir "$1/upper" "$1/work" && mount -t overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" init /etc' \
	sh "$work/empty" 2>/dev/null; then
	said=$(unshare -m sh -c 'mount -t tmpfs init "$1" && mkdir "$1/upper" "$1/work" &&
		mount -t overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" init /etc && rm -rf /etc/fairlead && umask 077 && "$2" init >/dev/null &&
		find /etc/fairlead ! -perm -444' sh "$work/empty" "$fairlead" 2>&1) || fail "no cell for all users: $said"
	[ -z "$said" ] || fail "other users cannot read $said"
fi
mkdir "$work/small"
if mount -t tmpfs -o size=8k init "$work/small" 2>/dev/null; then
	init 3 "No space left" "$work/small/cell"
	[ -z "$(ls "$work/small")" ] || fail "half a cell on a full disk: $(ls -R "$work/small")"
	umount "$work/small"
fi

# jobs run
"$B/fairlead-schedd" --local -c "$cell" >"$work/log" 2>&1 &
scheduler=$!
for _ in $(seq 2400); do "$fairlead" -c "$cell" stat >/dev/null 2>&1 && break; sleep 0.05; done
timeout 120 "$fairlead" -c "$cell" submit -sync y -j y -o "$work/said" -- echo hello >/dev/null 2>"$work/err" || fail "a job does not run: $(cat "$work/err" "$work/log")"
grep -q hello "$work/said" || fail "a job has not said hello: $(cat "$work/log")"
(cd "$work/empty" && timeout 120 "$fairlead" -c "$cell" submit -sync y -j y -o "$work/where" -- pwd >/dev/null 2>"$work/err") || fail "a job does not run: $(cat "$work/err")"
[ "$(cat "$work/where")" = "$(cd "$work/empty" && pwd -P)" ] || fail "a job runs in $(cat "$work/where"), not where it was submitted"
[ "$("$fairlead" lint "$cell")" = "$cell: 0 faults, 0 warnings" ] || fail "findings about what a scheduler keeps: $("$fairlead" lint "$cell")"

echo "init: $failures failures"
[ "$failures" = 0 ]
