#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead lint: names that no object of the cell has, and settings that have no effect in a local cell, each a warning with its place.
#
# usage: tests/cli/lint.sh

B=${B:-build}
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

# lint LINE-OF-all.q WARNING: the warning that a queue with that line has
lint() {
	rm -rf "$there/cell"
	cp -R conf/local "$there/cell"
	chmod -R u+w "$there/cell"
	awk -v line="$1" 'BEGIN { split(line, words, " ") } $1 != words[1] { print } END { print line }' conf/local/queue/all.q >"$there/cell/queue/all.q"
	"$B/fairlead" lint "$there/cell" >"$there/out"
	says "$1" "$2"
}

says() {
	grep -qF "$2" "$there/out" && return
	echo "FAIL: of \"$1\" it is not said: $2"
	cat "$there/out"
	failures=$((failures + 1))
}

lint 'calendar nosuch' 'calendar names "nosuch", but there is no such calendar'
lint 'ckpt_list nosuch' 'ckpt_list names "nosuch", but there is no such checkpointing environment'
lint 'projects nosuch' 'projects names "nosuch", but there is no such project'
lint 'user_lists nosuch' 'user_lists names "nosuch", but there is no such userset'
lint 'pe_list smp,[@nogrp=smp]' 'pe_list names "@nogrp", but there is no such host group'
lint 'seq_no 0,[@nogrp=1]' 'seq_no names "@nogrp", but there is no such host group'
lint 'h_rt 1:0:0,[@nogrp=2:0:0]' 'h_rt names "@nogrp", but there is no such host group'
lint 'prolog /bin/true' 'prolog "/bin/true" is not called in a local cell'
lint 'suspend_method NONE,[localhost=SIGTSTP]' 'suspend_method "SIGTSTP" is not called in a local cell'
lint 'terminate_method /bin/kill' 'terminate_method "/bin/kill" is not a signal'
lint 'h_rss 1G' 'h_rss has no effect in a local cell'
sed -i 's|^start_proc_args .*|start_proc_args /bin/true|' "$there/cell/pe/smp"
printf 'user_lists nosuch\nexecd_params ACCT_RESERVED_USAGE=true,NOTIFY_KILL=TERM NOTIFY_SUSP=NOSUCH,PTF_MIN_PRIORITY=5\nepilog /bin/true\n' >"$there/cell/global_conf"
printf '{\nname a\nenabled TRUE\nlimit projects nosuch to slots=1\n}\n' >"$there/cell/rqs"
"$B/fairlead" lint "$there/cell" >"$there/out"
says global_conf 'user_lists names "nosuch", but there is no such userset'
says global_conf 'execd_params: PTF_MIN_PRIORITY=5 has no effect in a local cell'
says global_conf 'execd_params: NOTIFY_SUSP=NOSUCH has no effect: a signal such as TERM, or none, is expected'
if grep -e ACCT_RESERVED_USAGE -e NOTIFY_KILL "$there/out"; then
	echo "FAIL: parameters that have an effect are reported"
	failures=$((failures + 1))
fi
says pe 'start_proc_args "/bin/true" is not called in a local cell'
says global_conf 'epilog "/bin/true" is not called in a local cell'
says rqs 'projects names "nosuch", but there is no such project'
for cell in conf/*/sched_conf; do
	"$B/fairlead" lint "${cell%/sched_conf}" >"$there/out"
	says "$cell" ': 0 faults, 0 warnings'
done
# files of other Grid Engines, read as far as they mean the same
cp -R conf/default/. "$there/other"
chmod -R u+w "$there/other"
grep -v -e '^queue_sort_method' -e '^load_formula' conf/default/sched_conf >"$there/other/sched_conf"
sed '/^[^#]/s/$/ NO/' conf/default/complex >"$there/other/complex"
"$B/fairlead" lint "$there/other" >"$there/out"
says 'Univa Grid Engine' '"queue_sort_method" is missing, as in files of Univa Grid Engine: load is used'
says 'Univa Grid Engine' '"load_formula" is missing, as in files of Univa Grid Engine: np_load_avg is used'
says 'Univa Grid Engine' '9 columns found, as in files of Univa Grid Engine: the last one is ignored'
says 'Univa Grid Engine' ': 0 faults, 3 warnings'
sed 's/^queue_sort_method .*/queue_sort_method 1/' conf/default/sched_conf >"$there/other/sched_conf"
cp conf/default/complex "$there/other/complex"
"$B/fairlead" lint "$there/other" >"$there/out"
says 'a spooled queue_sort_method' ': 0 faults, 0 warnings'
[ $failures = 0 ]
