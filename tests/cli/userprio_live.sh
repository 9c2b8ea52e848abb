#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The output of `fairlead userprio` for a small cell with algorithm userprio, out of shared memory. The recorded
# cases have what condor_userprio says
# of a file (tests/cli/userprio); here is what no recording has: slots that are held, submitters by name, --json, a cell with another algorithm.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] && [ -e "$B/tests/preload/clock.so" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC LC_ALL=C
mkdir "$FAIRLEAD_CELL"
failures=0

sed "s/^algorithm .*/algorithm userprio/" conf/default/sched_conf >"$FAIRLEAD_CELL/sched_conf"
cat >"$FAIRLEAD_CELL/condor_config" <<'END'
UID_DOMAIN = pool
ACCOUNTANT_LOCAL_DOMAIN = pool
GROUP_NAMES = group_physics, group_physics.hep, group_chem
GROUP_QUOTA_group_physics = 2
GROUP_QUOTA_group_physics.hep = 1
GROUP_QUOTA_DYNAMIC_group_chem = 0.25
GROUP_ACCEPT_SURPLUS_group_physics.hep = true
GROUP_AUTOREGROUP_group_chem = true
END
cat >"$FAIRLEAD_CELL/userprio" <<'END'
LastUpdate = 1699999900
Name1 = "carl@pool"
Priority1 = 4000.0
PriorityFactor1 = 1000.0
ResourcesUsed1 = 0
WeightedResourcesUsed1 = 0.0
AccumulatedUsage1 = 7200.0
WeightedAccumulatedUsage1 = 7200.0
BeginUsageTime1 = 1699900000
LastUsageTime1 = 1699999000
Ceiling1 = 7
IsAccountingGroup1 = false
END

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"slot","slot":"slot1@a","machine":"a","ad":{"Cpus":1,"Memory":0,"Machine":"a"}}
{"seq":3,"event":"slot","slot":"slot2@a","machine":"a","ad":{"Cpus":1,"Memory":0,"Machine":"a"}}
{"seq":4,"event":"slot","slot":"slot1@b","machine":"b","ad":{"Cpus":1,"Memory":0,"Machine":"b"}}
{"seq":5,"event":"claim","slot":"slot1@b","submitter":"group_chem.curie@pool","weight":1,"since":1699999000}
{"seq":6,"event":"job_add","job_number":1,"owner":"ann","submission_time":1699990000,"tasks":"1-3"}
{"seq":7,"event":"job_add","job_number":2,"owner":"bob","submission_time":1699990000,"accounting_group":"group_physics.hep","tasks":"1-2"}
{"seq":8,"event":"job_add","job_number":3,"owner":"carl","submission_time":1699990000,"ad":{"RequestMemory":4096},"requirements":"(TARGET.Memory >= MY.RequestMemory && Owner == \"carl\") && (TARGET.Machine =!= \"a\" || false) && Cpus >= RequestCpus"}
{"seq":9,"event":"snapshot_end"}
END
echo "=1700000100" >"$work/clock"

# says WHAT ARGUMENTS...: what is on standard input
says() {
	what=$1
	shift
	cat >"$work/expected"
	LD_PRELOAD="$B/tests/preload/clock.so${LD_PRELOAD:+ $LD_PRELOAD}" CLOCK_SHIFT="$work/clock" "$B/fairlead" "$@" 2>/dev/null >"$work/found"
	diff "$work/expected" "$work/found" || { echo "FAIL $what: fairlead $*"; failures=$((failures + 1)); }
}

says "groups in the order in which they are served, quotas of the cycle" userprio -allusers -quotas -priority <<'END'
Last Priority Update: 11/14 22:13
Group                Effective  Config     Use    Subtree   Effective     Real   Priority   Weighted 
  User Name            Quota     Quota   Surplus   Quota     Priority   Priority  Factor   Requested 
