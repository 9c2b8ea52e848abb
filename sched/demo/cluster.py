# SPDX-License-Identifier: Apache-2.0
"""
What a qmaster knows: jobs, started tasks, free slots. It does what the scheduler orders, and tells it of every change as an event.
"""

SLOTS = {"node1": 8, "node2": 4}  # the hosts of conf/default
GPUS = {"node1": 2, "node2": 0}
SPEED = 3600  # a task that runs for a second reports an hour of cpu time for each of its slots


class Task:
    def __init__(self, number, task, granted, pe, now, step, seconds):
        self.key = {"job_number": number, "task": task}
        self.granted = granted  # [(host, slots)], the master's first
        self.pe = pe
        self.start_time = now
        self.start, self.end = step, step + seconds
        self.gpus = 0

    def start_event(self):
        granted = [{"queue": f"all.q@{host}", "slots": slots} for host, slots in self.granted]
        return {**self.key, "start_time": self.start_time, "granted": granted, "granted_pe": self.pe}

    def usage(self, step):
        cpu = SPEED * (step - self.start) * sum(slots for _, slots in self.granted)
        return {"cpu": cpu, "mem": cpu / 2, "io": cpu / 1000}


class Cluster:
    def __init__(self, send):
        self.send = send  # (event, members)
        self.last = 0  # number of the last job
        self.jobs = {}  # number -> job_add's members, in the order of submission
        self.seconds = {}  # number -> how long each task runs
        self.waiting = {}  # number -> tasks not started
        self.running = []
        self.free = dict(SLOTS)
        self.gpus = dict(GPUS)

    def snapshot(self, step, past=()):
        """Everything, for a scheduler that knows nothing or has missed something. Returns the number of the last event."""
        self.send("snapshot_begin", {})
        for host, slots in SLOTS.items():
            self.send("queue_instance", {"queue": f"all.q@{host}", "slots": slots})
        self.report_load()
        for event, members in past:
            self.send(event, members)
        for number, job in self.jobs.items():
            left = {"tasks": self.tasks_left(number)} if "tasks" in job else {}
            self.send("job_add", {**job, **left})
        for task in self.running:
            self.send("task_start", task.start_event())
            self.send("usage", {**task.key, "scaled_usage": task.usage(step)})
        return self.send("snapshot_end", {})

    def tasks_left(self, number):
        """Of an array: those that run, then those that wait."""
        running = [t.key["task"] for t in self.running if t.key["job_number"] == number]
        return ",".join(map(str, running + self.waiting[number]))

    def add(self, job, seconds):
        number = job["job_number"]
        tasks = int(job["tasks"].split("-")[1]) if "tasks" in job else 1
        self.jobs[number], self.seconds[number], self.waiting[number] = job, seconds, list(range(1, tasks + 1))
        self.last = number

    def submit(self, job, seconds):
        self.add(job, seconds)
        self.send("job_add", job)

    def obey(self, order, now, step):
        """Do what is ordered. Returns why not, if that can't be done."""
        kind = order["order"]
        if kind == "start":
            return self.start(order, now, step)
        if kind in ("suspend", "resume"):
            return self.change_state(order, "T" if kind == "suspend" else "r")
        if kind == "remove":
            return self.remove(order["job_number"])
        return None if kind == "tickets" else f"{kind}: no such order"  # nobody is here to use tickets

    def start(self, order, now, step):
        number, task_id = order["job_number"], order.get("task", 1)
        granted = [(entry["queue"].partition("@")[2], entry["slots"]) for entry in order["granted"]]
        objection = self.objection(number, task_id, granted)
        if objection:
            return objection
        task = Task(number, task_id, granted, order.get("granted_pe"), now, step, self.seconds[number])
        task.gpus = int(wants_gpu(self.jobs[number]))
        self.waiting[number].remove(task_id)
        self.account(task, -1)
        self.running.append(task)
        self.send("task_start", task.start_event())
        return None

    def objection(self, number, task, granted):
        """The scheduler may not have heard of everything yet."""
        if task not in self.waiting.get(number, []):
            return "it does not wait"
        for host, slots in granted:
            if self.free.get(host, 0) < slots:
                return f"{host} has {self.free.get(host, 0)} slots free, not {slots}"
        host = granted[0][0]
        return f"{host} has no gpu free" if wants_gpu(self.jobs[number]) and not self.gpus[host] else None

    def change_state(self, order, state):
        key = {"job_number": order["job_number"], "task": order["task"]}
        if all(task.key != key for task in self.running):
            return "it does not run"
        self.send("task_state", {**key, "state": state})
        return None

    def remove(self, number):
        if number not in self.jobs or any(task.key["job_number"] == number for task in self.running):
            return "there is no such job, or it runs"
        del self.jobs[number], self.seconds[number], self.waiting[number]
        self.send("job_delete", {"job_number": number})
        return None

    def report_load(self):
        for host, slots in SLOTS.items():
            load = round(0.1 + 0.9 * (slots - self.free[host]) / slots, 2)
            self.send("host_load", {"host": host, "load_values": {"np_load_avg": load, "num_proc": slots}})

    def advance(self, step):
        """Usage of all that runs, and the end of what is done."""
        for task in self.running:
            event = "task_finish" if step >= task.end else "usage"
            self.send(event, {**task.key, "scaled_usage": task.usage(step)})
        for task in [t for t in self.running if step >= t.end]:
            self.running.remove(task)
            self.account(task, +1)
            self.forget_if_done(task.key["job_number"])

    def forget_if_done(self, number):
        if not self.waiting[number] and all(t.key["job_number"] != number for t in self.running):
            del self.jobs[number], self.seconds[number], self.waiting[number]

    def account(self, task, sign):
        for host, slots in task.granted:
            self.free[host] += sign * slots
        self.gpus[task.granted[0][0]] += sign * task.gpus


def wants_gpu(job):
    return "gpu=1" in job.get("hard_resource_list", "")
