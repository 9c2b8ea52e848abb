# SPDX-License-Identifier: Apache-2.0
"""Cases of tests/reference/condor through the model: differences(case) is a list of sentences, empty if all is as recorded."""
import math

from accountant import Accountant
from cases import Pool, job_of
from configuration import Configuration, Groups
from cycle import Negotiator
from expressions import Refused, ad_of, parse
from limits import Limits
from order import in_order
from pool import Slot, Submitter, rank_of
from values import ERROR, UNDEFINED

START = 1700000000


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


class Notes(list):
    def expect(self, what, want, got):
        if want != got:
            self.append("%s: recorded %s, is %s" % (what, want, got))

    def expect_near(self, what, want, got, tolerance):
        if not near(want, got, tolerance):
            self.append("%s: recorded %.9g, is %.9g" % (what, want, got))


# ---- pools ----

def without_zeros(found):
    return {name: value for name, value in found.items() if value}


def allocation(case, notes):
    expect, pool = case["expect"], Pool(case)
    listed = [value for name, value in expect.items() if isinstance(value, list) and name not in ("served_first_cycle", "order_of_service", "run_order")]
    cycles = max([len(value) for value in listed] or [1])
    for at in range(cycles if "running_finally" not in expect else 8):
        made = pool.cycle()
        found = {"running_after_cycle": pool.running(), "slots_after_cycle": pool.running(), "weight_after_cycle": pool.weight(),
                 "preempted_in_cycle": {taker: dict(losers) for taker, losers in pool.preempted.items()}}
        for name, value in found.items():
            if at < len(expect.get(name, [])):
                notes.expect("cycle %d, %s" % (at + 1, name), without_zeros(expect[name][at]), value)
        if at < len(expect.get("negotiated", [])):
            notes.expect("cycle %d, contacts" % (at + 1), expect["negotiated"][at], made.contacts)
        if at < len(expect.get("groups_last_round", [])):
            quotas(expect["groups_last_round"][at], pool.quotas(), notes)
        if at == 0:
            first_cycle(expect, pool, made, notes)
    if "running_finally" in expect:
        notes.expect("finally", without_zeros(expect["running_finally"]), pool.running())


def quotas(want, have, notes):
    for name, values in want.items():
        for what, value in values.items():
            notes.expect_near("%s of %s" % (what, name), value, have[name][what], 1e-9)


def first_cycle(expect, pool, made, notes):
    have = {name: {**values, "allocated_round1": getattr(made, "first_allocated", {}).get(name)} for name, values in pool.quotas().items()}
    quotas(expect.get("groups_first_cycle", {}), have, notes)
    quotas({name: {"quota": value} for name, value in expect.get("quotas", {}).items()}, have, notes)
    served = expect.get("served_first_cycle", [])
    notes.expect("service", [(row["group"], row["limit"]) for row in served], [(name, int(slots)) for name, slots in made.served][:len(served)])
    notes.expect("order of service", [row["group"] for row in expect.get("order_of_service", [])],
                 [name for name, _ in made.served] if "order_of_service" in expect else [])


def allocation_set(case, notes):
    for at, run in enumerate(case["runs"]):
        before = len(notes)
        allocation(run, notes)
        notes[before:] = ["run %d, %s" % (at + 1, note) for note in notes[before:]]


def nice_users(case, notes):
    """Return the owner of the job that gets the one slot, each time that it is free."""
    jobs = {}
    for name in case["submit_in_order"]:
        jobs[name] = jobs.get(name, 0) + 1
    negotiator, order, slot = Negotiator({}), [], Slot("s1", 1, 1, {})
    submitters = [Submitter(name + ".u@pool" if name == "nice-user" else name + "@pool", [job_of(count, {}, None, "")]) for name, count in jobs.items()]
    for at in range(len(case["submit_in_order"])):
        made = negotiator.cycle([slot], submitters, START + at)
        order += [submitter.name.replace(".u@", "@").replace("@pool", "") for submitter, *_ in made.matches]
    notes.expect("order", case["expect"]["run_order"], order)


# ---- one decision ----

def limit(case, notes):
    for row in case["rows"]:
        limits, running = Limits(Configuration(row["config"]), []), 0
        while running < case["pool"]["slots"] and limits.admit(row["job"]):
            limits.use(row["job"])
            running += 1
        notes.expect(row["job"], row["max_running"], running)