-------------------- --------- --------- ------- --------- ------------ -------- --------- ----------
group_physics             2.00      2.00 no           2.00                                          0
group_physics.hep         1.00      1.00 ByQuota      1.00                                          2
  bob@pool                                                       500.00     0.50   1000.00           
group_chem                0.25      0.25 Regroup      0.25                                          0
  curie@pool                                                     500.00     0.50   1000.00           
<none>                    3.00      0.00 yes          3.00                                          4
  ann@pool                                                       500.00     0.50   1000.00           
  carl@pool                                                     3996.79     4.00   1000.00           
-------------------- --------- --------- ------- --------- ------------ -------- --------- ----------
Number of users: 4                       ByQuota                                                     
END
says "quotas by name" userprio -q -allusers <<'END'
Last Priority Update: 11/14 22:13
Group                Effective  Config     Use    Subtree   Weighted 
Name                   Quota     Quota   Surplus   Quota   Requested 
-------------------- --------- --------- ------- --------- ----------
<none>                    3.00      0.00 yes          3.00          4
group_chem                0.25      0.25 Regroup      0.25          0
group_physics             2.00      2.00 no           2.00          0
group_physics.hep         1.00      1.00 ByQuota      1.00          2
-------------------- --------- --------- ------- --------- ----------
Number of users: 4                       ByQuota                     
END
says "one submitter, active or not, and no bound below its last usage" userprio -all carl@pool <<'END'
Last Priority Update: 11/14 22:13
                    Effective     Real   Priority  Wghted Total Usage       Usage             Last       Time Since Submitter Submitter
User Name            Priority   Priority  Factor   In Use (wghted-hrs)    Start Time       Usage Time    Last Usage   Floor    Ceiling 
------------------ ------------ -------- --------- ------ ------------ ---------------- ---------------- ---------- --------- ---------
carl@pool               3996.79     4.00   1000.00      0         2.00 11/13/2023 18:26 11/14/2023 21:56    0+00:16                7.00
------------------ ------------ -------- --------- ------ ------------ ---------------- ---------------- ---------- --------- ---------
Number of users: 1                                      0         2.00                                                                 
END
says "a name without @ is all that stands before it, or a group" userprio -priority -quotas ann group_chem,group_chem.curie <<'END'
Last Priority Update: 11/14 22:13
Group                Effective  Config     Use    Subtree   Effective     Real   Priority   Weighted 
  User Name            Quota     Quota   Surplus   Quota     Priority   Priority  Factor   Requested 
-------------------- --------- --------- ------- --------- ------------ -------- --------- ----------
group_chem                0.25      0.25 Regroup      0.25                                          0
  curie@pool                                                     500.00     0.50   1000.00           
  ann@pool                                                       500.00     0.50   1000.00           
-------------------- --------- --------- ------- --------- ------------ -------- --------- ----------
Number of users: 2                       Regroup                                                     
END
says "several submitters" userprio -most ann@pool group_physics.hep.bob@pool carl <<'END'
Last Priority Update: 11/14 22:13
                            Effective   Priority  Wghted Total Usage  Time Since Submitter Submitter
User Name                    Priority    Factor   In Use (wghted-hrs) Last Usage   Floor    Ceiling 
-------------------------- ------------ --------- ------ ------------ ---------- --------- ---------
ann@pool                         500.00   1000.00      0         0.00 19675+22:1                    
group_physics.hep.bob@pool       500.00   1000.00      2         0.00 19675+22:1                    
carl@pool                       3996.79   1000.00      0         2.00    0+00:16                7.00
-------------------------- ------------ --------- ------ ------------ ---------- --------- ---------
Number of users: 3                                     2         2.00                               
END
says "capitals are other names" userprio CARL@pool </dev/null
"$B/fairlead" userprio CARL@pool ann dora >"$work/found" 2>"$work/why"
[ $? = 0 ] && grep -q "Number of users: 1" "$work/found" && [ "$(grep -c "no such submitter or group" "$work/why")" = 2 ] &&
	grep -q "userprio: dora: no such" "$work/why" || { echo "FAIL names that no record has"; cat "$work/why"; failures=$((failures + 1)); }
