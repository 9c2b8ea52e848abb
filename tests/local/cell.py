# SPDX-License-Identifier: Apache-2.0
"""A local cell under test: a scheduler of its own in a directory of its own, its jobs real processes."""
import contextlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.realpath(os.environ.get("B") or os.path.join(TOP, "build"))
PATIENCE = 120  # seconds, for what takes a second on an idle machine
WAIT = "until [ -e {} ]; do sleep 0.1; done"  # for a file that the test makes, so that a job ends when the test says so
LONG = ("/bin/sleep", "1000")  # a job that lasts longer than any test
PROGRAMS = ("fairlead", "fairlead-schedd", "fairlead-shepherd", "libfairlead.so")

# Other users read files of a test, whatever umask the test was started with.
os.umask(0o022)


class Skip(Exception):
    """Not on this machine, or not by this user; says why."""


class Cell:
    """Files in `top`: the cell, its state, shared memory, the scheduler's log."""

    def __init__(self, top, changes=None, options=()):
        self.top, self.options, self.process, self.build, self.before = top, list(options), None, BUILD, []
        self.directory, self.state, self.shm = (os.path.join(top, name) for name in ("cell", "state", "shm"))
        copy_for_all(os.path.join(TOP, "conf/local"), self.directory)
        os.mkdir(self.shm)
        # what a shepherd that a test kills cannot remove goes with the rest
        os.mkdir(os.path.join(top, "tmp"))
        os.chmod(os.path.join(top, "tmp"), 0o1777)
        self.change("queue/all.q", "tmpdir                /tmp", f"tmpdir                {top}/tmp")
        for path, old, new in changes or ():
            self.change(path, old, new)
        self.environment = {**os.environ, "FAIRLEAD_SHM": self.shm, "FAIRLEAD_CELL": self.directory}

    def change(self, path, old, new):
        path = os.path.join(self.directory, path)
        with open(path) as file:
            text = file.read()
        assert old in text, f"{path} has no {old!r}"
        with open(path, "w") as file:
            file.write(text.replace(old, new))

    def start(self, log=None, **more):
        self.log = log or open(os.path.join(self.top, "log"), "ab")
        command = [*self.before, os.path.join(self.build, "fairlead-schedd"), "--local", "--state", self.state, "--workers", "1", *self.options]
        self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **more)
        return self

    def program_for_all(self, name):
        """Copy a program of the build, once, to a directory that all users can reach: the build may be in the home of root. Return the path of the copy."""
        path = os.path.join(self.top, "bin", name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(os.path.join(BUILD, name), path)
            os.chmod(path, 0o755)
        return path

    def copy_programs(self):
        """Use copies of all programs, which all users can reach."""
        for name in PROGRAMS:
            self.program_for_all(name)
        self.build = os.path.join(self.top, "bin")

    def wait_ready(self):
        def answers():
            assert self.process.poll() is None, f"the scheduler has ended: {self.read_log()}"
            try:
                return bool(self.ask({"request": "release", "jobs": []}))
            except OSError:
                return False
        wait_until(answers, "no scheduler answers")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
            assert self.process.returncode == 0, f"the scheduler has ended with {self.process.returncode}: {self.read_log()}"

    def touch(self, name):
        open(os.path.join(self.top, name), "w").close()

    def read_log(self):
        with open(os.path.join(self.top, "log"), errors="replace") as file:
            return file.read()

    def shared(self):
        """The directory of the cell in shared memory."""
        names = [name for name in os.listdir(self.shm) if re.fullmatch("fairlead-cell-[0-9a-f]{16}", name)]
        if not names:
            raise FileNotFoundError("nothing in shared memory")
        return os.path.join(self.shm, names[0])

    def socket(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(os.path.join(self.shared(), "socket"))
        return connection

    def ask(self, request):
        """Send a request, an object or a line, and return the reply. Raise OSError if no scheduler answers."""
        with self.socket() as connection:
            connection.sendall((request if isinstance(request, bytes) else json.dumps(request).encode()) + b"\n")
            reply = b""
            while not reply.endswith(b"\n"):
                chunk = connection.recv(65536)
                if not chunk:
                    raise ConnectionResetError("no answer")
                reply += chunk
            return json.loads(reply)["results"]

    def ask_as(self, user, request):
        """Send a request as another user."""
        return self.call_as(user, lambda: self.ask(request))

    def call_as(self, user, function, group=None):
        """Return the result of a function in a process of another user, with the group of that number instead of the user's own."""
        need_root(user)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                who = pwd.getpwnam(user)
                os.setgroups([])
                os.setgid(who.pw_gid if group is None else group)
                os.setuid(who.pw_uid)
                os.write(writing, json.dumps(function()).encode())
            os._exit(0)
        os.close(writing)
        with open(reading) as file:
            reply = file.read()
        os.waitpid(child, 0)
        return json.loads(reply)

    def submit(self, *command, job=None, **execution):
        """The number of the job."""
        (result,) = self.ask({"request": "submit", "job": job or {}, "execution": {"command": list(command), "cwd": self.top, **execution}})
        assert result["code"] == 0, result["text"]
        return result["job_number"]

    def fairlead(self, *words, code=0, user=None):
        """Return the output of the command line, both streams as a terminal shows them. Only root can run it as another user."""
        need_root(user)
        program = self.program_for_all("fairlead") if user else os.path.join(self.build, "fairlead")

        def attempt():
            return subprocess.run([program, *words], env=self.environment, cwd=self.top, user=user, extra_groups=[] if user else None,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=2 * PATIENCE)
        done = self.when_published(attempt, code)
        assert done.returncode == code, (words, done.returncode, done.stdout)
        return done.stdout

    def when_published(self, attempt, code):
        """
        Return the result of attempt(), a program that has ended. Repeat it if it has failed because a new job is not published yet: a busy scheduler
        answers a request before it shows the change. Repeat it also if a scheduler that is not stopped has answered too late.
        """
        until = time.monotonic() + PATIENCE
        while True:
            done = attempt()
            said = done.stdout + (done.stderr or "")
            unpublished = done.returncode != code and code == 0 and ("does not exist" in said or "Following jobs do not exist" in said)
            late = "has not answered within" in said and self.process and not is_stopped(self.process.pid)
            if not unpublished and not late or time.monotonic() > until:
                return done
            time.sleep(0.05)

    def stat(self):
        done = subprocess.run([os.path.join(BUILD, "fairlead"), "stat", "--json"], env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def tree(self):
        done = subprocess.run([os.path.join(BUILD, "fairlead"), "tree", "--json"], env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["nodes"]

    def leader(self, number):
        """pid of the first process of a job that has begun and is no array."""
        active = os.path.join(self.state, "active_jobs")
        (name,) = [name for name in os.listdir(active) if name.startswith(f"{number}.")]
        with open(os.path.join(active, name, "begun")) as file:
            return json.load(file)["pid"]

    def tasks_with(self, file, name_begins=""):
        """Count the attempts whose directory has this file. "begun": the task has begun. "exit": it has ended and the
        scheduler has not processed the end yet."""
        active = os.path.join(self.state, "active_jobs")
        return sum(name.startswith(name_begins) and os.path.exists(os.path.join(active, name, file)) for name in os.listdir(active))

    def accounting(self):
        """Lines of accounting(5) as lists of fields."""
        try:
            with open(os.path.join(self.state, "accounting")) as file:
                return [line.rstrip("\n").split(":") for line in file]
        except FileNotFoundError:
            return []

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.state}/fairlead.db?mode=ro", uri=True, timeout=PATIENCE)) as store:
            return store.execute(sql).fetchall()

    def wait_idle(self, seconds=PATIENCE):
        """Wait until the store has no job, and until the scheduler has finished the turn that removed the last one."""
        wait_until(lambda: not self.ask_jobs(), "jobs are left", seconds)
        self.wait_turn()

    def wait_turn(self):
        """Wait until the turn that has stored something has also logged it and removed files: the next turn answers a request."""
        with contextlib.suppress(OSError):
            self.ask({"request": "release", "jobs": []})

    def ask_jobs(self):
        return self.query("select job_number from job")

    def shepherds(self, number):
        """pids of those of a job."""
        wanted = f"{self.state}/active_jobs/{number}.".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read()
                if b"fairlead-shepherd" in command and wanted in command:
                    found.append(int(pid))
        return found

    def hanging(self):
        """pids of those that are in the directory of an attempt; no real shepherd is."""
        active = os.path.join(self.state, "active_jobs") + "/"
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/cwd").startswith(active):
                    found.append(int(pid))
        return found

    def processes(self):
        """Return the pids of the processes that have the directory of this cell in their command line or environment, or work in it."""
        def names_it(pid):
            for name in ("cmdline", "environ"):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/{name}", "rb") as file:
                    if self.top.encode() in file.read():
                        return True
            with contextlib.suppress(OSError):
                return os.readlink(f"/proc/{pid}/cwd").startswith(self.top)
            return False
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and names_it(pid)]

    def end_tasks(self):
        """Whatever still runs below a shepherd of this cell."""
        for pid in self.processes():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def me():
    """Return the name of the user who runs the test."""
    return pwd.getpwuid(os.geteuid()).pw_name


def need_root(user="another user"):
    """Skip a test that acts as another user, unless root runs it."""
    if user and os.geteuid() != 0:
        raise Skip(f"only root can act as {user}")


def copy_for_all(source, to):
    """Copy a file or a directory. All users can read the copy, whatever the modes of the checkout are."""
    if not os.path.isdir(source):
        shutil.copyfile(source, to)
    for directory, _, names in os.walk(source):
        copy = os.path.normpath(os.path.join(to, os.path.relpath(directory, source)))
        os.makedirs(copy)
        for name in names:
            shutil.copyfile(os.path.join(directory, name), os.path.join(copy, name))


def try_with(attempt, *seconds):
    """
    Call attempt(n) with each number of seconds until it returns True. It returns False when a slow machine needed more than n seconds for what has
    to come before the time is over; whatever is wrong is an assertion.
    """
    assert any(attempt(n) for n in seconds), f"this machine is too slow: {seconds[-1]} s are not enough"


def state_letter(pid):
    """Return the state of a process as proc(5) has it; "X" if there is no process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def lives(pid):
    """A process, and no zombie."""
    return state_letter(pid) not in "ZX"


def is_stopped(pid):
    return state_letter(pid) in "Tt"


def wait_until(condition, text, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"{text} after {seconds} s"
        time.sleep(0.02)


@contextlib.contextmanager
def cell(changes=None, options=()):
    with tempfile.TemporaryDirectory(prefix="fairlead-local-") as top:
        os.chmod(top, 0o755)
        under_test = Cell(top, changes, options)
        try:
            yield under_test
        except AssertionError:
            print("\n".join(under_test.read_log().splitlines()[-20:]) if under_test.process else "", file=sys.stderr)
            raise
        finally:
            try:
                under_test.stop()
            finally:
                under_test.end_tasks()


def run(tests):
    """
    Run the functions. Each is a test whose name is the condition that must hold. Exit status 0: all hold, some
    may have been skipped. 1: one does not hold. 77: all were skipped, and the last line is the reason.
    """
    failures = passed = 0
    skipped = None
    chosen = sys.argv[1:]
    for test in tests:
        if chosen and test.__name__ not in chosen:
            continue
        try:
            test()
            passed += 1
            print("ok   " + test.__name__.replace("_", " "), flush=True)
        except Skip as why:
            skipped = why
            print(f"skip {test.__name__.replace('_', ' ')}: {why}", flush=True)
        except AssertionError as error:
            failures += 1
            print(f"FAIL {test.__name__.replace('_', ' ')}: {error}", flush=True)
    if skipped and not failures and not passed:
        print(f"none of these tests can run here: {skipped}", flush=True)
        sys.exit(77)
    sys.exit(1 if failures else 0)
