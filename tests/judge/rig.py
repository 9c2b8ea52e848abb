# SPDX-License-Identifier: Apache-2.0
"""rig.py DIRECTORY: a real cell after the other, in namespaces of its own (cellspace.py); DIRECTORY is where it lives.

Reads lines of JSON, {"given": a case's inputs, "into": where to write what came of them, "ours": is Fairlead the scheduler}, and answers
each with a line: {} or {"refused": why}.
"""
import json
import os
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "qmaster"))
import cellspace
from gridengine import Refused, Stuck
from ours import Ours
from record import Recorder
from simulated import Late, Simulated
from wire import WireError

ATTEMPTS = 3


class Rig:
    """The rig from outside: a process that makes cells."""

    def __init__(self, directory):
        self.process = subprocess.Popen(cellspace.command(__file__, directory), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()

    def record(self, given, into, ours=False):
        """Return the reason why the real qmaster refuses the cell, or None."""
        with self.lock:
            try:
                self.process.stdin.write(json.dumps({"given": given, "into": into, "ours": ours}) + "\n")
                self.process.stdin.flush()
                answer = self.process.stdout.readline()
            except (BrokenPipeError, ValueError):
                answer = ""
        return json.loads(answer).get("refused") if answer else "the rig has ended"

    def close(self):
        """Whatever it does, and all that runs in it."""
        self.process.kill()
        self.process.wait()


def answer(engine, given, into):
    for attempt in range(ATTEMPTS):
        try:
            Recorder(engine, given).record(into)
            return {}
        except (Late, Stuck) as error:
            why = error
        except (Refused, WireError, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
            return {"refused": "%s: %s" % (type(error).__name__, error)}
    return {"refused": "%s: %s" % (type(why).__name__, why)}


def main(directory):
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # the caller ends this
    cellspace.enter(directory)
    engines = [Simulated(os.path.join(directory, "built-in")), Ours(os.path.join(directory, "ours"))]
    for engine in engines:
        engine.install()
    for line in sys.stdin:
        asked = json.loads(line)
        engine = engines[asked.pop("ours")]
        print(json.dumps(answer(engine, **asked)), flush=True)
        engine.stop()


if __name__ == "__main__":
    main(sys.argv[1])
