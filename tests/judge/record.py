# SPDX-License-Identifier: Apache-2.0
"""One cell in a real Grid Engine. The result of one run of its scheduler is recorded as a case of tests/reference.

Inputs: the cell's files as qconf prints them, jobs-as-given.jsonl, and case.json with

    queue_order host_order   the order in which queues and hosts are added
    run_age                  seconds between the start of what runs (jobs of phase "run") and the run
    loads1                   loads at the start of what runs, where the hosts' files have others
    loads_between            loads with which another run is made before that one: tasks become suspended
    loads2                   loads at the run itself
    before_run               commands after what runs has started, before the others are submitted; {j001} is that job's number
    calendars                as cell_files.py has it
    ars ar_wait              advance reservations, and how long to wait until those that begin first have begun
"""
import json
import os
import re
import shutil
import time

from cell_files import CellFiles, attributes, load, write
from gridengine import Refused
from rows import bare, log_lines, pending_rows, reservations_of, start_row, states_of, usage
from simulated import Late

RUNNING, THRESHOLD = 0x80, 0x10000
FOREVER = "99999999"


def moment(seconds):
    return time.strftime("%Y%m%d%H%M.%S", time.gmtime(seconds))


def given_jobs(path):
    """Return the jobs to submit. The jobs of a recorded cell get their times as offsets."""
    given = os.path.join(path, "jobs-as-given.jsonl")
    recorded = not os.path.exists(given)
    with open(os.path.join(path, "jobs.jsonl") if recorded else given) as file:
        jobs = [json.loads(line) for line in file if line.strip()]
    now = load(os.path.join(path, "expected.json"))["now"] if recorded else 0
    for job in jobs if recorded else ():
        job.update((key + "_offset", job.pop(key) - now) for key in ("a", "dl") if key in job)
    return jobs


