# SPDX-License-Identifier: Apache-2.0
"""A recorded case of a real Slurm, NAME.json with NAME.raw/ beside it, as a cell and as events: README.md has the layout.

A snapshot of a case is a moment at which the whole output of Slurm was recorded. One pass computes it again: a cell
of the files that a site has
(slurm.conf, what sacctmgr prints), usage as it was before, all jobs, and the clock of the pass.

The clock is not recorded, but derived: any age factor that is neither 0 nor 1 gives it to the second. Without one
only fading usage depends on
it, and then the controller's own log has the second of the pass, or what is left of usage tells it.

Three things take more than one run (moments()): jobs that run and end between passes, INCR_ONLY, which keeps what an earlier configuration gave,
and a reset of usage that is counted from the last one.
"""
import calendar
import glob
import json
import os
import re
import time

ENDED = 3                                       # states of jobs: 0 pending, 1 running, 2 suspended, then those of ended ones
NO_TIME = 0xFFFFFFFE                            # and above: no time limit of its own
AGES_NOT = 1 << 40                              # an accrue time that never comes: the recorded job has none
TRES = "cpu,mem,energy,node,billing,fs/disk,vmem,pages"


def is_slurm(path):
    return path.endswith(".json") or os.path.isdir(path) and not os.path.exists(os.path.join(path, "expected.json")) and bool(case_files(path))


def case_files(path):
    """A case is its file; a directory is all cases in it."""
    if not os.path.isdir(path):
        return [path]
    return [name for name in sorted(glob.glob(os.path.join(path, "*.json"))) if os.path.isdir(name[:-5] + ".raw")]


def moment(text):
    """"2026-11-21T13:51:53", UTC"""
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def seconds(text):
    """Slurm's times: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]"""
    days, dash, clock = text.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    if dash:
        hours, minutes, rest = (parts + [0, 0])[:3]
    else:
        hours, minutes, rest = {1: (0, *parts, 0), 2: (0, *parts), 3: tuple(parts)}[len(parts)]
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + rest


class Case:
    def __init__(self, path):
        self.path, self.raw = path, path[:-5] + ".raw"
        with open(path) as file:
            self.recorded = json.load(file)
        self.inputs, self.name = self.recorded["case"], os.path.basename(path)[:-5]
        self.snapshots = []
        for record in self.recorded["snapshots"]:
            before = self.snapshots[-1] if self.snapshots else None
            if "mid" in record:
                self.snapshots.append(Snapshot(self, {**record["mid"], "sacct": record.get("sacct"), "ran": record.get("ran")}, None))
            self.snapshots.append(Snapshot(self, record, before))


