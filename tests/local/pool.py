# SPDX-License-Identifier: Apache-2.0
"""A local cell whose algorithm is userprio: users compete for the slots of this machine."""
import contextlib
import os
import signal

from cell import Cell, cell, need_root, wait_until

USERS = ("nobody", "daemon", "bin")     # people that every machine knows; only root can be them
DOMAIN = "here"

# Cycles follow each other as fast as the clock of whole seconds permits.
QUICK = {"UID_DOMAIN": DOMAIN, "DEFAULT_PRIO_FACTOR": "1", "NEGOTIATOR_INTERVAL": "1", "NEGOTIATOR_MIN_INTERVAL": "0", "NEGOTIATOR_CYCLE_DELAY": "0",
         "PRIORITY_HALFLIFE": "1000000000", "MachineMaxVacateTime": "20"}


class Pool:
    """A pool: requests to it, and the files that its jobs write in out/, which all users can write."""

    def __init__(self, under_test: Cell):
        self.cell, self.out = under_test, os.path.join(under_test.top, "out")
        os.mkdir(self.out)
        os.chmod(self.out, 0o777)

    def configure(self, macros):
        """Before it is started, and with SIGHUP later."""
        with open(os.path.join(self.cell.directory, "condor_config"), "w") as file:
            file.writelines(f"{name} = {value}\n" for name, value in {**QUICK, **macros}.items())
        if self.cell.process:
            self.cell.process.send_signal(signal.SIGHUP)

    def submit(self, user, line, hold=False, name=None, **members):
        """A shell's command line as a job of `user`; its number."""
        job = {**members, **({"hold": {"u": "1"}} if hold else {}), **({"job_name": name} if name else {})}
        (result,) = self.cell.ask_as(user, {"request": "submit", "job": job, "execution": {
            "command": ["/bin/sh", "-c", line], "cwd": self.out, "stdout_path": "/dev/null", "stderr_path": "/dev/null"}})
        assert result["code"] == 0, result["text"]
        return result["job_number"]

    def submit_many(self, user, n, line, **members):
        """Submit n jobs through one connection of one process."""
        def all_of_them():
            numbers = []
            for _ in range(n):
                (result,) = self.cell.ask({"request": "submit", "job": members, "execution": {
                    "command": ["/bin/sh", "-c", line], "cwd": self.out, "stdout_path": "/dev/null", "stderr_path": "/dev/null"}})
                assert result["code"] == 0, result["text"]
                numbers.append(result["job_number"])
            return numbers
        return self.cell.call_as(user, all_of_them)

    def release(self):
        self.cell.ask({"request": "release", "kind": "u", "jobs": [{"job": str(number)} for (number,) in self.cell.query("select job_number from job")]})

    def edit(self, option, user, value=None, duration=None):
        request = {"request": "userprio", "edit": option, "customer": f"{user}@{DOMAIN}"}
        request.update({} if value is None else {"value": value}, **({} if duration is None else {"duration": duration}))
        (result,) = self.cell.ask(request)
        assert result["code"] == 0, result["text"]

    def delete(self, *numbers):
        self.cell.ask({"request": "delete", "force": True, "jobs": [{"job": str(number)} for number in numbers]})

    def running(self):
        """Map each user to the number of tasks that have begun and not ended."""
        claims = dict.fromkeys(USERS, 0)
        for user, n in self.cell.query("select owner, count(*) from task join job using (job_number) where state = 'running' group by owner"):
            claims[user] = n
        return claims

    def full(self, slots):
        """Return running() if all slots are in use, else None."""
        claims = self.running()
        return claims if sum(claims.values()) == slots else None

    def settled(self):
        """Return running() if the running tasks are those that a cycle has matched, else None."""
        claims = self.running()
        matched = dict.fromkeys(USERS, 0)
        for name, slots in self.cell.query("select name, slots from customer"):
            if name.partition("@")[0] in matched:
                matched[name.partition("@")[0]] = slots
        return claims if claims == matched and sum(claims.values()) else None

    def vacated(self):
        """Numbers of jobs, each as often as it gave way."""
        return [int(line[5]) for line in self.cell.accounting() if line[11] == "25"]

    def cycle(self):
        """How many cycles there have been, as the store knows."""
        rows = self.cell.query("select value from meta where key = 'userprio_cycle'")
        return int(rows[0][0]) if rows else 0

    def customer(self, user, columns):
        """Return values of a row of the store. None: there is no such user."""
        rows = self.cell.query(f"select {columns} from customer where name = '{user}@{DOMAIN}'")
        return rows[0] if rows else None

    def split(self, slots):
        """Map each user to a fair number of slots, in the inverse ratio of effective priorities."""
        inverse = {user: 1 / (priority * factor) for user in USERS for priority, factor in [self.customer(user, "priority, factor")]}
        return {user: slots * value / sum(inverse.values()) for user, value in inverse.items()}

    def read(self, name):
        try:
            with open(os.path.join(self.out, name)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def share(self, name):
        """A file that all may write."""
        path = os.path.join(self.out, name)
        open(path, "w").close()
        os.chmod(path, 0o666)

    def write(self, name, text):
        """At once."""
        path = os.path.join(self.out, name)
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def times(self, name):
        """Seconds since 1970, one a line."""
        return [float(word) for word in self.read(name).split()]


@contextlib.contextmanager
def pool(slots, options=(), **macros):
    """A cell with so many slots and these macros of condor_config, and its scheduler serves."""
    need_root("several users")
    changes = [("sched_conf", "algorithm                        default", "algorithm                        userprio"),
               ("sched_conf", "schedule_interval                0:0:2", "schedule_interval                0:0:1"),
               ("queue/all.q", "slots                 12", f"slots                 {slots}")]
    with cell(changes, options) as under_test:
        p = Pool(under_test)
        p.configure(macros)
        under_test.start().wait_ready()
        yield p


def wait_for(condition, text):
    """The last thing seen, once it is right."""
    seen = []

    def holds():
        seen[:] = [condition()]
        return seen[0]
    wait_until(holds, text)
    return seen[0]
