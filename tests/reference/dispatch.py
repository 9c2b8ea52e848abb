# SPDX-License-Identifier: Apache-2.0
"""Cases of what was started where: the recorded decisions of one run, and how they are compared with those of the real program.

A case is read as one of priorities is (recorded.Case), with rows made from what it says of running and of pending jobs. Jobs of phase
`run` were submitted and started before the others came. The slots of queue instances are left to the program, which reads them from the
configuration of the queues.
"""
import os

import defects
from recorded import Case, compress, expand, load

PENDING = "prio ntckts tckts urg nurg rrcontr wtcontr npprior".split()
COLONS = "::::::::"

# What a qmaster keeps of a task's state, and the letters for it. A scheduler that runs already
# hears nothing of tasks that another queue has suspended (0x2000, of a slot-wise list 0x4000): they
# are running ones to it.
RUNNING, STATES = 0x80, {0x100: "s", 0x2000: "", 0x4000: "", 0x10000: "T"}


def letters(state):
    unknown = state & ~sum(STATES, RUNNING)
    if unknown:
        raise ValueError("a running task has state 0x%x: 0x%x is not known" % (state, unknown))
    return "".join(letter for bit, letter in STATES.items() if state & bit) or "r"


def is_dispatch(path):
    return "started" in load(os.path.join(path, "expected.json"), {})


class DispatchCase(Case):
    def _rows(self, lines):
        expected, submitted = self.expected, self._submit_times()
        self.disabled, self.tells_slots = False, False

        def row(kind, facts):
            line, number = lines.get(facts["id"], {}), facts["job_number"]
            return {"kind": kind, "id": facts["id"], "job_number": number, "owner": facts["owner"], "project": line.get("project"),
                    "department": None, "submit_time": submitted[number], "deadline": line.get("dl"), "jobshare": line.get("js", 0),
                    "job_override_tickets": line.get("ot", 0), "priority_field": 1024 + line.get("p", 0), "phase": line.get("phase")}

        states = {(task["job_number"], task["task"]): task["state"] for task in expected.get("running_states", [])}
        for facts in expected["already_running"]:
            order = {"seq": facts["seq"]} if "seq" in facts else {}
            yield {**row("running", facts), **order, "task": facts["task"], "start_time": facts["start_time"], "granted": facts["granted"],
                   "granted_pe": facts["pe"], "state": letters(states.get((facts["job_number"], facts["task"]), RUNNING)), "scaled_usage": None}
        left = {facts["job_number"]: facts for facts in expected["pending"]}
        waiting = {number: set(expand(facts["pending_tasks"])) for number, facts in left.items()}
        for start in expected["started"]:
            left.setdefault(start["job_number"], start)
            waiting.setdefault(start["job_number"], set()).add(start["task"])
        for number in sorted(left):
            held = left[number].get("held_tasks") or {}
            line = lines.get(left[number]["id"], {})
            kinds = line.get("hold", "") + ("a" if line.get("hold_jid_ad") else "") or "u"
            yield {**row("pending", left[number]), "pending_tasks": [[i, i, 1] for i in sorted(waiting[number])],
                   "held_tasks": held if isinstance(held, dict) else {kind: held for kind in kinds}, "state": ""}

    def _submit_times(self):
        """Return the recorded or logged submission time. Without one: from the waiting time of pending jobs, or the
        time of the job before."""
        weight = float(self.conf.get("weight_waiting_time", 0))
        known = {}
        if weight:
            known = {job["job_number"]: self.now - round(job["wtcontr"] / weight) for job in self.expected["pending"] if job.get("wtcontr")}
        log = self.file("raw/reporting-joblog.txt")
        if os.path.exists(log):
            with open(log) as file:
                known.update((int(f[4]), int(f[12])) for f in (line.split(":") for line in file) if f[3] in ("pending", "sent"))
        jobs = {job["job_number"]: job for kind in ("started", "pending", "already_running") for job in self.expected[kind]}
        known.update((number, job["submit_time"]) for number, job in jobs.items() if "submit_time" in job)
        running = {job["job_number"]: job["start_time"] for job in self.expected["already_running"]}
        last, out = min([*running.values(), *known.values(), self.now - 1]), {}
        for number in sorted(jobs):
            last = out[number] = min(known.get(number, last), running.get(number, self.now))
        return out


