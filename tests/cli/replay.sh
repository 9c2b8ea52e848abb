#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# replay.sh: fairlead replay: exit codes, messages and files; that what it says does not depend on processors; and what
# is left when it is stopped. $B is the build directory.
set -u
cd "$(dirname "$0")/../.." || exit 1
fairlead=$(realpath "${B:-build}")/fairlead trace=tests/reference/trace/small.swf failed=0
export TZ=UTC
unset FAIRLEAD_CELL
work=$(mktemp -d "${TMPDIR:-/tmp}/replay.XXXXXX") || exit 1
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT

fail() {
	failed=1
	printf '%s\n' "$*"
}

# expect CODE TEXT ARGUMENTS...: the exit code of replay, and what is in its output or error output
expect() {
	code=$1 text=$2
	shift 2
	said=$("$fairlead" replay "$@" 2>&1)
	is=$?
	[ $is -eq "$code" ] && printf '%s\n' "$said" | grep -qF -e "$text" && return
	fail "fairlead replay $*: exit $is, not $code, or no \"$text\" in: $said"
}

cells() {
	for cell in quick slow; do
		cp -R conf/default "$work/$cell" && chmod -R u+w "$work/$cell" || exit 1
	done
	sed -i 's/^schedule_interval .*/schedule_interval 0:0:15/' "$work/quick/sched_conf"
	sed -i 's/^schedule_interval .*/schedule_interval 0:5:0/' "$work/slow/sched_conf"
}

command_lines() {
	expect 2 "name a trace"
	expect 2 "name a policy" $trace
	expect 2 "unexpected" $trace second
	expect 2 "a date is expected, such as 2026-12-01" $trace --cell "$work/quick" --from 2023-02-30
	expect 2 "is not before" $trace --cell "$work/quick" --from 2023-11-16 --until 2023-11-15T12:00
	expect 2 "from 0.001 to 1000" $trace --cell "$work/quick" --scale -1
	expect 2 "not one of default, multifactor, userprio" $trace --cell "$work/quick" --algorithm lottery
	expect 3 "small.nothing" tests/reference/trace/small.nothing --cell "$work/quick"
	expect 3 "No such file" $trace --cell "$work/nowhere"
	expect 0 "400 to replay" --about $trace
	expect 0 '"max_procs":64' --about --json $trace
}

broken_traces() {
	head -c 3000 $trace | sed '$d' >"$work/bad.swf" && echo "17 5 x 3" >>"$work/bad.swf"
	expect 3 "bad.swf:$(wc -l <"$work/bad.swf")" "$work/bad.swf" --cell "$work/quick"
	gzip -c $trace | head -c 2000 >"$work/half.swf.gz"
	expect 3 "half.swf.gz" "$work/half.swf.gz" --cell "$work/quick"
	said=$("$fairlead" replay - --cell "$work/quick" <"$work/bad.swf" 2>&1)
	case $said in *"standard input:"*) ;; *) fail "a fault in standard input: $said" ;; esac
	sed 's/^\(schedule_interval\).*/\1 often/' -i "$work/slow/sched_conf"
	expect 3 "sched_conf" $trace --cell "$work/slow"
	sed 's/^\(schedule_interval\).*/\1 0:5:0/' -i "$work/slow/sched_conf"
}

runs_of() {
	grep -o '"runs":[0-9]*' "$1"
}

