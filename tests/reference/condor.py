# SPDX-License-Identifier: Apache-2.0
"""A recorded case of an HTCondor, NAME.json: what it is about, whether it is well-formed, and what is expected of it. README.md has the layouts.

expected(case) is a structure of names, lists and values; condor_run.py brings one of the same shape from the real programs.
"""
import glob
import json
import os
import re

from condor_compare import Near, Stated, relatively

ABOUT = {"id", "title", "kind", "source", "notes", "measured", "why", "note", "remark", "rup_frozen", "procedure", "with", "name"}
EDITED = ("ceiling", "floor", "factor", "rup", "eup", "accumulated", "begin", "last")
ALLOCATION = {"config", "pool", "submitters", "others", "expect", "cycles"}
# Members of the layouts by position. Any other member was mistyped or is not used here: unknown_members().
LAYOUTS = {
    "allocation": {"": ALLOCATION | {"submit_in_order", "factors"}},
    "allocation-set": {"": {"runs"}, "runs": ALLOCATION},
    "priority": {"": {"config", "tolerance", "series", "pool", "defect_in_unmodified_25_14"},
                 "series": {"start_rup", "halflife", "customer", "steps", "events", "expect", "program"},
                 "series.steps": {"dt", "weight_in_use", "old", "rup"}, "series.events": {"t", "update", "add", "remove"},
                 "series.events.add": {"slot", "weight"}, "series.expect": {"t", "rup", "accumulated", "accumulated_since_0"}},
    "factor": {"": {"config", "expect", "commands"}, "expect": {"submitter", "factor", "eup"}, "commands": {"do", "expect", "expect_eup"}},
    "limit": {"": {"rows", "pool"}, "rows": {"config", "job", "max_running"}},
    "preemption": {"": {"config", "pool", "rows", "events", "further", "expression", "policy"},
                   "rows": {"expression", "seconds_in_state", "eup_running", "eup_submitter", "jobs", "preempted", "RemoteUserPrio", "SubmitterUserPrio",
                            "same_group", "running_job_nice", "expression_true"},
                   "further": {"expression", "PREEMPTION_REQUIREMENTS", "machine_rank_new", "machine_rank_current", "same_submitter", "preempt"},
                   "events": {"submit", "expect"}, "events.submit": {"user", "job_prio", "attrs"}},
    "job-order": {"": {"rows", "pool"}, "rows": {"jobs", "submit_order_prio", "run_order_prio", "run_order_index"}},
    "expression": {"": {"my", "target", "rows"}, "rows": {"expr", "type", "value"}},
    "long-run": {"": {"config", "pool", "submitters", "others", "expect", "hours", "settled_hours", "interval", "job_seconds", "seed"}},
    "group-map": {"": {"config", "rows"}, "rows": {"submitter", "group"}},
    "tool": {"": {"commands", "expiry", "config"},
             "commands": {"do", "rc", "out_contains", *EDITED}, "expiry": {"at", "do", "cycle", *EDITED}},
    "tool-text": {"": {"config", "records", "now", "last_update", "commands"}, "commands": {"args", "rc", "stdout"}},
}
POOL = {"slots", "weight_each", "weights", "ads", "identical", "all_match", "slot_ids", "cpus_equal_weight", "slot_choice", "claim_reuse_between_users",
        "claimed", "all_claimed_by", "machine_rank"}
SUBMITTER = {"name", "idle", "running", "rup", "factor", "ceiling", "floor", "may_use", "concurrency_limits", "jobs"}
EXPECT = {"running_after_cycle", "slots_after_cycle", "weight_after_cycle", "preempted_in_cycle", "negotiated", "groups_first_cycle", "served_first_cycle",
          "groups_last_round", "running_finally", "order_of_service", "run_order", "quotas", "strict_manual_reading", "parts", "tolerance"}
FIRST = {"quota": "quota", "subtree_quota": "subtree_quota", "allocated_first": "allocated_round1"}  # what the program says: as it is recorded
QUOTA = ("quota", "subtree_quota", "allocated")
TINY = 1e-9


