# SPDX-License-Identifier: Apache-2.0
"""Would the runner see it, if HTCondor had done something else? tests/reference/control asks."""
import copy
import json
import os

import condor
import condor_compare
import condor_run
from programs import Programs


def changed(value):
    """A value of the same kind that is another one: of a number that may be off, by twice as much as that."""
    if isinstance(value, condor_compare.Near):
        return condor_compare.Near(value + 2 * value.tolerance, value.tolerance)
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return (value or "") + "x"


def each_changed(value, where=""):
    """(where, the whole with one value in it changed)"""
    if isinstance(value, dict):
        for name in value:
            for what, other in each_changed(value[name], "%s, %s" % (where, name)):
                yield what, {**value, name: other}
            yield "%s without %s" % (where, name), {other: value[other] for other in value if other != name}
    elif isinstance(value, list):
        for at in range(len(value)):
            for what, other in each_changed(value[at], "%s, %d" % (where, at + 1)):
                yield what, [*value[:at], other, *value[at + 1:]]
            yield "%s without %d" % (where, at + 1), value[:at] + value[at + 1:]
    else:
        yield where, changed(value)


def check_values(name, case):
    want = condor.expected(case)
    tried, wrong = 0, ["itself: " + note for note in condor_compare.compare(want, want).notes]
    for part in want:                           # one by one: the whole is large
        for what, other in each_changed(want[part], part):
            tried += 1
            if not condor_compare.compare({part: want[part]}, {part: other}).notes:
                wrong.append("not seen: " + what)
    print("%-40s changes %6d  %s" % (name, tried, "all seen" if not wrong else wrong[0]), flush=True)
    return not wrong


def another(case, change):
    other = copy.deepcopy(case)
    change(other)
    return other


def input_changes(case):
    """(what, the case with it changed), where what follows must be something else."""
    kind = case["kind"]
    if kind == "allocation" and "submitters" in case and "running_after_cycle" in case["expect"]:
        yield "no submitter has a job any more", another(case, lambda other: [submitter.update(idle=0, jobs=[]) for submitter in other["submitters"]])
        yield "half of the slots", another(case, lambda other: halve(other["pool"]))
    if kind == "priority" and "start_rup" in case["series"][0]:
        yield "twice the start", another(case, lambda other: other["series"][0].update(start_rup=2 * other["series"][0]["start_rup"] + 1))
    if kind == "factor":
        yield "default factor", another(case, lambda other: other["config"].update(DEFAULT_PRIO_FACTOR=999))
    if kind == "limit":
        yield "a limit", another(case, lambda other: [row["config"].update({name: 7 for name in row["config"]}) for row in other["rows"]])
    if kind == "job-order" and "jobs" in case["rows"][0]:
        yield "a job's priority", another(case, lambda other: other["rows"][0]["jobs"][0].update(JobPrio=100, PreJobPrio1=100))
    if kind == "preemption" and "policy" in case:
        yield "the policy", another(case, lambda other: other.update(policy="False"))
    if kind == "expression":
        yield "an attribute", another(case, lambda other: other["my"].update(Cpus=5))
    if kind == "tool-text":
        yield "usage", another(case, lambda other: [record.update(WeightedAccumulatedUsage=1.0) for record in other["records"]])


def halve(pool):
    pool["slots"] //= 2
    for name in ("weights", "ads"):
        if name in pool:
            pool[name] = pool[name][:pool["slots"]]


def check_inputs(name, case):
    """With the real programs."""
    tried, wrong = 0, []
    for what, other in input_changes(case):
        programs, tried = Programs(1), tried + 1
        try:
            seen = condor_compare.compare(condor.expected(case), condor_run.found(other, programs)).notes
        finally:
            programs.close(False)
        wrong += [] if seen else ["not seen: " + what]
    if tried:
        print("%-40s inputs  %6d  %s" % (name, tried, "all seen" if not wrong else wrong[0]), flush=True)
    return not wrong


def check_layout(name, path):
    """Check that an unknown member is reported at each position."""
    with open(path) as file:
        case = json.load(file)
    wrong = []
    for place in condor.LAYOUTS[case["kind"]]:
        other = copy.deepcopy(case)
        items = condor.items_at(other, place)
        if items:
            items[0][1]["misspelt"] = 1
            if not condor.unknown_members(other):
                wrong.append('"misspelt" is taken at "%s"' % place)
    wrong += condor.unknown_members(case)
    if wrong:
        print("%-40s %s" % (name, wrong[0]))
    return not wrong


def check(path):
    name, case = os.path.basename(path)[:-5], condor.load(path)
    return all([check_layout(name, path), check_values(name, case), check_inputs(name, case)])