class Recorder:
    def __init__(self, engine, given):
        self.engine, self.given = engine, given
        self.about = load(os.path.join(given, "case.json"))
        self.jobs = given_jobs(given)
        self.numbers, self.reservations = {}, {}
        self.cell = CellFiles(engine, given, self.about)
        self.refused = self.cell.refused

    # -- jobs ---------------------------------------------------------------------------------------------------------------------

    def options(self, job):
        """Return a job's line as options of qsub. Times are also stored in `job`."""
        out, now = [], int(time.time())
        for key, option in (("p", "-p"), ("project", "-P"), ("R", "-R"), ("tasks", "-t"), ("tc", "-tc"), ("js", "-js"), ("ckpt", "-ckpt"),
                            ("l", "-l"), ("q", "-q"), ("masterq", "-masterq")):
            if job.get(key) is not None:
                out += [option, str(job[key])]
        if job.get("pe"):
            out += ["-pe", job["pe"], str(job["slots"])]
        for key, option in (("a", "-a"), ("dl", "-dl")):
            if job.get(key + "_offset") is not None:
                job[key] = now + job[key + "_offset"]
                out += [option, moment(job[key])]
        for key, option in (("hold_jid", "-hold_jid"), ("hold_jid_ad", "-hold_jid_ad")):
            known = [str(self.numbers[name]) for name in job.get(key, "").split(",") if name in self.numbers]
            if known:
                out += [option, ",".join(known)]
        if "ar" in job:
            out += ["-ar", str(self.reservations.get(job["ar"], 0))]
        if "u" in job.get("hold", ""):
            out.append("-h")
        soft = [word for key, option in (("soft_l", "-l"), ("soft_q", "-q")) if job.get(key) for word in (option, job[key])]
        return out + (["-soft"] + soft if soft else [])

    def submit(self, phase):
        """Submit the jobs of a phase. A refused job has no number."""
        for job in self.jobs:
            if job.get("phase", "pend") != phase:
                continue
            output = self.engine.run("qsub", "-N", job["id"], "-b", "y", "-o", "/dev/null", "-j", "y", *self.options(job),
                                   "/bin/sleep", FOREVER, user=job["owner"], check=False)
            submitted = re.search(r"Your job(?:-array)? (\d+)", output)
            if not submitted:                   # a warning is no refusal, whatever qsub exits with
                self.refused[job["id"]] = output.strip()
                continue
            number = int(submitted.group(1))
            self.numbers[job["id"]] = number
            for kind in set(job.get("hold", "")) - {"u"}:
                self.engine.run("qalter", "-h", kind, str(number))
            for kind, tasks in job.get("hold_tasks", []):
                self.engine.run("qhold", "-h", kind, str(number), "-t", tasks)

    def reserve(self):
        now = int(time.time())
        for ar in self.about.get("ars", []):
            try:
                output = self.engine.run("qrsub", "-N", ar["id"], "-a", moment(now + ar["start"]), "-e", moment(now + ar["end"]),
                                       *ar["options"].split(), user=ar["owner"])
            except Refused as error:
                self.refused[ar["id"]] = str(error)
                continue
            self.reservations[ar["id"]] = int(re.search(r"advance reservation (\d+)", output).group(1))
        if self.about.get("ars"):
            time.sleep(self.about.get("ar_wait", 0))

    def started(self):
        return {(job["JB_job_number"], task["JAT_task_number"]): task for job in self.engine.get("jobs")[0] for task in job["JB_ja_tasks"]
                if task["JAT_status"]}

    def start_running(self):
        """Start the running jobs. Tasks that are to be suspended must have arrived at their hosts."""
        self.submit("run")
        if not any(job.get("phase") == "run" for job in self.jobs):
            return
        self.engine.one_run()
        began = time.monotonic()
        if self.about.get("loads2") or self.about.get("loads_between") or self.has_subordinates():
            self.engine.until("what runs has arrived", lambda: all(task["JAT_status"] == RUNNING for task in self.started().values()), 60, 0.1)
        if self.about.get("loads_between"):
            self.cell.report(self.about["loads_between"])
            self.engine.one_run()
            began = time.monotonic()
        age = self.about.get("run_age", 1)
        if self.about.get("loads_between"):
            age = max(age, 2.5)                 # thresholds are looked at again after suspend_interval
        time.sleep(max(0, began + age - time.monotonic()))

    def has_subordinates(self):
        return any(attributes(self.cell.text("queue", name)).get("subordinate_list", "NONE") != "NONE" for name in self.cell.names("queue"))

    # -- the run ------------------------------------------------------------------------------------------------------------------

    def record(self, path):
        """Everything, into the directory `path`."""
        self.engine.start()
        self.cell.put()
        self.reserve()
        self.start_running()
        for words in self.about.get("before_run", []):
            self.engine.run(*(re.sub(r"\{(j\d+)\}", lambda found: str(self.numbers.get(found.group(1), 0)), word) for word in words), check=False)
        self.cell.report(self.about.get("loads2", {}))
        self.submit("pend")
        before, queues = self.started(), self.engine.get("queues", "pes", "quotas", "hosts")
        output, runs = len(self.engine.file_text("schedule")), self.engine.runs()
        now = self.engine.one_run()
        if self.engine.run_began() != now:
            raise Late("the run was to be at %d and began at %d" % (now, self.engine.run_began()))
        sent = self.wait_for_log()
        after = self.engine.get("jobs", "queues", "reservations", "users", "projects")
        if self.engine.runs() != runs + 1:
            raise Late("more than one run")
        schedule = self.engine.file_text("schedule")[output:]
        self.write(path, now, before, queues, after, sent, schedule)

    def wait_for_log(self):
        """Lines of the reporting file, until all that started is in it; they come each second."""
        want = len(self.started())
        self.engine.until("the log of what started", lambda: len(log_lines(self.engine.file_text("reporting"), "sent")) >= want, 20, 0.02)
        return log_lines(self.engine.file_text("reporting"), "sent")

    # -- what is written ----------------------------------------------------------------------------------------------------------

    def write(self, path, now, before, lists, after, sent, schedule):
        jobs, queues, reservations, users, projects = after
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        self.cell.dump(path)
        shutil.copy(os.path.join(self.given, "case.json"), path)
        write(path, "jobs-as-given.jsonl", "".join(json.dumps(job) + "\n" for job in given_jobs(self.given)))
        write(path, "jobs.jsonl", "".join(json.dumps(job) + "\n" for job in self.jobs))
        write(path, "usage.json", json.dumps({"users": usage("UU", users), "projects": usage("PR", projects)}, indent=1) + "\n")
        write(path, "raw/schedule", schedule)
        write(path, "raw/reporting-joblog.txt", "".join(line + "\n" for line in self.engine.file_text("reporting").splitlines() if ":job_log:" in line))
        expected = self.expected(now, before, lists, jobs, queues, sent, schedule)
        if reservations or self.about.get("ars"):
            expected["advance_reservations"] = [bare(ar) for ar in reservations]
        write(path, "expected.json", json.dumps(expected, indent=1) + "\n")

    def expected(self, now, before, lists, jobs, queues_after, sent, schedule):
        queues, pes, quotas, hosts = lists
        ids = {number: name for name, number in self.numbers.items()}
        tasks = {(job["JB_job_number"], task["JAT_task_number"]): (job, task) for job in jobs for task in job["JB_ja_tasks"] if task["JAT_status"]}
        order = [key for key in sent if key in tasks]
        rows = [start_row(ids, *tasks[key]) for key in order]
        running = [row for row in rows if (row["job_number"], row["task"]) in before]
        new = [row for row in rows if (row["job_number"], row["task"]) not in before]
        states = {key: (before[key]["JAT_state"], tasks[key][1]["JAT_state"]) for key in before if key in tasks}
        named = [name for name in self.cell.names("hosts")]
        return {
            "case": self.about["name"], "grid_engine": "8.1.9, SIMULATE_EXECDS", "now": now,
            "queue_list_order": [queue["CQ_name"] for queue in queues],
            "exec_host_list_order": [host["EH_name"] for host in hosts if host["EH_name"] in named],
            "instance_order": [instance["QU_full_name"] for queue in queues for instance in queue["CQ_qinstances"]],
            "pe_order": [pe["PE_name"] for pe in pes], "quota_order": [quota["RQS_name"] for quota in quotas],
            "started": [{"seq": k, **row} for k, row in enumerate(new, 1)],
            "already_running": [{"seq": k, **row} for k, row in enumerate(running, 1)],
            "reservations": reservations_of(schedule, ids), "pending": pending_rows(jobs, ids),
            "queue_states": states_of(queues), "queue_states_after": states_of(queues_after),
            "running_states": [{"job_number": n, "task": t, "state": states[n, t][0]} for n, t in sorted(states) if states[n, t][0] != RUNNING],
            "suspended": sorted([n, t] for (n, t), (was, is_) in states.items() if is_ & THRESHOLD and not was & THRESHOLD),
            "resumed": sorted([n, t] for (n, t), (was, is_) in states.items() if was & THRESHOLD and not is_ & THRESHOLD),
            "refused": self.refused,
        }
