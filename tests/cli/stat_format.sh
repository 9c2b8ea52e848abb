#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fairlead stat with columns and orders of one's own: --format, --sort, --iso, --no-header.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC
failures=0
umask 022	# a configuration that other users may not read is not published
cp -r conf/default "$FAIRLEAD_CELL" && chmod -R a+rX "$FAIRLEAD_CELL"

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":3}
{"seq":3,"event":"queue_instance","queue":"all.q@node2","slots":6}
{"seq":4,"event":"job_add","job_number":1,"owner":"ann","job_name":"run","project":"atlas","submission_time":1699990000}
{"seq":5,"event":"job_add","job_number":2,"owner":"bob","job_name":"wide","submission_time":1699990000,"pe":"mpi","pe_range":"6"}
{"seq":6,"event":"job_add","job_number":3,"owner":"bob","job_name":"a_rather_long_name","submission_time":1699900000,"hold":{"u":"1"}}
{"seq":7,"event":"job_add","job_number":4,"owner":"cal","job_name":"née日本","submission_time":1699990002,"hard_resource_list":"gpu=5"}
{"seq":8,"event":"job_add","job_number":5,"owner":"fay","job_name":"array","submission_time":1699990003,"tasks":"1-9:2","hold":{"u":"3-5:2"},"hard_resource_list":"gpu=5"}
{"seq":9,"event":"snapshot_end"}
{"seq":10,"event":"task_start","job_number":1,"task":1,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}]}
{"seq":11,"event":"task_start","job_number":2,"task":1,"start_time":1699998000,"granted_pe":"mpi","granted":[{"queue":"all.q@node2","slots":4},{"queue":"all.q@node1","slots":2}]}
END
grep -q '"answer":"refused"' "$work/answers" && { cat "$work/answers"; exit 1; }

# prints OPTIONS...: the lines on standard input
prints() {
	cat >"$work/expected"
	"$B/fairlead" stat "$@" >"$work/found" 2>/dev/null
	diff "$work/expected" "$work/found" && return
	echo "FAIL stat $*"
	failures=$((failures + 1))
}

# refuses TEXT OPTIONS...
refuses() {
	text=$1
	shift
	said=$("$B/fairlead" stat "$@" 2>&1)
	is=$?
	[ $is = 2 ] && printf '%s\n' "$said" | grep -qF -e "$text" && return
	echo "FAIL stat $*: exit $is, or no \"$text\" in: $said"
	failures=$((failures + 1))
}

# without a width a column is as wide as its values; the last one is not padded
prints --format job,state,slots,name <<'END'
job state slots name
  1 r         1 run
  2 r         6 wide
  4 qw        1 née日本
  5 qw        1 array
  5 hqw       1 array
  3 hqw       1 a_rather_long_name
END
# with one it has it, and what is longer is cut; the point of squeue: on the right
prints --format job:3,name:.5,owner:4,slots:2 --no-header <<'END'
  1   run ann   1
  2  wide bob   6
  4 née日 cal   1
  5 array fay   1
  5 array fay   1
  3 a_rat bob   1
END
prints --format name:4,job --no-header -u cal <<'END'
née  4
END
# what follows from the run
prints --format place,job,waits,runs,at,ids --iso --no-header <<'END'
- 1    2:30:00 0:16:40 2023-11-14T21:56:40 -
- 2    2:13:20 0:33:20 2023-11-14T21:40:00 -
1 4    2:46:38       - 2023-11-14T19:26:42 -
2 5    2:46:37       - 2023-11-14T19:26:43 1,7,9
- 5    2:46:37       - 2023-11-14T19:26:43 3,5
- 3 1-03:46:40       - 2023-11-13T18:26:40 -
END
prints --format job,why --no-header -s p <<'END'
4 does not have the requested gpu=5: all.q@node2
5 does not have the requested gpu=5: all.q@node2
5 it is held
3 it is held (u): its owner or an operator can release it
END
prints --format where,project,start_time --no-header -s r <<'END'
all.q@node1 atlas 11/14/2023 21:56:40
all.q@node2 -     11/14/2023 21:40:00
END

# orders: numbers by size, texts by their bytes, - from the greatest on; equals as in the list
prints --format job,owner --no-header --sort -job <<'END'
5 fay
5 fay
4 cal
3 bob
2 bob
1 ann
END
prints --format job --no-header --sort -owner,job <<'END'
5
5
4
2
3
1
END
prints --format job,ids --no-header --sort -ids,job -g d -N array <<'END'
5 9
5 7
5 5
5 3
5 1
END
prints --format job,state --no-header --sort waits,job -s p <<'END'
5 qw
5 hqw
4 qw
3 hqw
END
prints --no-header --iso --sort -slots -s r <<'END'
      2 0.79612 wide       bob          r     2023-11-14T21:40:00 all.q@node2                        6        
      1 1.50000 run        ann          r     2023-11-14T21:56:40 all.q@node1                        1        
END
found=$("$B/fairlead" stat --sort -job --json 2>/dev/null | python3 -c 'import json, sys; print(*[(j["job_number"], j["state"]) for j in json.load(sys.stdin)["jobs"]])')
[ "$found" = "(5, 'qw') (5, 'hqw') (4, 'qw') (3, 'hqw') (2, 'r') (1, 'r')" ] || { echo "FAIL --sort --json: $found"; failures=$((failures + 1)); }
found=$("$B/fairlead" stat --sort -job -xml 2>/dev/null | sed -n 's|.*<JB_job_number>\(.*\)</.*|\1|p' | paste -sd' ')
[ "$found" = "2 1 5 5 4 3" ] || { echo "FAIL --sort -xml keeps the two lists apart: $found"; failures=$((failures + 1)); }

"$B/fairlead" stat -j 1 --iso 2>/dev/null | grep -qx 'start_time:  *2023-11-14T21:56:40' || { echo "FAIL -j --iso"; failures=$((failures + 1)); }
# the place, and all reasons, for programs
found=$("$B/fairlead" stat --why --json 2>/dev/null | python3 -c 'import json, sys; print(*[(j["job_number"], j["place"], [r["kind"] for r in j["scheduling_info"]][:1]) for j in json.load(sys.stdin)["jobs"]])')
[ "$found" = "(1, None, []) (2, None, []) (4, 1, ['no_attribute']) (5, 2, ['no_attribute']) (5, None, ['no_attribute']) (3, None, ['on_hold'])" ] ||
	{ echo "FAIL --why --json: $found"; failures=$((failures + 1)); }
"$B/fairlead" stat --format help | grep -q '^  prio  *prior$' || { echo "FAIL --format help"; failures=$((failures + 1)); }
# every name that help lists is one
for name in $("$B/fairlead" stat --format help | sed -n 's/^  \([a-z_]*\).*/\1/p'); do
	"$B/fairlead" stat --format "$name" >/dev/null 2>&1 || { echo "FAIL --format $name"; failures=$((failures + 1)); }
done
refuses 'there is no column "onwer", but "owner"' --format job,onwer
refuses 'there is no column "xyzzy"; --format help' --format xyzzy
refuses 'there is no column "statte", but "state"' --sort job,-statte
refuses '"why" is a sentence' --sort why
refuses '"0" is not a number from 1 to 1000' --format job:0
refuses '"5x" is not a number' --format job:.5x
refuses 'there is no column ""' --format ''
refuses 'cannot be combined with -xml' --format job --json
refuses 'cannot be combined with -xml' --format job -j 1
exit $((failures > 0))