# The machine of a Slurm site: the CPUs of its nodes, 20 * 32, unless --slots is used or the cell has queues.
slurm_nodes() {
	cp -R conf/multifactor "$work/slurm" && chmod -R u+w "$work/slurm" || exit 1
	"$fairlead" replay tests/reference/trace/small.sacct --cell "$work/slurm" --json >"$work/nodes.json" || fail "a Slurm cell: exit $?"
	slots nodes 640
	"$fairlead" replay tests/reference/trace/small.sacct --cell "$work/slurm" --json --every-event | sed '/"command"/d' >"$work/events.json"
	"$fairlead" replay tests/reference/trace/small.sacct --cell "$work/slurm" --json --interval 15 >"$work/interval.json"
	[ "$(runs_of "$work/nodes.json")" = "$(runs_of "$work/events.json")" ] && [ "$(runs_of "$work/nodes.json")" != "$(runs_of "$work/interval.json")" ] ||
		fail "a Slurm cell is not replayed with runs at events"
	"$fairlead" replay tests/reference/trace/small.sacct --cell "$work/slurm" --slots 64 --json >"$work/given.json" || fail "with --slots: exit $?"
	slots given 64
	cp -R "$work/quick/queue" "$work/quick/hgrp" "$work/quick/hosts" "$work/quick/pe" "$work/quick/ckpt" "$work/slurm/" || exit 1
	"$fairlead" replay tests/reference/trace/small.sacct --cell "$work/slurm" --json >"$work/queues.json" || fail "a Slurm cell with queues: exit $?"
	slots queues 12
	mkdir "$work/nowhere_to_run"
	grep -v '^NodeName' conf/multifactor/slurm.conf >"$work/nowhere_to_run/slurm.conf"
	sed -i '/^PartitionName=[bdg]/d' "$work/nowhere_to_run/slurm.conf"
	expect 3 "no machine to replay on: it has no queues, and no slurm.conf with nodes; --slots N" tests/reference/trace/small.sacct --cell "$work/nowhere_to_run"
}

# slots NAME N: the machine of the last policy in $work/NAME.json
slots() {
	python3 -c 'import json, sys; is_ = json.load(open(sys.argv[1]))["policies"][-1]["utilisation"]["slots"]; sys.exit(is_ != int(sys.argv[2]) and f"{is_} slots")' \
		"$work/$1.json" "$2" || fail "$1: another machine"
}

answers() {
	run="$fairlead replay $trace --cell $work/quick --cell $work/slow --slots 64"
	$run --json --csv "$work/two.csv" --report "$work/two.html" >"$work/two.json" || fail "exit $?"
	taskset -c 0 $run --json --csv "$work/one.csv" --report "$work/one.html" >"$work/one.json" || fail "exit $?"
	sed 's/two\.\(csv\|html\)/one.\1/g' "$work/two.json" | cmp - "$work/one.json" || fail "with one processor it says something else"
	cmp "$work/one.csv" "$work/two.csv" || fail "with one processor other jobs"
	cat $trace | $fairlead replay - --cell "$work/quick" --cell "$work/slow" --slots 64 --csv "$work/piped.csv" >/dev/null || fail "exit $?"
	cmp "$work/piped.csv" "$work/two.csv" || fail "from standard input other jobs"
	[ "$(wc -l <"$work/two.csv")" = 801 ] || fail "$(wc -l <"$work/two.csv") lines of CSV, and 400 jobs under 2 policies"
	python3 - "$work/two.json" "$work/two.csv" <<-'END' || failed=1
		import csv, json, math, sys
		answers = json.load(open(sys.argv[1]), parse_constant=lambda name: sys.exit(f"{name} in JSON"))
		rows = list(csv.DictReader(open(sys.argv[2])))
		for policy in answers["policies"][1:]:
		    own = [row for row in rows if row["policy"] == policy["name"]]
		    waits = sorted(int(row["start"]) - int(row["submit"]) for row in own)
		    slowdowns = sorted(max(1.0, (int(row["wait"]) + int(row["run"])) / max(10, int(row["run"]))) for row in own)
		    ran = sum((int(row["end"]) - int(row["start"])) * int(row["slots"]) for row in own)
		    rank = lambda values, part: values[math.ceil(part * len(values)) - 1]
		    used = ran / (64 * (max(int(row["end"]) for row in own) - min(int(row["submit"]) for row in own)))
		    due = {"median": rank(waits, 0.5), "p95": rank(waits, 0.95), "max": waits[-1], "mean": sum(waits) / len(waits)}
		    for name, value in due.items():
		        if policy["wait"][name] != value:
		            sys.exit(f"{policy['name']}: {name} of waits is {policy['wait'][name]}, and in the CSV {value}")
		    if policy["slowdown"]["median"] != rank(slowdowns, 0.5) or abs(policy["utilisation"]["used"] - used) > 1e-12:
		        sys.exit(f"{policy['name']}: slowdown {policy['slowdown']}, utilisation {policy['utilisation']}, {used}")
		    if sum(group["jobs"] for group in policy["users"]) != 400 or abs(sum(group["received"] for group in policy["sizes"]) - 1) > 1e-12:
		        sys.exit(f"{policy['name']}: users or sizes do not come to all jobs")
		    if not 0 < sum(user["promised"] for user in policy["users"]) <= 1.000001:
		        sys.exit(f"{policy['name']}: promised in sum: {sum(user['promised'] for user in policy['users'])}")
		if [policy["name"] for policy in answers["policies"]] != ["as recorded", "quick", "slow"] or len(answers["distances"]) != 3:
		    sys.exit("columns: " + str([policy["name"] for policy in answers["policies"]]))
	END
}

