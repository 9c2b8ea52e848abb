# SPDX-License-Identifier: Apache-2.0
"""The real programs, run on cases."""
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

import live
import slurm_compare
from events import Replay

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests/local"))
from cell import copy_for_all  # noqa: E402

CELL = "sched_conf share_tree complex global_conf users projects usersets queue pe hosts hgrp ckpt rqs calendar".split()
Result = namedtuple("Result", "rows starts suspended resumed schedule")  # what was published, orders, the file of bookings


def contents(path):
    """"" if there is no such file"""
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()


class Trouble(Exception):
    """A program failed, or refused what it was sent."""


class Programs:
    """The real programs, with a segment of their own."""

    def __init__(self, workers):
        build = os.path.join(ROOT, os.environ.get("B", "build"))
        self.schedd, self.fairlead = (os.path.join(build, name) for name in ("fairlead-schedd", "fairlead"))
        self.workers = str(workers)
        self.scratch = tempfile.mkdtemp(prefix="fairlead-reference-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.env = dict(os.environ, FAIRLEAD_SHM=os.path.join(self.scratch, "shm"), TZ="UTC")  # where the calendars were

    def _run(self, *command):
        try:
            done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Trouble(str(error))
        if done.returncode:
            refused = next((line for line in done.stdout.splitlines() if '"answer":"error"' in line), done.stderr.strip())
            raise Trouble("%s: exit %d: %s" % (os.path.basename(command[0]), done.returncode, refused))
        return done.stdout

    def _take(self, path, events, *options):
        """Events to the scheduler, and its answers."""
        with open(path, "w") as file:
            for seq, event in enumerate(events, 1):
                file.write(json.dumps({"seq": seq, **event}) + "\n")
        journal = [os.path.join(self.scratch, "journal")] if os.environ.get("FAIRLEAD_JOURNAL") else []
        answers = self._run(self.schedd, "--workers", self.workers, "--events", path, *options, *(o for name in journal for o in ("--journal", name)))
        for name in journal:  # the same again, with another number of workers
            self._run(self.fairlead, "replay", "--journal", name, "--workers", "2" if self.workers == "1" else "1")
        refused = [line for line in answers.splitlines() if '"answer":"error"' in line]
        if refused:
            raise Trouble("%d events refused, the first one: %s" % (len(refused), refused[0]))
        return answers

    def schedule(self, cell, now, events, path=None, start=True):
        """Make one run and return its result. `start`: jobs may start. Otherwise it only computes priorities."""
        shutil.rmtree(self.env["FAIRLEAD_SHM"], ignore_errors=True)
        os.mkdir(self.env["FAIRLEAD_SHM"])
        path, schedule = path or os.path.join(self.scratch, "events"), os.path.join(self.env["FAIRLEAD_SHM"], "schedule")
        answers = self._take(path, events, "-c", cell, "--once", "--now", str(now), "--schedule", schedule, *([] if start else ["--no-dispatch"]))
        rows = json.loads(self._run(self.fairlead, "stat", "--json", "-c", cell))["jobs"]
        orders = {name: [json.loads(line) for line in answers.splitlines() if '"order":"%s"' % name in line] for name in ("start", "suspend", "resume")}
        suspended, resumed = ([(order["job_number"], order.get("task", 1)) for order in orders[name]] for name in ("suspend", "resume"))
        return Result(rows, orders["start"], suspended, resumed, contents(schedule))

    def copy_cell(self, case):
        """Copy the cell of a case. The scheduler does not publish files that not all users may read."""
        cell = os.path.join(self.scratch, "cell")
        shutil.rmtree(cell, ignore_errors=True)
        os.mkdir(cell)
        for name in CELL:
            if os.path.exists(case.file(name)):
                copy_for_all(case.file(name), os.path.join(cell, name))
        return cell

    def replay_cell(self, case):
        """A copy of the cell of a case that reports the tickets of pending jobs, whatever the case's own cell does."""
        cell = self.copy_cell(case)
        if case.conf:
            with open(os.path.join(cell, "sched_conf"), "w") as file:
                for name, value in case.conf.items():
                    file.write("%s %s\n" % (name, "TRUE" if name == "report_pjob_tickets" else value))
        return cell

    def slurm_pass(self, snapshot, path=None):
        """A snapshot of a Slurm, made again: what was published of it."""
        cell, path = self.fresh(), path or os.path.join(self.scratch, "events")
        moments, base = snapshot.moments(), contents(os.path.join(ROOT, "conf/default/sched_conf"))
        if moments:
            with contextlib.closing(self.scheduler(cell, "--no-dispatch")) as scheduler:
                self._live(scheduler, cell, moments, base)
                return self._published(cell, snapshot)
        snapshot.cell_write(cell, base)
        self._take(path, snapshot.events(), "-c", cell, "--once", "--now", str(snapshot.pass_time()), "--no-dispatch")
        return self._published(cell, snapshot)

    def clock(self):
        """Return the library that is preloaded to set the date of a program."""
        clock = os.path.join(self.scratch, "clock.so")
        if not os.path.exists(clock):
            self._run("cc", "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", clock, os.path.join(ROOT, "tests/preload/clock.c"))
        return clock

    def scheduler(self, cell, *options):
        """Start a scheduler that keeps running and reads events from standard input."""
        command = [self.schedd, "-c", cell, "--events", "-", "--workers", self.workers, *options]
        return live.Scheduler(command, self.env, self.clock(), self.scratch)

    def fresh(self):
        """A directory for a cell; no segment is left of the one before."""
        cell = os.path.join(self.scratch, "cell")
        for directory in (cell, self.env["FAIRLEAD_SHM"]):
            shutil.rmtree(directory, ignore_errors=True)
            os.mkdir(directory)
        return cell

    def _live(self, scheduler, cell, moments, base):
        """Make one run for each of the moments with a scheduler that keeps running."""
        conf = None
        for now, snapshot, events in moments:
            if conf is not snapshot:
                snapshot.cell_write(cell, re.sub(r"(?m)^(schedule_interval|flush_(submit|finish)_sec) .*$", r"\1 1", base))
            scheduler.at(now)
            if conf not in (None, snapshot):
                scheduler.reload()
            conf = snapshot
            scheduler.send(events)
            scheduler.until("a run at %d" % now, lambda: self._has_run(cell, now, scheduler.seq, conf))

    def _has_run(self, cell, now, event, snapshot):
        done = subprocess.run([self.fairlead, "-c", cell, "share", "--json"], env=self.env, capture_output=True, text=True)
        share = json.loads(done.stdout) if done.returncode == 0 else {"run": {"now": 0}}
        return share["run"]["now"] == now and share["run"]["event"] == event and share["has_fair_tree"] == snapshot.is_fair_tree()

    def _published(self, cell, snapshot):
        prio, share, stat = (json.loads(self._run(self.fairlead, "-c", cell, *verb, "--json")) for verb in (["prio"], ["share", "-a"], ["stat"]))
        verbs = {"sprio": "prio", "sshare": "share"}
        texts = {what: self._run(self.fairlead, "-c", cell, verbs[command[0]], *command[1:])
                 for what, command in ((what, shlex.split(command)) for what, command, _ in snapshot.commands())}
        return slurm_compare.Published(prio, share, stat, texts)

    def start_order(self, case):
        """[(job, task)] as they started: as recorded, or else worked out."""
        recorded = [(row["seq"], job, task) for job in case.jobs for task, row in job.started.items() if "seq" in row]
        if recorded and len(recorded) == sum(len(job.started) for job in case.jobs):
            return [(job, task) for _, job, task in sorted(recorded, key=lambda start: start[0])]
        done, cell = [], self.replay_cell(case)
        for moment in sorted({row["start_time"] for job in case.jobs for row in job.started.values()}):
            replay = Replay(case, moment, done)
            if len({job for job in case.jobs if replay.starting(job)}) > 1:
                rows = self.schedule(cell, moment, replay.events(), start=False).rows
            else:
                rows = []
            done = done + list(replay.starts(rows))
        return done

    def close(self, keep):
        if keep:
            print("    kept: FAIRLEAD_SHM=%s" % self.env["FAIRLEAD_SHM"])
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)
