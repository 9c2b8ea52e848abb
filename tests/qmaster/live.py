# SPDX-License-Identifier: Apache-2.0
"""Common parts of tests of a scheduler in a real cell: the cell, Fairlead in it, jobs, and waiting for expected
states.

A test program ends with `live.main(...)`, which runs it again in namespaces of its own (exit code 77 with a sentence where there are none).
With --built-in the subject is Grid Engine's own scheduler: what it passes, the tests say rightly.
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import cellspace
import private
from cellspace import QMASTER
from execution import NAMES
from gridengine import PATIENCE, Refused, Stuck, contents, running

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.realpath(os.path.join(TOP, os.environ.get("B") or "build"))
IDLE, RUNNING, TRANSFERRING, FINISHED = 0, 0x80, 0x200, 0x10000      # JAT_status
SUSPENDED, ON_THRESHOLD = 0x100, 0x10000                            # JAT_state
# Writes when it begins and ends, and where; goes on when $1 seconds have passed or, if that is no number, when there is a file of this name.
JOB = """\
#!/bin/sh
line() { echo "$1 $JOB_ID ${SGE_TASK_ID:-1} $(hostname) $QUEUE $(date +%%s.%%N)" >>%(ran)s; }
line begin
case $1 in *[!0-9.]*) until [ -e "$1" ]; do sleep 0.05; done ;; *) sleep "$1" ;; esac
line end
"""
Line = collections.namedtuple("Line", "what job task host queue time")
built_in = False


class Fairlead:
    """The scheduler of the tree."""

    def __init__(self, engine, name="fairlead", program="fairlead-schedd"):
        self.engine, self.process = engine, None
        self.program = os.path.join(BUILD, program)
        self.cell = os.path.join(engine.root, "default")
        self.shm, self.log = os.path.join(engine.directory, name), os.path.join(engine.directory, name + ".log")
        os.makedirs(self.shm)
        self.env = {**os.environ, **engine.env, "FAIRLEAD_SHM": self.shm, "FAIRLEAD_CELL": self.cell}

    def start(self, *options):
        before = len(self.said())
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([self.program, "--qmaster=" + self.cell, "--workers", "1", *options],
                                            env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.engine.until("Fairlead serves", lambda: "serving" in self.said()[before:] or self.ended(), PATIENCE)

    def has_the_place(self):
        holder = self.engine.holder()
        return holder is not None and not built_in_is(holder)

    def until_it_has_the_role(self):
        self.engine.until("Fairlead has the scheduler role; it says: " + self.said()[-600:],
                          lambda: self.has_the_place() or self.ended(), PATIENCE)
        if self.ended():
            raise Stuck("Fairlead has ended with %d: %s" % (self.process.returncode, self.said()[-2000:]))

    def ended(self):
        """Return True if it ended without a signal from the test."""
        return self.process is not None and self.process.poll() is not None

    def said(self):
        return contents(self.log)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self, seconds=20):
        """In good order; its exit status."""
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        return process.wait(seconds)

    def tool(self, *words, check=True):
        done = subprocess.run([os.path.join(BUILD, "fairlead"), *words], env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        if check and done.returncode:
            raise Refused("fairlead %s: %d: %s" % (" ".join(words), done.returncode, done.stdout + done.stderr))
        return done.stdout + done.stderr


def built_in_is(holder):
    return holder["EV_commproc"] == "schedd" and not holder["EV_commid"]


class LiveTest(unittest.TestCase):
    """Tests of a class share a cell and a scheduler, which has the scheduler role before the first of them."""
    site, hosts, options = "plain", None, {}
    engine = fairlead = None
    count = 0

    @classmethod
    def setUpClass(cls):
        place = os.environ["FAIRLEAD_LIVE"]
        cls.directory = tempfile.mkdtemp(prefix="cell-", dir=place)
        os.chmod(cls.directory, 0o755)
        cls.engine = private.open_cell(cls.directory, cls.site, cls.hosts, **{"scheduler_threads": int(built_in), **cls.options})
        cls.addClassCleanup(cls.end)
        cls.ran_file, cls.job = os.path.join(cls.directory, "ran"), os.path.join(cls.directory, "job")
        for name, text, mode in ((cls.job, JOB % {"ran": cls.ran_file}, 0o755), (cls.ran_file, "", 0o666)):
            with open(name, "w") as file:
                file.write(text)
            os.chmod(name, mode)
        cls.gates = os.path.join(cls.directory, "gates")
        os.mkdir(cls.gates)
        cls.fairlead = Fairlead(cls.engine)
        cls.begin()

    @classmethod
    def begin(cls):
        if not built_in:
            cls.fairlead.start()
            cls.fairlead.until_it_has_the_role()

    @classmethod
    def end(cls):
        if cls.fairlead:
            cls.fairlead.kill()
        cls.engine.stop()

    def tearDown(self):
        """No job is left to the next test."""
        self.run_in_cell("qdel", "-u", "*", check=False)
        if not self.is_empty():
            self.run_in_cell("qdel", "-f", "-u", "*", check=False)
        self.until("the cell is empty", self.is_empty)

    # -- doing --------------------------------------------------------------------------------------------------------------------

    def run_in_cell(self, *words, **options):
        return self.engine.run(*words, **options)

    def qconf(self, *words):
        return self.engine.run("qconf", *words)

    def qsub(self, *words, user="ann", check=True):
        """Submitted; its number."""
        output = self.engine.run("qsub", "-terse", "-w", "n", "-o", "/dev/null", "-j", "y", *words, user=user, check=check)
        return int(re.search(r"^(\d+)", output, re.M).group(1))

    def submit(self, *options, seconds=0.1, user="ann"):
        """Submit a job that reports about itself. It runs for this number of seconds or until its gate opens."""
        how_long = seconds if isinstance(seconds, str) else str(seconds)
        return self.qsub(*options, "-b", "y", "-shell", "n", self.job, how_long, user=user)

    def gate(self):
        """For jobs that end when it is opened."""
        LiveTest.count += 1
        return os.path.join(self.gates, str(LiveTest.count))

    def open(self, gate):
        with open(gate, "w"):
            pass

    # -- seeing -------------------------------------------------------------------------------------------------------------------

    def until(self, what, condition, seconds=PATIENCE):
        if not built_in and self.fairlead.ended():
            self.fail("Fairlead has ended: " + self.fairlead.said()[-1500:])
        try:
            return self.engine.until(what, condition, seconds, 0.02)
        except Stuck as error:
            self.fail("%s; Fairlead says: %s" % (error, self.fairlead.said()[-1500:] if not built_in else "-"))

    def is_empty(self):
        return not self.engine.get("jobs")[0]

    def job_rows(self):
        return {job["JB_job_number"]: job for job in self.engine.get("jobs")[0]}

    def tasks(self):
        """{(job, task): the enrolled task}"""
        return {(job["JB_job_number"], task["JAT_task_number"]): task for job in self.engine.get("jobs")[0] for task in job["JB_ja_tasks"]}

    def running(self, job=None):
        """Tasks that a host has, in order."""
        return sorted(key for key, task in self.tasks().items() if task["JAT_status"] == RUNNING and job in (None, key[0]))

    def granted(self, job, task=1):
        """{queue instance: slots} of a task that runs, in the order of the grant"""
        row = self.tasks()[job, task]
        return {entry["JG_qname"]: entry["JG_slots"] for entry in row["JAT_granted_destin_identifier_list"]}

    def until_running(self, *jobs):
        self.until("jobs %s run" % (jobs,), lambda: set(jobs) <= {job for job, task in self.running()})

    def until_done(self, *jobs):
        """Ended, and removed by the scheduler."""
        self.until("jobs %s have ended" % (jobs,), lambda: not set(jobs) & set(self.job_rows()))

    def ran(self, job=None):
        lines = [Line(f[0], int(f[1]), int(f[2]) if f[2] != "undefined" else 1, f[3], f[4], float(f[5]))
                 for f in map(str.split, contents(self.ran_file).splitlines()) if len(f) == 6]
        return [line for line in lines if job in (None, line.job)]

    def began(self, job):
        return [line for line in self.ran(job) if line.what == "begin"]

    def accounted(self, job=None):
        """Rows of the accounting file: (job, task) in their order."""
        rows = [line.split(":") for line in self.engine.file_text("accounting").splitlines() if line and line[0] != "#"]
        return [(int(row[5]), int(row[35]) or 1) for row in rows if job in (None, int(row[5]))]

    def most_at_once(self, job):
        """Tasks of a job that ran at the same time, by their own clocks."""
        moments = sorted((line.time, 1 if line.what == "begin" else -1) for line in self.ran(job))
        count = most = 0
        for _, change in moments:
            count += change
            most = max(most, count)
        return most

    def xml(self, job):
        """Return the output of qstat -j about the job."""
        return self.engine.run("qstat", "-j", str(job), check=False)


def ours(test):
    """For tests of what the built-in scheduler does not do, or not in this way."""
    def run(self):
        if built_in:
            self.skipTest("it is about Fairlead")
        test(self)
    run.__name__ = test.__name__
    return run


def main(munge=False):
    global built_in
    arguments = [word for word in sys.argv[1:] if word != "--built-in"]
    built_in = "--built-in" in sys.argv
    if "FAIRLEAD_LIVE" in os.environ:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        unittest.main(argv=[sys.argv[0], *arguments])
    why_not = cellspace.missing(munge=munge)
    if why_not:
        print(why_not)
        sys.exit(77)
    place = tempfile.mkdtemp(prefix="fairlead-live-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    os.chmod(place, 0o755)      # the daemons are not root
    try:
        sys.exit(subprocess.run(cellspace.command(os.path.abspath(sys.argv[0]), *sys.argv[1:]), env={**os.environ, "FAIRLEAD_LIVE": place},
                                stdin=subprocess.DEVNULL).returncode)
    finally:
        shutil.rmtree(place, ignore_errors=True)
