# SPDX-License-Identifier: Apache-2.0
"""Recorded cases of HTCondor through the real programs: found(case, programs) has the shape of condor.expected(case)."""
import contextlib
import random

import condor
import condor_priorities
import condor_tools
from condor_cell import START, customer_of, slot_name
from condor_live import Pool

POOL_WIDE = {"rup", "factor", "ceiling", "floor"}


def weights_of(there):
    """Return the weights of the slots of a pool. A case states their number or describes each one."""
    return there.get("weights") or [there.get("weight_each", 1)] * there.get("slots", len(there.get("ads") or []))


def pool_of(run, programs, clock=None, **config):
    """Slots, claims and jobs as a case of kind allocation has them."""
    customers = {record["name"]: customer_of(record) for record in [*run.get("submitters", []), *run.get("others", [])] if POOL_WIDE & set(record)}
    pool, there = Pool(programs, {**run.get("config", {}), **config}, customers, **(clock or {})), run["pool"]
    weights = weights_of(there)
    ads = there.get("ads") or [{}] * len(weights)
    pool.send({"event": "snapshot_begin"})
    for number, (weight, ad) in enumerate(zip(weights, ads), 1):
        pool.slot(number, weight, ad)
    for number, ad in enumerate(ads, 1):
        if "RemoteUser" in ad:
            pool.claim(slot_name(number), ad["RemoteUser"].strip('"'), current_rank=float(ad.get("CurrentRank", 0.0)), since=START - 5000)
    for record in run.get("submitters", []):
        submit(pool, record)
    pool.send({"event": "snapshot_end"})
    return pool


def submit(pool, record):
    free = [slot for slot, held in pool.slots.items() if held is None]
    for slot in free[:record.get("running", 0)]:
        pool.claim(slot, record["name"], since=START - 5000, concurrency_limits=record.get("concurrency_limits", ""))
    jobs = record.get("jobs") or [{"count": record.get("idle", 0)}]
    if record.get("idle", sum(job.get("count", 1) for job in jobs)) == 0:     # it has a queue all the same
        pool.job(record["name"], hold={"u": "1"})
    for job in jobs:
        if job.get("count", 1):
            pool.job(record["name"], job.get("count", 1), job.get("ad", {}), job.get("requirements", record.get("may_use")), job.get("limits", record.get("concurrency_limits")))


def quotas_of(results):
    return {group["name"]: {what: group[what] for what in (*condor.QUOTA, "allocated_first")} for group in results["groups"]}


def run_of(run, programs):
    with contextlib.closing(pool_of(run, programs)) as pool:
        weights = run["pool"].get("weights") or [1] * len(weights_of(run["pool"]))
        results = [cycle_of(pool, weights) for _ in range(condor.cycles_of(run))]
    found = {name: [cycle[name] for cycle in results][:len(run.get("expect", {}).get(name, results))] for name in results[0] if name not in ("groups", "served")}
    groups = results[0]["groups"]
    found.update(slots_after_cycle=found["running_after_cycle"], running_finally=results[-1]["running_after_cycle"],
                 groups_last_round=[{name: {what: values[what] for what in condor.QUOTA} for name, values in cycle["groups"].items()} for cycle in results],
                 quotas={name: values["quota"] for name, values in groups.items()},
                 groups_first_cycle={name: {what: values[what] for what in condor.FIRST} for name, values in groups.items()},
                 **results[0]["served"])
    wanted = condor.of_run(run)
    if "quotas" in wanted:
        found["quotas"] = {name: found["quotas"].get(name) for name in wanted["quotas"]}
    return {name: found[name] for name in wanted}


def cycle_of(pool, weights):
    results = pool.negotiate()
    groups = sorted((group for group in results["groups"] if group["order"]), key=lambda group: group["order"])
    weight = {}
    for slot, at in zip(pool.slots, weights):
        if pool.slots[slot]:
            weight[pool.slots[slot].submitter] = weight.get(pool.slots[slot].submitter, 0) + at
    return {"running_after_cycle": pool.running(), "weight_after_cycle": weight, "preempted_in_cycle": pool.preempted(),
            "negotiated": [contact["submitter"] for contact in results["contacts"]], "groups": quotas_of(results),
            "served": {"served_first_cycle": [group["name"] for group in groups], "order_of_service": [group["name"] for group in groups],
                       "limits_first_cycle": {group["name"]: int(group["limit"]) for group in groups}}}


