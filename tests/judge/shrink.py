# SPDX-License-Identifier: Apache-2.0
"""A cell that differs, made smaller for as long as it differs in the same way.

A cell is its files, {name: text}. Each reduction gives another cell, of which something is left out; the real
scheduler and ours decide it again. Objects that the real qmaster then refuses do not count. A refused job is missing
from the cell.
"""
import concurrent.futures
import itertools
import json
import os
import re
import shutil

from cell_text import QUEUE, SCHED_CONF

BATCH, TRIALS = 4, 240
INPUTS = "sched_conf complex global_conf rqs share_tree case.json jobs-as-given.jsonl".split()
DIRECTORIES = "hosts hgrp queue pe projects users usersets calendar ckpt".split()
PLAIN_HOST = {"load_scaling": "NONE", "complex_values": "load_report_host=nohost", "user_lists": "NONE", "xuser_lists": "NONE",
              "projects": "NONE", "xprojects": "NONE"}
PLAIN_PE = {"slots": "999", "user_lists": "NONE", "xuser_lists": "NONE", "control_slaves": "FALSE", "job_is_first_task": "TRUE",
            "urgency_slots": "min"}


def read(directory):
    files = {}
    for name in INPUTS + [os.path.join(kind, name) for kind in DIRECTORIES for name in sorted(listed(os.path.join(directory, kind)))]:
        path = os.path.join(directory, name)
        if os.path.exists(path):
            with open(path) as file:
                files[name] = file.read()
    return files


def listed(path):
    return os.listdir(path) if os.path.isdir(path) else []


def write(files, directory):
    shutil.rmtree(directory, ignore_errors=True)
    for name, text in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


