# SPDX-License-Identifier: Apache-2.0
"""A real qmaster with hosts of which only the load reports exist: it simulates the execution daemons (SIMULATE_EXECDS), and what starts
never ends."""
import calendar
import time

import wire
from cellspace import QMASTER
from gridengine import CONFIGURATION, PORT, GridEngine

RUN_TOOK = "PROF: schedd run took:"


class Late(Exception):
    """A run that cannot be identified exactly: it crossed the end of a second, or there was another run."""


class Simulated(GridEngine):
    configuration = {**CONFIGURATION, "qmaster_params": "SIMULATE_EXECDS=true"}

    def __init__(self, directory, **options):
        super().__init__(directory, **options)
        self.hosts, self.reports = {}, {}

    def stop(self):
        for connection in self.hosts.values():
            connection.close()
        self.hosts = {}
        super().stop()

    def report_loads(self, host, values):
        """The load report that this host's execution daemon would send; waits until it has been taken."""
        if host not in self.hosts:
            self.reports[host] = 0
            self.hosts[host] = wire.Connection(QMASTER, PORT, host, "execd", 1)
        self.hosts[host].report_loads(host, values, self.reports[host])
        self.reports[host] += 1

    # -- runs of the built-in scheduler; params PROFILE=1,MONITOR=1 ---------------------------------------------------------------

    def runs(self):
        return self.messages().count(RUN_TOOK)

    def run_began(self):
        """The second in which the last run began, by the scheduler's own log."""
        began = [line for line in self.file_text("schedd_runlog").splitlines() if "START-SCHEDULER-RUN" in line]
        return calendar.timegm(time.strptime(began[-1].partition("|")[0])) if began else 0

    def one_run(self):
        """The scheduler makes one run; its moment. It begins well within a second, so that all that is asked for the time agrees."""
        late = time.time() % 1
        if late > 0.7:
            time.sleep(1.001 - late)
        before, moment = self.runs(), int(time.time())
        self.run("qconf", "-tsm")
        self.until_run(before)
        return moment

    def until_run(self, before):
        """Return True if there were more runs than this number."""
        self.until("a run of the scheduler", lambda: self.runs() > before, pause=0.005)