# ---- in the long run ----

def long_run(case, programs):
    """Return parts of all slot-seconds after the first hours. Jobs run for `job_seconds`, a number or (minimum,
    maximum)."""
    interval, rng, ends, held = case.get("interval", 120), random.Random(case.get("seed", 1)), {}, {}
    seconds = case.get("job_seconds", [600, 1800])
    least, most = (seconds, seconds) if isinstance(seconds, int) else seconds
    with contextlib.closing(pool_of(case, programs, clock={"gap": interval})) as pool:
        begin = pool.now
        while pool.now < begin + case.get("hours", 7) * 3600:
            for slot in [slot for slot, end in ends.items() if end <= pool.now + interval]:
                pool.finish(slot)
                del ends[slot]
            pool.negotiate()
            ends.update({slot: pool.now + rng.randint(least, most) for slot, _, _ in pool.started})
            if pool.now >= begin + case.get("settled_hours", 3) * 3600:
                for name, slots in pool.running().items():
                    held[name] = held.get(name, 0) + slots
    return {"parts": {name: slots / sum(held.values()) for name, slots in held.items()}}


# ---- one after the other on one slot ----

def in_turn(pool, slot, many):
    """Job numbers as they run, each of which ends before the next cycle."""
    order = []
    for _ in range(many):
        pool.negotiate()
        order += [number for _, number, _ in pool.started]
        pool.finish(slot)
    return order


def one_slot(programs, config=None, ad=None, customers=None):
    pool = Pool(programs, config or {}, customers or {})
    pool.slot(1, 1, ad or {})
    return pool


def nice_users(case, programs):
    with contextlib.closing(one_slot(programs)) as pool:
        names = {pool.job("u@pool" if name == "nice-user" else name + "@pool", **({"nice_user": True} if name == "nice-user" else {})): name
                 for name in case["submit_in_order"]}
        return {"run_order": [names[number] for number in in_turn(pool, slot_name(1), len(names))]}


def job_orders(case, programs):
    return {"order": [job_order(row, programs) for row in case["rows"]]}


PRIORITIES = {"JobPrio": "job_prio", "PreJobPrio1": "pre_job_prio1", "PreJobPrio2": "pre_job_prio2", "PostJobPrio1": "post_job_prio1",
              "PostJobPrio2": "post_job_prio2", "cluster": "cluster", "proc": "proc"}


def job_order(row, programs):
    jobs = row.get("jobs") or [{"JobPrio": prio} for prio in row["submit_order_prio"]]
    with contextlib.closing(one_slot(programs)) as pool:
        numbers = [pool.job("u@pool", **{PRIORITIES[name]: value for name, value in job.items()}) for job in jobs]
        order = [numbers.index(number) for number in in_turn(pool, slot_name(1), len(jobs))]
    return order if "run_order_index" in row else [jobs[at].get("JobPrio", 0) for at in order]


def limits(case, programs):
    return {"max_running": [limit_of(row, case["pool"]["slots"], programs) for row in case["rows"]]}


def limit_of(row, slots, programs):
    """How many run at a time, cycle by cycle, with one ended in between."""
    with contextlib.closing(Pool(programs, row["config"], {})) as pool:
        for number in range(1, slots + 1):
            pool.slot(number, 1, {})
        pool.job("u@pool", 2 * (row["max_running"] + 1), limits=row["job"])
        found = []
        for _ in range(3):
            pool.negotiate()
            held = [slot for slot, holder in pool.slots.items() if holder]
            found.append(len(held))
            pool.finish(held[0])
        return found[0] if len(set(found)) == 1 else found


# ---- preemption ----

def preemption(case, programs):
    if "events" in case:
        return {"events": events_of(case, programs)}
    if "policy" in case:
        return {"preempted": [claims_taken(case, row, programs) for row in case["rows"]]}
    return {"rows": [rule_row(row, programs) for row in case["rows"]], "further": [further_row(row, programs) for row in case["further"]]}


