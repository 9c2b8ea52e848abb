#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The output of `fairlead prio`, `share` and `stat` for a small cell with algorithm multifactor, as the scheduler
# computes it. The recorded cases
# have what sprio and sshare say (tests/reference/run); here is what no recording has: options that choose and sort, running jobs, --json.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -x "$B/fairlead" ] && [ -x "$B/fairlead-schedd" ] || { echo "no $B/fairlead or $B/fairlead-schedd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAIRLEAD_SHM="$work" FAIRLEAD_CELL="$work/cell" TZ=UTC LC_ALL=C
mkdir "$FAIRLEAD_CELL"
failures=0

sed "s/^algorithm .*/algorithm multifactor/" conf/default/sched_conf >"$FAIRLEAD_CELL/sched_conf"
cat >"$FAIRLEAD_CELL/slurm.conf" <<'END'
PriorityType=priority/multifactor
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
PriorityCalcPeriod=1
PriorityMaxAge=1000
PriorityFlags=CALCULATE_RUNNING
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightPartition=2000
PriorityWeightTRES=CPU=100,Mem=50
NodeName=node[1-4] CPUs=8 RealMemory=16000
PartitionName=batch Nodes=node[1-4] Default=YES PriorityJobFactor=1
PartitionName=fast Nodes=node[1-2] PriorityJobFactor=4 PriorityTier=2
END
cat >"$FAIRLEAD_CELL/sshare" <<'END'
Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|GrpTRESMins
root|||0.000000|10000|1.000000|
 root|root|1|0.024390|0|0.000000|1.000000
 chem||10|0.243902|2000|0.200000|
  chem|carl|1|1.000000|2000|1.000000|0.750000
 physics||30|0.731707|8000|0.800000||mem=4500,cpu=100
  physics|ann|1|0.333333|8000|1.000000|0.250000
  physics|bob|2|0.666667|0|0.000000|0.500000
END

"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"queue_instance","queue":"all.q@node1","slots":1}
{"seq":3,"event":"job_add","job_number":1,"owner":"ann","account":"physics","partition":"batch","submission_time":1699970000,"cpus":8,"tres":"cpu=8,mem=1600M,node=1"}
{"seq":4,"event":"job_add","job_number":2,"owner":"bob","account":"physics","partition":"batch,fast","submission_time":1699994000,"cpus":4,"tres":"cpu=4,mem=3200M,node=1"}
{"seq":5,"event":"job_add","job_number":3,"owner":"carl","account":"chem","partition":"fast","submission_time":1699990000,"direct_priority":4000000000}
{"seq":6,"event":"job_add","job_number":4,"owner":"carl","account":"chem","partition":"batch","submission_time":1699990000,"hold":{"u":"1"}}
{"seq":7,"event":"job_add","job_number":5,"owner":"bob","account":"physics","partition":"batch","submission_time":1699990000,"execution_time":1700009999}
{"seq":8,"event":"job_add","job_number":6,"owner":"ann","account":"physics","partition":"fast","submission_time":1700000000,"nice":100,"site_factor":-7}
{"seq":9,"event":"job_add","job_number":7,"owner":"ann","account":"physics","partition":"batch","submission_time":1699940000}
{"seq":10,"event":"snapshot_end"}
{"seq":11,"event":"task_start","job_number":7,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}]}
END

# says WHAT ARGUMENTS...: what is on standard input
says() {
	what=$1
	shift
	cat >"$work/expected"
	"$B/fairlead" "$@" 2>/dev/null >"$work/found"
	diff "$work/expected" "$work/found" || { echo "FAIL $what: fairlead $*"; failures=$((failures + 1)); }
}

says "a line a partition, by job number" prio <<'END'
          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE  PARTITION                 TRES
              1 batch           3526          0        500       2500        500         cpu=25,mem=1
              2 fast            7130          0        100       5000       2000         cpu=25,mem=5
              2 batch           5615          0        100       5000        500         cpu=12,mem=2
              3 fast      4000000000          0          0          0          0                     
              6 fast            4393         -7          0       2500       2000                     
              7 batch           4000          0       1000       2500        500                     
END
says "highest first, then by user" prio -S -P,u -o "%.2i|%6r|%u|%.5Y|%N" <<'END'
JO|PARTIT|USER|PRIOR|NICE
 6|fast  |ann| 4393|100
 2|fast  |bob| 7130|0
 1|batch |ann| 3526|0
 7|batch |ann| 4000|0
 2|batch |bob| 5615|0
 3|fast  |carl|40000|0
END
says "jobs of users, with their names" prio -u ann,carl,nobody -p fast -h <<'END'
              3 fast          carl 4000000000          0          0          0          0                     
              6 fast           ann       4393         -7          0       2500       2000                     
