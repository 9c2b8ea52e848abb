# SPDX-License-Identifier: Apache-2.0
"""A real Grid Engine 8.1.9, started for one cell: its qmaster, and hosts of which only the load reports exist.

Must run in namespaces of its own (cellspace.py). The qmaster simulates the execution daemons (SIMULATE_EXECDS): what starts never ends.
"""
import calendar
import os
import shutil
import subprocess
import time

import wire
from cellspace import PROGRAMS, QMASTER

BOOTSTRAP = """\
admin_user sgeadmin
default_domain none
ignore_fqdn false
spooling_method berkeleydb
spooling_lib libspoolb
spooling_params %(spool)s/spooldb
binary_path /usr/sbin
qmaster_spool_dir %(spool)s/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
# What differs from a new installation's configuration.
CONFIGURATION = {"qmaster_params": "SIMULATE_EXECDS=true", "mailer": "/bin/true", "load_report_time": "00:00:05", "loglevel": "log_info",
                 "finished_jobs": "0", "reporting_params": "accounting=true reporting=true flush_time=00:00:01 joblog=true sharelog=00:00:00"}
DEFAULT_CONFIGURATION = "/usr/share/gridengine/default-configuration"
RESOURCES = "/usr/share/gridengine/util/resources/"
PORT = 6444
RUN_TOOK = "PROF: schedd run took:"


class Refused(Exception):
    """The real one does not take what the case has."""


class Stuck(Exception):
    """Something that must happen does not."""


class Late(Exception):
    """A run that cannot be told exactly: it went over the end of a second, or there was another one."""


class GridEngine:
    def __init__(self, directory):
        self.directory, self.root, self.spool = directory, os.path.join(directory, "root"), os.path.join(directory, "spool")
        self.pristine = os.path.join(directory, "pristine")
        self.common = os.path.join(self.root, "default/common")
        self.env = {"SGE_ROOT": self.root, "SGE_CELL": "default", "SGE_QMASTER_PORT": str(PORT), "SGE_EXECD_PORT": str(PORT + 1),
                    "SGE_ARCH": "lx-amd64", "LD_LIBRARY_PATH": PROGRAMS, "PATH": PROGRAMS + ":/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC"}
        self.daemon, self.connection, self.hosts, self.reports = None, None, {}, {}

    # -- its life -----------------------------------------------------------------------------------------------------------------

    def run(self, *words, user=None, check=True):
        given = {"user": user, "group": user, "extra_groups": [], "cwd": "/"} if user else {}
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60, **given)
        if check and done.returncode:
            raise Refused("%s: %s" % (" ".join(words), (done.stdout + done.stderr).strip()))
        return done.stdout + done.stderr

    def install(self):
        """What a new installation has, once: each cell begins with a copy."""
        for path in (self.common, self.spool + "/qmaster/job_scripts", self.spool + "/spooldb"):
            os.makedirs(path)
        for name in ("bin", "lib", "util", "utilbin"):
            os.symlink("/var/lib/gridengine/" + name, os.path.join(self.root, name))
        for name, text in (("bootstrap", BOOTSTRAP % vars(self)), ("act_qmaster", QMASTER + "\n"), ("cluster_name", "judge\n")):
            with open(os.path.join(self.common, name), "w") as file:
                file.write(text)
        self.give()
        tools = [("spoolinit", "berkeleydb", "libspoolb", self.spool + "/spooldb", "init"),
                 ("spooldefaults", "configuration", self.configuration()),
                 ("spooldefaults", "complexes", RESOURCES + "centry"), ("spooldefaults", "usersets", RESOURCES + "usersets"),
                 ("spooldefaults", "managers", "sgeadmin"), ("spooldefaults", "managers", "root")]
        for tool in tools:
            self.run(os.path.join(PROGRAMS, tool[0]), *tool[1:], user="sgeadmin")
        shutil.copytree(self.spool, self.pristine)

    def configuration(self):
        path = os.path.join(self.spool, "configuration")
        rows = [line.split(None, 1) for line in contents(DEFAULT_CONFIGURATION).splitlines() if line.strip() and line[0] != "#"]
        with open(path, "w") as file:
            file.writelines("%s %s\n" % (name, CONFIGURATION.get(name, value.strip())) for name, value in rows)
        return path

    def give(self):
        for where in (self.common, self.spool):
            subprocess.run(["chown", "-R", "sgeadmin:sgeadmin", where], check=True)

    def start(self):
        """A new cell."""
        self.stop()
        shutil.rmtree(self.spool)
        shutil.copytree(self.pristine, self.spool)
        for name in ("reporting", "schedule", "schedd_runlog", "accounting"):
            path = os.path.join(self.common, name)
            if os.path.exists(path):
                os.unlink(path)
        self.give()
        self.run(os.path.join(PROGRAMS, "sge_qmaster"))
        self.until("the qmaster answers", self.answers, 20)
        self.connection = wire.Connection(QMASTER, PORT, QMASTER, "judge")
        self.run("qconf", "-as", QMASTER)

    def answers(self):
        return subprocess.run([PROGRAMS + "/qconf", "-sh"], env=self.env, capture_output=True).returncode == 0

    def pid(self):
        path = os.path.join(self.spool, "qmaster/qmaster.pid")
        return int(contents(path) or 0)

    def stop(self):
        for connection in [self.connection, *self.hosts.values()]:
            if connection:
                connection.close()
        self.connection, self.hosts = None, {}
        pid = self.pid()
        if pid:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
            self.until("the qmaster is gone", lambda: not running(pid), 10)

    def until(self, what, condition, seconds=30, pause=0.01):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Stuck("%s: not within %d s; the qmaster says: %s" % (what, seconds, self.messages()[-600:]))
            time.sleep(pause)

    # -- what it tells ------------------------------------------------------------------------------------------------------------

    def messages(self):
        return contents(os.path.join(self.spool, "qmaster/messages"))

    def told(self, name):
        return contents(os.path.join(self.common, name))

    def runs(self):
        return self.messages().count(RUN_TOOK)

    def run_began(self):
        """The second in which the last run began, by the scheduler's own log."""
        began = [line for line in self.told("schedd_runlog").splitlines() if "START-SCHEDULER-RUN" in line]
        return calendar.timegm(time.strptime(began[-1].partition("|")[0])) if began else 0

    def get(self, *targets):
        return self.connection.get(*targets)

    # -- what it is told ----------------------------------------------------------------------------------------------------------

    def add(self, option, text):
        """qconf OPTION with a file of this text."""
        path = os.path.join(self.directory, "given")
        with open(path, "w") as file:
            file.write(text)
        return self.run("qconf", option, path)

    def report_loads(self, host, values):
        """The load report that this host's execution daemon would send; waits until it has been taken."""
        if host not in self.hosts:
            self.reports[host] = 0
            self.hosts[host] = wire.Connection(QMASTER, PORT, host, "execd", 1)
        self.hosts[host].report_loads(host, values, self.reports[host])
        self.reports[host] += 1

    def one_run(self):
        """The scheduler makes one run; its moment. It begins well within a second, so that all that is asked for the time agrees."""
        late = time.time() % 1
        if late > 0.7:
            time.sleep(1.001 - late)
        before, moment = self.runs(), int(time.time())
        self.run("qconf", "-tsm")
        self.until("a run of the scheduler", lambda: self.runs() > before, pause=0.005)
        return moment


def contents(path):
    """"" if there is no such file"""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in contents("/proc/%d/stat" % pid).rpartition(")")[2].split()[:1]
