#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead import when the other system's commands fail, lie or are not there: it says which, and nothing is left half-made. What the real ones
# print is looked at in tests/qmaster/live/import and tests/system/import_slurm; here commands print what stands in files.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
fairlead=$B/fairlead
[ -x "$fairlead" ] || { echo "no $fairlead"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# expect CODE TEXT ARGUMENTS...: and nothing but the commands and what they print is in $work
expect() {
	code=$1 text=$2
	shift 2
	said=$(PATH=$work/bin:$PATH "$fairlead" import "$@" 2>&1)
	is=$?
	[ $is -eq "$code" ] && echo "$said" | grep -qF -e "$text" || fail "import $*: exit $is, not $code, or no \"$text\" in: $said"
	[ "$code" = 0 ] || [ "$(ls "$work" | tr '\n' ' ')" = "bin says " ] || fail "import $*: it leaves $(ls "$work")"
}

# answer COMMAND WORDS < TEXT: what the command prints with these words
mkdir "$work/bin" "$work/says"
answer() {
	cat >"$work/says/$(echo "$*" | tr ' /' '_%')"
}
cat >"$work/bin/qconf" <<'END'
#!/bin/sh
says=${0%/bin/*}/says/$(echo "${0##*/} $*" | tr ' /' '_%')
[ -e "$says" ] || { echo "no ${1#-} defined" >&2; exit 1; }
[ -s "$says" ] || { echo "error: commlib error: got select error" >&2; exit 1; }
exec cat "$says"
END
chmod +x "$work/bin/qconf"

expect 2 "name a system: --gridengine, --slurm or --condor" "$work/cell"
expect 2 "name a system" --gridengine --slurm "$work/cell"
expect 2 "--qconf can only be used with --gridengine" --slurm --qconf qconf "$work/cell"
expect 2 "--share-mon can only be used with --gridengine" --slurm --share-mon x "$work/cell"
expect 2 "-f can only be used with --slurm and --condor" --gridengine -f x "$work/cell"
expect 2 "the directory of the new cell is expected" --gridengine
expect 3 "/nonexistent/qconf: there is no such command" --gridengine --qconf /nonexistent/qconf "$work/cell"
expect 1 "it is not empty" --gridengine "$work/bin"
expect 3 "qconf -ssconf: exit status 1: no ssconf defined" --gridengine "$work/cell"
cat conf/default/sched_conf | answer qconf -ssconf
cat conf/default/complex | answer qconf -sc
: | answer qconf -sconf
expect 3 "qconf -sconf: exit status 1: error: commlib error" --gridengine "$work/cell"
echo "#global:" | answer qconf -sconf
: | answer qconf -sstree
expect 3 "qconf -sstree: exit status 1: error: commlib error" --gridengine "$work/cell"
cat conf/default/share_tree | answer qconf -sstree
cat conf/default/hosts/node1 | sed 's/node1/global/; s/gpu=2/NONE/; s/^load_values.*//' | answer qconf -se global
for user in ann bob cal dot eve fay; do [ ! -e conf/default/users/$user ] || answer qconf -suser $user <conf/default/users/$user; done
ls conf/default/users | answer qconf -suserl
ls conf/default/projects | answer qconf -sprjl
expect 3 "qconf -sprj atlas: exit status 1: no sprj defined" --gridengine "$work/cell"
for project in conf/default/projects/*; do answer qconf -sprj "${project##*/}" <"$project"; done

# names that lead elsewhere, or are options
for name in ../../evil /etc/evil .. -dq "$(printf 'a\033[2J')"; do
	echo "$name" | answer qconf -sql
	echo "qname x" | answer qconf -sq "$name"
	expect 3 "which cannot be the name of a file" --gridengine "$work/cell"
done
rm "$work"/says/qconf_-sq*
[ ! -e "$work/../evil" ] && [ ! -e /etc/evil ] || fail "a file somewhere else"

