# SPDX-License-Identifier: Apache-2.0
"""Results of a ClassAd expression: UNDEFINED, ERROR, bool, int, float, str, list, View."""


class Nothing:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


UNDEFINED, ERROR = Nothing("undefined"), Nothing("error")


class View:
    """An ad as a value, the other ad of the evaluation, and the function that writes the ad as a text."""

    def __init__(self, ad, target, write):
        self.ad, self.target, self.write = ad, target, write

    def __str__(self):
        return self.write(self.ad)


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