# Comparisons give lists of (what it is about, recorded, is).

def start_facts(start):
    """
    Return the compared values of a recorded or ordered start. Tickets are compared only if they are known. A
    recording has no tickets of each instance: they are the task's tickets, divided among its slots.
    """
    facts = {"task": (start["job_number"], start.get("task") or 1), "pe": start.get("pe") or start.get("granted_pe"),
             "granted": [(entry["queue"], entry["slots"]) for entry in start["granted"]], "prio": float(start["prio"])}
    if "ntckts" in start:
        facts["ntckts"] = float(start["ntckts"])
        if "tckts" in start:
            each = start["tckts"] / sum(entry["slots"] for entry in start["granted"])
            facts["tickets"] = [each * entry["slots"] for entry in start["granted"]]
        else:
            facts["tickets"] = [float(entry["tickets"]) for entry in start["granted"]]
    return facts


def differing(what, want, got):
    """Group differences by the facts that differ. A start that is missing or of another task counts as a whole."""
    if want is None or got is None or want["task"] != got["task"]:
        return [(what, want and summary(want), got and summary(got))]
    return [("%s, job %d.%d, %s" % (what, *want["task"], fact), want[fact], got[fact]) for fact in want if want[fact] != got[fact]]


def summary(start):
    places = " ".join("%s=%d" % entry for entry in start["granted"])
    return "job %d.%d %s%s" % (*start["task"], start["pe"] + " " if start["pe"] else "", places)


def compare_starts(wanted, orders):
    """Number of equal decisions, and what differs in the others."""
    wanted, orders = [start_facts(s) for s in wanted], [start_facts(s) for s in orders]
    equal, notes = 0, []
    for k in range(max(len(wanted), len(orders))):
        new = differing("start %d" % (k + 1), *(s[k] if k < len(s) else None for s in (wanted, orders)))
        equal += not new
        notes += new
    return equal, notes


def left_over(result):
    """Jobs with tasks that were not started: what is published is the state before the orders of the run."""
    started = {}
    for order in result.starts:
        started.setdefault(order["job_number"], set()).add(order.get("task") or 1)
    rows = [{**row, "tasks": [i for i in expand(row["tasks"]) if i not in started.get(row["job_number"], ())]}
            for row in result.rows if row["kind"] == "pending"]
    left = {}
    for row in filter(lambda row: row["tasks"], rows):      # of an array one for each state; the first is that of tasks that could start
        first = left.setdefault(row["job_number"], row)
        left[row["job_number"]] = {**first, "tasks": sorted({*first["tasks"], *row["tasks"]})}
    return left


def compare_left(wanted, have):
    """
    Compare the remaining tasks and their priorities. The qmaster has priority 0 for jobs that a limit kept out of
    the run and for the rest of a started array. This is not a decision, so it is not compared.
    """
    notes = [("job %d is pending" % n, False, True) for n in sorted(set(have) - {job["job_number"] for job in wanted})]
    for job in wanted:
        number, row = job["job_number"], have.get(job["job_number"])
        if row is None:
            notes.append(("job %d is pending" % number, True, False))
            continue
        held = job.get("held_tasks") or []
        held = [held] if isinstance(held, list) else held.values()
        facts = [("tasks", sorted({*expand(job["pending_tasks"])}.union(*map(expand, held))), row["tasks"])]
        fields = PENDING if job["prio"] else ()
        facts += [(field, float(job[field]), float(row[field])) for field in fields if field in job]
        notes += [("job %d left, %s" % (number, field), want, got) for field, want, got in facts if want != got]
    return notes


def compare_suspensions(expected, result):
    """Compare the tasks ordered to be suspended and resumed by a threshold. Older recordings do not have them."""
    for what, have in (("suspended", result.suspended), ("resumed", result.resumed)):
        want = [tuple(task) for task in expected.get(what) or []]
        if what in expected and sorted(want) != sorted(have):
            yield "tasks %s" % what, names_of(want), names_of(have)


def names_of(tasks):
    return ["%d.%d" % task for task in sorted(tasks)]


def last_run(text):
    lines = text.splitlines()
    return lines[max((k for k, line in enumerate(lines) if line == COLONS), default=-1) + 1:]