def events_of(case, programs):
    """p17: jobs that come one after the other, on one slot."""
    found = []
    config = {name: value for name, value in case["config"].items() if name not in ("RANK", "MaxJobRetirementTime")}
    with contextlib.closing(one_slot(programs, config, {"Rank": case["config"]["RANK"]})) as pool:
        for event in case["events"]:
            number = pool.job(event["submit"]["user"] + "@pool", 1, event["submit"]["attrs"], job_prio=event["submit"]["job_prio"])
            pool.negotiate()
            held = pool.slots[slot_name(1)]
            found.append("waits" if not held or held.job != number else "preempts" if pool.vacated else "runs")
    return found


def taken(programs, config, slots, eups, jobs=1, submitter="better@pool", running="worse@pool", current_rank=0.0):
    """How many claims of `running` a cycle takes for the jobs; slots: their ads."""
    with contextlib.closing(Pool(programs, config, {name: {"Priority": max(eup, 0.5), "PriorityFactor": 1.0} for name, eup in eups.items()})) as pool:
        for number, ad in enumerate(slots, 1):
            pool.slot(number, 1, ad)
            pool.claim(slot_name(number), running, current_rank=current_rank, since=ad.get("EnteredCurrentState", START - 5000))
        pool.job(submitter, jobs)
        pool.negotiate()
        return len(pool.vacated)


def claims_taken(case, row, programs):
    policy = {"policy": case["policy"], "default (False)": "False"}.get(row["expression"], row["expression"])
    slots = [{"EnteredCurrentState": START - row["seconds_in_state"]}] * case["pool"]["slots"]
    eups = {"worse@pool": float(row["eup_running"]), "better@pool": float(row["eup_submitter"])}
    return taken(programs, {"PREEMPTION_REQUIREMENTS": policy}, slots, eups, row["jobs"])


CLASSIC = "(SubmitterGroup =?= RemoteGroup && TimeInState > 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2) || RunningIsNice"


def rule_row(row, programs):
    groups = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": 10, "GROUP_QUOTA_b": 10, "PREEMPTION_REQUIREMENTS": CLASSIC}
    running = "a.worse@pool" if row["same_group"] else "b.worse@pool"
    slot = {"TimeInState": row["seconds_in_state"], "RunningIsNice": row["running_job_nice"]}
    eups = {running: float(row["RemoteUserPrio"]), "a.better@pool": float(row["SubmitterUserPrio"])}
    return taken(programs, groups, [slot], eups, submitter="a.better@pool", running=running) == 1


def further_row(row, programs):
    policy = {"undefined value": "Missing", "number 1": "1"}.get(row.get("PREEMPTION_REQUIREMENTS"), row.get("expression"))
    slot, who = {"Rank": float(row.get("machine_rank_new", 0))}, "worse@pool" if row.get("same_submitter") else "better@pool"
    return taken(programs, {"PREEMPTION_REQUIREMENTS": policy}, [slot], {"worse@pool": 2.0, "better@pool": 1.0}, submitter=who,
                 current_rank=float(row.get("machine_rank_current", 0))) == 1


def group_map(case, programs):
    """To which group each submitter's name leads."""
    with contextlib.closing(one_slot(programs, case["config"], {"Requirements": "false"})) as pool:
        for row in case["rows"]:
            pool.job(row["submitter"])
        return {submitter["name"]: submitter["group"] for submitter in pool.negotiate()["submitters"]}


def found(case, programs):
    if "submit_in_order" in case:
        return nice_users(case, programs)
    if case["kind"] == "allocation-set":
        return {"run %d" % (at + 1): run_of(run, programs) for at, run in enumerate(case["runs"])}
    return {"allocation": run_of, "job-order": job_orders, "limit": limits, "long-run": long_run, "group-map": group_map, "preemption": preemption, "priority": condor_priorities.priorities,
            "factor": condor_priorities.factors, "expression": condor_priorities.expressions, "tool": condor_tools.tool,
            "tool-text": condor_tools.tool_text}[case["kind"]](case, programs)