END
says "jobs by number, those that are not shown or not there left out" prio -h -n -j 9,5,4,2,1,2 <<'END'
              1 batch     0.00000082 0.5000000  0.2500000  0.2500000  cpu=0.25,mem=0.03   
              2 fast      0.00000166 0.1000000  0.5000000  1.0000000  cpu=0.25,mem=0.10   
              2 batch     0.00000130 0.1000000  0.5000000  0.2500000  cpu=0.12,mem=0.05   
END
says "nothing but a header" prio -o "%i %c" -p nowhere <<'END'
JOBID CLUSTER
END
says "the name of the cell" -c "$FAIRLEAD_CELL//" prio -j 3 -h -o "%c %.14T|%.9r" <<'END'
cell               |     fast
END
says "weights" prio -w <<'END'
          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE  PARTITION                 TRES
        Weights                               1       1000      10000       2000       CPU=100,Mem=50
END
for options in "" "-h" "-w" "-l -n" "-o %i"; do
	says "no such jobs" prio -j 4,98,99 $options <<'END'
Unable to find jobs matching user/id(s) specified
END
done
says "no such jobs of a user" prio -u nobody <<'END'
          JOBID PARTITION     USER   PRIORITY       SITE        AGE  FAIRSHARE  PARTITION                 TRES
END
says "accounts as far as they are shown" share -A physics -u BOB -l <<'END'
Account                    User  RawShares  NormShares    RawUsage   NormUsage  EffectvUsage  FairShare    LevelFS                    GrpTRESMins                    TRESRunMins 
-------------------- ---------- ---------- ----------- ----------- ----------- ------------- ---------- ---------- ------------------------------ ------------------------------ 
physics                                 30    0.731707        8000    0.800000      0.800000              0.914634               cpu=100,mem=4500 cpu=0,mem=0,energy=0,node=0,b+ 
 physics                    bob          2    0.666667           0    0.000000      0.000000   0.500000        inf                                cpu=0,mem=0,energy=0,node=0,b+ 
END
says "users alone" share -a -U -n -p -o user,acc,fair,level%3 <<'END'
root|root|1.000000|inf|
carl|chem|0.750000|1.000000|
ann|physics|0.250000|0.333333|
bob|physics|0.500000|inf|
END
says "names that are cut" share -a -n -m -o part%2,account%-5,user%-3 <<'END'
   root      
    root ro+ 
    chem     
     ch+ ca+ 
    phy+     
     ph+ ann 
     ph+ bob 
END
says "a column as wide as the highest priority" stat -s p <<'END'
job-ID  prior      name       user         state submit/start at     queue                          slots ja-task-ID 
--------------------------------------------------------------------------------------------------------------------
      3 4000000000            carl         qw    11/14/2023 19:26:40                                    1        
      6       4393            ann          qw    11/14/2023 22:13:20                                    1        
      2       5615            bob          qw    11/14/2023 20:33:20                                    1        
      5       5500            bob          qw    11/14/2023 19:26:40                                    1        
      1       3526            ann          qw    11/14/2023 13:53:20                                    1        
      4          0            carl         hqw   11/14/2023 19:26:40                                    1        
END

"$B/fairlead" share -u "$(id -un)" 2>/dev/null >"$work/mine"
says "who asks, and all accounts" share <"$work/mine"
grep -q "^ physics " "$work/found" || { echo "FAIL accounts are not shown to everybody"; failures=$((failures + 1)); }

"$B/fairlead" stat -j 2 2>/dev/null | sed -n '/^prio:/,/^sum:/p' >"$work/found"
diff - "$work/found" <<'END' || { echo "FAIL what a priority is made of: fairlead stat -j 2"; failures=$((failures + 1)); }
prio:                       5615
account:                    physics
qos:                        NONE
partition:                  fast
age:                        100
association:                0
fairshare:                  5000
job size:                   0
partition factor:           2000
qos factor:                 0
tres:                       30
site:                       0
nice:                       0
sum:                        7130
END

"$B/fairlead" prio --json 2>/dev/null >"$work/prio" && "$B/fairlead" share --json 2>/dev/null >"$work/share" &&
	"$B/fairlead" prio --json -j 1 2>/dev/null >"$work/one" && python3 - "$work" <<'END' || failures=$((failures + 1))