says "who is active" userprio -usage <<'END'
Last Priority Update: 11/14 22:13
                   Wghted Total Usage       Usage             Last      
User Name          In Use (wghted-hrs)    Start Time       Usage Time   
------------------ ------ ------------ ---------------- ----------------
carl@pool               0         2.00 11/13/2023 18:26 11/14/2023 21:56
------------------ ------ ------------ ---------------- ----------------
Number of users: 1      0         2.00                  11/13/2023 22:15
END
says "slots that are held" userprio -getreslist group_chem.curie@pool <<'END'
Resource Name                        Start Time          Match Time
------------------------------------ ---------------- --------------
slot1@b                              11/14/2023 21:56    0+00:18:20
------------------------------------ ---------------- --------------
Number of Resources Used: 1
END
says "attributes of records" userprio -af Name Ceiling 'Priority / PriorityFactor' -co '!IsAccountingGroup' <<'END'
ann@pool -1 0.5
carl@pool 7 3.996792
group_chem.curie@pool -1 0.5
group_physics.hep.bob@pool -1 0.5
END

"$B/fairlead" stat -j 3 2>/dev/null | sed -n 's/^ *\(.* is not true of .*\)/\1/p' >"$work/found"
cat >"$work/expected" <<'END'
TARGET.Memory >= MY.RequestMemory is not true of 3 of 3 slots
TARGET.Machine =!= "a" || false is not true of 2 of 3 slots
END
diff "$work/expected" "$work/found" || { echo "FAIL which clause fails on how many slots"; failures=$((failures + 1)); }

"$B/fairlead" stat -j 3 --json 2>/dev/null | python3 -c '
import json, sys
(job,) = json.load(sys.stdin)["jobs"]
assert [(c["refused"], c["slots"]) for c in job["clauses"]] == [(3, 3), (0, 3), (2, 3), (0, 3)], job
' || { echo "FAIL clauses in JSON"; failures=$((failures + 1)); }

"$B/fairlead" userprio --json 2>/dev/null >"$work/json" && python3 - "$work/json" <<'END' || { echo "FAIL --json"; failures=$((failures + 1)); }
import json
import sys
answer = json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=lambda word: sys.exit(word))
customers = {customer["name"]: customer for customer in answer["customers"]}
assert answer["run"]["run"] == 1 and answer["last_update"] == 1700000000, answer["run"]
assert customers["group_physics.hep"]["config_quota"] == 1 and customers["group_physics.hep"]["surplus_policy"] == "byquota"
assert customers["carl@pool"]["ceiling"] == 7 and customers["ann@pool"]["ceiling"] is None
assert customers["group_physics.hep.bob@pool"]["group"] == "group_physics.hep"
END

"$B/fairlead" userprio -long 2>/dev/null >"$work/long"
cp "$work/long" "$work/kept"
for options in "-all -allusers" "-all" "-sortkey -order -groupid -allusers" "-flat -allusers"; do
	LD_PRELOAD="$B/tests/preload/clock.so${LD_PRELOAD:+ $LD_PRELOAD}" CLOCK_SHIFT="$work/clock" "$B/fairlead" userprio $options 2>/dev/null >"$work/live"
	says "what -long has written, as the cell itself" userprio $options -inputfile "$work/kept" <"$work/live"
done

mkdir "$work/other"
cp conf/default/sched_conf "$work/other"
printf '{"seq":1,"event":"snapshot_begin"}\n{"seq":2,"event":"snapshot_end"}\n' | "$B/fairlead-schedd" -c "$work/other" --once --now 1700000000 >/dev/null 2>&1
"$B/fairlead" -c "$work/other" userprio >"$work/found" 2>"$work/why"
[ $? = 3 ] && grep -q "algorithm userprio" "$work/why" && [ ! -s "$work/found" ] || { echo "FAIL another algorithm"; cat "$work/why"; failures=$((failures + 1)); }

[ $failures = 0 ]