def kind_of(path):
    """Return None if the case is not one of HTCondor."""
    try:
        with open(path) as file:
            return json.load(file).get("kind")
    except (OSError, ValueError, AttributeError):
        return None


def is_condor(path):
    """A file, or a directory, of them."""
    if os.path.isdir(path):
        return not os.path.exists(os.path.join(path, "expected.json")) and bool(case_files(path))
    return path.endswith(".json") and not os.path.isdir(path[:-5] + ".raw") and kind_of(path) is not None


def case_files(path):
    return [name for name in sorted(glob.glob(os.path.join(path, "*.json"))) if kind_of(name)] if os.path.isdir(path) else [path]


def load(path):
    with open(path) as file:
        case = json.load(file)
    check(case)
    return case


def check(case):
    """Refuses what is of no layout."""
    if case.get("kind") not in LAYOUTS:
        raise ValueError('kind is "%s": known are %s' % (case.get("kind"), ", ".join(sorted(LAYOUTS))))


def unknown_members(case):
    """Return members of the case that no code uses, with their positions."""
    layout, found = LAYOUTS[case["kind"]], []
    for place in layout:
        for where, item in items_at(case, place):
            found += unknown_names(item, layout[place], where)
    for run in [case, *case.get("runs", [])]:
        found += unknown_members_of_run(run)
    return found


def items_at(case, place):
    """(where, object) of all at "series.events" and the like."""
    found = [("", case)]
    for name in filter(None, place.split(".")):
        found = [("%s%s: " % (where, name), one) for where, item in found for one in as_list(item.get(name)) if isinstance(one, dict)]
    return found


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def unknown_names(item, allowed, where):
    return ['%s"%s"' % (where, name) for name in item if name not in allowed and name not in ABOUT]


def unknown_members_of_run(run):
    found = []
    if isinstance(run.get("pool"), dict):
        found += unknown_names({name: 0 for name in run["pool"] if not name.startswith("after_")}, POOL, "pool: ")
    for submitter in run.get("submitters", []):
        found += unknown_names(submitter, SUBMITTER, "submitters: ")
        for job in submitter.get("jobs", []):
            found += unknown_names(job, {"count", "ad", "requirements", "limits"}, "submitters: jobs: ")
    for other in run.get("others", []):
        found += unknown_names(other, {"rup", "factor"}, "others: ")
    if isinstance(run.get("expect"), dict):
        found += unknown_names(run["expect"], EXPECT, "expect: ")
    return found


# ---- what is expected ----

def without_zeros(counts):
    return {name: count for name, count in counts.items() if count}


def cycles_of(run):
    """How many it takes to compare everything."""
    expect = run.get("expect", {})
    if "running_finally" in expect:
        return 8
    listed = [expect[name] for name in ("running_after_cycle", "slots_after_cycle", "weight_after_cycle", "preempted_in_cycle", "negotiated",
                                        "groups_last_round") if name in expect]
    return max([run.get("cycles", 1), *map(len, listed)])


def quotas(groups):
    return Stated({name: Stated({what: relatively(value, TINY) for what, value in values.items() if what in QUOTA}) for name, values in groups.items()})


def of_run(run):
    expect, wanted = run.get("expect", {}), {}
    for name in ("running_after_cycle", "slots_after_cycle", "weight_after_cycle"):
        if name in expect:
            wanted[name] = [without_zeros(counts) for counts in expect[name]]
    for name in ("preempted_in_cycle", "negotiated"):
        if name in expect:
            wanted[name] = expect[name]
    if "groups_last_round" in expect:
        wanted["groups_last_round"] = [quotas(groups) for groups in expect["groups_last_round"]]
    if "groups_first_cycle" in expect:
        wanted["groups_first_cycle"] = Stated({
            name: Stated({what: relatively(groups[member], TINY) for what, member in FIRST.items() if member in groups})
            for name, groups in expect["groups_first_cycle"].items()})
    if "quotas" in expect:
        wanted["quotas"] = Stated({name: relatively(value, TINY) for name, value in expect["quotas"].items()})
    if "served_first_cycle" in expect:
        wanted["served_first_cycle"] = served_in_order([row["group"] for row in expect["served_first_cycle"]])
        wanted["limits_first_cycle"] = Stated({row["group"]: row["limit"] for row in expect["served_first_cycle"] if "limit" in row})
    if "order_of_service" in expect:
        wanted["order_of_service"] = served_in_order([row["group"] for row in expect["order_of_service"]])
    if "running_finally" in expect:
        wanted["running_finally"] = without_zeros(expect["running_finally"])
    return wanted


