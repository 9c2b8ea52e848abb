# SPDX-License-Identifier: Apache-2.0
"""Namespaces in which a real cell lives: a network, host name, process table, /etc/hosts, /etc/passwd and /etc/group of its own.

Nothing of the machine is changed, nothing listens on its interfaces, and when the first process of the namespaces ends, the kernel ends
all others. Needs root.
"""
import os
import subprocess
import sys

QMASTER = "sgehost"
HOSTS = "ada bly cor dun eek fox gil hob ivy".split()
USERS = "ann bob cal dot eve fay gus hal".split()
PROGRAMS = "/usr/lib/gridengine"
PACKAGES = "gridengine-master gridengine-exec gridengine-client gridengine-common"
UNSHARE = ["unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child"]


def missing():
    """Why no real cell can be started here; None if one can."""
    if not all(os.path.exists(os.path.join(PROGRAMS, name)) for name in ("sge_qmaster", "qconf", "spoolinit", "libspoolb.so")):
        return "Grid Engine 8.1.9 is not installed: apt-get install --no-install-recommends %s" % PACKAGES
    if os.geteuid() != 0:
        return "a real cell needs root: its daemons run in namespaces of their own"
    if subprocess.run(UNSHARE + ["true"], capture_output=True).returncode:
        return "namespaces cannot be made here (unshare fails): in a container, give it CAP_SYS_ADMIN"
    return None


def command(*words):
    """A command line that runs a Python program in namespaces of its own."""
    return UNSHARE + [sys.executable, "-B", *words]


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def replace(scratch, name, text):
    path = os.path.join(scratch, os.path.basename(name))
    with open(path, "w") as file:
        file.write(text)
    run("mount", "--bind", path, name)


def with_users(name, line):
    """The machine's file, with the cell's users in place of any of that name."""
    with open(name) as file:
        kept = [row for row in file if row.split(":")[0] not in USERS]
    return "".join(kept) + "".join(line % (user, number, number) if line.count("%") == 3 else line % (user, number)
                                   for number, user in enumerate(USERS, 20101))


def enter(directory):
    """In the namespaces: an empty directory in memory, and names of hosts and users."""
    run("mount", "--make-rprivate", "/")
    os.makedirs(directory, exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory)
    run("hostname", QMASTER)
    run("ip", "link", "set", "lo", "up")
    replace(directory, "/etc/hosts", "127.0.0.1 %s localhost\n" % QMASTER + "".join(
        "127.0.1.%d %s\n" % (k, host) for k, host in enumerate(HOSTS, 1)))
    replace(directory, "/etc/passwd", with_users("/etc/passwd", "%s:x:%d:%d::/:/bin/sh\n"))
    replace(directory, "/etc/group", with_users("/etc/group", "%s:x:%d:\n"))