def schedule_lines(case):
    """Return the bookings of the run: the recorded file, or the reservations of expected.json."""
    recorded = case.file("raw/schedule")
    if os.path.exists(recorded):
        with open(recorded) as file:
            return last_run(file.read()), False
    return ["%d:%d:RESERVING:%d:%d:%s:%s:%s:%f" % (job["job_number"], job["task"], job["start"], job["duration"], entry["level"],
                                                    entry["object"], entry["resource"], entry["amount"])
            for job in case.expected["reservations"] for entry in job["booked"]], True


def compare_schedule(case, text):
    """Number of lines compared, and what differs."""
    wanted, reservations_only = schedule_lines(case)
    have = [line for line in last_run(text) if not reservations_only or ":RESERVING:" in line]
    pairs = [tuple(lines[k] if k < len(lines) else None for lines in (wanted, have)) for k in range(max(len(wanted), len(have)))]
    return len(wanted), [("line %d of the schedule" % (k + 1), *pair) for k, pair in enumerate(pairs) if pair[0] != pair[1]]


def differences(case, result):
    """Return all differences."""
    notes = compare_starts(case.expected["started"], result.starts)[1]
    notes += compare_left(case.expected["pending"], left_over(result))
    notes += compare_suspensions(case.expected, result)
    return notes + compare_schedule(case, result.schedule)[1]


# Defects

def explained(case, result):
    """(what is known to be a defect of 8.1.9, the differences that are left), if that is how the first decision differs; else None."""
    lines, reservations_only = schedule_lines(case)
    own = list(defects.decisions(last_run(result.schedule)))
    if result.starts and not any(decision.state == "STARTING" for decision in own):
        own = [defects.of_start(order) for order in result.starts]
    found = defects.explain(case, defects.Recorded(lines, case.expected["started"], not reservations_only), list(own)) or \
        defects.explain_copied(case, result.starts, own)
    return found and (found, list(apart_from(found, case, result, lines)))


def apart_from(found, case, result, lines):
    """Return the differences that are not due to defects: of running tasks, of earlier starts, and of the values
    of jobs that wait in both."""
    yield from compare_starts(case.expected["started"][:found.starts], result.starts[:found.starts])[1]
    yield from compare_suspensions(case.expected, result)
    ran = [[line for line in some if line.split(":")[2] in ("RUNNING", "SUSPENDED")] for some in (lines, last_run(result.schedule))]
    if ran[0] and ran[0] != ran[1]:
        yield "lines of what ran", *ran
    have = left_over(result)
    for job in case.expected["pending"]:
        row = have.get(job["job_number"])
        if row and row["tasks"] == expand(job["pending_tasks"]) == [1]:
            yield from compare_left([job], {job["job_number"]: row})


def compare(case, result, verbose):
    """Prints a line; True if everything is equal, but for what is known to be a defect of 8.1.9."""
    wanted, pending = case.expected["started"], case.expected["pending"]
    notes = differences(case, result)
    defect = explained(case, result) if notes else None
    notes = defect[1] if defect else notes
    print("%-40s starts %4d  equal %4d  left %4d  with priorities %4d  bookings %4d  %s" % (
        os.path.basename(case.path), len(wanted), compare_starts(wanted, result.starts)[0], len(pending),
        sum(bool(job["prio"]) for job in pending), compare_schedule(case, result.schedule)[0],
        "%d DIFFERENCES" % len(notes) if notes else "known defect of 8.1.9" if defect else "ok"))
    for what, want, got in notes if verbose else notes[:1]:
        print("    %s: recorded %s, is %s" % (what, shown(want), shown(got)))
    if len(notes) > 1 and not verbose:
        print("    ... %d more (-v)" % (len(notes) - 1))
    if defect:
        report_defect(defect[0])
    for job, ids in case.beyond_limit().items():
        print("    known defect of 8.1.9: all tasks of job %d take part but %s, whatever its limit" % (job.number, compress(ids) or "none"))
    return not notes


def report_defect(found):
    print("    known defect of 8.1.9: %s" % "; ".join(found.defects))
    print("    %d decisions are equal, %s" % (found.compared, "what comes after them follows from it" if found.follows else "all besides"))


def shown(value):
    if isinstance(value, list):
        return " ".join(map(shown, value)) or "none"
    if isinstance(value, tuple):
        return "=".join(map(str, value))
    return "%.17g" % value if isinstance(value, float) else "nothing" if value is None else str(value)