import json, sys
prio, share, one = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("prio", "share", "one"))
rows = {(row["job_number"], row["partition"]): row for row in prio["jobs"]}
assert prio["pass"] == 1700000000 and prio["max_age"] == 60000 and prio["calculate_running"] and prio["has_fair_tree"]
assert prio["weights"] == {"age": 1000, "assoc": 0, "fairshare": 10000, "job_size": 0, "partition": 2000, "qos": 0, "tres": {"cpu": 100, "mem": 50}}
assert one["jobs"] == [rows[1, "batch"]]
first = rows[1, "batch"]
assert first["sum"] == 3526.25 and first["priority"] == 3526 and first["tres"]["mem"] == {"factor": 0.025, "weighted": 1.25}
assert first["account"] == "physics" and first["qos"] is None and first["direct_priority"] is None and first["weighted_fairshare"] == 2500
assert rows[3, "fast"]["direct_priority"] == rows[3, "fast"]["sum"] == 4000000000 and rows[3, "fast"]["tres"] == {}
assert rows[6, "fast"]["site"] == -7 and rows[6, "fast"]["nice"] == 100
assert rows[7, "batch"]["kind"] == "running" and rows[7, "batch"]["rank"] is None
# Job 6 comes before job 2, although that has the higher priority: its partition is of a higher tier than the one that job 2 names first.
assert [rows[key]["rank"] for key in ((3, "fast"), (2, "fast"), (2, "batch"))] == [1, 3, 3]
tree = share["associations"]
assert [row["account"] + "/" + (row["user"] or "") for row in tree] == ["root/", "root/root", "chem/", "chem/carl", "physics/", "physics/ann", "physics/bob"]
assert tree[0]["parent"] is None and tree[0]["raw_shares"] is None and tree[0]["norm_usage"] is None
assert tree[6]["level_fs"] is None and tree[6]["level_fs_infinite"] and tree[6]["fairshare"] == 0.5 and tree[6]["rank"] == 2
assert tree[4]["grp_tres_mins"] == {"cpu": 100, "mem": 4500} and tree[5]["grp_tres_mins"] == {}
assert list(tree[5]["tres_run_mins"]) == "cpu mem energy node billing fs/disk vmem pages".split() and not any(tree[5]["tres_run_mins"].values())
assert tree[5]["parent"] == 4 and tree[5]["level_fs"] == 1 / 3 and not tree[5]["level_fs_infinite"] and tree[4]["fairshare"] is None
END

# Where limits are enforced what running tasks may still use is shown: an hour of a processor here, less what has gone by in full minutes.
echo AccountingStorageEnforce=limits >>"$FAIRLEAD_CELL/slurm.conf"
"$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" <<'END' || { cat "$work/answers" "$work/log"; exit 1; }
{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"job_add","job_number":1,"owner":"ann","account":"physics","submission_time":1699970000,"time_limit":60}
{"seq":3,"event":"task_start","job_number":1,"start_time":1699999000,"granted":[{"queue":"all.q@node1","slots":1}],"tres":"cpu=1,mem=100M,node=1"}
{"seq":4,"event":"snapshot_end"}
END
says "what may still be used" share -a -n -P -o user,account,grptres,tresrun <<'END'
|root||cpu=43,mem=4333,energy=0,node=43,billing=43,fs/disk=0,vmem=0,pages=0
root| root||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0
| chem||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0
carl|  chem||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0
| physics|cpu=100,mem=4500|cpu=43,mem=4333,energy=0,node=43,billing=43,fs/disk=0,vmem=0,pages=0
ann|  physics||cpu=43,mem=4333,energy=0,node=43,billing=43,fs/disk=0,vmem=0,pages=0
bob|  physics||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0
END
"$B/fairlead" share --json -u ann -U 2>/dev/null | grep -q '"tres_run_mins":{"cpu":43,"mem":4333,"energy":0,' ||
	{ echo "FAIL: tres_run_mins of share --json"; failures=$((failures + 1)); }

# What no cell has above: no weights of TRES, and shares that have no levels. Blanks and zeros are those of sprio and sshare 22.05.8.
sed -i 's/^PriorityWeightTRES=.*//; s/^PriorityFlags=.*/PriorityFlags=NO_FAIR_TREE/' "$FAIRLEAD_CELL/slurm.conf"
sed -i '/^AccountingStorageEnforce/d' "$FAIRLEAD_CELL/slurm.conf"
sed -i 's/^PriorityMaxAge=.*/PriorityMaxAge=2000/; s/^PriorityWeightAge=.*/PriorityWeightAge=1/' "$FAIRLEAD_CELL/slurm.conf"
echo '{"seq":1,"event":"snapshot_begin"}
{"seq":2,"event":"job_add","job_number":1,"owner":"ann","account":"physics","submission_time":1699990000}
{"seq":3,"event":"job_add","job_number":2,"owner":"ann","account":"physics","submission_time":1699990001}
{"seq":4,"event":"job_add","job_number":3,"owner":"ann","account":"physics","submission_time":1699990003}
{"seq":5,"event":"snapshot_end"}' | "$B/fairlead-schedd" --once --now 1700000000 >"$work/answers" 2>"$work/log" || { cat "$work/answers" "$work/log"; exit 1; }
says "no weights of TRES" prio -w -h -o "%A %T|" <<'END'
1 (null)|
END
for letter in A a; do
	says "what differs by less than 0.00001 is equal to -S" prio -S $letter -h -o "%i" <<'END'
3
1
2
END
done
says "levels that are none" share -a -h -P -A root,chem -o account,user,level <<'END'
root||0.000000
 root|root|0.000000
 chem||0.000000
  chem|carl|0.000000
END
[ $failures = 0 ]
