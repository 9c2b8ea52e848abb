# SPDX-License-Identifier: Apache-2.0
"""A real qmaster whose scheduler is build/fairlead-schedd: it takes the empty place for one run at a time."""
import os
import subprocess
import time

from gridengine import Refused
from simulated import Simulated

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDD = os.path.join(TOP, os.environ.get("B") or "build", "fairlead-schedd")
PATIENCE = 60


class Ours(Simulated):
    def __init__(self, directory):
        super().__init__(directory, scheduler_threads=0)
        self.count, self.began = 0, 0

    def runs(self):
        return self.count

    def run_began(self):
        return self.began

    def one_run(self):
        self.began = int(time.time())
        shm = os.path.join(self.directory, "shm-%d" % self.count)
        os.makedirs(shm, exist_ok=True)
        done = subprocess.run([SCHEDD, "--qmaster=" + os.path.join(self.root, "default"), "--once", "--workers", "1"],
                              env={**os.environ, **self.env, "FAIRLEAD_SHM": shm}, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            raise Refused("fairlead-schedd: %d: %s" % (done.returncode, (done.stdout + done.stderr)[-500:]))
        self.count += 1
        return self.began
