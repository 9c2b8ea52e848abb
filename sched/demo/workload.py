# SPDX-License-Identifier: Apache-2.0
"""Who submits what: an endless stream of jobs of the users and projects of conf/default, the same for the same seed."""
import random

# owner, project, how often; ann, bob and cal are physicists, dot and eve biologists, cal and fay take a course
PEOPLE = [("ann", "atlas", 6), ("bob", "atlas", 4), ("dot", "borealis", 4), ("fay", "borealis", 2), ("fay", "cosmos", 2),
          ("cal", "cosmos", 2), ("cal", None, 2), ("eve", None, 3)]

# What was used before the demo began, in cpu seconds: ann had the machines almost for herself.
PAST = [("ann", "atlas", 700000), ("bob", "atlas", 60000), ("dot", "borealis", 90000),
        ("cal", "cosmos", 20000), ("eve", None, 10000)]

DEADLINE_USERS = ("ann", "dot")  # as in conf/default/usersets/deadlineusers


def kind_of_job(rng, owner, now):
    """What qsub would say for it, in the words of fairlead-events(5)."""
    if owner in DEADLINE_USERS and rng.random() < 0.06:
        return {"job_name": "urgent", "deadline": now + rng.randint(300, 3600)}
    kind = rng.choices(["plain", "sweep", "solve", "threads", "train", "later", "share"], [8, 4, 3, 3, 3, 2, 1])[0]
    if kind == "sweep":
        return {"job_name": "sweep", "tasks": f"1-{rng.randint(3, 12)}", "hard_resource_list": "h_rt=3600"}
    if kind == "solve":
        return {"job_name": "solve", "pe": "mpi", "pe_range": f"{rng.randint(2, 4)}-{rng.randint(5, 8)}"}
    if kind == "threads":
        return {"job_name": "threads", "pe": "smp", "pe_range": str(rng.randint(2, 4)), "hard_resource_list": "h_vmem=2G"}
    if kind == "train":
        return {"job_name": "train", "hard_resource_list": "gpu=1"}
    if kind == "later":
        return {"job_name": "no-hurry", "priority": -rng.choice([50, 100, 200])}
    if kind == "share":
        return {"job_name": "share", "jobshare": rng.choice([50, 200])}
    return {"job_name": "plain"}


def make_job(seed, number, submitted, now):
    """A job as job_add wants it, and how many seconds each of its tasks will run. Times apart, seed and number decide."""
    rng = random.Random(f"{seed} {number}")
    owner, project, _ = rng.choices(PEOPLE, [weight for *_, weight in PEOPLE])[0]
    job = {"job_number": number, "owner": owner, "submission_time": submitted}
    if project:
        job["project"] = project
    job.update(kind_of_job(rng, owner, now))
    return job, rng.randint(4, 15)


def past_usage(now):
    """Events that tell of the past. A job in a project counts for the project and for the user's part in it."""
    projects, users = {}, {}
    for user, project, cpu in PAST:
        usage = {"usage": {"cpu": cpu}, "long_term_usage": {"cpu": cpu}}
        if project:
            projects[project] = projects.get(project, 0) + cpu
            users.setdefault(user, {}).setdefault("project", []).append({"project": project, **usage})
        else:
            users.setdefault(user, {}).update(usage)
    for name, cpu in projects.items():
        yield "project_usage", {"project": name, "time_stamp": now, "usage": {"cpu": cpu}, "long_term_usage": {"cpu": cpu}}
    for name, members in users.items():
        yield "user_usage", {"user": name, "time_stamp": now, **members}
