# SPDX-License-Identifier: Apache-2.0
"""A real qmaster whose scheduler is build/fairlead-schedd from the start, so that it has the memory of earlier runs
that a scheduler keeps."""
import os
import re
import subprocess

from gridengine import Refused, contents
from simulated import Simulated

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDD = os.path.join(TOP, os.environ.get("B") or "build", "fairlead-schedd")
PATIENCE = 60
STILL = 20


class Ours(Simulated):
    def __init__(self, directory):
        super().__init__(directory, scheduler_threads=0)
        self.process, self.count, self.log = None, 0, None

    def start(self):
        super().start()
        shm = os.path.join(self.directory, "shm-%d" % self.count)
        self.log = os.path.join(self.directory, "log-%d" % self.count)
        self.count += 1
        os.makedirs(shm)
        with open(self.log, "w") as file:
            self.process = subprocess.Popen([SCHEDD, "--qmaster=" + os.path.join(self.root, "default"), "--workers", "1", "--verbose"],
                                            env={**os.environ, **self.env, "FAIRLEAD_SHM": shm}, stdin=subprocess.DEVNULL,
                                            stdout=file, stderr=file)
        self.until("Fairlead is the scheduler", lambda: "is the scheduler" in contents(self.log) or self.check(), PATIENCE)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None
        super().stop()

    def check(self):
        if self.process.poll() is not None:
            raise Refused("fairlead-schedd: %d: %s" % (self.process.returncode, contents(self.log)[-500:]))

    def moments(self):
        """When it has made its runs."""
        return [int(moment) for moment in re.findall(r"run at (\d+):", contents(self.log))]

    def runs(self):
        return len(self.moments())

    def run_began(self):
        return self.moments()[-1]

    def until_run(self, before):
        super().until_run(before)
        self.until_still()

    def until_still(self):
        """Nothing has changed in the qmaster's jobs for a while: all that was ordered has been done."""
        last, same = None, 0

        def still():
            nonlocal last, same
            self.check()
            now = self.get("jobs")
            last, same = now, same + 1 if now == last else 0
            return same >= STILL
        self.until("the orders of a run are carried out", still, PATIENCE, 0.02)