def rows_of(text):
    lines = [line.split(None, 1) for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return {line[0]: line[1].strip() if len(line) > 1 else "" for line in lines}


def as_text(rows):
    return "".join("%-30s %s\n" % row for row in rows.items())


def without(files, *names):
    return {name: text for name, text in files.items() if name not in names}


def about(files, **changes):
    now = {**json.loads(files["case.json"]), **changes}
    return {**files, "case.json": json.dumps({name: value for name, value in now.items() if value is not None}, indent=1) + "\n"}


def jobs_of(files):
    return [json.loads(line) for line in files["jobs-as-given.jsonl"].splitlines()]


def with_jobs(files, jobs):
    return {**files, "jobs-as-given.jsonl": "".join(json.dumps(job) + "\n" for job in jobs)}


def names(files, kind):
    return [name.partition("/")[2] for name in files if name.startswith(kind + "/")]


# Reductions: each gives cells with less in them.

def fewer_jobs(size):
    def reduction(files):
        jobs = jobs_of(files)
        for k in range(0, len(jobs), size):
            yield with_jobs(files, jobs[:k] + jobs[k + size:])
    return reduction


def fewer_objects(files):
    for queue in names(files, "queue"):
        order = [name for name in json.loads(files["case.json"]).get("queue_order", []) if name != queue]
        yield about(without(files, "queue/" + queue), queue_order=order)
    for pe in names(files, "pe"):
        yield edit(without(files, "pe/" + pe), "queue", "pe_list", lambda text, pe=pe: dropped(text, pe))
    for host in names(files, "hosts"):
        less = edit(without(files, "hosts/" + host), "hgrp", "hostlist", lambda text, host=host: dropped(text, host))
        less = edit(less, "queue", "hostlist", lambda text, host=host: dropped(text, host))
        yield edit(less, "queue", None, lambda text, host=host: re.sub(r",?\[%s=[^]]*\]" % host, "", text))
    if "share_tree" in files:
        yield without(files, "share_tree")
    for kind in ("users", "projects"):
        if names(files, kind):
            yield without(files, *(name for name in files if name.startswith(kind + "/")))
    known = json.loads(files["case.json"])
    for ar in known.get("ars", []):
        yield about(files, ars=[other for other in known["ars"] if other is not ar] or None)
    for key in ("before_run", "loads_between", "loads1", "loads2", "host_order", "calendars"):
        if known.get(key):
            yield about(files if key != "calendars" else edit(files, "queue", "calendar", lambda text: "NONE"), **{key: None})


def fewer_quotas(files):
    sets = re.findall(r"\{.*?\n\}\n", files.get("rqs", ""), re.S)
    for k, one in enumerate(sets):
        others = sets[:k] + sets[k + 1:]
        yield {**files, "rqs": "".join(others)} if others else without(files, "rqs")
        limits = [line for line in one.splitlines(True) if line.split()[:1] == ["limit"]]
        for line in limits if len(limits) > 1 else []:
            yield {**files, "rqs": "".join(sets[:k] + [one.replace(line, "", 1)] + sets[k + 1:])}
        for line in limits:
            for text in simpler_limits(line):
                yield {**files, "rqs": "".join(sets[:k] + [one.replace(line, text, 1)] + sets[k + 1:])}


def simpler_limits(line):
    """Remove one filter or one amount."""
    head, _, amounts = line.rpartition(" to ")
    words = head.split()[1:]
    for k in range(0, len(words), 2):
        yield "   limit        %sto %s" % ("".join(word + " " for word in words[:k] + words[k + 2:]), amounts)
    parts = amounts.strip().split(",")
    for part in parts if len(parts) > 1 else []:
        yield "%s to %s\n" % (head, ",".join(other for other in parts if other != part))


def plainer_jobs(files):
    """An option less: of all jobs at once, then of each."""
    jobs = jobs_of(files)
    keys = [[key] for key in "soft_l soft_q masterq q project js hold hold_tasks hold_jid hold_jid_ad a_offset dl_offset tc ar R l p".split()]
    keys += [["pe", "slots", "masterq"], ["tasks", "tc"]]

    def bare(job, key):
        return {name: value for name, value in job.items() if name not in key}
    for key in keys:
        if any(set(key) & set(job) for job in jobs):
            yield with_jobs(files, [bare(job, key) for job in jobs])
    for k, key in itertools.product(range(len(jobs)), keys):
        if set(key) & set(jobs[k]):
            yield with_jobs(files, jobs[:k] + [bare(jobs[k], key)] + jobs[k + 1:])
    for k, job in enumerate(jobs):
        parts = job.get("l", "").split(",")
        for part in parts if len(parts) > 1 else []:
            yield with_jobs(files, jobs[:k] + [{**job, "l": ",".join(other for other in parts if other != part)}] + jobs[k + 1:])


def plainer_objects(files):
    """A value as a new installation has it."""
    for kind, plain in (("queue", {**dict(QUEUE), "complex_values": "NONE"}), ("hosts", PLAIN_HOST), ("pe", PLAIN_PE)):
        for name in names(files, kind):
            rows = rows_of(files["%s/%s" % (kind, name)])
            for key, value in plain.items():
                if key in rows and rows[key] != value and key not in ("qname", "hostlist", "pe_list", "slots"):
                    yield {**files, "%s/%s" % (kind, name): as_text({**rows, key: value})}
                if key in rows and "[" in rows[key]:
                    yield {**files, "%s/%s" % (kind, name): as_text({**rows, key: rows[key].partition(",[")[0]})}
    rows = rows_of(files["sched_conf"])
    for key, value in SCHED_CONF:
        if rows.get(key, value) != value:
            yield {**files, "sched_conf": as_text({**rows, key: value})}


def edit(files, kind, key, change):
    """Change each object's value of `key`. None: change all keys."""
    out = dict(files)
    for name in names(files, kind):
        rows = rows_of(files["%s/%s" % (kind, name)])
        out["%s/%s" % (kind, name)] = as_text({k: change(v) if key in (None, k) else v for k, v in rows.items()})
    return out


def dropped(text, word):
    return " ".join(other for other in text.split() if other != word) or "NONE"


REDUCTIONS = [*map(fewer_jobs, (16, 8, 4, 2, 1)), fewer_quotas, fewer_objects, plainer_jobs, fewer_jobs(1), plainer_objects, fewer_quotas,
              fewer_objects, fewer_jobs(1)]


class Shrinker:
    def __init__(self, bench, scratch, name, found):
        self.bench, self.directory, self.name, self.found = bench, os.path.join(scratch, "shrink", name), name, found
        self.trials, self.best = 0, None

    def same(self, other):
        return other.kind == self.found.kind and way(other.first) == way(self.found.first)

    def tried(self, files, number):
        """Where the cell was recorded; None if it no longer differs in the same way."""
        given, into = (os.path.join(self.directory, "%s-%d" % (what, number % (2 * BATCH)), self.name) for what in ("given", "case"))
        write(files, given)
        return into if self.same(self.bench.judge(given, into)) else None

    def reduce(self, files, reduction, pool):
        """Return the cell after all successful steps of this reduction. After a success the following steps are tried
        on the remaining parts."""
        position, batch = 0, True
        while batch and self.trials < TRIALS:
            batch = list(itertools.islice(reduction(files), position, position + BATCH))
            results = list(pool.map(self.tried, batch, range(self.trials, self.trials + len(batch))))
            self.trials += len(batch)
            held = next((k for k, into in enumerate(results) if into), None)
            if held is None:
                position += len(batch)
                continue
            self.keep(results[held])
            files, position = batch[held], position + held
        return files

    def begin(self, files, into):
        """Remove jobs decided after the first difference first, since they cannot have caused it."""
        known, jobs = decided_before(into, self.found), jobs_of(files)
        fewer = with_jobs(files, [job for job in jobs if job["id"] in known or job.get("phase")])
        smaller = self.tried(fewer, 0) if known and len(jobs_of(fewer)) < len(jobs) else None
        if smaller:
            self.keep(smaller)
        return fewer if smaller else files

    def keep(self, into):
        self.best = os.path.join(self.directory, "best", self.name)
        shutil.rmtree(self.best, ignore_errors=True)
        shutil.copytree(into, self.best)

    def shrink(self, given, into):
        """Where the smallest one is, as a recorded case; None if none is smaller. `into`: where it was recorded as it is."""
        files = self.begin(read(given), into)
        with concurrent.futures.ThreadPoolExecutor(BATCH) as pool:
            for reduction in REDUCTIONS:
                files = self.reduce(files, reduction, pool)
        return self.best


def decided_before(into, found):
    """Return the jobs that were started or booked up to the first difference, and the differing ones. Return none if
    they cannot be determined."""
    with open(os.path.join(into, "expected.json")) as file:
        expected = json.load(file)
    ids = {row["job_number"]: row["id"] for kind in ("started", "pending") for row in expected[kind]}
    where, numbers = re.match(r"(start|line) (\d+)", found.first), []
    if not where:
        return set()
    if where.group(1) == "start":
        numbers = [row["job_number"] for row in expected["started"][:int(where.group(2))]]
    else:
        with open(os.path.join(into, "raw/schedule")) as file:
            lines = file.read().rpartition("::::::::\n")[2].splitlines()
        numbers = [int(line.partition(":")[0]) for line in lines[:int(where.group(2))]]
    numbers += [int(number) for number in re.findall(r"(?:job |is )(\d+)", found.first)]
    return {ids[number] for number in numbers if number in ids}


def way(first):
    """Return the kind of difference without numbers and names: a missing start, another job, other queue instances,
    or another order."""
    what, _, values = first.partition(": recorded ")
    recorded, _, own = values.partition(", is ")
    what = re.sub(r"\d+(\.\d+)?", "N", what).replace("start N, job N, granted", "start N")
    if what == "line N of the schedule":
        return what, *compared(*([] if text == "nothing" else text.split(":")[:3] + text.split(":")[5:] for text in (recorded, own)))
    return what, *compared(*(re.sub(r"^job |^nothing$", "", text).split() for text in (recorded, own)))


def compared(recorded, own):
    """Is there something in each, is it of the same job, and are the parts the same in another order?"""
    words = [part for part in recorded + own if part.isupper()][:2]
    return bool(recorded), bool(own), recorded[:1] == own[:1], sorted(recorded) == sorted(own), words