full_disks() {
	"$fairlead" replay $trace --cell "$work/quick" >/dev/full 2>"$work/said" && fail "a full disk is nothing to it"
	grep -q "writing the output" "$work/said" || fail "standard output is full: $(cat "$work/said")"
	expect 3 "/dev/full" $trace --cell "$work/quick" --report /dev/full
	expect 3 "nowhere/x.html" $trace --cell "$work/quick" --report "$work/nowhere/x.html"
	mkdir "$work/small"
	if ! mount -t tmpfs -o size=32k replay "$work/small" 2>/dev/null; then
		echo "no small file system can be mounted here: nobody knows what is left on a full one"
		return
	fi
	echo before >"$work/small/x.csv"
	expect 3 "x.csv: No space left on device" $trace --cell "$work/quick" --csv "$work/small/x.csv"
	[ "$(ls -A "$work/small")" = x.csv ] && [ "$(cat "$work/small/x.csv")" = before ] || fail "half a file is left: $(ls -A "$work/small")"
	umount "$work/small"
}

# until COMMAND...: within two minutes
until_true() {
	n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -lt 12000 ] || return 1
		sleep 0.01
	done
}

# The thread has computed for 0.3 s, or the program has ended.
has_worked() {
	worked=$(for task in "/proc/$1/task"/*; do [ "${task##*/}" = "$1" ] || cut -d' ' -f14 "$task/stat"; done 2>/dev/null)
	[ "${worked:-0}" -ge 30 ] || ! kill -0 "$1" 2>/dev/null
}

# More work on one slot than the test waits for.
interrupted() {
	awk 'BEGIN { for (k = 1; k <= 20000; k++) print k, k, -1, 1000, 1, -1, -1, 1, 2000, -1, 1, k % 9, 1, -1, 1, -1, -1, -1 }' >"$work/long.swf"
	"$fairlead" replay "$work/long.swf" --cell "$work/quick" --slots 1 --every-event --csv "$work/part.csv" --json >"$work/part.json" 2>"$work/said" &
	pid=$!
	until_true has_worked $pid || fail "it does not begin"
	kill -INT $pid
	wait $pid
	is=$?
	[ $is -eq 3 ] && grep -q "stopped early" "$work/said" || fail "stopped, it exits with $is: $(cat "$work/said")"
	python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); sys.exit(not (a["partial"] and 0 < a["policies"][0]["jobs"] < 20000))' "$work/part.json" ||
		fail "no part of the answers"
	[ "$(wc -l <"$work/part.csv")" -gt 1 ] || fail "no part of the jobs"
}

# Killed, it leaves no half of a file, nor one beside it, where a file system has files without a name.
killed() {
	mkdir "$work/killed" || exit 1
	python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_WRONLY)' "$work/killed" 2>/dev/null || return 0
	"$fairlead" replay "$work/long.swf" --cell "$work/quick" --slots 1 --every-event --csv "$work/killed/x.csv" --report "$work/killed/x.html" >/dev/null 2>&1 &
	pid=$!
	until_true has_worked $pid || fail "it does not begin"
	kill -KILL $pid
	wait $pid 2>/dev/null
	[ -z "$(ls -A "$work/killed")" ] || fail "killed, it leaves $(ls -A "$work/killed")"
}

cells
command_lines
broken_traces
slurm_nodes
answers
full_disks
interrupted
killed
exit $failed