# what is there is taken, faults and all
expect 0 "0 faults" --gridengine "$work/cell"
cmp -s "$work/cell/sched_conf" conf/default/sched_conf && cmp -s "$work/cell/users/ann" conf/default/users/ann || fail "a file is another one"
rm -r "$work/cell"

# Without a share tree no usage counts: usage.jsonl is empty.
mv "$work/says/qconf_-sstree" "$work/tree"
expect 0 "usage.jsonl" --gridengine "$work/cell"
[ -e "$work/cell/usage.jsonl" ] && [ ! -s "$work/cell/usage.jsonl" ] || fail "without a share tree: $(ls -l "$work/cell")"
rm -r "$work/cell" && mv "$work/tree" "$work/says/qconf_-sstree"

# what was used: beside qconf, or where --share-mon says; without it there is a cell all the same
mkdir -p "$work/bin/elsewhere/bin/lx" "$work/bin/elsewhere/utilbin/lx"
sed 's,/bin/\*,/bin/*,; s,^says=.*,says='"$work"'/says/$(echo "${0##*/} $*" | tr " /" "_%"),' "$work/bin/qconf" >"$work/bin/elsewhere/bin/lx/qconf"
chmod +x "$work/bin/elsewhere/bin/lx/qconf"
far="$work/bin/elsewhere/bin/lx/qconf"
mon="sge_share_mon -c 1 -n -u -f curr_time,user_name,project_name,cpu,mem,io,ltcpu,ltmem,ltio"
used() {
	printf 'curr_time=%s\tuser_name=%s\tproject_name=%s\tcpu=%s\tmem=%s\tio=%s\tltcpu=%s\tltmem=%s\tltio=%s\t\n' "$@"
}
# lines USAGE...: what import makes of it, in one line
lines() {
	said=$("$fairlead" import --gridengine --qconf "$far" "$work/cell" 2>&1) && cat "$work/cell/usage.jsonl" || fail "usage: $said"
	"$fairlead" -c "$work/cell" lint 2>&1 | grep -q usage.jsonl && fail "lint is surprised by usage.jsonl"
	rm -rf "$work/cell"
}
expect 0 "the usage of users and projects is not imported: there is no sge_share_mon in the directory of qconf" --gridengine --qconf "$far" "$work/cell"
[ ! -e "$work/cell/usage.jsonl" ] || fail "usage out of nothing"
rm -r "$work/cell"
expect 3 "/nonexistent/mon: there is no such command" --gridengine --qconf "$far" --share-mon /nonexistent/mon "$work/cell"
cp "$far" "$work/bin/elsewhere/utilbin/lx/sge_share_mon"
expect 0 "not imported: see above" --gridengine --qconf "$far" "$work/cell"
rm -r "$work/cell"
expect 3 "exit status 1: no c defined" --gridengine --qconf "$far" --share-mon "$work/bin/elsewhere/utilbin/lx/sge_share_mon" "$work/cell"
{
	used 1700000000 "" "" 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000
	used 1700000000 "" atlas 3.100000 0 0 7.300000 0 0
	used 1700000000 "" atlas 0.000000 0 0 0.000000 0 0
	used 1700000000 bob atlas 0.1 0.2 0.3 123456789012.123456 0.000001 2
	used 1700000000 ann "" 5 0 0 6 0 0
	used 1700000000 bob "" 0 0 0 1 -0.000000 0
	used 1700000000 cal "" 0 0 0 0 0 0
	used 1700000000 ann atlas 1 0 0 1 0 0
} | answer $mon
lines >"$work/says/got"
python3 - "$work/says/got" <<'END' || fail "usage is: $(cat "$work/says/got")"
import json, sys
events = {e.get("user"): e for e in map(json.loads, open(sys.argv[1]))}
def of(e): return [[e[k].get(n) for n in ("cpu", "mem", "io")] for k in ("usage", "long_term_usage")]
assert sorted(k or "" for k in events) == ["", "ann", "bob"], events.keys()
assert events[None]["project"] == "atlas" and of(events[None]) == [[3.1, 0, 0], [7.3, 0, 0]]
assert of(events["ann"]) == [[5, 0, 0], [6, 0, 0]] and of(events["ann"]["project"][0]) == [[1, 0, 0], [1, 0, 0]]
assert of(events["bob"]) == [[0, 0, 0], [1, 0, 0]]
assert of(events["bob"]["project"][0]) == [[0.1, 0.2, 0.3], [123456789012.123456, 0.000001, 2]]
assert all(e["time_stamp"] == 1700000000 for e in events.values()) and [e["seq"] for e in events.values()] == [1, 2, 3]
END
used 1700000000 "" "" 0 0 0 0 0 0 | answer $mon
[ -z "$(lines)" ] || fail "usage of nobody"
for bad in nan 1e999 1,5 ""; do
	used 1700000000 ann "" "$bad" 0 0 0 0 0 | answer $mon
	expect 0 "prints \"cpu=$bad\": lines of NAME=VALUE are expected" --gridengine --qconf "$far" "$work/cell"
	[ ! -e "$work/cell/usage.jsonl" ] || fail "usage of $bad"
	rm -r "$work/cell"
