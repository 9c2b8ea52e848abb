# SPDX-License-Identifier: Apache-2.0
"""A real Slurm of Debian's packages, filled with jobs and measured: slurm.py DIRECTORY USERS PASSES, for versus-slurm.

It must be the first process of namespaces of its own (versus-slurm makes them): users, host name and network exist only there, and
whatever it has started ends with it. DIRECTORY has the cell's files as Fairlead reads them, in cell/, and the jobs as events, in
jobs; all of the real cell comes to lie beside them. Prints one JSON line.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import time

import world
from world import FIRST_UID, Failure, answers, run, wait_for, write

HERE = os.path.dirname(os.path.realpath(__file__))
HOST = "slurmhost"
CONTROLLER, NODE, DATABASE_DAEMON, DATABASE = 6817, 6818, 6819, 3306
CLIENTS = 4  # processes that submit at the same time
PASS_S = 60  # PriorityCalcPeriod
QUIET_S = 1.0  # a thread that has not run for this time has finished its pass
LOOK_S = 0.02
LEAST_NS_PER_JOB = 10  # a shorter time was not a pass, only a check of the clock
REPEATS = 3

DATABASE_CONF = """AuthType=auth/munge
AuthInfo=socket={munge}
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
DebugLevel=error
LogFile={directory}/slurmdbd.log
PidFile={directory}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
"""
CONF = """SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={munge}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/builtin
SchedulerParameters=defer,sched_min_interval=600000000
MaxJobCount={most}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/slurmctld.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmctldDebug=error
MessageTimeout=100
include {directory}/cell/slurm.conf
"""
QOS = {"normal": 0, "high": 100, "low": 20}


def on_cpu_ns(thread):
    with open(f"{thread}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0])


class Cell:
    def __init__(self, directory, jobs):
        self.directory, self.jobs = directory, jobs
        self.names = {"directory": directory, "host": HOST, "munge": f"{directory}/munge.socket", "controller": CONTROLLER, "node": NODE,
                      "dbd": DATABASE_DAEMON, "database": DATABASE, "most": len(jobs) + 10000}
        self.controller = None
        os.environ.update(LC_ALL="C", SLURM_CONF=f"{directory}/slurm.conf", PATH="/usr/sbin:/usr/bin:/sbin:/bin")

    def daemon(self, *command):
        """Start a daemon in the foreground. It ends with this process."""
        with open(f"{self.directory}/{command[0]}.out", "ab") as out:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def munge_start(self):
        key = f"{self.directory}/munge.key"
        with open(key, "wb") as out:
            out.write(os.urandom(1024))
        os.chmod(key, 0o400)
        self.daemon("munged", "--foreground", "--force", f"--socket={self.names['munge']}", f"--key-file={key}",
                    f"--pid-file={self.directory}/munged.pid", f"--seed-file={self.directory}/munge.seed", f"--log-file={self.directory}/munged.log")
        wait_for("munged", lambda: os.path.exists(self.names["munge"]))

    def database_start(self):
        data, sock = f"{self.directory}/mysql", f"{self.directory}/mysql.socket"
        client = ("mariadb", "--no-defaults", "--user=root", f"--socket={sock}", "--execute")
        run("mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}", "--skip-test-db", "--auth-root-authentication-method=normal")
        self.daemon("mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", f"--socket={sock}", "--bind-address=127.0.0.1",
                    f"--port={DATABASE}", f"--pid-file={self.directory}/mysql.pid", "--innodb-flush-log-at-trx-commit=0")
        wait_for("mariadbd", lambda: answers(*client, "select 1"))
        for user in ("'slurm'@'127.0.0.1'", "'slurm'@'localhost'"):
            run(*client, f"create user {user} identified by 'slurm'; grant all on slurm_acct_db.* to {user}")

    def associations_load(self):
        run("sacctmgr", "--immediate", "add", "cluster", "bench")
        for name, priority in QOS.items():
            if name != "normal":
                run("sacctmgr", "--immediate", "add", "qos", name)
            run("sacctmgr", "--immediate", "modify", "qos", name, "set", f"priority={priority}")
        run("sacctmgr", "--immediate", "modify", "cluster", "bench", "set", f"qos={','.join(QOS)}")
        run("sacctmgr", "--immediate", "load", f"file={self.directory}/cell/associations")

    def start(self):
        for name, text in (("slurmdbd.conf", DATABASE_CONF), ("slurm.conf", CONF)):
            write(f"{self.directory}/{name}", text.format(**self.names))
        os.chmod(f"{self.directory}/slurmdbd.conf", 0o600)
        os.mkdir(f"{self.directory}/state")
        self.munge_start()
        self.database_start()
        self.daemon("slurmdbd", "-D")
        wait_for("slurmdbd", lambda: answers("sacctmgr", "--noheader", "show", "cluster"))
        self.associations_load()
        self.controller = self.daemon("slurmctld", "-D")
        wait_for("slurmctld", lambda: self.controller.poll() is not None or b"is UP" in subprocess.run(
            ["scontrol", "ping"], stdout=subprocess.PIPE, check=False).stdout)
        if self.controller.poll() is not None:
            with open(f"{self.directory}/slurmctld.log", encoding="utf-8") as log:
                raise Failure("slurmctld ended: " + log.read()[-500:])

    # ---- measurements ----

    def bytes(self):
        with open(f"/proc/{self.controller.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def thread(self):
        """Return the controller's thread that computes priorities, found by its name."""
        for path in glob.glob(f"/proc/{self.controller.pid}/task/*/comm"):
            try:
                with open(path, encoding="ascii") as comm:
                    if comm.read().strip() == "decay":
                        return os.path.dirname(path)
            except FileNotFoundError:
                pass
        raise Failure("slurmctld has no thread for priorities")

    def passes(self, n):
        """Return the processor times of the next n passes. A pass is the time of the thread from one sleep to the next."""
        thread, taken, quiet = self.thread(), [], time.monotonic()
        last = since = on_cpu_ns(thread)
        until = time.monotonic() + (n + 1) * PASS_S + 30
        while len(taken) < n and time.monotonic() < until:
            time.sleep(LOOK_S)
            now = on_cpu_ns(thread)
            if now != last:
                last, quiet = now, time.monotonic()
            elif last > since and time.monotonic() > quiet + QUIET_S:
                if last - since > LEAST_NS_PER_JOB * len(self.jobs):
                    taken.append(last - since)
                since = last
        if len(taken) < n:
            raise Failure(f"{len(taken)} passes in {(n + 1) * PASS_S + 30} s, {n} were due")
        return taken