class Snapshot:
    def __init__(self, case, record, before):
        self.case, self.record, self.tag, self.before = case, record, record["tag"], before
        self.phase = next((p for p in case.inputs.get("phases", []) if p["name"] == self.tag), {})
        conf = record.get("conf") or {"PriorityType": "priority/multifactor", **case.inputs["prio"]}
        self.conf = {name: value for name, value in conf.items() if value != ""}        # written as no line
        self.config = record["config"]
        self.specs = {job["name"]: job for job in case.inputs.get("jobs", []) + case.inputs.get("run", [])}
        self.users = self.user_names()

    def text(self, what):
        """"" if it was not recorded"""
        path = os.path.join(self.case.raw, "%s.%s.txt" % (self.tag, what))
        if not os.path.exists(path):
            return ""
        with open(path) as file:
            return file.read()

    def commands(self):
        """[(what, command, what it printed)] of sprio and sshare."""
        out = []
        for path in sorted(glob.glob(os.path.join(self.case.raw, glob.escape(self.tag) + ".s*.txt"))):
            what = os.path.basename(path)[len(self.tag) + 1:-4]
            first, _, rest = self.text(what).partition("\n")
            if first.startswith(("$ sprio", "$ sshare")):
                out.append((what, first[2:], rest))
        return out

    def user_names(self):
        """uid -> name"""
        names = {name: self.specs[name]["user"] for name in self.specs}
        return {job["uid"]: names[job["name"]] for job in self.record["jobs"] if job["name"] in names}

    def flags(self):
        return str(self.conf.get("PriorityFlags", "")).upper()

    def is_fair_tree(self):
        return not any(flag in self.flags() for flag in ("NO_FAIR_TREE", "DEPTH_OBLIVIOUS"))

    # ---- when ----

    def pass_time(self):
        if self.runs_jobs():
            return self.charging_passes()[-1]
        weight, accrue = float(self.conf.get("PriorityWeightAge", 0)), {job["id"]: job["accrue"] for job in self.record["jobs"]}
        for row in self.record["prio_full"]:
            if 0 < row["age"] < weight and accrue.get(row["id"]):
                return accrue[row["id"]] + round(row["age"] / weight * seconds(self.max_age()))
        moments = self.passes() or self.fading_passes()
        return moments[-1] if moments else self.record.get("started_at", self.record["wall_time"])

    def passes(self):
        """Read from the controller's log the seconds of the passes since its start."""
        moments = sorted({moment(text) for text in re.findall(r"^\[([-0-9T:]+)\.\d+\] .* for account ", self.text("log"), re.M)})
        return [m for m in moments if m >= self.record.get("started_at", 0)]

    def fading_passes(self):
        """Without a log: the second at which so much of the usage was left as slurmctld saved."""
        half_life, saved = seconds(self.conf.get("PriorityDecayHalfLife", "0")), self.record.get("saved_usage", {})
        before = {who: usage for who, usage in self.usage_before().items() if usage and who in saved}
        if not self.last_pass() or not half_life or not before:
            return []
        left = 1.0 - 0.693 / half_life
        return [when for when in range(self.record["started_at"], self.record["wall_time"] + 1)
                if all(abs(usage * left ** (when - self.last_pass()) - float(saved[who]["usage_raw"])) < 1e-5 for who, usage in before.items())]

    def period(self):
        return seconds(self.config["PriorityCalcPeriod"])

    def charging_passes(self):
        """Return the passes while jobs ran. The log has the time of each charge. A charge that is not a job's
        end is a pass. One more pass was a period before the first of these."""
        lines = re.findall(r"\[([-0-9T:]+)\.\d+\] .* job (\d+) ran for", "\n".join(self.record.get("ran") or []))
        charges = [(moment(text), int(job)) for text, job in lines]
        ends = {number: moment(row["End"]) for number, row in self.allocated().items()}
        passes = sorted({when for when, job in charges if abs(when - ends[job]) > 1}) or [self.record["wall_time"]]
        return [when for when in (passes[0] - self.period(), *passes) if when <= self.record["wall_time"]]

    def max_age(self):
        return self.config.get("PriorityMaxAge") or self.conf["PriorityMaxAge"]

    def last_pass(self):
        """When usage was as it was put in; 0: there was no pass before, nothing fades."""
        ago = self.phase.get("last_ran_ago")
        return self.record["started_at"] - ago if ago and "started_at" in self.record else 0

    def last_reset(self):
        ago = self.phase.get("last_reset_ago")
        return None if ago is None or "started_at" not in self.record else self.record["started_at"] - ago

    def why_not(self):
        """Why it cannot be compared, or None. There is one reason: the first pass of DEPTH_OBLIVIOUS after a start of slurmctld 22.05 sums up marker
        values instead of usage, and the passes after it are right."""
        lived = self.record["wall_time"] - self.record.get("started_at", 0)
        if "DEPTH_OBLIVIOUS" in self.flags() and lived < self.period():
            return "the first pass after slurmctld's start, where 22.05 takes markers for usage; passes after it are compared"
        return None

    # ---- how it came about ----

    def runs_jobs(self):
        return bool(self.record.get("sacct"))

    def moments(self):
        """Return [(second, snapshot whose configuration is in force, events)], or [] if one pass is enough."""
        if self.runs_jobs():
            return self.moments_of_jobs()
        if "INCR_ONLY" in self.flags() and self.before:
            return self.moments_before(self.pass_time())
        if self.last_reset() is not None and self.last_reset() < self.pass_time() - self.period():   # else the first run is one
            return [(self.last_reset(), self, []), (self.pass_time(), self, self.events())]
        return []

    def moments_before(self, when):
        """With INCR_ONLY no priority is lower than in the snapshot before. slurmctld was restarted for each
        snapshot. Here a period passes instead."""
        earlier = []
        if "INCR_ONLY" in self.flags() and self.before:
            earlier = self.before.moments_before(min(self.before.pass_time(), when - self.period()))
        return [*earlier, (when, self, self.events())]

    def moments_of_jobs(self):
        jobs, allocated, until = {job["id"]: job for job in self.record["jobs"]}, self.allocated(), self.record["wall_time"]
        first = self.charging_passes()[0]
        happens = {when: [] for when in (*self.charging_passes(), until)}
        happens[first] = [{"event": "snapshot_begin"}, *self.usage_events(), {"event": "snapshot_end"}]
        for number, row in sorted(allocated.items()):
            start, end = moment(row["Start"]), moment(row["End"])
            happens.setdefault(start, []).extend([self.job_event(jobs[number]), self.start_event(jobs[number], start)])
            if end <= until:
                happens.setdefault(end, []).append({"event": "task_finish", "job_number": number, "task": 1, "end_time": end})
        return [(when, self, happens[when]) for when in sorted(happens)]

    # ---- the cell ----

    def cell_write(self, directory, sched_conf):
        def put(name, text):
            with open(os.path.join(directory, name), "w") as file:
                file.write(text)

        put("sched_conf", re.sub(r"(?m)^algorithm .*$", "algorithm multifactor", sched_conf))
        put("slurm.conf", "\n".join(self.conf_lines()) + "\n")
        put("associations", "\n".join(self.association_lines()) + "\n")
        put("qos", self.text("qos").partition("\n")[2] or self.qos_text())

    def conf_lines(self):
        yield "ClusterName=ref"
        yield "AccountingStorageType=accounting_storage/slurmdbd"
        yield "AccountingStorageEnforce=" + self.config.get("AccountingStorageEnforce", "associations,qos")
        yield "AccountingStorageTRES=" + self.config.get("AccountingStorageTRES", TRES)
        yield from ("%s=%s" % item for item in self.conf.items())
        if self.config.get("AccountingStorageEnforce", "").count("limits") == 0:
            yield "ChargeJobEnd=limits"
        yield from self.case.inputs["parts"]

    def qos_text(self):
        rows = ["%s|%d|%.6f" % (name, of.get("priority", 0), of.get("usagefactor", 1)) for name, of in self.case.inputs.get("qos", [])]
        return "\n".join(["Name|Priority|UsageFactor", *(rows or ["normal|0|1.000000"])]) + "\n"

    def root_user(self):
        """Return the printed share of the user root. Account root has a user of its name in each cluster."""
        for line in self.text("assoc").splitlines():
            if line.startswith(" root|root|"):
                return line.split("|")[2]
        return str(self.case.inputs.get("root_user_share", 1))

    def association_lines(self):
        """Write the output that sacctmgr dump would give, siblings in the order of their creation."""
        below = {"root": ["User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=" + self.root_user()]}
        for name, parent, share in ((a[0].lower(), a[1].lower(), a[2]) for a in self.case.inputs["accounts"]):
            below.setdefault(parent, []).append("Account - '%s':Description='%s':Organization='%s':Fairshare=%s" % (name, name, name, share))
            below.setdefault(name, [])
        for user, account, share, *more in self.case.inputs["users"]:
            line = "User - '%s':DefaultAccount='%s':Fairshare=%s" % (user, account.lower(), share)
            values = [*more[:1], *(name.lower() for name in more[1:])]
            line += "".join(form % value for form, value in zip((":Priority=%d", ":Partition='%s'"), values))
            below[account.lower()].append(line)
        yield "Cluster - 'ref':Fairshare=1:QOS='normal'"
        for parent, lines in below.items():
            if lines:
                yield "Parent - '%s'" % parent
                yield from lines

    # ---- events ----

    def usage_before(self):
        return self.phase.get("usage", self.case.inputs.get("usage", {}))

    def usage_events(self):
        of_partition = {(user, account): more[1] for user, account, _, *more in self.case.inputs["users"] if len(more) > 1}
        for who, usage in self.usage_before().items():
            user, _, account = who.partition("@")
            yield {"event": "association_usage", "account": account.lower(), "user": user, "partition": of_partition.get((user, account), ""),
                   "usage_raw": float(usage), "time_stamp": self.last_pass()}

    def job_event(self, job):
        spec = self.specs.get(job["name"], {})
        direct = {row["id"]: row["direct"] for row in self.record["prio_full"]}.get(job["id"], 0)
        event = {"event": "job_add", "job_number": job["id"], "job_name": job["name"], "owner": self.users.get(job["uid"], "root"),
                 "submission_time": job["submit"], "account": job["account"], "partition": job["partition"], "qos": job["qos"],
                 "nodes": int(str(spec.get("nodes", 1)).partition("-")[0]), "cpus": job["num_cpus"], "tres": job["tres_req"], "nice": job["nice"],
                 "site_factor": job["site_factor"], "eligible_time": job["eligible"], "accrue_time": self.accrue_time(job)}
        if 0 < job["time_limit"] < NO_TIME:
            event["time_limit"] = job["time_limit"]
        if direct:
            event["direct_priority"] = direct
        if job["priority"] == 0:
            event["hold"] = {"s": "1"}
        if spec.get("dep") and job["reason"] == 2:
            event["hold_jid"] = sorted(int(self.case.recorded["job_ids"][name]) for name in re.findall(r"\$(\w+)", spec["dep"]))
        if job["eligible"] > self.record["wall_time"]:
            event["execution_time"] = job["eligible"]
        return event

    def accrue_time(self, job):
        """Return the begin of accrual. ACCRUE_ALWAYS sets it at submission. A job submitted before the flag was set
        has none."""
        return AGES_NOT if job["accrue"] == 0 and "ACCRUE_ALWAYS" in self.flags() else job["accrue"]

    def there(self):
        return [job for job in self.record["jobs"] if job["state"] & 0xFF < ENDED]

    def start_event(self, job, start):
        event = {"event": "task_start", "job_number": job["id"], "task": 1, "start_time": start, "partition": job["partition"],
                 "granted": [{"queue": "%s@n1" % job["partition"].split(",")[0], "slots": job["num_cpus"]}]}
        allocated = self.allocated().get(job["id"], {}).get("AllocTRES", job["tres_req"])
        return {**event, "tres": allocated}

    def allocated(self):
        """Read the output of sacct by job."""
        head, *rows = [line.split("|") for line in self.record.get("sacct") or [""] if line] or [[]]
        return {int(row[0]): dict(zip(head, row)) for row in rows if row[0].isdigit()}

    def events(self):
        yield {"event": "snapshot_begin"}
        yield from self.usage_events()
        for job in self.there():
            yield self.job_event(job)
        for job in self.there():
            if job["state"] & 0xFF:
                yield self.start_event(job, job.get("start") or self.record["started_at"])    
        yield {"event": "snapshot_end"}
