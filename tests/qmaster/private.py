# SPDX-License-Identifier: Apache-2.0
"""A private cell from the ground: namespaces are entered, munge and the qmaster started, a site put in, hosts opened."""
import json
import os
import subprocess
import time

import cellspace
import sites
from cell_files import CellFiles
from execution import NAMES, Executing
from simulated import Simulated


def open_munge(directory):
    """munged with a key of its own, where programs look for it."""
    for where in ("/run", "/etc/munge", "/var/log/munge", "/var/lib/munge"):
        cellspace.run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", where)
    os.mkdir("/run/munge")
    cellspace.run("chown", "munge:munge", "/run/munge", "/etc/munge", "/var/log/munge", "/var/lib/munge")
    with open("/etc/munge/munge.key", "wb") as file:
        file.write(os.urandom(128))
    cellspace.run("chmod", "400", "/etc/munge/munge.key")
    cellspace.run("chown", "munge:munge", "/etc/munge/munge.key")
    cellspace.run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "/usr/sbin/munged")
    end = time.monotonic() + 10
    while subprocess.run(["munge", "-n"], capture_output=True).returncode:
        if time.monotonic() > end:
            raise OSError("munged does not answer")
        time.sleep(0.01)


def open_cell(directory, site="plain", hosts=None, scheduler_threads=1, munge=False, execd=True, simulated=False, slots=None,
              configuration=(), **scheduler):
    """The engine; in the namespaces."""
    names = NAMES[:hosts or (3 if site == "every" else 1)]
    real = [] if simulated else names[1:]
    cellspace.enter(directory, in_memory=False, execution=real)
    if munge:
        open_munge(directory)
    options = {"scheduler_threads": scheduler_threads, "security": "munge" if munge else "none", "configuration": configuration}
    engine = Simulated(directory, **options) if simulated else Executing(directory, names, **options)
    engine.install()
    engine.start()
    given = os.path.join(directory, "site")
    sites.SITES[site](given, names, **({"slots": slots} if slots else {}), **scheduler)
    CellFiles(engine, given, {"host_order": names}).put()
    if not simulated:
        engine.open_hosts()
        with open(os.path.join(directory, "hosts.json"), "w") as file:
            json.dump({name: host.pid for name, host in engine.hosts.items()}, file)
        if execd:
            engine.start_execds()
    return engine