def job_order(case, notes):
    for row in case["rows"]:
        jobs = row.get("jobs") or [{"JobPrio": prio} for prio in row["submit_order_prio"]]
        order = in_order(jobs)
        notes.expect("order", row.get("run_order_index", order), order)
        notes.expect("order", row.get("run_order_prio", [jobs[at].get("JobPrio", 0) for at in order]), [jobs[at].get("JobPrio", 0) for at in order])


def preempted(config, slots, submitter, customers):
    """How many of one cycle."""
    negotiator = Negotiator({"PRIORITY_HALFLIFE": 1e30, **config})
    negotiator.accountant.last_update = START
    for name, eup in customers.items():
        customer = negotiator.accountant.customer(name)
        customer.rup, customer.factor = max(eup, 0.5), 1.0
    return sum(loser is not None for *_, loser in negotiator.cycle(slots, [submitter], START).matches)


def claimed(number, customer, current_rank, **ad):
    slot = Slot("s%d" % number, number, 1, ad_of(ad))
    slot.claim(customer, current_rank, "")
    return slot


def preemption_rows(case, notes):
    """p25: slots that are all claimed by another user."""
    for row in case["rows"]:
        policy = {"policy": case["policy"].replace("time()", str(START)), "default (False)": "False"}.get(row["expression"], row["expression"])
        slots = [claimed(at + 1, "worse@pool", 0.0, EnteredCurrentState=START - row["seconds_in_state"]) for at in range(case["pool"]["slots"])]
        submitter = Submitter("better@pool", [job_of(row["jobs"], {}, None, "")])
        found = preempted({"PREEMPTION_REQUIREMENTS": policy}, slots, submitter, {"worse@pool": row["eup_running"], "better@pool": row["eup_submitter"]})
        notes.expect(row["expression"], row["preempted"], found)


CLASSIC = "(SubmitterGroup =?= RemoteGroup && TimeInState > 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2) || RunningIsNice"


def preemption_rules(case, notes):
    """p21: the classic rule, row by row, and what comes to a machine's rank."""
    for row in case["rows"]:
        my = ad_of({"TimeInState": row["seconds_in_state"], "RemoteUserPrio": row["RemoteUserPrio"], "RemoteGroup": '"a"', "RunningIsNice": row["running_job_nice"]})
        target = ad_of({"SubmitterUserPrio": row["SubmitterUserPrio"], "SubmitterGroup": '"a"' if row["same_group"] else '"b"'})
        notes.expect(str(row), row["expression_true"], parse(CLASSIC).evaluate(my, target) is True)
    for row in case["further"]:
        policy = {"undefined value": "Missing", "number 1": "1"}.get(row.get("PREEMPTION_REQUIREMENTS"), str(row.get("expression")))
        slot = claimed(1, "worse@pool", float(row.get("machine_rank_current", 0)), Rank=float(row.get("machine_rank_new", 0)))
        submitter = Submitter("worse@pool" if row.get("same_submitter") else "better@pool", [job_of(1, {}, None, "")])
        found = preempted({"PREEMPTION_REQUIREMENTS": policy}, [slot], submitter, {"worse@pool": 2.0, "better@pool": 1.0})
        notes.expect(str(row), row["preempt"] is True, found == 1)


def preemption_events(case, notes):
    """p17: a slot whose rank prefers some jobs."""
    slot, order = Slot("s1", 1, 1, ad_of({"Rank": case["config"]["RANK"]})), []
    negotiator = Negotiator({"PREEMPTION_REQUIREMENTS": "False"})
    for at, event in enumerate(case["events"]):
        job = job_of(1, {name: str(value).lower() for name, value in event["submit"]["attrs"].items()}, None, "")
        made = negotiator.cycle([slot], [Submitter("u@pool", [job])], START + at)
        order.append(len(made.matches))
        for *_, taken, _ in made.matches:
            taken.claim("u@pool", rank_of(parse(case["config"]["RANK"]).evaluate(taken.ad, job.ad), 0.0), "")
    notes.expect("who runs", [1] * len(case["events"]), order)


def preemption(case, notes):
    (preemption_events if "events" in case else preemption_rows if "policy" in case else preemption_rules)(case, notes)


