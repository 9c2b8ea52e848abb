# SPDX-License-Identifier: Apache-2.0
"""Bounds of what a local cell with user priorities has charged, from its accounting and its detailed log (-v).

An attempt of a job is charged from the time of the run that matched it to the time of the first run after its end. The log has both. What is
between them and the accounting depends on the speed of the machine. If the scheduler was killed in between, the bounds are wider.
"""
import collections
import datetime
import re
import time

NUMBER, SUBMITTED, WALLCLOCK = 5, 8, 13  # fields of accounting(5), from 0
LINE = re.compile(r"(?m)^(\S+) fairlead-schedd: (?:(serving) |run at (\d+): |(start|end): job (\d+) of )")


class Attempt:
    """Times of the runs that matched an attempt and that booked its end; None: not logged. Lives: how many schedulers there had been then."""

    def __init__(self, match=None, match_life=None):
        self.match, self.match_life, self.ended, self.booked, self.booked_life = match, match_life, False, None, None


def attempts_logged(log):
    """Return {job: attempts}."""
    found, unbooked, run, life = collections.defaultdict(list), [], None, 0
    for _, serving, run_time, what, job in LINE.findall(log):
        if serving:
            run, life = None, life + 1
        elif run_time:
            run = int(run_time)
            for attempt in unbooked:
                attempt.booked, attempt.booked_life = run, life
            unbooked = []
        elif what == "start":
            found[job].append(Attempt(run, life))
        else:
            if not found[job] or found[job][-1].ended:
                found[job].append(Attempt())  # its start was not logged
            found[job][-1].ended = True
            unbooked.append(found[job][-1])
    return found


def births(log):
    return [datetime.datetime.fromisoformat(date).timestamp() for date, serving, *_ in LINE.findall(log) if serving]


def job_bounds(records, attempts, born):
    """Return the least and the most seconds for which a job was charged."""
    least, pending = [float(record[WALLCLOCK]) - 1 for record in records], int(records[0][SUBMITTED])
    if len(attempts) != len(records) or not all(attempt.booked for attempt in attempts):
        return sum(least), time.time() - pending
    most = []
    for k, attempt in enumerate(attempts):
        # a scheduler that was killed after a match and before the start has charged the match until the next one served
        undisturbed = attempt.match is not None and not any(pending <= birth for birth in born[:attempt.match_life])
        most.append(attempt.booked - (attempt.match if undisturbed else pending))
        if undisturbed and attempt.booked_life == attempt.match_life:
            least[k] = most[k]
        pending = attempt.booked
    return sum(least), sum(most)


def bounds(lines, log):
    """Return the least and the most seconds that all jobs of these lines of the accounting were charged."""
    attempts, born, records = attempts_logged(log), births(log), collections.defaultdict(list)
    for line in lines:
        records[line[NUMBER]].append(line)
    found = [job_bounds(of_job, attempts[number], born) for number, of_job in records.items()]
    return sum(least for least, _ in found), sum(most for _, most in found)