done
for time in 0 1.5; do
	used $time ann "" 1 0 0 0 0 0 | answer $mon
	expect 3 "prints \"curr_time=$time\"" --gridengine --qconf "$far" --share-mon "$work/bin/elsewhere/utilbin/lx/sge_share_mon" "$work/cell"
done
echo "No share tree" | answer $mon
expect 3 'prints "No share tree"' --gridengine --qconf "$far" --share-mon "$work/bin/elsewhere/utilbin/lx/sge_share_mon" "$work/cell"
rm -r "$work/bin/elsewhere"

sed 's/^schedule_interval.*/schedule_interval soon/' conf/default/sched_conf | answer qconf -ssconf
said=$("$fairlead" import --gridengine --qconf "$work/bin/qconf" "$work/cell" 2>&1)
[ $? = 1 ] && echo "$said" | grep -q 'cell/sched_conf:[0-9]*: fault: .*"soon" found' && [ -e "$work/cell/sched_conf" ] || fail "a fault: $said"
rm -r "$work/cell"

# Slurm
PATH=/nonexistent "$fairlead" import --slurm "$work/cell" >"$work/says/out" 2>&1
[ $? = 3 ] && grep -q "scontrol: there is no such command in PATH" "$work/says/out" || fail "without scontrol: $(cat "$work/says/out")"
for command in scontrol sacctmgr sshare squeue; do cp "$work/bin/qconf" "$work/bin/$command"; done
expect 3 "scontrol show config: exit status 1" --slurm "$work/cell"
echo "Configuration data as of today" | answer scontrol show config
expect 3 "scontrol show config names no slurm.conf" --slurm "$work/cell"
echo "SLURM_CONF   = $work/says/slurm.conf" | answer scontrol show config
expect 3 "$work/says/slurm.conf: No such file" --slurm "$work/cell"
echo "Include slurm.conf" >"$work/says/slurm.conf"
expect 3 "it is included more than 16 files deep" --slurm "$work/cell"
printf 'ClusterName=one\nInclude more\n' >"$work/says/slurm.conf"
printf 'PriorityType=priority/multifactor\nAccountingStoragePass=secret\nNodeName=n1\n' >"$work/says/more"
expect 0 "slurm.conf has no AccountingStorageType=accounting_storage/slurmdbd" --slurm "$work/cell"
grep -q ^PriorityType= "$work/cell/slurm.conf" && ! grep -q secret "$work/cell/slurm.conf" || fail "slurm.conf: $(cat "$work/cell/slurm.conf")"
rm -r "$work/cell"

