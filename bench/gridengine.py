# SPDX-License-Identifier: Apache-2.0
"""A real Grid Engine cell of Debian's packages, filled with jobs and measured: gridengine.py DIRECTORY USERS, for versus-gridengine.

It must be the first process of namespaces of its own (versus-gridengine makes them): users, host name and network exist only there, and
whatever it has started ends with it. DIRECTORY has the cell's files as Fairlead reads them, in cell/, and the jobs as events, in
jobs; all of the real cell comes to lie beside them. Prints one JSON line.
"""
import ctypes
import glob
import json
import os
import pwd
import re
import shutil
import statistics
import subprocess
import sys
import time

import world
from world import Failure, run, wait_for, write

BINARIES = "/usr/lib/gridengine"
SHARE = "/usr/share/gridengine"
DRMAA = "/usr/lib/gridengine-drmaa/lib/libdrmaa.so.1.0"
HOST = "gridenginehost"
CLIENTS = 4  # users that submit at the same time
RUNS = 5
PATIENCE_S = 60  # limit for the scheduling runs, plus a part per job
REPEATS = 3

CONFIGURATION = {"execd_spool_dir": "{spool}/execd", "mailer": "/bin/true", "loglevel": "log_info", "finished_jobs": "0",
                 "load_report_time": "00:00:05", "reporting_params": "accounting=false reporting=false flush_time=00:00:15 joblog=false "
                                                                    "sharelog=00:00:00"}
