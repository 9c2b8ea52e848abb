# SPDX-License-Identifier: Apache-2.0
"""A recorded case, read from its directory: README.md has the layout."""
import json
import os


def attributes(path):
    """`name value` lines, continued by a backslash."""
    with open(path) as file:
        lines = file.read().replace("\\\n", " ").splitlines()
    words = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return {w[0]: w[1].strip() if len(w) > 1 else "" for w in words}


def load(path, default=None):
    if default is not None and not os.path.exists(path):
        return default
    with open(path) as file:
        return json.load(file)


def names(path):
    return sorted(os.listdir(path)) if os.path.isdir(path) else []


def expand(ranges):
    """[[min, max, step], ...] -> ids, ascending"""
    return sorted({i for low, high, step in ranges or [] for i in range(low, high + 1, max(step, 1))})


def pieces(ids):
    """ids, ascending -> lists of those that are as far from each other"""
    k = 0
    while k < len(ids):
        end = k + 1
        while end < len(ids) and ids[end] - ids[end - 1] == ids[k + 1] - ids[k]:
            end += 1
        yield ids[k:end]
        k = end


def compress(ids):
    """ids, ascending -> "1-10:3,12" """
    return ",".join(str(p[0]) if len(p) == 1 else "%d-%d:%d" % (p[0], p[-1], p[1] - p[0]) for p in pieces(ids))


class Job:
    """One job of a case: its attributes, its started tasks and its pending ids."""

    def __init__(self, number, rows, line):
        row = rows[0]
        self.number, self.id, self.line, self.row = number, row["id"], line, row
        self.started = {r["task"]: r for r in rows if r["kind"] == "running"}
        waiting = next((r for r in rows if r["kind"] == "pending"), {})
        self.held = {kind: expand(r) for kind, r in (waiting.get("held_tasks") or {}).items()}
        self.waiting = sorted(set(expand(waiting.get("pending_tasks"))).union(*self.held.values()))
        self.state = waiting.get("state", "")
        self.predecessors, self.array_predecessors, self.ar = [], [], None

    def eligible(self):
        """Ids that may start now."""
        if self.predecessors or "E" in self.state:
            return []
        return [i for i in self.waiting if not any(i in ids for ids in self.held.values())]

    def settle_predecessors(self, numbers):
        self.predecessors, self.array_predecessors = (self._numbers(name, numbers) for name in ("hold_jid", "hold_jid_ad"))
        if "h" in self.state and not self.predecessors and not self.held:
            self.held = {"s": self.waiting}

    def _numbers(self, name, numbers):
        given = self.line.get(name) or []
        given = given if isinstance(given, list) else str(given).split(",")
        return sorted({numbers[g] for g in given if g in numbers})

    def facts(self, number, tasks):
        """The job as a job_add; `tasks` are the ids of an array, else None."""
        event = {"event": "job_add", "job_number": number, "job_name": self.id, "owner": self.row["owner"],
                 "project": self.row["project"], "department": self.row["department"],
                 "submission_time": self.row["submit_time"], "priority": min(self.row["priority_field"] - 1024, 0),
                 "jobshare": self.row["jobshare"], "override_tickets": self.row["job_override_tickets"],
                 "deadline": self.row["deadline"] or 0, "execution_time": self.line.get("a"), "hard_resource_list": self.line.get("l"),
                 "soft_resource_list": self.line.get("soft") or self.line.get("soft_l"), "pe": self.line.get("pe"),
                 "pe_range": str(self.line["slots"]) if self.line.get("pe") else None,
                 "hard_queue_list": self.line.get("q"), "soft_queue_list": self.line.get("soft_q"),
                 "master_queue_list": self.line.get("masterq"), "checkpoint": self.line.get("ckpt"), "group": self.line.get("group", self.row["owner"]),
                 "reserve": True if self.line.get("R") == "y" else None, "now": True if self.line.get("now") == "y" else None,
                 "ar": self.ar, "task_concurrency": self.line.get("tc"), "tasks": compress(tasks) if tasks else None}
        return {name: value for name, value in event.items() if value is not None}

    def ranges(self, ids):
        """Return the ids as the qmaster has them: by the step of the array."""
        step = int((self.line.get("tasks") or "1").partition(":")[2] or 1)
        for k, i in enumerate(ids):
            if k == 0 or i - ids[k - 1] != step:
                begin = k
            if k + 1 == len(ids) or ids[k + 1] - i != step:
                yield ids[begin:k + 1]

    def cut_off(self, limit):
        """
        Return the tasks that a limit excludes from the run in 8.1.9. If the startable ids are not a single
        range, it excludes only the rest of the range that contains the limit, and none if the limit is at the
        end of a range. So more tasks are considered than allowed (observed on a real cell).
        """
        if not limit:
            return self.eligible()
        for piece in self.ranges(self.eligible()):
            if limit <= len(piece):
                return piece[limit:]
            limit -= len(piece)
        return []

    def there(self, moment):
        """Was it submitted before this moment? What was submitted to run first was, even if it was the same second."""
        return self.row["submit_time"] < moment or self.row.get("phase") == "run"

    def is_array(self):
        return bool(self.line.get("tasks")) or sorted({*self.started, *self.waiting}) != [1]