# pending jobs: of Slurm 22.05, and as later versions write numbers and states
cat >"$work/says/jobs" <<'END'
{"meta":{},"errors":[],"jobs":[
{"job_id":11,"array_job_id":0,"array_task_id":null,"array_task_string":"","user_name":"ann","account":"phys","name":"a \"b\"|c","partition":"batch","qos":"normal",
 "priority":1187,"nice":null,"submit_time":1700000000,"eligible_time":1700000000,"accrue_time":1700000001,"time_limit":120,"cpus":4,"node_count":1,
 "tres_req_str":"cpu=4,mem=16000M,node=1","job_state":"PENDING","state_reason":"Resources"},
{"job_id":12,"array_job_id":12,"array_task_id":null,"array_task_string":"0-8:2,11%3","user_name":"bob","name":"array","submit_time":1700000000,"nice":50,"job_state":"PENDING",
 "state_reason":"JobHeldUser"},
{"job_id":13,"array_job_id":12,"array_task_id":3,"array_task_string":"","user_name":"bob","name":"array","submit_time":1700000000,"job_state":"PENDING","state_reason":"Dependency"},
{"job_id":14,"user_name":"bob","name":"runs","submit_time":1700000000,"job_state":"RUNNING","state_reason":"None"},
{"job_id":15,"array_job_id":{"set":true,"infinite":false,"number":0},"array_task_string":"","user_name":"cal","name":"new","submit_time":{"set":true,"infinite":false,"number":1700000000},
 "eligible_time":{"set":true,"infinite":false,"number":1800000000},"time_limit":{"set":true,"infinite":true,"number":0},"cpus":{"set":true,"infinite":false,"number":2},
 "nice":0,"job_state":["PENDING"],"state_reason":"BeginTime"}]}
END
cat >"$work/says/events" <<'END'
{"event":"snapshot_begin","seq":1}
{"event":"job_add","job_number":11,"job_name":"a \"b\"|c","owner":"ann","account":"phys","partition":"batch","qos":"normal","tres":"cpu=4,mem=16000M,node=1","submission_time":1700000000,"eligible_time":1700000000,"accrue_time":1700000001,"cpus":4,"nodes":1,"time_limit":120,"seq":2}
{"event":"job_add","job_number":12,"job_name":"array","owner":"bob","submission_time":1700000000,"nice":50,"tasks":"1-9:2,12","task_concurrency":3,"hold":{"u":"1-9:2,12"},"seq":3}
{"event":"job_add","job_number":13,"job_name":"array","owner":"bob","submission_time":1700000000,"hold":{"s":"1"},"seq":4}
{"event":"job_add","job_number":15,"job_name":"new","owner":"cal","submission_time":1700000000,"eligible_time":1800000000,"cpus":2,"execution_time":1800000000,"seq":5}
{"event":"snapshot_end","seq":6}
END
expect 0 "the pending jobs are not imported" --slurm "$work/cell"
rm -r "$work/cell"
answer squeue --json <"$work/says/jobs"
expect 0 "one run over 4 pending jobs" --slurm "$work/cell"
diff "$work/says/events" "$work/cell/jobs.jsonl" || fail "the pending jobs are not what squeue says"
"$fairlead" lint "$work/cell" | grep jobs.jsonl && fail "the pending jobs are taken for a part of the cell"
said=$(FAIRLEAD_SHM=$work/cell "$B/fairlead-schedd" -c "$work/cell" --events "$work/cell/jobs.jsonl" --once 2>&1)
echo "$said" | grep -q '"ack","seq":6' && ! echo "$said" | grep -q '"error"' || fail "a run over the pending jobs: $said"
rm -r "$work/cell"
answer squeue --json </dev/null
expect 0 "one run over 4 pending jobs" --slurm --squeue "$work/says/jobs" "$work/cell"
rm -r "$work/cell"
# a name with a line break, ids that are no list, and jobs that a scheduler would refuse
cat >"$work/says/odd" <<'END'
{"jobs":[{"job_id":1,"user_name":"ann","name":"two\nlines","job_state":"PENDING"},
{"job_id":2,"user_name":"ann","array_job_id":2,"array_task_string":"5-3","job_state":"PENDING"},
{"job_id":-3,"user_name":"ann","job_state":"PENDING"},{"job_id":4,"user_name":"ann","cpus":-1,"job_state":"PENDING"},7]}
END
cat >"$work/says/events" <<'END'
{"event":"snapshot_begin","seq":1}
{"event":"job_add","job_number":1,"job_name":"two?lines","owner":"ann","submission_time":0,"seq":2}
{"event":"job_add","job_number":2,"owner":"ann","submission_time":0,"seq":3}
{"event":"snapshot_end","seq":4}
END
expect 0 "2 jobs left out, the first is -3: job_number: -3 is not in 1..4294967295" --slurm --squeue "$work/says/odd" "$work/cell"
echo "$said" | grep -q 'the tasks "5-3" of array 2: it is imported as one job' || fail "ids that are no list: $said"
diff "$work/says/events" "$work/cell/jobs.jsonl" || fail "jobs that a scheduler would refuse are not left out"
rm -r "$work/cell"
expect 3 "no JSON with an array \"jobs\"" --slurm --squeue "$work/says/more" "$work/cell"
expect 3 "no JSON with an array \"jobs\"" --slurm --squeue /nonexistent "$work/cell"
echo "AccountingStorageType=accounting_storage/slurmdbd" >>"$work/says/more"
expect 3 "sacctmgr -i dump one file=/proc/self/fd/9: exit status 1" --slurm "$work/cell"
sed -i 's/^ClusterName=.*/ClusterName=-i/' "$work/says/slurm.conf"
expect 3 "ClusterName=-i, which cannot be an argument of sacctmgr" --slurm "$work/cell"

