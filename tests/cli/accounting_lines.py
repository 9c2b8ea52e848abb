# SPDX-License-Identifier: Apache-2.0
"""Lines of accounting(5), made up from a seed: every field that fairlead acct and qacct look at."""
import random

NAMES = ("qname hostname group owner job_name job_number account priority submission_time start_time end_time failed exit_status ru_wallclock ru_utime "
         "ru_stime ru_maxrss ru_ixrss ru_ismrss ru_idrss ru_isrss ru_minflt ru_majflt ru_nswap ru_inblock ru_oublock ru_msgsnd ru_msgrcv ru_nsignals "
         "ru_nvcsw ru_nivcsw project department granted_pe slots task_number cpu mem io category iow pe_taskid maxvmem arid ar_submission_time").split()
FIRST = 1795000000  # the first submission


def record(r, number, **more):
    """A task by the names of its fields."""
    submitted = FIRST + (number - 100) * 40000
    started = submitted + 100
    ended = started + r.randrange(1, 90000)
    fields = dict.fromkeys(NAMES, 0) | {
        "qname": r.choice(["all.q", "long.q"]), "hostname": r.choice(["node1", "node02.example.org"]), "group": r.choice(["users", "staff"]),
        "owner": r.choice(["ann", "bob"]), "job_name": r.choice(["sim", "a_rather_long_name_of_a_job"]), "job_number": number,
        "account": r.choice(["sge", "acct2"]), "submission_time": submitted, "start_time": started, "end_time": ended,
        "failed": r.choice([0, 0, 0, 100, 26, 37, 19, 1, 25, 11, 77]), "exit_status": r.choice([0, 1, 27, 128, 137, 139, 255]),
        "ru_wallclock": ended - started, "ru_utime": f"{r.uniform(0, 1000):f}", "ru_stime": f"{r.uniform(0, 50):f}",
        "ru_maxrss": f"{r.uniform(0, 500000):f}", "ru_minflt": 123456, "ru_majflt": 12, "ru_inblock": f"{1024.0:f}", "ru_oublock": 99,
        "ru_nvcsw": 777, "ru_nivcsw": 88, "project": r.choice(["NONE", "atlas"]), "department": r.choice(["defaultdepartment", "phys"]),
        "granted_pe": r.choice(["NONE", "smp"]), "slots": r.choice([1, 4, 12345]), "task_number": r.choice([0, 0, number - 99]),
        "cpu": f"{r.uniform(0, 200000):f}", "mem": f"{r.uniform(0, 10000):f}", "io": f"{r.choice([0, 1e-7, 0.004, 1, 9, 5000]):f}",
        "category": r.choice(["NONE", "-l h_rt=60,h_vmem=2G -pe smp 4"]), "iow": f"{r.uniform(0, 1):f}", "pe_taskid": r.choice(["NONE", "NONE", "1.node1"]),
        "maxvmem": f"{r.choice([0, 123, 5.2e6, 3.4e9, 7.7e12]):f}", "arid": r.choice([0, 0, 5]), "ar_submission_time": r.choice([0, FIRST])}
    return fields | more


def line(fields):
    return ":".join(str(fields[name]) for name in NAMES) + "\n"


def records(seed, n):
    r = random.Random(seed)
    return [record(r, 100 + k, **({"start_time": 0, "end_time": 0, "ru_wallclock": 0} if k == 5 else {})) for k in range(n)]
