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

expect 2 "from which system? give --gridengine or --slurm" "$work/cell"
expect 2 "from which system?" --gridengine --slurm "$work/cell"
expect 2 "--qconf goes with --gridengine" --slurm --qconf qconf "$work/cell"
expect 2 "-f and --cluster go with --slurm" --gridengine -f x "$work/cell"
expect 2 "the directory of the cell that is to be made is expected" --gridengine
expect 3 "/nonexistent/qconf: there is no such command" --gridengine --qconf /nonexistent/qconf "$work/cell"
expect 1 "there is something already" --gridengine "$work/bin"
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
	expect 3 "which can't be the name of a file" --gridengine "$work/cell"
done
rm "$work"/says/qconf_-sq*
[ ! -e "$work/../evil" ] && [ ! -e /etc/evil ] || fail "a file somewhere else"

# what is there is taken, faults and all
expect 0 "0 faults" --gridengine "$work/cell"
cmp -s "$work/cell/sched_conf" conf/default/sched_conf && cmp -s "$work/cell/users/ann" conf/default/users/ann || fail "a file is another one"
rm -r "$work/cell"
sed 's/^schedule_interval.*/schedule_interval soon/' conf/default/sched_conf | answer qconf -ssconf
said=$("$fairlead" import --gridengine --qconf "$work/bin/qconf" "$work/cell" 2>&1)
[ $? = 1 ] && echo "$said" | grep -q 'cell/sched_conf:[0-9]*: fault: .*"soon" found' && [ -e "$work/cell/sched_conf" ] || fail "a fault: $said"
rm -r "$work/cell"

# Slurm
PATH=/nonexistent "$fairlead" import --slurm "$work/cell" >"$work/says/out" 2>&1
[ $? = 3 ] && grep -q "scontrol: there is no such command in PATH" "$work/says/out" || fail "without scontrol: $(cat "$work/says/out")"
for command in scontrol sacctmgr sshare; do cp "$work/bin/qconf" "$work/bin/$command"; done
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
echo "AccountingStorageType=accounting_storage/slurmdbd" >>"$work/says/more"
expect 3 "sacctmgr -i dump one file=/proc/self/fd/9: exit status 1" --slurm "$work/cell"
sed -i 's/^ClusterName=.*/ClusterName=-i/' "$work/says/slurm.conf"
expect 3 "ClusterName=-i, which can't be asked for" --slurm "$work/cell"

echo "import: $failures failures"
[ "$failures" = 0 ]
