# SPDX-License-Identifier: Apache-2.0
"""A real qmaster whose scheduler is build/fairlead-schedd: it takes the empty place for one run at a time."""
import os
import re
import subprocess
import time

from gridengine import Refused, contents
from simulated import Simulated

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDD = os.path.join(TOP, os.environ.get("B") or "build", "fairlead-schedd")
PATIENCE = 60
STILL = 20


class Ours(Simulated):
    def __init__(self, directory):
        super().__init__(directory, scheduler_threads=0)
        self.count, self.began = 0, 0

    def runs(self):
        return self.count

    def run_began(self):
        return self.began

    def one_run(self):
        """It takes the place, makes the run that follows the total update, and leaves when nothing happens any more."""
        self.began, log = int(time.time()), os.path.join(self.directory, "log-%d" % self.count)
        shm = os.path.join(self.directory, "shm-%d" % self.count)
        os.makedirs(shm, exist_ok=True)
        with open(log, "w") as file:
            process = subprocess.Popen([SCHEDD, "--qmaster=" + os.path.join(self.root, "default"), "--workers", "1", "--verbose"],
                                       env={**os.environ, **self.env, "FAIRLEAD_SHM": shm}, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            moment = self.until("a run of Fairlead", lambda: first_run(contents(log)) or process.poll() is not None, PATIENCE)
            if process.poll() is not None:
                raise Refused("fairlead-schedd: %d: %s" % (process.returncode, contents(log)[-500:]))
            self.until_still()
            process.terminate()
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
        self.count += 1
        self.began = moment
        return moment

    def until_still(self):
        """Nothing has changed in the qmaster's jobs for a while: all that was ordered has been done."""
        last, same = None, 0

        def still():
            nonlocal last, same
            now = self.get("jobs")
            last, same = now, same + 1 if now == last else 0
            return same >= STILL
        self.until("the orders of a run are carried out", still, PATIENCE, 0.02)


def first_run(log):
    """The moment of the first one as the scheduler; None before it."""
    found = re.search(r"is the scheduler\n(?:.*\n)*?.*run at (\d+):", log)
    return int(found.group(1)) if found else None
