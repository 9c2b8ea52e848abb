# SPDX-License-Identifier: Apache-2.0
"""A cell of an HTCondor site, and the events of a qmaster about its slots and jobs."""
import os
import re

START = 1700000000                              # the clock of the first cycle
GAP = 60                                        # from cycle to cycle, seconds
FROZEN = 1e15                                   # a half-life, seconds: priorities stay as they are


def macro(value):
    return str(value)                           # True, False, numbers and texts as condor_config has them


def config_text(config, interval, delay):
    """With the same interval and delay cycles come at that second only. With a long interval and no delay they come
    when a job is submitted or ends."""
    macros = {"UID_DOMAIN": "pool", "PRIORITY_HALFLIFE": FROZEN, "NEGOTIATOR_INTERVAL": interval, "NEGOTIATOR_CYCLE_DELAY": delay,
              "NEGOTIATOR_MIN_INTERVAL": 0, "CLAIM_WORKLIFE": 0, **config}
    return "".join("%s = %s\n" % (name, macro(value)) for name, value in macros.items())


def log_text(customers, last_update):
    """The accountant's own log."""
    lines = ["107 1 CreationTimestamp %d" % last_update, "101 Accountant. * *", "103 Accountant. LastUpdateTime %d" % last_update]
    for name, of in customers.items():
        lines.append("101 Customer.%s * *" % name)
        lines += ["103 Customer.%s %s %s" % (name, what, "%.6f" % value if isinstance(value, float) else value) for what, value in of.items()]
    return "\n".join(lines) + "\n"


def long_text(records, last_update):
    """Write records in the format of condor_userprio -long."""
    lines = ["LastUpdate = %d" % last_update]
    for number, record in enumerate(records, 1):
        lines += ["%s%d = %s" % (name, number, expression(value)) for name, value in record.items()]
    return "\n".join([*lines, "NumSubmittors = %d" % len(records)]) + "\n"


def expression(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return '"%s"' % value if isinstance(value, str) else repr(value)


def customer_of(record):
    """Return the accountant's record of a submitter before the first cycle."""
    known = {"Priority": ("rup", float), "PriorityFactor": ("factor", float), "Ceiling": ("ceiling", int), "Floor": ("floor", int)}
    return {name: to(record[member]) for name, (member, to) in known.items() if member in record}


def write_cell(directory, sched_conf, config, customers, now, interval, delay):
    def put(name, text):
        with open(os.path.join(directory, name + ".new"), "w") as file:
            file.write(text)
        os.rename(os.path.join(directory, name + ".new"), os.path.join(directory, name))

    conf = re.sub(r"(?m)^algorithm .*$", "algorithm userprio", sched_conf)
    put("sched_conf", re.sub(r"(?m)^(schedule_interval|flush_(submit|finish)_sec) .*$", r"\1 1", conf))
    put("condor_config", config_text(config, interval, delay))
    if customers:
        put("userprio", log_text(customers, now))


# ---- slots ----

def slot_name(number):
    return "slot1@m%d" % number


def attribute(value):
    """Return a value of an event's ad. A text is an expression."""
    return {"expr": value} if isinstance(value, str) else value


def slot_event(number, weight, ad):
    described = {"SlotID": number, "Cpus": weight, "Memory": 0, "Rank": 0.0}
    described.update({name: value for name, value in ad.items() if name not in ("RemoteUser", "CurrentRank")})
    return {"event": "slot", "slot": slot_name(number), "machine": "m%d" % number, "ad": {name: attribute(value) for name, value in described.items()}}


def claim_event(slot, submitter, **more):
    return {"event": "claim", "slot": slot, "submitter": submitter, **more}


# ---- jobs ----

def submitter_members(name):
    """"group.user@domain" as a job says it."""
    whole, _, domain = name.rpartition("@")
    group, _, user = whole.rpartition(".")
    return {"owner": user, "uid_domain": domain, **({"accounting_group": group, "accounting_group_user": user} if group else {})}


def requirements(text):
    return "false" if text == "none" else text


def job_event(number, submitter, count, ad, wanted, limits, **more):
    """A class of jobs: an array."""
    event = {"event": "job_add", "job_number": number, "submission_time": START - 1000, **submitter_members(submitter), **more}
    rest = {name: attribute(value) for name, value in ad.items() if name not in ("Rank", "Requirements")}
    if count > 1:
        event["tasks"] = "1-%d" % count
    for member, value in (("requirements", requirements(wanted or ad.get("Requirements"))), ("rank", ad.get("Rank")), ("concurrency_limits", limits)):
        if value:
            event[member] = str(value)
    return {**event, **({"ad": rest} if rest else {})}
