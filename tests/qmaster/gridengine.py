# SPDX-License-Identifier: Apache-2.0
"""A real Grid Engine 8.1.9: its installation, its qmaster, commands to it and its output.

Must run in namespaces of its own (cellspace.py). Hosts: those of which only the load reports exist are in simulated.py, real ones in
execution.py.
"""
import os
import shutil
import signal
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
security_mode %(security)s
listener_threads 2
worker_threads 2
scheduler_threads %(scheduler_threads)d
"""
# Differences from the configuration of a new installation.
CONFIGURATION = {"mailer": "/bin/true", "load_report_time": "00:00:05", "loglevel": "log_info", "finished_jobs": "0",
                 "reporting_params": "accounting=true reporting=true flush_time=00:00:01 joblog=true sharelog=00:00:00"}
DEFAULT_CONFIGURATION = "/usr/share/gridengine/default-configuration"
RESOURCES = "/usr/share/gridengine/util/resources/"
PORT = 6444
PATIENCE = 400          # seconds until a test gives up. A host can take a minute to find a qmaster that has restarted.
LOGS = ("reporting", "schedule", "schedd_runlog", "accounting")


class Refused(Exception):
    """The real one does not take what it is given."""


class Stuck(Exception):
    """Something that must happen does not."""


class GridEngine:
    configuration = CONFIGURATION

    def __init__(self, directory, scheduler_threads=1, security="none", configuration=()):
        self.directory, self.root, self.spool = directory, os.path.join(directory, "root"), os.path.join(directory, "spool")
        self.scheduler_threads, self.security = scheduler_threads, security
        self.wanted = {**self.configuration, "execd_spool_dir": self.spool + "/execd", **dict(configuration)}
        self.pristine = os.path.join(directory, "pristine")
        self.common = os.path.join(self.root, "default/common")
        self.env = environment(self.root)
        self.connection = None

    # -- its life -----------------------------------------------------------------------------------------------------------------

    def run(self, *words, user=None, check=True):
        given = {"user": user, "group": user, "extra_groups": [], "cwd": "/"} if user else {}
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60, **given)
        if check and done.returncode:
            raise Refused("%s: %s" % (" ".join(words), (done.stdout + done.stderr).strip()))
        return done.stdout + done.stderr

    def install(self):
        """Make a new installation once. Each cell begins with a copy of it."""
        for path in (self.common, self.spool + "/qmaster/job_scripts", self.spool + "/spooldb", self.spool + "/execd"):
            os.makedirs(path)
        for name in ("bin", "lib", "util", "utilbin"):
            os.symlink("/var/lib/gridengine/" + name, os.path.join(self.root, name))
        for name, text in (("bootstrap", BOOTSTRAP % vars(self)), ("act_qmaster", QMASTER + "\n"), ("cluster_name", "test\n")):
            with open(os.path.join(self.common, name), "w") as file:
                file.write(text)
        self.give()
        tools = [("spoolinit", "berkeleydb", "libspoolb", self.spool + "/spooldb", "init"),
                 ("spooldefaults", "configuration", self.first_configuration()),
                 ("spooldefaults", "complexes", RESOURCES + "centry"), ("spooldefaults", "usersets", RESOURCES + "usersets"),
                 ("spooldefaults", "managers", "sgeadmin"), ("spooldefaults", "managers", "root")]
        for tool in tools:
            self.run(os.path.join(PROGRAMS, tool[0]), *tool[1:], user="sgeadmin")
        shutil.copytree(self.spool, self.pristine)

    def first_configuration(self):
        path = os.path.join(self.spool, "configuration")
        rows = [line.split(None, 1) for line in contents(DEFAULT_CONFIGURATION).splitlines() if line.strip() and line[0] != "#"]
        with open(path, "w") as file:
            file.writelines("%s %s\n" % (name, self.wanted.get(name, value.strip())) for name, value in rows)
        return path

    def give(self):
        for where in (self.common, self.spool):
            subprocess.run(["chown", "-R", "sgeadmin:sgeadmin", where], check=True)

    def start(self):
        """A new cell."""
        self.stop()
        shutil.rmtree(self.spool)
        shutil.copytree(self.pristine, self.spool)
        for name in LOGS:
            path = os.path.join(self.common, name)
            if os.path.exists(path):
                os.unlink(path)
        self.give()
        self.start_qmaster()
        self.reconnect()
        self.run("qconf", "-as", QMASTER)

    def start_qmaster(self):
        self.run(os.path.join(PROGRAMS, "sge_qmaster"))
        self.until("the qmaster answers", self.answers)

    def disconnect(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def reconnect(self):
        """After a new start of the qmaster: for get()."""
        self.disconnect()
        self.connection = wire.Connection(QMASTER, PORT, QMASTER, "test", security=self.security)

    def answers(self):
        return subprocess.run([PROGRAMS + "/qconf", "-sh"], env=self.env, capture_output=True).returncode == 0

    def pid(self):
        path = os.path.join(self.spool, "qmaster/qmaster.pid")
        return int(contents(path) or 0)

    def stop(self):
        self.disconnect()
        self.kill()

    def shut_down(self):
        """The qmaster, in good order. It would wait for a connection that does not listen to its farewell."""
        self.disconnect()
        pid = self.pid()
        self.run("qconf", "-km")
        self.until("the qmaster is gone", lambda: not running(pid))

    def kill(self):
        """The qmaster alone, as a crash would."""
        pid = self.pid()
        if pid:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.until("the qmaster is gone", lambda: not running(pid))

    def until(self, what, condition, seconds=PATIENCE, pause=0.01):
        """Return the result of `condition` when it is true."""
        end = time.monotonic() + seconds
        while not (found := condition()):
            if time.monotonic() > end:
                raise Stuck("%s: not within %d s; the qmaster says: %s" % (what, seconds, self.messages()[-600:]))
            time.sleep(pause)
        return found

    # -- output -------------------------------------------------------------------------------------------------------------------

    def messages(self):
        return contents(os.path.join(self.spool, "qmaster/messages"))

    def file_text(self, name):
        return contents(os.path.join(self.common, name))

    def get(self, *targets):
        return self.connection.get(*targets)

    def holder(self):
        """Event client 1, the scheduler; None if there is none."""
        clients, = self.get("clients")
        return next((client for client in clients if client["EV_id"] == 1), None)

    # -- commands -----------------------------------------------------------------------------------------------------------------

    def add(self, option, text, name="given"):
        """qconf OPTION with a file of this text; the configuration goes by the file's name."""
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return self.run("qconf", option, path)


def environment(root):
    """For Grid Engine's programs in the namespaces."""
    return {"SGE_ROOT": root, "SGE_CELL": "default", "SGE_QMASTER_PORT": str(PORT), "SGE_EXECD_PORT": str(PORT + 1),
            "SGE_ARCH": "lx-amd64", "LD_LIBRARY_PATH": PROGRAMS, "PATH": PROGRAMS + ":/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC"}


def contents(path):
    """"" if there is no such file"""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return contents("/proc/%d/stat" % pid).rpartition(")")[2].split()[:1] not in ([], ["Z"])
