#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example queries of fairlead-store-tables(5) on a store that the scheduler has written, with sqlite3(1), while the scheduler runs.
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build}
command -v sqlite3 >/dev/null || { echo "no sqlite3 here"; exit 77; }
[ -x "$B/fairlead-schedd" ] || { echo "no programs in $B"; exit 77; }
scratch=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || :; rm -rf "$scratch"' EXIT
cp -R conf/default "$scratch/cell"
chmod -R u+w "$scratch/cell"
mkdir -p "$scratch/shm" "$scratch/cell/users" "$scratch/cell/projects"
for user in ann bob; do
	printf 'name %s\noticket 0\nfshare 100\ndelete_time 0\ndefault_project NONE\n' $user >"$scratch/cell/users/$user"
done
printf 'name red\noticket 0\nfshare 100\nacl NONE\nxacl NONE\n' >"$scratch/cell/projects/red"
export FAIRLEAD_SHM="$scratch/shm" FAIRLEAD_CELL="$scratch/cell"

job() {	# first number of the events, job, owner, project, usage: one that ran
	printf '{"seq":%d,"event":"job_add","job_number":%d,"owner":"%s","project":"%s","submission_time":1699999000}\n' $1 $2 $3 "$4"
	printf '{"seq":%d,"event":"task_start","job_number":%d,"start_time":1699999500,"granted":[{"queue":"all.q@node","slots":1}]}\n' $(($1 + 1)) $2
	printf '{"seq":%d,"event":"task_finish","job_number":%d,"scaled_usage":{%s}}\n' $(($1 + 2)) $2 "$5"
}
{
	job 1 1 ann red '"cpu":7200,"ru_wallclock":9000'
	job 4 2 ann "" '"cpu":1800,"ru_wallclock":1800'
	job 7 3 bob red '"cpu":36000,"ru_wallclock":36000'
} >"$scratch/events"
"$B/fairlead-schedd" --once --no-dispatch --now 1700000000 --events "$scratch/events" --store "$scratch/store" >"$scratch/log" 2>&1

mkfifo "$scratch/more"
"$B/fairlead-schedd" --no-dispatch --events "$scratch/more" --store "$scratch/store" 2>"$scratch/log" &
pid=$!
exec 3>"$scratch/more"
for _ in $(seq 1200); do
	grep -q serving "$scratch/log" && break
	sleep 0.1
done
grep -q serving "$scratch/log"

example() {	# n: the n-th query of the page
	awk -v n=$((2 * $1)) '/^# EXAMPLES/ { in_examples = 1 } in_examples && /^```/ { fences++; next } in_examples && fences == n - 1' \
		man/fairlead-store-tables.5.scd
}
expect() {	# n, wanted, store
	found=$(example $1 | sqlite3 -readonly -cmd ".timeout 120000" "${3-$scratch/store}")
	[ "$found" = "$2" ] || { printf 'query %s gave\n%s\nand not\n%s\n' $1 "$found" "$2"; exit 1; }
}
expect 1 'bob|10.0|1
ann|2.5|2'
expect 2 'red|bob|10.0
red|ann|2.5'
expect 3 'bob|red|2023-11-14 22:13:20|36000|36000
ann|red|2023-11-14 22:13:20|7200|7200
ann||2023-11-14 22:13:20|1800|1800
bob||2023-11-14 22:13:20||'
sqlite3 -readonly "$scratch/store" ".backup $scratch/copy"
sqlite3 "$scratch/copy" "INSERT INTO meta VALUES ('pass', '1700000300');
	INSERT INTO association_usage (account, user, partition, usage_exact, time_stamp)
	VALUES ('phys', 'ann', '', '7200.25', 1700000300), ('phys', 'gone', '', '9000', 1699000000), ('chem', 'cal', '', '72000', 1700000300)"
expect 4 'chem|cal|2023-11-14 22:18:20|20.0
phys|ann|2023-11-14 22:18:20|2.0' "$scratch/copy"
sqlite3 "$scratch/copy" "INSERT INTO association_decay (since, until, remains) VALUES (1699999700, 1700000000, 0.9), (1700000000, 1700000300, 0.5);
	UPDATE association_usage SET time_stamp = 1700000000 WHERE user = 'cal';
	INSERT INTO association_usage (account, user, partition, usage_exact, time_stamp) VALUES ('chem', 'dot', '', '72000', 1699999700)"
expect 4 'chem|cal|2023-11-14 22:18:20|10.0
chem|dot|2023-11-14 22:18:20|9.0
phys|ann|2023-11-14 22:18:20|2.0' "$scratch/copy"
[ "$(sqlite3 -readonly "$scratch/store" 'PRAGMA integrity_check')" = ok ]
[ "$(stat -c %a "$scratch/store")" = 600 ]
for table in $(sqlite3 -readonly "$scratch/store" "SELECT name FROM sqlite_schema WHERE type = 'table'"); do
	grep -q "^## $table\$" man/fairlead-store-tables.5.scd || { echo "fairlead-store-tables(5) has no table $table"; exit 1; }
	for column in $(sqlite3 -readonly "$scratch/store" "SELECT name FROM pragma_table_info('$table')"); do
		awk -v t="## $table" '/^## / { on = $0 == t } on' man/fairlead-store-tables.5.scd | grep -q "\*$column\*" ||
			{ echo "fairlead-store-tables(5) does not have $column of $table"; exit 1; }
	done
done
