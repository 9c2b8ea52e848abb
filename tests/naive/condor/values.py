# SPDX-License-Identifier: Apache-2.0
"""Results of a ClassAd expression: UNDEFINED, ERROR, bool, int, float, str, list."""


class Nothing:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


UNDEFINED, ERROR = Nothing("undefined"), Nothing("error")


def is_number(value):
    """Booleans count."""
    return isinstance(value, (bool, int, float))


def number(value):
    return int(value) if isinstance(value, bool) else value


def truth(value):
    """Return the truth value for && || ! and ?: : True, False, UNDEFINED, ERROR. Numbers are true unless 0."""
    if value is UNDEFINED or value is ERROR:
        return value
    return value != 0 if is_number(value) else ERROR


def wrap(value):
    """64 bits; reals stay."""
    return (value + 2 ** 63) % 2 ** 64 - 2 ** 63 if isinstance(value, int) else value