def served_in_order(names):
    """Return each submitter once, in the order in which they were first served."""
    return list(dict.fromkeys(names))


def of_priority(case):
    wanted = {}
    for at, row in enumerate(case["series"]):
        name = "%d %s" % (at + 1, row.get("name") or row.get("customer"))
        points, t = row.get("expect", []), 0
        for step in row.get("steps", []):
            t += step["dt"]
            if "rup" in step:
                points = [*points, {"t": t, "rup": step["rup"]}]
        wanted[name] = {"%s at %s" % (what, point["t"]): Near(point[what], case["tolerance"]) for point in points for what in point if what != "t"}
    return wanted


def of_preemption(case):
    if "events" in case:
        return {"events": ["runs"] + ["preempts"] * (len(case["events"]) - 1)}
    if "policy" in case:
        return {"preempted": [row["preempted"] for row in case["rows"]]}
    return {"rows": [row["expression_true"] for row in case["rows"]], "further": [row["preempt"] is True for row in case["further"]]}


def order_of(row):
    """Places of the jobs, from 0, or their priorities, as it is recorded."""
    return row["run_order_index"] if "run_order_index" in row else row["run_order_prio"]


def of_expression(row):
    return {"type": row["type"], **({"value": row["value"]} if "value" in row else {})}


def edited(row):
    return {name: relatively(row[name], TINY) for name in EDITED if name in row}


def of_command(row):
    """Check a case of kind tool. A row without "rc" has no recorded exit code."""
    return {**({"succeeds": row["rc"] == 0} if "rc" in row else {}), **({"says": row["out_contains"]} if "out_contains" in row else {}), **edited(row)}


def of_factor_command(row):
    if "expect_eup" in row:
        return {"eup": relatively(row["expect_eup"], TINY)}
    new = re.search(r"gets ([\d.]+)", row["expect"])
    return {"kept": True, "new_factor": float(new[1])} if new else {"refused": row["expect"].startswith("refused")}


def expected(case):
    kind = case["kind"]
    if "submit_in_order" in case:
        return {"run_order": case["expect"]["run_order"]}
    if kind == "allocation":
        return of_run(case)
    if kind == "allocation-set":
        return {"run %d" % (at + 1): of_run(run) for at, run in enumerate(case["runs"])}
    return {
        "priority": of_priority, "preemption": of_preemption,
        "factor": lambda case: {"submitters": [{"factor": relatively(row["factor"], TINY), "eup": relatively(row["eup"], TINY)} for row in case["expect"]],
                                "commands": [of_factor_command(row) for row in case["commands"]]},
        "long-run": lambda case: {"parts": Stated({name: Near(part, case["expect"].get("tolerance", 0.02))
                                                   for name, part in case["expect"]["parts"].items()})},
        "limit": lambda case: {"max_running": [row["max_running"] for row in case["rows"]]},
        "job-order": lambda case: {"order": [order_of(row) for row in case["rows"]]},
        "group-map": lambda case: {row["submitter"]: row["group"] for row in case["rows"]},
        "expression": lambda case: {row["expr"]: of_expression(row) for row in case["rows"]},
        "tool": lambda case: {"commands": [of_command(row) for row in case["commands"]], "expiry": [edited(row) for row in case.get("expiry", [])]},
        "tool-text": lambda case: {row["args"]: {"rc": row["rc"], "stdout": row["stdout"]} for row in case["commands"]},
    }[kind](case)
