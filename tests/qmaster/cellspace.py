# SPDX-License-Identifier: Apache-2.0
"""Namespaces in which a real cell lives: a network, host name, process table, /etc/hosts, /etc/passwd and /etc/group of its own.

Nothing of the machine is changed, nothing listens on its interfaces, and when the first process of the namespaces ends, the kernel ends
all others. Needs root.

    cellspace.py WORDS...    the first process of such namespaces: runs WORDS, reaps what is left to it, ends with them
"""
import os
import signal
import subprocess
import sys

QMASTER = "sgehost"
HOSTS = "ada bly cor dun eek fox gil hob ivy jag kea kim lou lux".split()
USERS = "ann bob cal dot eve fay gus hal".split()
PROGRAMS = "/usr/lib/gridengine"
PACKAGES = "gridengine-master gridengine-exec gridengine-client gridengine-common"
NEEDED = ("sge_qmaster", "sge_execd", "qconf", "qsub", "spoolinit", "libspoolb.so")
UNSHARE = ["unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child"]
NETWORK, BRIDGE = "10.64.0.%d", "cell"


def missing(munge=False):
    """Why no real cell can be started here; None if one can."""
    if not all(os.path.exists(os.path.join(PROGRAMS, name)) for name in NEEDED):
        return "Grid Engine 8.1.9 is not installed: apt-get install --no-install-recommends %s" % PACKAGES
    if os.geteuid() != 0:
        return "a real cell needs root: its daemons run in namespaces of their own"
    if subprocess.run(UNSHARE + ["true"], capture_output=True).returncode:
        return "namespaces cannot be made here (unshare fails): in a container, give it CAP_SYS_ADMIN"
    if os.path.realpath(__file__).startswith("/var/tmp/"):
        return "the checkout is below /var/tmp, where a real cell sees an empty directory: move it elsewhere"
    if munge and not os.path.exists("/usr/sbin/munged"):
        return "munge is not installed: apt-get install --no-install-recommends munge"
    return None


def command(*words):
    """A command line that runs a Python program in namespaces of its own."""
    return UNSHARE + [sys.executable, "-B", os.path.abspath(__file__), sys.executable, "-B", *words]


def inside(pid, *words):
    """A command line that runs WORDS in the namespaces that process `pid` has made by command()."""
    return ["nsenter", "-t", str(pid), "--mount", "--uts", "--net", "--ipc", "--pid=/proc/%d/ns/pid_for_children" % pid, "--", *words]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise OSError("%s: %s" % (" ".join(words), done.stderr.strip()))


def replace(scratch, name, text):
    path = os.path.join(scratch, os.path.basename(name))
    with open(path, "w") as file:
        file.write(text)
    run("mount", "--bind", path, name)


def with_users(name, line):
    """The machine's file, with the cell's users in place of any of that name."""
    with open(name) as file:
        kept = [row for row in file if row.split(":")[0] not in USERS]
    return "".join(kept) + "".join(line % {"user": user, "id": number} for number, user in enumerate(USERS, 20101))


def enter(directory, in_memory=True, execution=()):
    """In the namespaces: an empty directory, in memory if wanted, and names of hosts and users. Hosts in `execution` are to have networks
    of their own (execution.py), all others are names of this one."""
    run("mount", "--make-rprivate", "/")
    os.makedirs(directory, exist_ok=True)
    if in_memory:
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory)
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/var/tmp")
    run("hostname", QMASTER)
    run("ip", "link", "set", "lo", "up")
    if execution and subprocess.run(["ip", "link", "show", BRIDGE], capture_output=True).returncode:
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "addr", "add", NETWORK % 1 + "/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
    replace(directory, "/etc/hosts", "".join("%s %s\n" % row for row in addresses(execution)))
    homes = os.path.join(directory, "home")
    os.mkdir(homes)
    replace(directory, "/etc/passwd", with_users("/etc/passwd", "%(user)s:x:%(id)d:%(id)d::" + homes + "/%(user)s:/bin/sh\n"))
    replace(directory, "/etc/group", with_users("/etc/group", "%(user)s:x:%(id)d:\n"))
    for number, user in enumerate(USERS, 20101):
        os.mkdir(os.path.join(homes, user), 0o755)
        os.chown(os.path.join(homes, user), number, number)


def addresses(execution):
    if not execution:
        yield "127.0.0.1", QMASTER + " localhost"
    else:
        yield "127.0.0.1", "localhost"
        yield NETWORK % 1, QMASTER
    for number, host in enumerate(HOSTS, 1):
        yield (NETWORK % (10 + number) if host in execution else "127.0.1.%d" % number), host


def first_process(words):
    """Reap orphaned processes of daemons. The end of WORDS ends everything."""
    child = os.spawnvp(os.P_NOWAIT, words[0], words)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status) & 255


if __name__ == "__main__":
    sys.exit(first_process(sys.argv[1:]))
