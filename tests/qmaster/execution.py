# SPDX-License-Identifier: Apache-2.0
"""Execution hosts of a real cell, each with a real execution daemon; all but the qmaster's have a network, host name, process table and
/var/tmp of their own, and see the others over a bridge."""
import concurrent.futures
import os
import subprocess

from cellspace import BRIDGE, HOSTS, NETWORK, PROGRAMS, QMASTER, UNSHARE, inside, run
from gridengine import CONFIGURATION, GridEngine, contents, running

NAMES = [QMASTER, *HOSTS]
WAIT = "trap '' CHLD; echo ready; exec sleep infinity"      # orphaned processes of its daemons are reaped by the kernel


class Host:
    """A host other than the qmaster's."""

    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen(UNSHARE + ["sh", "-c", WAIT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise OSError("no namespaces for " + name)
        self.pid = self.process.pid
        link = "to-" + name
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(self.pid))
        run("ip", "link", "set", link, "master", BRIDGE, "up")
        # a host removes a task's directory in /var/tmp at its end, and on all hosts of a job the task has the same
        for words in (["hostname", name], ["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/var/tmp"],
                      ["ip", "link", "set", "lo", "up"], ["ip", "link", "set", "eth0", "up"],
                      ["ip", "addr", "add", NETWORK % (10 + HOSTS.index(name) + 1) + "/24", "dev", "eth0"]):
            run(*self.inside(*words))

    def inside(self, *words):
        return inside(self.pid, *words)

    def close(self):
        """Stop the host like a power failure."""
        self.process.kill()
        self.process.communicate()


class Executing(GridEngine):
    """A qmaster with `names` as execution hosts."""
    configuration = {**CONFIGURATION, "load_report_time": "00:00:01"}

    def __init__(self, directory, names=NAMES[:1], **options):
        super().__init__(directory, **options)
        self.names, self.hosts = list(names), {}

    def open_hosts(self):
        self.hosts = {name: Host(name) for name in self.names if name != QMASTER}

    def on(self, name, *words, **options):
        """A command on that host."""
        return self.run(*(words if name == QMASTER else self.hosts[name].inside(*words)), **options)

    def start_execds(self, names=None):
        names = names or self.names
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(lambda name: self.on(name, os.path.join(PROGRAMS, "sge_execd")), names))
        self.until("the execution daemons report", lambda: self.heard(names))

    def execd_pid(self, name):
        """In the process table of its host."""
        return int(contents(os.path.join(self.spool, "execd", name, "execd.pid")) or 0)

    def heard(self, names):
        """Have they all reported a load?"""
        hosts, = self.get("hosts")
        loads = {host["EH_name"]: {row["HL_name"] for row in host["EH_load_list"]} for host in hosts}
        return all("np_load_avg" in loads.get(name, ()) for name in names)

    def stop(self):
        for host in self.hosts.values():
            host.close()
        self.hosts = {}
        if QMASTER in self.names and running(self.execd_pid(QMASTER) or 1 << 30):
            os.kill(self.execd_pid(QMASTER), 9)
        super().stop()
