# SPDX-License-Identifier: Apache-2.0
"""fairlead-metrics under test: an exporter of a cell, its pages, and schedulers that take events from the test."""
import contextlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../local"))
from cell import BUILD, PATIENCE, TOP, wait_until  # noqa: E402

OPENMETRICS, TEXT = "application/openmetrics-text", "text/plain"
SAMPLE = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)(?: # \{[^}]*\} \S+ \S+)?')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
SUFFIXES = {"gauge": ("",), "counter": ("_total", ""), "histogram": ("_bucket", "_count", "_sum", "_created"),
            "gaugehistogram": ("_bucket", "_gcount", "_gsum")}


class Page:
    """A page, checked against the rules of its format while it is read."""

    def __init__(self, text, openmetrics):
        self.text, self.types, self.units, self.help, self.samples = text, {}, {}, {}, {}
        lines = text.split("\n")
        assert lines.pop() == "", "the last line does not end"
        assert (lines[-1:] == ["# EOF"]) == openmetrics, lines[-1:]
        family, families = None, []
        for line in lines[:-1] if openmetrics else lines:
            if line.startswith("# "):
                _, word, name, rest = line.split(" ", 3)
                if word == "HELP":
                    assert name not in self.help, f"{name} is described twice"
                    self.help[name], family = rest, name
                    families.append(name)
                elif word == "TYPE":
                    self.types[name] = rest
                else:
                    assert word == "UNIT" and openmetrics and name.endswith("_" + rest), line
                    self.units[name] = rest
                assert name == family, line
                continue
            self.read(line, family)
        assert sorted(families) == sorted(self.types)

    def read(self, line, family):
        found = SAMPLE.fullmatch(line)
        assert found, f"no sample: {line!r}"
        name, value = found[1], float(found[3])
        assert math.isfinite(value), line
        allowed = SUFFIXES[self.types[family]]
        assert any(name == family + suffix for suffix in allowed), f"{name} in {family}"
        key = (name, tuple(sorted(LABEL.findall(found[2] or ""))))
        assert key not in self.samples, f"twice: {line}"
        self.samples[key] = value

    def series(self, name, **labels):
        """Map the labels of the samples of a name, as dictionaries, that have these labels."""
        wanted = set(labels.items())
        return [(dict(key), value) for (other, key), value in self.samples.items() if other == name and wanted <= set(key)]

    def value(self, name, **labels):
        """Return the value of the only sample with these labels; None: there is none."""
        found = self.series(name, **labels)
        assert len(found) < 2, found
        return found[0][1] if found else None

    def sum(self, name, **labels):
        return sum(value for _, value in self.series(name, **labels))


class Exporter:
    def __init__(self, environment, *options, program=None):
        self.process = subprocess.Popen([program or os.path.join(BUILD, "fairlead-metrics"), "--listen", "127.0.0.1:0", *options], env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.lines = []
        while not self.lines or "listening" not in self.lines[-1]:
            line = self.process.stderr.readline()
            assert line, f"the exporter has ended: {self.lines}"
            self.lines.append(line)
        self.url = self.lines[-1].split()[-1]
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    def get(self, accept=OPENMETRICS, path="/metrics", method="GET"):
        """Return the status, the headers and the body."""
        request = urllib.request.Request(self.url.replace("/metrics", path), headers={"Accept": accept}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def scrape(self, accept=OPENMETRICS):
        status, headers, text = self.get(accept)
        assert status == 200, (status, text)
        assert headers["Content-Type"].startswith(accept), headers["Content-Type"]
        return Page(text, accept == OPENMETRICS)

    def wait(self, condition, text):
        """Return the first page for which the condition holds."""
        pages = []

        def holds():
            pages[:] = [self.scrape()]
            return condition(pages[0])
        wait_until(holds, text)
        return pages[0]

    def memory_kib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s*(\d+)", file.read())[1])

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self.process.stderr.close()
        assert code == 0, f"the exporter has ended with {code}"


@contextlib.contextmanager
def exporter(environment, *options):
    under_test = Exporter(environment, *options)
    try:
        yield under_test
    finally:
        under_test.close()


class Events:
    """A scheduler of a cell in `top` that takes events from the test."""

    def __init__(self, top, algorithm=None, files=(), queues=()):
        self.top, self.directory, self.seq = top, os.path.join(top, "cell"), 0
        shutil.copytree(os.path.join(TOP, "conf/default"), self.directory)
        for queue in queues:
            with open(os.path.join(self.directory, "queue/all.q")) as file:
                self.write(f"queue/{queue}", re.sub(r"(?m)^qname .*", f"qname {queue}", file.read()))
        for name, text in dict(files).items():
            self.write(name, text)
        if algorithm:
            with open(os.path.join(self.directory, "sched_conf")) as file:
                text = file.read()
            self.write("sched_conf", re.sub(r"(?m)^algorithm .*", f"algorithm {algorithm}", text))
        os.makedirs(os.path.join(top, "shm"), exist_ok=True)
        self.environment = {**os.environ, "FAIRLEAD_SHM": os.path.join(top, "shm"), "FAIRLEAD_CELL": self.directory}
        self.log = open(os.path.join(top, "log"), "w")
        self.process = subprocess.Popen([os.path.join(BUILD, "fairlead-schedd"), "--events", "-"], env=self.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=self.log, text=True)

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def send(self, *events):
        for event in events:
            self.seq += 1
            self.process.stdin.write(json.dumps({"seq": self.seq, **event}) + "\n")
        self.process.stdin.flush()

    def snapshot(self, *events):
        self.send({"event": "snapshot_begin"}, *events, {"event": "snapshot_end"})

    def read_log(self):
        with open(os.path.join(self.top, "log"), errors="replace") as file:
            return file.read()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.log.close()


@contextlib.contextmanager
def events(top, **more):
    scheduler = Events(top, **more)
    try:
        yield scheduler
    except AssertionError:
        print("\n".join(scheduler.read_log().splitlines()[-20:]), file=sys.stderr)
        raise
    finally:
        with contextlib.suppress(BrokenPipeError):
            scheduler.close()


def now():
    return int(time.time())
