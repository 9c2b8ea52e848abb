# SPDX-License-Identifier: Apache-2.0
"""What a qmaster knows: jobs, started tasks, free slots. Every change is told to the scheduler as an event."""

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
        """Of an array: those that run, then those that wait. They start in order, so the latter are one piece."""
        running = [str(t.key["task"]) for t in self.running if t.key["job_number"] == number]
        waiting = self.waiting[number]
        return ",".join(running + ([f"{waiting[0]}-{waiting[-1]}"] if waiting else []))

    def add(self, job, seconds):
        number = job["job_number"]
        tasks = int(job["tasks"].split("-")[1]) if "tasks" in job else 1
        self.jobs[number], self.seconds[number], self.waiting[number] = job, seconds, list(range(1, tasks + 1))
        self.last = number

    def submit(self, job, seconds):
        self.add(job, seconds)
        self.send("job_add", job)

    def start(self, number, now, step):
        """The job's next task, if there is room for it."""
        job = self.jobs.get(number)
        if not job or not self.waiting[number]:
            return
        granted = self.place(job)
        if not granted:
            return
        task = Task(number, self.waiting[number].pop(0), granted, job.get("pe"), now, step, self.seconds[number])
        task.gpus = int(wants_gpu(job))
        self.account(task, -1)
        self.running.append(task)
        self.send("task_start", task.start_event())

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

    def place(self, job):
        """Hosts and slots for one task, or None: sequential and smp on one host, mpi where there is room."""
        least, most = slot_range(job)
        hosts = sorted((h for h in SLOTS if self.free[h] and self.gpus[h] >= wants_gpu(job)), key=lambda h: -self.free[h])
        if job.get("pe") != "mpi":
            hosts = hosts[:1]
        granted = []
        for host in hosts:
            slots = min(self.free[host], most - sum(n for _, n in granted))
            if slots:
                granted.append((host, slots))
        return granted if sum(n for _, n in granted) >= least else None


def wants_gpu(job):
    return "gpu=1" in job.get("hard_resource_list", "")


def slot_range(job):
    ends = job.get("pe_range", "1").split("-")
    return int(ends[0]), int(ends[-1])
