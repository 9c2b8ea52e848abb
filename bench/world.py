# SPDX-License-Identifier: Apache-2.0
"""Common environment of the real cells of versus-gridengine and versus-slurm. Its users, host name and
network exist only there, and whatever was started in it ends with its first process.
"""
import fcntl
import os
import socket
import struct
import subprocess
import time

FIRST_UID = 20000
PATIENCE_S = 60  # limit for the start of a daemon


class Failure(Exception):
    """An error for a person to read."""


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def run(*command, **more):
    """Return the output of a command."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, **more)
    if done.returncode:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stdout[-500:].strip()}")
    return done.stdout


def answers(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def wait_for(what, there, patience_s=PATIENCE_S):
    until = time.monotonic() + patience_s
    while not there():
        if time.monotonic() > until:
            raise Failure(f"{what}: not within {patience_s:.0f} s")
        time.sleep(0.1)


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS, up and running


def file_replace(directory, path, text):
    """Replace a file in this mount namespace only."""
    mine = os.path.join(directory, os.path.basename(path))
    write(mine, text)
    run("mount", "--bind", mine, path)


def make(directory, host, users):
    """Set the host name, the loopback address, and the users u0, u1, ..."""
    socket.sethostname(host)
    loopback_up()
    file_replace(directory, "/etc/hosts", f"127.0.0.1 {host} localhost\n")
    with open("/etc/passwd", encoding="utf-8") as accounts:
        file_replace(directory, "/etc/passwd", accounts.read() + "".join(
            f"u{u}:x:{FIRST_UID + u}:{FIRST_UID}::/var/tmp:/bin/sh\n" for u in range(users)))
    with open("/etc/group", encoding="utf-8") as groups:
        file_replace(directory, "/etc/group", groups.read() + f"benchusers:x:{FIRST_UID}:\n")
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/var/tmp")
