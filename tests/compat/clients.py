# SPDX-License-Identifier: Apache-2.0
"""Grid Engine's programs beside a local cell under test."""
import contextlib
import getpass
import os
import subprocess

from cell import BUILD, PATIENCE, cell

PROGRAMS = os.path.join(BUILD, "gridengine")


class Clients:
    def __init__(self, under_test):
        self.cell, self.user = under_test, getpass.getuser()
        self.environment = {**under_test.environment, "PATH": PROGRAMS + ":" + os.environ["PATH"]}

    def names(self):
        return sorted(os.listdir(PROGRAMS))

    def attempt(self, name, *words, environment=None, stdin="", cwd=None):
        return subprocess.run([name, *words], env={**self.environment, **(environment or {})}, cwd=cwd or self.cell.top, input=stdin, capture_output=True,
                              encoding="utf-8", errors="replace", timeout=2 * PATIENCE, executable=os.path.join(PROGRAMS, name))

    def call(self, name, *words, code=0, stream="stdout", **more):
        """Run a program, check its exit code, and return its output on a stream."""
        done = self.cell.when_published(lambda: self.attempt(name, *words, **more), code)
        assert done.returncode == code, (name, words, done)
        return getattr(done, stream)


@contextlib.contextmanager
def clients(start=True, **more):
    with cell(**more) as under_test:
        if start:
            under_test.start().wait_ready()
        yield Clients(under_test)