BOOTSTRAP = """admin_user sgeadmin
default_domain none
ignore_fqdn false
spooling_method berkeleydb
spooling_lib libspoolb
spooling_params {spool}/database
binary_path /usr/sbin
qmaster_spool_dir {spool}/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
ENVIRONMENT = {"LC_ALL": "C", "LD_LIBRARY_PATH": BINARIES, "SGE_CELL": "default", "SGE_QMASTER_PORT": "6444", "SGE_EXECD_PORT": "6445",
               "SGE_ARCH": "lx-amd64", "PATH": BINARIES + ":/usr/sbin:/usr/bin:/sbin:/bin"}
EXEC_HOST = f"""hostname {HOST}
load_scaling NONE
complex_values NONE
user_lists NONE
xuser_lists NONE
projects NONE
xprojects NONE
usage_scaling NONE
report_variables NONE
"""
PE = """pe_name mpi
slots 1000
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $fill_up
control_slaves FALSE
job_is_first_task TRUE
urgency_slots avg
accounting_summary FALSE
qsort_args NONE
"""
QUEUE = {"qname": "all.q", "hostlist": HOST, "seq_no": "0", "load_thresholds": "NONE", "suspend_thresholds": "NONE", "nsuspend": "1",
         "suspend_interval": "00:05:00", "priority": "0", "min_cpu_interval": "00:05:00", "processors": "UNDEFINED", "qtype": "BATCH",
         "ckpt_list": "NONE", "pe_list": "mpi", "rerun": "FALSE", "tmpdir": "/var/tmp", "shell": "/bin/sh", "prolog": "NONE",
         "epilog": "NONE", "shell_start_mode": "posix_compliant", "starter_method": "NONE", "suspend_method": "NONE",
         "resume_method": "NONE", "terminate_method": "NONE", "notify": "00:00:60", "owner_list": "NONE", "user_lists": "NONE",
         "xuser_lists": "NONE", "subordinate_list": "NONE", "complex_values": "NONE", "projects": "NONE", "xprojects": "NONE",
         "calendar": "NONE", "initial_state": "default",
         **{f"{kind}_{limit}": "INFINITY" for kind in "sh" for limit in ("rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem")}}


# ---- the cell --------------------------------------------------------------------------------------------------------


class Cell:
    def __init__(self, directory, users, jobs):
        self.directory, self.jobs, self.users = directory, jobs, users
        self.spool = os.path.join(directory, "spool")
        self.source = os.path.join(directory, "cell")
        self.messages = os.path.join(self.spool, "qmaster", "messages")
        os.environ.update(ENVIRONMENT, SGE_ROOT=os.path.join(directory, "root"))

    def objects_write(self):
        """Write the input of spooldefaults. Users, projects and the share tree are the files of Fairlead's cell."""
        for name in ("usersets", "pes"):
            os.mkdir(f"{self.directory}/{name}")
        for path in glob.glob(f"{SHARE}/util/resources/usersets/*"):
            shutil.copy(path, f"{self.directory}/usersets")
        departments = {}
        for job in self.jobs:
            departments.setdefault(job["department"], set()).add(job["owner"])
        for path in glob.glob(f"{self.source}/usersets/*"):
            name = os.path.basename(path)
            with open(path, encoding="utf-8") as text:
                members = ",".join(sorted(departments.get(name, []))) or "NONE"
                write(f"{self.directory}/usersets/{name}", text.read().replace("entries NONE", f"entries {members}"))
        write(f"{self.directory}/pes/mpi", PE)
        with open(f"{SHARE}/default-configuration", encoding="utf-8") as text:
            lines = text.read().splitlines()
        changed = {name: value.format(spool=self.spool) for name, value in CONFIGURATION.items()}
        write(f"{self.directory}/configuration", "".join(
            f"{line.split()[0]} {changed[line.split()[0]]}\n" if line.split() and line.split()[0] in changed else line + "\n" for line in lines))

    def directories_make(self):
        common = os.path.join(os.environ["SGE_ROOT"], "default", "common")
        for path in (common, f"{self.spool}/qmaster/job_scripts", f"{self.spool}/database", f"{self.spool}/execd"):
            os.makedirs(path)
        for name in ("bin", "lib", "util", "utilbin"):
            os.symlink(f"/var/lib/gridengine/{name}", os.path.join(os.environ["SGE_ROOT"], name))
        write(f"{common}/bootstrap", BOOTSTRAP.format(spool=self.spool))
        write(f"{common}/act_qmaster", HOST + "\n")
        write(f"{common}/cluster_name", "bench\n")
        for path in (self.spool, common):
            run("chown", "-R", "sgeadmin:sgeadmin", path)

    def database_fill(self):
        database = ("berkeleydb", "libspoolb", f"{self.spool}/database")
        admin = pwd.getpwnam("sgeadmin")
        fill = [("configuration", f"{self.directory}/configuration"), ("complexes", f"{SHARE}/util/resources/centry"),
                ("usersets", f"{self.directory}/usersets"), ("projects", f"{self.source}/projects"), ("sharetree", f"{self.source}/share_tree"),
                ("pes", f"{self.directory}/pes"), ("managers", "sgeadmin"), ("managers", "root")]
        run(f"{BINARIES}/spoolinit", *database, "init", user=admin.pw_uid, group=admin.pw_gid, extra_groups=[])
        for what, where in fill:
            run(f"{BINARIES}/spooldefaults", what, where, user=admin.pw_uid, group=admin.pw_gid, extra_groups=[])

    def configure(self, option, text):
        path = os.path.join(self.directory, "new-object")
        write(path, text)
        return run("qconf", option, path)

    def daemon_start(self, program, answers):
        with open(f"{self.directory}/{program}.out", "wb") as out:
            subprocess.run([f"{BINARIES}/{program}"], stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=True)
        wait_for(program, answers)

    def qmaster_pid(self):
        with open(f"{self.spool}/qmaster/qmaster.pid", encoding="ascii") as pid:
            return int(pid.read())

    def sched_conf_set(self, **changes):
        """Write the configuration of Fairlead's cell with changes. qconf requires all keys, in any order."""
        with open(f"{self.source}/sched_conf", encoding="utf-8") as text:
            self.configure("-Msconf", "".join(
                f"{key} {changes.get(key, value)}\n" for key, value in (line.split(None, 1) for line in text.read().splitlines())))

    def start(self):
        self.objects_write()
        self.directories_make()
        self.database_fill()
        self.daemon_start("sge_qmaster", lambda: subprocess.run(["qconf", "-sh"], stdout=subprocess.DEVNULL,
                                                                stderr=subprocess.DEVNULL, check=False).returncode == 0)
        self.sched_conf_set()
        for path in glob.glob(f"{self.source}/users/*"):  # spooldefaults would read users as projects
            run("qconf", "-Auser", path)
        run("qconf", "-as", HOST)
        self.configure("-Ae", EXEC_HOST)
        self.daemon_start("sge_execd", lambda: os.path.exists(f"{self.spool}/execd/{HOST}/execd.pid"))
        slots = {"slots": str(max(len(self.jobs) // 1000, 1))}
        self.configure("-Aq", "".join(f"{key} {value}\n" for key, value in {**QUEUE, **slots}.items()))

    # ---- measurements ----

    def bytes(self):
        with open(f"/proc/{self.qmaster_pid()}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def runs(self):
        """Return the complete scheduling runs in the messages: each is a list of PROF lines, and the last line has the total."""
        runs, lines = [], []
        with open(self.messages, encoding="utf-8", errors="replace") as messages:
            for line in messages:
                if "PROF: " in line:
                    lines.append(line.split("PROF: ", 1)[1].strip())
                    if lines[-1].startswith("schedd run took"):
                        runs.append(lines)
                        lines = []
        return runs


# ---- jobs ------------------------------------------------------------------------------------------------------------


def native(job):
    words = ["-b", "y", "-w", "n", "-wd", "/var/tmp", "-o", "/dev/null", "-j", "y", "-N", job["job_name"], "-p", str(job["priority"]),
             "-l", job["hard_resource_list"]]
    if "project" in job:
        words += ["-P", job["project"]]
    if "pe" in job:
        words += ["-pe", job["pe"], job["pe_range"]]
    return " ".join(words)


def submit_as(user, jobs):
    """Submit all jobs of a user in one DRMAA session. Runs in a process of this user."""
    account = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.environ.update(HOME=account.pw_dir, USER=user, LOGNAME=user)
    os.chdir("/var/tmp")
    drmaa = ctypes.CDLL(DRMAA)
    text, size = ctypes.create_string_buffer(1024), ctypes.c_size_t(1024)
    template, name = ctypes.c_void_p(), ctypes.create_string_buffer(256)

    def call(function, *arguments):
        if function(*arguments, text, size):
            raise Failure(f"{user}: {text.value.decode(errors='replace')}")

    call(drmaa.drmaa_init, None)
    call(drmaa.drmaa_allocate_job_template, ctypes.byref(template))
    call(drmaa.drmaa_set_attribute, template, b"drmaa_remote_command", b"/bin/sleep")
    call(drmaa.drmaa_set_vector_attribute, template, b"drmaa_v_argv", (ctypes.c_char_p * 2)(b"999999", None))
    for job in jobs:
        call(drmaa.drmaa_set_attribute, template, b"drmaa_native_specification", native(job).encode())
        call(drmaa.drmaa_run_job, name, ctypes.c_size_t(256), template)
    call(drmaa.drmaa_exit)


def submit_in_child(user, jobs):
    """Return the process id of the child, which exits with 0 on success."""
    child = os.fork()
    if child == 0:
        try:
            submit_as(user, jobs)
            os._exit(0)
        except Failure as failure:
            print(f"gridengine: {failure}", file=sys.stderr, flush=True)
        finally:
            os._exit(1)
    return child


def child_wait(running):
    """Wait for our children. The first process also adopts orphans, which are skipped."""
    pid, status = os.wait()
    user = running.pop(pid, None)
    if user and status:
        raise Failure(f"the jobs of {user} could not be submitted")


def submit_all(jobs):
    """Submit the jobs with several users at a time and return the seconds."""
    by_user, running = {}, {}
    for job in jobs:
        by_user.setdefault(job["owner"], []).append(job)
    begin = time.monotonic()
    for user, theirs in by_user.items():
        while len(running) == CLIENTS:
            child_wait(running)
        running[submit_in_child(user, theirs)] = user
    while running:
        child_wait(running)
    return time.monotonic() - begin


# ---- figures ---------------------------------------------------------------------------------------------------------


def seconds_of(lines, beginning):
    """Return the value of an item in the PROF lines of a run, in steps of 10 ms."""
    return next(float(re.search(r"[\d.]+", line[len(beginning):])[0]) for line in lines if line.startswith(beginning))


def qstat_seconds():
    took = []
    for _ in range(REPEATS):
        begin = time.monotonic()
        subprocess.run(["qstat", "-u", "*", "-pri", "-urg", "-ext"], stdout=subprocess.DEVNULL, check=True)
        took.append(time.monotonic() - begin)
    return min(took)


def runs_profiled(cell):
    """Return the PROF lines of runs over the whole queue. The first reported run is dropped, because it may have begun before."""
    cell.sched_conf_set(params="PROFILE=1", schedule_interval="0:0:1")
    wait_for(f"{RUNS} scheduling runs", lambda: len(cell.runs()) > RUNS, PATIENCE_S + len(cell.jobs) / 500)
    return cell.runs()[1:]


def measure(cell):
    n = len(cell.jobs)
    empty = cell.bytes()
    submit_s = submit_all(cell.jobs)
    runs = runs_profiled(cell)
    whole = [seconds_of(lines, "schedd run took") for lines in runs]
    pending = run("qstat", "-u", "*", "-s", "p").count(" qw ")
    return {"what": "gridengine", "jobs": n, "users": cell.users, "pending_jobs": pending,
            "ns_per_job": 1e9 * statistics.median(whole) / n, "best_ns_per_job": 1e9 * min(whole) / n,
            "policies_ns_per_job": 1e9 * statistics.median(seconds_of(lines, "job-order calculation took") for lines in runs) / n,
            "stat_ns_per_job": 1e9 * qstat_seconds() / n, "bytes_per_job": (cell.bytes() - empty) / n,
            "submits_per_second": n / submit_s, "profile": runs[whole.index(min(whole))]}


def main():
    directory, users = sys.argv[1], int(sys.argv[2])
    if os.getpid() != 1:
        sys.exit("gridengine.py: not the first process of its namespaces; start versus-gridengine")
    world.make(directory, HOST, users)
    with open(f"{directory}/jobs", encoding="utf-8") as lines:
        jobs = [event for event in map(json.loads, lines) if event["event"] == "job_add"]
    cell = Cell(directory, users, jobs)
    cell.start()
    print(json.dumps(measure(cell)))


if __name__ == "__main__":
    try:
        main()
    except Failure as caught:
        sys.exit(f"gridengine: {caught}")
