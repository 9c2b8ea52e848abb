# SPDX-License-Identifier: Apache-2.0
"""Real user priorities, factors and expressions of the real programs.

Each update of priorities is a cycle, which a new job triggers. Between two updates the clock is set to the time of
each event.
"""
import contextlib
import json
import os
import re
import subprocess

from condor_cell import START, slot_name
from condor_live import Pool
from condor_tools import ATTRIBUTES, customers_of, factor_commands
from programs import ROOT, Trouble

LATER = 10 ** 6                                 # seconds: no cycle comes by itself


def customers(pool):
    done = subprocess.run([pool.programs.fairlead, "-c", pool.cell, "userprio", "-allusers", "-autoformat", "Name", *ATTRIBUTES],
                          env=pool.programs.env, capture_output=True, text=True)
    if done.returncode:
        raise Trouble("fairlead userprio: exit %d: %s" % (done.returncode, done.stderr.strip()))
    return customers_of(done.stdout)


def priorities(case, programs):
    if "claimed" in case.get("pool", {}):
        return trace(case, programs)
    return {"%d %s" % (at + 1, row.get("name")): series(case, row, programs) for at, row in enumerate(case["series"])}


def moments(row):
    """Return [(second, [events])] of steps and events. An update is "update"."""
    if "events" in row:
        return [(event["t"], event) for event in row["events"]]
    t, found = 0, [(0, {"update": True, "note": "weight %s in use since before" % row["steps"][0]["weight_in_use"]})]
    for before, step in zip([row["steps"][0], *row["steps"]], row["steps"]):
        if step["weight_in_use"] != before["weight_in_use"]:
            found.append((t, {"add": {"slot": "s1", "weight": step["weight_in_use"]}}))
        t += step["dt"]
        found.append((t, {"update": True}))
    return found


def series(case, row, programs):
    name, config = row.get("customer", "u@pool"), dict(case["config"])
    if "halflife" in row:
        config["PRIORITY_HALFLIFE"] = row["halflife"]
    known = {name: {"Priority": float(row.get("start_rup", 0.5)), "PriorityFactor": 1.0}}
    with contextlib.closing(Pool(programs, config, known, LATER, delay=0)) as pool:
        found, first = {}, None
        for t, event in moments(row):
            happen(pool, name, t, event)
            if event.get("update"):
                have = customers(pool)[name]
                first = have["WeightedAccumulatedUsage"] if first is None else first
                found[t] = (have["Priority"] / have["PriorityFactor"], have["WeightedAccumulatedUsage"] - first)
    points = row.get("expect", [])
    return {"%s at %s" % (what, point["t"]): found[point["t"]][what != "rup"] for point in points for what in point if what != "t"}


def happen(pool, name, t, event):
    before = re.search(r"weight ([\d.]+) in use since before", event.get("note", ""))
    if before and float(before[1]) > 0:
        pool.slot(1, 1, {})
        pool.claim(slot_name(1), name, weight=float(before[1]), since=START)
    pool.at(START + t)
    if event.get("update"):
        pool.update(START + t)
    if "add" in event:
        number = int(event["add"]["slot"][1:])
        if slot_name(number) not in pool.slots:
            pool.slot(number, 1, {})
        pool.claim(slot_name(number), name, weight=float(event["add"]["weight"]), since=START + t)
    if "remove" in event:
        pool.release(slot_name(int(event["remove"][1:])))
    if "add" in event or "remove" in event:
        pool.settle()


def trace(case, programs):
    """Check all customers of a pool at once. Some of its slots disappear."""
    steps, there = case["series"][0]["steps"], case["pool"]
    goes = {int(match[1]): re.findall(r"\w+", text.partition(" disappear")[0].replace(" and ", " "))
            for match, text in ((re.match(r"after_(\d+)_steps", name), text) for name, text in there.items()) if match}
    numbers = {slot: number for number, slot in enumerate(there["slots"], 1)}
    found = {"%d %s" % (at + 1, row["customer"]): {} for at, row in enumerate(case["series"])}
    default = float(case["config"].get("DEFAULT_PRIO_FACTOR", 1000))        # groups do not show theirs
    with contextlib.closing(Pool(programs, case["config"], {}, LATER, delay=0)) as pool:
        for slot, weight in there["slots"].items():
            pool.slot(numbers[slot], weight, {})
        for owner, slots in there["claimed"].items():
            for slot in slots:
                pool.claim(slot_name(numbers[slot]), owner, weight=float(there["slots"][slot]), since=START)
        pool.update(START)
        t = 0
        for at, step in enumerate(steps, 1):
            t += step["dt"]
            pool.update(START + t)
            have = customers(pool)
            for slot in goes.get(at, []):
                pool.send({"event": "slot_remove", "slot": slot_name(numbers[slot])})
                del pool.slots[slot_name(numbers[slot])]
            pool.settle()
            for place, row in enumerate(case["series"], 1):
                of = have[row["customer"]]
                found["%d %s" % (place, row["customer"])]["rup at %d" % t] = of["Priority"] / (of["PriorityFactor"] or default)
    return found


# ---- factors ----

def factors(case, programs):
    with contextlib.closing(Pool(programs, case["config"], {})) as pool:
        pool.slot(1, 1, {"Requirements": "false"})
        for row in case["expect"]:
            pool.job(row["submitter"])
        pool.negotiate()
        have = customers(pool)
        rows = [{"factor": have[row["submitter"]]["PriorityFactor"], "eup": have[row["submitter"]]["Priority"]} for row in case["expect"]]
    return {"submitters": rows, "commands": factor_commands(case, programs)}


# ---- expressions ----

def expressions(case, programs):
    """Evaluate the expressions with the test driver, which uses the code of the policies."""
    build = os.environ.get("B", "build")
    driver = os.path.join(ROOT, build, "tests", "classad", "driver")
    if not os.path.exists(driver):              # `make` alone builds no tests
        subprocess.run(["make", "-s", "-C", ROOT, "B=" + build, build + "/tests/classad/driver"], check=False, stdout=subprocess.DEVNULL)
    done = subprocess.run([driver], input=json.dumps({name: case[name] for name in ("my", "target", "rows") if name in case}) + "\n", capture_output=True, text=True, timeout=60)
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(case["rows"]):
        raise Trouble("%s: exit %d, %d answers: %s" % (driver, done.returncode, len(answers), done.stdout[:200]))
    return {row["expr"]: {name: value for name, value in json.loads(answer).items() if name in row} for row, answer in zip(case["rows"], answers)}
