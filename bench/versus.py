# SPDX-License-Identifier: Apache-2.0
"""Common parts of versus-gridengine and versus-slurm: Debian's packages, namespaces for a real cell, our own programs."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
CANNOT = 3
MOST_JOBS = 1000000
UNSHARE = ["setpriv", "--pdeathsig", "KILL",  # all processes end with this one, whatever the cause
           "unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]


class Cannot(Exception):
    """The system to measure is not available. This is no failure of ours."""


def name():
    return f"bench/{os.path.basename(sys.argv[0])}"


def count(text):
    number = int(text)
    if not 1 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"{text} is not in 1..{MOST_JOBS}")
    return number


def path(program):
    there = os.path.abspath(os.path.join(os.environ.get("B", "build"), program))
    if not os.access(there, os.X_OK):
        sys.exit(f"{name()}: no {there}; `make bench` builds it (B= names the build directory)")
    return there


# ---- requirements --------------------------------------------------------------------------------------------


def is_installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True, check=False)
    return done.stdout == "installed"


def install(packages, allowed, answers=""):
    """Install packages. `answers` are the replies to their questions, for debconf-set-selections."""
    if not shutil.which("dpkg-query"):
        raise Cannot("this is no Debian")
    missing = [package for package in packages if not is_installed(package)]
    if not missing:
        return
    if not allowed:
        raise Cannot(f"not installed: {' '.join(missing)}")
    if answers:
        subprocess.run(["debconf-set-selections"], input=answers, text=True, check=False)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", "--no-install-recommends", *missing]):
        if subprocess.run(command, stdout=sys.stderr, env=environment, check=False).returncode:
            raise Cannot(f"the packages cannot be installed: {' '.join(command)} failed")


def namespaces_try():
    done = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Cannot(f"no namespaces can be made here: {done.stderr.strip()}")


def become_root():
    if os.geteuid() == 0:
        return
    if not shutil.which("sudo"):
        raise Cannot("it needs root, and there is no sudo")
    os.execvp("sudo", ["sudo", "--preserve-env=B", sys.executable, "-B", os.path.realpath(sys.argv[0]), *sys.argv[1:]])


# ---- both sides ------------------------------------------------------------------------------------------------------


def real_cell(script, what, *arguments, **environment):
    """Return the figures of a real cell. `script` creates the cell in namespaces of its own."""
    command = [*UNSHARE, sys.executable, "-B", os.path.join(HERE, script), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as child:
        try:
            output = child.communicate()[0]
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        sys.exit(f"{name()}: the {what} cell could not be measured (exit status {child.returncode})")
    return json.loads(output)


def figures_of(command):
    """Return the output of a program of ours."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stderr}{name()}: {' '.join(command)} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def in_memory(measure):
    """Call measure() with temporary files and shared memory in a directory of their own."""
    shm = os.environ.get("FAIRLEAD_SHM") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    with tempfile.TemporaryDirectory(prefix="fairlead-bench-", dir=shm) as directory:
        os.environ["FAIRLEAD_SHM"] = os.environ["TMPDIR"] = directory
        return measure()


def remove(directory):
    """Remove a directory to which killed processes may still write for a moment."""
    for _ in range(50):
        shutil.rmtree(directory, ignore_errors=True)
        if not os.path.exists(directory):
            return
        time.sleep(0.1)
    print(f"{name()}: {directory} could not be removed", file=sys.stderr)


def main(measure):
    """Run measure() and exit with the documented exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
    try:
        measure()
    except Cannot as cannot:
        print(f"{name()}: {cannot}", file=sys.stderr)
        sys.exit(CANNOT)
    except KeyboardInterrupt:
        sys.exit(130)
