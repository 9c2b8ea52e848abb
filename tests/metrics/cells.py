# SPDX-License-Identifier: Apache-2.0
"""Cells of each policy in which each family of metrics has a value."""
import os
import re

from exporter import TOP, now

SLURM_FILES = {
    "slurm.conf": """PriorityType=priority/multifactor
PriorityFlags=NO_FAIR_TREE
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
PriorityCalcPeriod=1
PriorityMaxAge=1000
PriorityWeightAge=1000
PriorityWeightFairshare=10000
NodeName=node[1-4] CPUs=8 RealMemory=16000
PartitionName=batch Nodes=node[1-4] Default=YES
PartitionName=fast Nodes=node[1-2] PriorityTier=2
""",
    "sshare": """Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|GrpTRESMins
root|||0.000000|10000|1.000000|
 root|root|1|0.024390|0|0.000000|1.000000
 chem||10|0.243902|2000|0.200000|
  chem|carl|1|1.000000|2000|1.000000|0.750000
 physics||30|0.731707|8000|0.800000||mem=4500,cpu=100
  physics|ann|1|0.333333|8000|1.000000|0.250000
  physics|bob|2|0.666667|0|0.000000|0.500000
""",
}


def with_consumables():
    """Return the files of a cell with licences, and GPUs and memory on each node."""
    with open(os.path.join(TOP, "conf/default/complex")) as file:
        text = re.sub(r"(?m)^(h_vmem +h_vmem +MEMORY +<= +YES +)NO", r"\1YES", file.read())
    rest = "".join(f"{name} NONE\n" for name in ("load_scaling", "load_values", "user_lists", "xuser_lists", "projects", "xprojects", "usage_scaling"))
    hosts_files = {"global": "license=5", **{f"node{k}": "gpu=2,h_vmem=16G" for k in range(1, 5)}}
    return {"complex": text, **{f"hosts/{name}": f"hostname {name}\ncomplex_values {values}\n{rest}" for name, values in hosts_files.items()}}


LOADS = {"arch": "lx-amd64", "num_proc": 8, "load_avg": 3.5, "np_load_avg": 0.4375, "mem_total": "16G", "mem_used": "4G", "swap_total": "8G",
         "swap_used": "1G", "cpu": 43.5}


def hosts(names):
    for name in names:
        yield {"event": "host_load", "host": name, "load_values": LOADS}


def job(number, owner, age=100, **more):
    return {"event": "job_add", "job_number": number, "owner": owner, "submission_time": now() - age, **more}


def start(number, queue, task=None, slots=1):
    return {"event": "task_start", "job_number": number, **({"task": task} if task else {}), "start_time": now(),
            "granted": [{"queue": queue, "slots": slots}]}


def slurm_events():
    """Nodes in each state, and jobs of three users in two partitions."""
    queues = {"batch": ["node1", "node2", "node3", "node4"], "fast": ["node1", "node2"]}
    for queue, names in queues.items():
        for name in names:
            yield {"event": "queue_instance", "queue": f"{queue}@{name}", "slots": 4,
                   **({"state": "d"} if name == "node3" else {"state": "E"} if name == "node4" else {})}
    yield from hosts(["node1", "node2", "node3", "node4"])
    yield job(1, "ann", account="physics", partition="batch")
    yield job(2, "bob", account="physics", partition="fast")
    yield job(3, "carl", account="chem", partition="batch", hold={"u": "1"})
    yield job(4, "carl", 5000, account="chem", partition="batch,fast", hard_resource_list="arch=none")


def slurm_starts():
    yield start(1, "batch@node1", slots=4)
    yield start(2, "fast@node2")


CONDOR_CONFIG = """UID_DOMAIN = here
NEGOTIATOR_INTERVAL = 1
NEGOTIATOR_MIN_INTERVAL = 0
NEGOTIATOR_CYCLE_DELAY = 0
GROUP_NAMES = group_a, group_b
GROUP_QUOTA_group_a = 2
GROUP_QUOTA_group_b = 1
GROUP_ACCEPT_SURPLUS = False
LICENCE_LIMIT = 5
"""


def condor_events():
    """Slots, and jobs of two groups of which some use a concurrency limit."""
    for k in range(1, 5):
        yield {"event": "queue_instance", "queue": f"all.q@node{k}", "slots": 1}
    for k in range(1, 9):
        yield job(k, "ann" if k % 2 else "bob", **({"accounting_group": "group_a"} if k % 2 else {}), **({"concurrency_limits": "licence"} if k == 1 else {}))
