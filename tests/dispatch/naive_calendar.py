# SPDX-License-Identifier: Apache-2.0
"""Calendars of queues: off or suspended by the year or by the week, minute by minute as one would on paper.  calendar_conf(5)."""
import datetime
import re
import time

DAYS = "mon tue wed thu fri sat sun".split()
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
STRONGER = ["off", "suspended", "on"]		# where entries of the same kind overlap, what stands later wins
LETTER = {"off": "D", "suspended": "C", "on": ""}
AHEAD = 10					# days that are looked at: a week, and the ends of entries of the year


def clock(text):
    """Seconds of a day: `12`, `12:30`, `12:30:15`."""
    h, m, s = (text.split(":") + ["0", "0"])[:3]
    return int(h) * 3600 + int(m) * 60 + int(s)


def day_times(text):
    """`8-12,13:30-17` as [(from, to)] of one day; one over midnight is its two ends."""
    out = []
    for part in text.split(","):
        begin, end = (clock(t) for t in part.split("-"))
        out += [(begin, end)] if begin < end else [(0, end), (begin, 86400)]
    return out


def year_day(text):
    day, month, year = text.split(".")
    return datetime.date(int(year), MONTHS.index(month.lower()) + 1 if month.lower() in MONTHS else int(month), int(day))


def days_of(kind, text):
    """A function: is this day meant?"""
    ranges = [part.split("-") for part in text.split(",")]
    if kind == "week":
        spans = [(DAYS.index(r[0]), DAYS.index(r[-1])) for r in ranges]
        return lambda day: any((day.weekday() - a) % 7 <= (b - a) % 7 for a, b in spans)
    spans = [(year_day(r[0]), year_day(r[-1])) for r in ranges]
    return lambda day: any(a <= day <= b for a, b in spans)


def start_of(day):
    return int(time.mktime(day.timetuple()))


class Entry:
    """`days=times=state`; what is left out: every day, all day long, off."""

    def __init__(self, kind, text):
        self.means, self.times, self.state, self.days = (lambda day: True), [(0, 86400)], "off", []
        for part in text.lower().split("="):
            if part in STRONGER:
                self.state = part
            elif re.match(r"\d+(:\d+)*-\d", part):
                self.times = day_times(part)
            else:
                self.means = days_of(kind, part)
                self.days = [year_day(d) for d in re.split("[,-]", part)] if kind == "year" else []


class Calendar:
    def __init__(self, a):
        self.year, self.week = ([Entry(kind, text) for text in a[kind].split() if text.upper() != "NONE"] for kind in ("year", "week"))

    def state_at(self, moment):
        """Return the state at a local time. The week applies where the year says nothing, different from the manual."""
        t = time.localtime(moment)
        day, second = datetime.date(t.tm_year, t.tm_mon, t.tm_mday), t.tm_hour * 3600 + t.tm_min * 60 + t.tm_sec
        for entries in self.year, self.week:
            states = [e.state for e in entries if e.means(day) and any(a <= second < b for a, b in e.times)]
            if states:
                return max(states, key=STRONGER.index)
        return "on"

    def letter(self, moment):
        return LETTER[self.state_at(moment)]

    def states(self, now):
        """Return [(from, until, state)]: the present state and the next one. The qmaster reports no more."""
        clocks = {t for e in self.year + self.week for span in e.times for t in span} | {0}
        today = datetime.date(*time.localtime(now)[:3])
        days = {day + datetime.timedelta(d) for day in [today] + [d for e in self.year for d in e.days] for d in range(AHEAD)}
        moments = [now] + sorted({m for day in days for m in (start_of(day) + t for t in clocks) if m > now})
        out = []
        for a, b in zip(moments, moments[1:]):
            state = self.state_at(a)
            if out and out[-1][2] == state:
                out[-1] = out[-1][0], b, state
            else:
                out.append((a, b, state))
        return out[:2]

    def closed(self, now):
        return [(a, b) for a, b, state in self.states(now) if state != "on"]
