# SPDX-License-Identifier: Apache-2.0
"""A scheduler that goes on running while its clock is set: for what takes more than one run to come about."""
import json
import os
import signal
import subprocess
import threading
import time

PATIENCE_S = 120


class Stuck(Exception):
    """The scheduler did not reach the expected state."""


class Scheduler:
    """`command` without --once, its events on standard input. Its date stands still at what `at` says."""

    def __init__(self, command, env, clock, scratch):
        self.date, self.seq, self.lines = os.path.join(scratch, "date"), 0, []
        self.errors = open(os.path.join(scratch, "errors"), "w+")
        # a sanitizer follows the clock in LD_PRELOAD
        late = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.command, self.env = command, dict(env, LD_PRELOAD=clock, CLOCK_SHIFT=self.date, ASAN_OPTIONS=late)
        self.process = None

    def at(self, now):
        """From now on it is this second."""
        with open(self.date + ".new", "w") as file:
            file.write("=%d\n" % now)
        os.rename(self.date + ".new", self.date)
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=self.env)
            threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    def send(self, events):
        for event in events:
            self.seq += 1
            self.process.stdin.write(json.dumps({"seq": self.seq, **event}) + "\n")
        self.process.stdin.flush()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def until(self, what, there):
        """Waits for there() to be true."""
        end = time.monotonic() + PATIENCE_S
        while not there():
            refused = [line for line in list(self.lines) if '"answer":"error"' in line]
            if refused or self.process.poll() is not None or time.monotonic() > end:
                self.errors.seek(0)
                raise Stuck("%s: %s" % (what, refused[0].strip() if refused else self.errors.read().strip()[-500:] or "not within %d s" % PATIENCE_S))
            time.sleep(0.01)

    def close(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process.stdin.close()
        self.errors.close()