# ---- an HTCondor ----
expect 2 "--userprio can only be used with --condor" --slurm --userprio x "$work/cell"
expect 3 "condor_config_val: there is no such command" --condor "$work/cell"
for name in condor_config_val condor_userprio; do
	ln -s qconf "$work/bin/$name"
done
answer condor_config_val -dump <<'END'
# Configuration from machine: cm.pool
LOCAL_CONFIG_DIR = /nonexistent
GROUP_NAMES = physics
GROUP_QUOTA_physics = 5
START = $(START) && Memory > 10
END
expect 0 "priorities and usage are not imported" --condor "$work/cell"
rm -r "$work/cell"
answer condor_userprio -long -allusers <<'END'
LastUpdate = 1700000000
Name1 = "physics.ann@pool"
Priority1 = 5000.0
PriorityFactor1 = 3000.0
NumSubmittors = 1
END
expect 0 "0 faults, 0 warnings" --condor "$work/cell"
"$fairlead" lint "$work/cell" >"$work/said" || fail "lint of an imported condor_config: $(cat "$work/said")"
FAIRLEAD_SHM=$work/cell "$B/fairlead-schedd" -c "$work/cell" --events /dev/null --once >"$work/said" 2>&1
FAIRLEAD_SHM=$work/cell "$fairlead" -c "$work/cell" userprio -allusers -autoformat Name Priority 2>&1 | grep -q '^physics.ann@pool 1500' ||
	fail "userprio of an imported cell: $(cat "$work/said")"
rm -r "$work/cell" "$work/said"
sed 1d "$work/says/condor_config_val_-dump" >"$work/says/plain"
expect 0 "LOCAL_CONFIG_DIR names further files, which are not read" --condor -f "$work/says/plain" "$work/cell"
rm -r "$work/cell"

# Slots: a partitionable one that is divided, one that is claimed, and an ad that is no slot
echo "NEGOTIATOR_INTERVAL = 60" >"$work/says/simple"
expect 2 "--status can only be used with --condor" --slurm --status x "$work/cell"
expect 0 "no --status: the slots are not imported" --condor -f "$work/says/simple" "$work/cell"
rm -r "$work/cell"
cat >"$work/says/status" <<'END'
Name = "slot1@n1.site"
Machine = "n1.site"
SlotType = "Partitionable"
Cpus = 2
TotalSlotCpus = 8
Memory = 100
TotalSlotMemory = 16000
Requirements = (START) && (TARGET.RequestMemory <= MY.Memory)
Unreadable = "