# ---- jobs ------------------------------------------------------------------------------------------------------------


def job_line(job):
    mib = int(job["tres"].split("mem=")[1].split("M")[0]) // job["nodes"]
    return (f"{FIRST_UID + int(job['owner'][1:])} {FIRST_UID} {job['account']} {job['partition']} {job['qos']} {job['nodes']} {job['cpus']} {mib} "
            f"{job['time_limit']} {job['job_name']}\n")


def submit_all(cell):
    """Submit the jobs with several clients at a time and return the seconds."""
    program = f"{cell.directory}/submit"
    run("cc", "-O2", "-o", program, f"{HERE}/slurm/submit.c", "-lslurm")
    begin = time.monotonic()
    clients = [subprocess.Popen([program], stdin=subprocess.PIPE, text=True) for _ in range(CLIENTS)]
    for k, job in enumerate(cell.jobs):
        clients[k % CLIENTS].stdin.write(job_line(job))
    for client in clients:
        client.stdin.close()
    if any([client.wait() for client in clients]):
        raise Failure("not all jobs could be submitted")
    return time.monotonic() - begin


def best_seconds(*command):
    took = []
    for _ in range(REPEATS):
        begin = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        took.append(time.monotonic() - begin)
    return min(took)


def measure(cell, users, passes):
    n, empty = len(cell.jobs), cell.bytes()
    submit_s = submit_all(cell)
    taken = cell.passes(passes)
    pending = len(run("squeue", "--noheader", "--states=PENDING", "--format=%i").splitlines())
    lines = len(run("sprio", "--noheader").splitlines())
    return {"what": "slurm", "jobs": n, "users": users, "pending_jobs": pending, "sprio_lines": lines,
            "pass_ns_per_job": statistics.median(taken) / n, "best_pass_ns_per_job": min(taken) / n,
            "sprio_ns_per_job": 1e9 * best_seconds("sprio") / n, "squeue_ns_per_job": 1e9 * best_seconds("squeue") / n,
            "sshare_ns": 1e9 * best_seconds("sshare", "--all"), "bytes_per_job": (cell.bytes() - empty) / n,
            "submits_per_second": n / submit_s}


def main():
    directory, users, passes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if os.getpid() != 1:
        sys.exit("slurm.py: not the first process of its namespaces; start versus-slurm")
    world.make(directory, HOST, users)
    run("ip", "address", "add", "192.0.2.1/32", "dev", "lo")  # with only a loopback address the daemons find no name
    with open(f"{directory}/jobs", encoding="utf-8") as lines:
        jobs = [event for event in map(json.loads, lines) if event["event"] == "job_add"]
    cell = Cell(directory, jobs)
    cell.start()
    print(json.dumps(measure(cell, users, passes)))


if __name__ == "__main__":
    try:
        main()
    except Failure as caught:
        sys.exit(f"slurm: {caught}")
