# SPDX-License-Identifier: Apache-2.0
"""Random events and runs for a cell, in the form of reports of a qmaster."""
from cells import USERS, ACCOUNTS

BEGIN = 1700000000


class Script:
    """`lines`: events, ("run", now), ("reload", cell)"""

    def __init__(self, maker, cell):
        self.maker, self.rng, self.cell, self.now = maker, maker.rng, cell, BEGIN + maker.rng.randrange(86400)
        self.jobs, self.started, self.waiting, self.lines = {}, {}, {}, []
        self.number = 0
        if maker.sometimes():
            self.usage()
        for _ in range(self.rng.randint(2, 8)):
            for _ in range(self.rng.randint(0, 8)):
                self.step()
            self.advance()
            self.lines.append(("run", self.now))

    def advance(self):
        self.now += self.rng.choice([0, 1, 20, 60, 61, 300, 301, 3600, 86400, 40 * 86400]) if self.maker.sometimes(0.95) else -100

    def report(self, event, **members):
        self.lines.append({"event": event, **members})

    def step(self):
        steps = [self.add] * 5 + [self.start] * 5 + [self.modify] * 2 + [self.finish, self.finish, self.requeue, self.delete, self.hold, self.hold]
        self.rng.choice(steps)()
        if self.maker.sometimes(0.03):
            self.cell = self.maker.changed(self.cell)
            self.lines.append(("reload", self.cell))
        if self.maker.sometimes(0.04):
            self.snapshot()
        if self.maker.sometimes(0.05):
            self.usage()

    def usage(self):
        users = [a for a in self.cell.associations() if a.user]
        for a in self.rng.sample(users, min(len(users), self.rng.randint(0, 4))):
            stamp = self.now - self.rng.choice([0, 1, 3600]) if self.maker.sometimes(0.5) else 0
            self.report("association_usage", account=a.account.upper(), user=a.user, usage_raw=self.rng.choice([0, 1.5, 100, 300, 300, 1e30, 1e-300]),
                      **({"partition": a.partition} if a.partition else {}), **({"time_stamp": stamp} if stamp else {}))

    # ---- jobs ----

    def request(self):
        rng, sometimes, names = self.rng, self.maker.sometimes, [p.name for p in self.cell.partitions] + ["nowhere"]
        of = {"qos": rng.choice(["normal", "high", "low", "none", ""]), "nodes": rng.choice([0, 1, 2, 8, 100]), "cpus": rng.choice([0, 1, 3, 56])}
        if sometimes(0.7):
            of["partition"] = ",".join(rng.choice(names) for _ in range(rng.randint(1, 3)))
        if sometimes(0.4):
            of["time_limit"] = rng.choice([0, 1, 60, 4294967294])
        if sometimes(0.5):
            of["tres"] = self.tres()
        return of

    def tres(self):
        counts = {"cpu": str(self.rng.randint(1, 8)), "mem": self.rng.choice(["500M", "4G", "12000"]), "node": "1", "gres/gpu": "2", "license/mat": "3",
                  "gres/other": "1"}
        return ",".join("%s=%s" % item for item in counts.items() if self.maker.sometimes(0.6)) or "cpu=1"

    def extras(self):
        rng, sometimes = self.rng, self.maker.sometimes
        of = {"nice": rng.choice([-2147483645, -10, 0, 100, 2147483645]), "site_factor": rng.choice([-1000, 0, 500, 2147483645]),
              "direct_priority": rng.choice([0, 1, 777, 4294967295]), "eligible_time": self.now - rng.choice([-500, 0, 1000]),
              "accrue_time": self.now - rng.choice([-500, 0, 1000])}
        return {name: value for name, value in of.items() if sometimes(0.12)}

    def add(self):
        self.number += self.rng.randint(1, 3)
        number, tasks = self.number, self.rng.randint(2, 4) if self.maker.sometimes(0.2) else 1
        accounts = [a.account for a in self.cell.associations() if a.user]
        owner = self.rng.choice(USERS + ["mallory"])
        event = {"job_number": number, "owner": owner, "submission_time": self.now - self.rng.choice([-50, 0, 0, 10, 5000]), **self.request(),
                 **self.extras()}
        if self.maker.sometimes(0.85):
            event["account"] = self.rng.choice(accounts + ACCOUNTS[:1])
        if tasks > 1:
            event["tasks"] = "1-%d" % tasks
        if self.maker.sometimes(0.15):
            event["hold"] = {self.rng.choice("uos"): "1-%d" % self.rng.randint(1, tasks)}
        if self.maker.sometimes(0.15) and self.jobs:
            event["hold_jid"] = [self.rng.choice(list(self.jobs))]
        if self.maker.sometimes(0.1):
            event["execution_time"] = self.now + self.rng.choice([-500, 10, 1000])
        self.jobs[number], self.started[number], self.waiting[number] = event, {}, set(range(1, tasks + 1))
        self.report("job_add", **event)

    def pick(self, of):
        """A job of which `of` has tasks."""
        numbers = [number for number in self.jobs if of[number]]
        return self.rng.choice(numbers) if numbers else None

    def modify(self):
        number = self.pick(self.waiting)
        if number is None:
            return
        given = {**self.request(), **self.extras()}
        given = {name: value for name, value in given.items() if self.maker.sometimes()}
        if self.maker.sometimes(0.1):
            given["account"] = self.rng.choice([*ACCOUNTS, ""])
        if self.maker.sometimes(0.15):
            given["hold_jid"] = [other for other in self.rng.sample(list(self.jobs), 1) if other != number and self.maker.sometimes()]
        self.jobs[number].update(given)
        self.report("job_modify", job_number=number, **given)

    def hold(self):
        number = self.pick(self.waiting)
        if number is None:
            return
        given = {} if self.jobs[number].get("hold") else {"u": "1-%d" % self.rng.randint(1, 4)}
        self.jobs[number]["hold"] = given
        self.report("job_modify", job_number=number, hold=given)

    def start(self):
        number = self.pick(self.waiting)
        if number is None:
            return
        task = min(self.waiting[number])
        of = {"job_number": number, "task": task, "start_time": self.now - self.rng.choice([-30, 0, 0, 10, 1000]),
              "granted": [{"queue": "all.q@n%d" % k, "slots": self.rng.randint(1, 5)} for k in range(self.rng.randint(1, 2))]}
        if self.maker.sometimes():
            of["partition"] = self.rng.choice(self.cell.partitions).name
        if self.maker.sometimes():
            of["tres"] = self.tres()
        self.waiting[number].discard(task)
        self.started[number][task] = of
        self.report("task_start", **of)

    def drop_if_done(self, number):
        if not self.started[number] and not self.waiting[number]:
            del self.jobs[number]

    def finish(self):
        number = self.pick(self.started)
        if number is None:
            return
        task = self.rng.choice(list(self.started[number]))
        del self.started[number][task]
        end = {"end_time": self.now + self.rng.choice([-20, 0, 15, 100000])} if self.maker.sometimes(0.7) else {}
        self.report("task_finish", job_number=number, task=task, **end)
        self.drop_if_done(number)

    def requeue(self):
        number = self.pick(self.started)
        if number is None or self.maker.sometimes(0.5):
            return
        task = self.rng.choice(list(self.started[number]))
        del self.started[number][task]
        self.waiting[number].add(task)
        self.report("task_requeue", job_number=number, task=task)

    def delete(self):
        if self.jobs and self.maker.sometimes(0.5):
            number = self.rng.choice(list(self.jobs))
            del self.jobs[number]
            self.report("job_delete", job_number=number)

    def snapshot(self):
        self.report("snapshot_begin")
        for number, event in self.jobs.items():
            there = sorted([*self.waiting[number], *self.started[number]])
            tasks = {"tasks": ",".join("%d-%d" % (t, t) for t in there)} if "tasks" in event else {}
            self.report("job_add", **{**event, **tasks})
            for task in self.started[number].values():
                self.report("task_start", **task)
        self.report("snapshot_end")