class Case:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        about = load(self.file("case.json"), {})
        self.expected = load(self.file("expected.json"))
        self.now = self.expected["now"]
        self.conf = attributes(self.file("sched_conf")) if os.path.exists(self.file("sched_conf")) else {}
        self.usage = load(self.file("usage.json"), {})
        self.advances = self.expected.get("advance_reservations", [])
        self.disabled, self.tells_slots = about.get("disable_queue", True), True
        with open(self.file("jobs.jsonl")) as file:
            self.jobs = self._jobs({line["id"]: line for line in map(json.loads, filter(str.strip, file))})
        self.slots = self._slots()

    def file(self, name):
        return os.path.join(self.path, name)

    def _rows(self, lines):
        return self.expected["jobs"]

    def _jobs(self, lines):
        rows = {}
        for row in self._rows(lines):
            rows.setdefault(row["job_number"], []).append(row)
        jobs = [Job(number, rows[number], lines.get(rows[number][0]["id"], {})) for number in sorted(rows)]
        numbers = {key: job.number for job in jobs for key in (job.id, job.number, str(job.number))}
        advances = {a["AR_name"]: a["AR_id"] for a in self.advances}
        for job in jobs:
            job.settle_predecessors(numbers)
            job.ar = advances.get(job.line.get("ar"))
        return jobs

    def _slots(self):
        """Queue instances and their slots in the qmaster's order: hosts as their queue names them. A cell without hosts of its own has one."""
        granted = {g["queue"] for job in self.jobs for row in job.started.values() for g in row["granted"]}
        out = {}
        for name in self.expected.get("queue_list_order") or names(self.file("queue")):
            queue = attributes(os.path.join(self.file("queue"), name))
            hosts = self._hosts(queue.get("hostlist", ""), set())
            hosts.update((q.partition("@")[2], True) for q in sorted(granted) if q.partition("@")[0] == name)
            for host in hosts or ([] if names(self.file("hosts")) else ["sgehost"]):
                out["%s@%s" % (name, host)] = self._slots_at(queue.get("slots", "1"), host)
        return out

    def _hosts(self, text, seen):
        """Return each name once, in the order of first mention."""
        out = {}
        for word in text.replace(",", " ").split():
            if word.startswith("@") and word not in seen and os.path.exists(os.path.join(self.file("hgrp"), word)):
                out.update(self._hosts(attributes(os.path.join(self.file("hgrp"), word)).get("hostlist", ""), seen | {word}))
            elif not word.startswith("@") and word.upper() != "NONE":
                out[word] = True
        return out

    def _slots_at(self, text, host):
        """"4,[node1=8],[@big=16]": a host's own value, else that of the first group it is in, else the default."""
        default, _, rest = text.replace(" ", "").partition(",")
        own = dict(part.strip("[]").split("=", 1) for part in rest.split(",") if "=" in part)
        if host in own:
            return int(own[host])
        return int(next((value for where, value in own.items() if host in self._hosts(where, set())), default))

    def number(self, name, default):
        return int(self.conf.get(name, default))

    def allowed(self, job, enrolled):
        """How many ids of an array may start, by max_aj_instances and -tc."""
        path = self.file("global_conf")
        limit = int(attributes(path).get("max_aj_instances", 2000)) if os.path.exists(path) else 2000
        tc = job.line.get("tc") or 0
        limit = tc if tc and (tc < limit or not limit) else limit
        return max(0, limit - enrolled) if limit else len(job.waiting) + len(job.started)

    def beyond_limit(self):
        """{job: the ids that 8.1.9 leaves out} where it lets more tasks take part than may."""
        limits = {job: self.allowed(job, len(job.started)) for job in self.jobs if job.is_array()}
        cut = {job: job.cut_off(limit) for job, limit in limits.items()}
        return {job: ids for job, ids in cut.items() if len(job.eligible()) - len(ids) > limits[job]}

    def objects(self, kind):
        known = set(names(self.file(kind)))
        return {name: usage for name, usage in self.usage.get(kind, {}).items() if name in known}
