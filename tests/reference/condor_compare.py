# SPDX-License-Identifier: Apache-2.0
"""Compare the recording of an HTCondor with Fairlead's results, value by value: two structures of the same shape."""


class Near(float):
    """A recorded number that may be off by so much."""

    def __new__(cls, value, tolerance):
        self = super().__new__(cls, value)
        self.tolerance = tolerance
        return self


class Stated(dict):
    """Members that a case states; others are not compared."""


def relatively(value, tolerance):
    return Near(value, tolerance * max(1.0, abs(value)))


class Found:
    """Values compared, and what differs."""

    def __init__(self):
        self.values = self.equal = 0
        self.largest, self.notes = 0.0, []

    def note(self, where, want, have):
        self.notes.append("%s: recorded %s, is %s" % (where, shown(want), shown(have)))

    def compare(self, where, want, have):
        if isinstance(want, dict) and isinstance(have, dict):
            for name in want if isinstance(want, Stated) else [*want, *(name for name in have if name not in want)]:
                self.compare("%s, %s" % (where, name), want.get(name), have.get(name))
        elif isinstance(want, list) and isinstance(have, list) and (len(want) == len(have) or nested(want)):
            for at in range(max(len(want), len(have))):
                self.compare("%s, %d" % (where, at + 1), *(rows[at] if at < len(rows) else None for rows in (want, have)))
        elif isinstance(want, Near) and is_number(have):
            self.near(where, want, have)
        else:
            self.values += 1
            if want == have and isinstance(want, bool) == isinstance(have, bool):
                self.equal += 1
            else:
                self.note(where, want, have)

    def near(self, where, want, have):
        self.values += 1
        off = abs(want - have)
        if off == 0:
            self.equal += 1
        self.largest = max(self.largest, off / max(abs(want), abs(have), 1e-300))
        if not off <= want.tolerance:
            self.note(where, want, have)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def nested(rows):
    return any(isinstance(row, (dict, list)) for row in rows)


def shown(value):
    text = "%.17g" % value if isinstance(value, float) else repr(value)
    return text if len(text) <= 300 else text[:300] + "..."


def compare(want, have):
    found = Found()
    for name in want:
        found.compare(name, want[name], have.get(name))
    return found