# ---- priorities ----

def accountant(config):
    configuration = Configuration(config)
    made = Accountant(configuration, Groups(configuration))
    made.last_update = START
    return made


def series(case, row, notes):
    made = accountant({**case["config"], **({"PRIORITY_HALFLIFE": row["halflife"]} if "halflife" in row else {})})
    name = row.get("customer", "u@pool")
    customer = made.customer(name)
    customer.rup = float(row.get("start_rup", row["steps"][0].get("old", 0.5) if "steps" in row else 0.5))
    found, t = {}, 0
    for step in row.get("steps", []):
        t += step["dt"]
        customer.weight_used = float(step["weight_in_use"])
        made.update(START + t)
        found[t] = (customer.rup, customer.weight_accumulated)
        if "rup" in step:
            notes.expect_near("%s at %d" % (name, t), step["rup"], customer.rup, case["tolerance"])
    for event in row.get("events", []):
        happen(made, name, event)
        found[event["t"]] = (customer.rup, customer.weight_accumulated)
    for want in row.get("expect", []):
        for what, value in want.items():
            if what != "t":
                notes.expect_near("%s, %s at %s" % (row["name"], what, want["t"]), value, found[want["t"]][what != "rup"], case["tolerance"])


def happen(made, name, event):
    now = START + event["t"]
    if "in use since before" in event.get("note", ""):
        made.add_match(name, "s1", 2.0, now)
    if event.get("update"):
        made.update(now)
    if "add" in event:
        made.add_match(name, event["add"]["slot"], float(event["add"]["weight"]), now)
    if "remove" in event:
        made.remove_match(event["remove"], now)


def priority(case, notes):
    for row in case["series"]:
        series(case, row, notes)
    if "pool" in case and "claimed" in case["pool"]:
        trace(case, notes)


def trace(case, notes):
    """p26: all customers at once, as claims have it."""
    made, pool = accountant(case["config"]), case["pool"]
    owners = {slot: name for name, slots in pool["claimed"].items() for slot in slots}
    for at in range(len(case["series"][0]["steps"])):
        gone = ("s2", "s3") if at > 3 - 1 else ()
        if at == 0:
            made.check_matches({slot: (name, float(pool["slots"][slot])) for slot, name in owners.items()}, START)
        elif at == 3:
            made.check_matches({slot: (name, float(pool["slots"][slot])) for slot, name in owners.items() if slot not in gone}, made.last_update)
        made.update(made.last_update + case["series"][0]["steps"][at]["dt"])
        for row in case["series"]:
            notes.expect_near("%s, step %d" % (row["customer"], at + 1), row["steps"][at]["rup"], made.customer(row["customer"]).rup, case["tolerance"])


def factor(case, notes):
    made = accountant(case["config"])
    for row in case["expect"]:
        notes.expect(row["submitter"], float(row["factor"]), made.customer(row["submitter"]).factor)
        notes.expect(row["submitter"], float(row["eup"]), made.eup(row["submitter"]))


# ---- expressions ----

TYPES = {bool: "bool", int: "int", float: "real", str: "string", list: "list"}


def type_of(value):
    return "undefined" if value is UNDEFINED else "error" if value is ERROR else TYPES[type(value)]


def expression(case, notes):
    my, target = ad_of(case["my"]), ad_of(case["target"])
    for row in case["rows"]:
        try:
            value = parse(row["expr"]).evaluate(my, target)
        except Refused:
            notes.expect(row["expr"], row["type"], "syntax")
            continue
        notes.expect(row["expr"], row["type"], type_of(value))
        if "value" in row and not (row["value"] == value and math.copysign(1, value or 0) == math.copysign(1, row["value"] or 0)
                                   if type_of(value) == "real" else row["value"] == value):
            notes.expect(row["expr"], row["value"], value)


KINDS = {"allocation": allocation, "allocation-set": allocation_set, "limit": limit, "job-order": job_order, "preemption": preemption,
         "priority": priority, "factor": factor, "expression": expression}


def differences(case):
    """Return None if the model does not know this kind of case."""
    notes = Notes()
    if "submit_in_order" in case:
        nice_users(case, notes)
    elif case["kind"] in KINDS:
        KINDS[case["kind"]](case, notes)
    else:
        return None
    return notes