Name = "slot1_1@n1.site"
Machine = "n1.site"
DynamicSlot = true
Cpus = 6

Name = "slot1@n2.site"
Machine = "n2.site"
Cpus = 1
RemoteUser = "a@b"

Name = "cm"
END
expect 0 "1 ClassAd without Name, Machine or Cpus left out" --condor -f "$work/says/simple" --status "$work/says/status" "$work/cell"
grep -q '"slot":"slot1@n1.site","machine":"n1.site","ad":{.*"Cpus":8,.*"Memory":16000,.*"Requirements":{"expr":"(START) && (TARGET.RequestMemory <= MY.Memory)"}' "$work/cell/slots.jsonl" ||
	fail "the partitionable slot: $(cat "$work/cell/slots.jsonl")"
grep -c '"event":"slot"' "$work/cell/slots.jsonl" | grep -qx 2 || fail "two slots: $(cat "$work/cell/slots.jsonl")"
grep -e RemoteUser -e Unreadable "$work/cell/slots.jsonl" && fail "a claim, and an attribute that cannot be read, are imported"
grep -q '^slots     1,\[n1.site=8\],\[n2.site=1\]$' "$work/cell/queue/all.q" || fail "slots: $(cat "$work/cell/queue/all.q")"
printf '; UnixStartTime: 1700000000\n1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n2 0 0 9 8 -1 -1 8 9 -1 1 2 1 1 1 1 -1 -1\n' >"$work/says/two.swf"
"$fairlead" replay "$work/says/two.swf" --cell "$work/cell" 2>&1 | grep -q 'that started *2 *2$' || fail "two jobs do not start on eight slots and one"
FAIRLEAD_SHM=$work/cell "$B/fairlead-schedd" -c "$work/cell" --events "$work/cell/slots.jsonl" --once --strict >"$work/said" 2>&1 || fail "events: $(cat "$work/said")"
rm -r "$work/cell" "$work/said"
cat >"$work/says/status" <<'END'
[{ "Name": "slot1@n1.site", "Machine": "n1.site", "Cpus": 4, "Start": "\/Expr(Owner == \"a\")\/", "START2": true, "List": [1, 2] }]
END
expect 0 "0 faults, 0 warnings" --condor -f "$work/says/simple" --status "$work/says/status" "$work/cell"
grep -qF '"ad":{"Name":"slot1@n1.site","Machine":"n1.site","Cpus":4,"Start":{"expr":"Owner == \"a\""},"START2":true}' "$work/cell/slots.jsonl" ||
	fail "slots in JSON: $(cat "$work/cell/slots.jsonl")"
rm -r "$work/cell"
# attributes and slots that a scheduler would refuse
printf 'Name = "slot1@n1"\nMachine = "n1"\nCpus = 2\nodd.name = 1\n = 2\nN\377 = 3\nText = "\377"\nBell = "a\007"\n\nName = "n2"\nMachine = "n2"\nCpus = 1\n' >"$work/says/status"
expect 0 "1 slot left out; a scheduler refuses slot: \"n2\" is not of the form slot@machine" --condor -f "$work/says/simple" --status "$work/says/status" "$work/cell"
echo "$said" | grep "without Name" && fail "a slot with Name, Machine and Cpus is said to be without them"
grep -q '"ad":{"Name":"slot1@n1","Machine":"n1","Cpus":2},"seq":2}' "$work/cell/slots.jsonl" || fail "odd attributes: $(cat "$work/cell/slots.jsonl")"
rm -r "$work/cell"
echo '[1' >"$work/says/status"
expect 3 "no JSON array of slots" --condor -f "$work/says/simple" --status "$work/says/status" "$work/cell"
echo 'A = 1' >"$work/says/status"
expect 3 "no slot with Name, Machine and Cpus" --condor -f "$work/says/simple" --status "$work/says/status" "$work/cell"

echo "import: $failures failures"
[ "$failures" = 0 ]
