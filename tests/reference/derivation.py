# SPDX-License-Identifier: Apache-2.0
"""Compute the output of `fairlead explain --json` again: each line from the lines above it, without any code of the
program.

Doubles are those of the machine; where a formula has more bits, fractions are rounded to them.
"""
import decimal
import math
from fractions import Fraction

LIMIT = 10.0 ** 150
EXTENDED_BITS = 64
EPSILON = 0.00001


def rounded(value, bits):
    """A fraction as the nearest one that has so many bits, ties to even."""
    if value == 0:
        return Fraction(0)
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - bits
    while abs(value) >= Fraction(2) ** (exponent + bits):
        exponent += 1
    while abs(value) < Fraction(2) ** (exponent + bits - 1):
        exponent -= 1
    return round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent


class Double:
    def number(self, value):
        return float(value)

    def two(self, operation, a, b):
        if operation == "sum":
            return a + b
        if operation == "difference":
            return a - b
        if operation == "product":
            return a * b
        if operation == "quotient":
            if b == 0:
                return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1, b)
            return a / b
        if operation == "power":
            return math.pow(a, b)
        raise ValueError("no operation " + operation)

    def logarithm(self, a):
        return math.log(a)


class Extended:
    """Numbers that a double has too few bits for; whole numbers are those without a fraction."""

    def __init__(self, whole=False):
        self.whole = whole

    def number(self, value):
        value = rounded(Fraction(value), EXTENDED_BITS)
        return Fraction(math.trunc(value)) if self.whole else value

    def two(self, operation, a, b):
        if operation == "power":
            return self.number(power(a, b))
        if operation == "quotient" and b == 0:
            return math.nan if a == 0 else math.inf if a > 0 else -math.inf
        exact = {"sum": lambda: a + b, "difference": lambda: a - b, "product": lambda: a * b, "quotient": lambda: a / b}
        return self.number(exact[operation]())

    def logarithm(self, a):
        with decimal.localcontext() as context:
            context.prec = 60
            return self.number(Fraction((decimal.Decimal(a.numerator) / decimal.Decimal(a.denominator)).ln()))


def power(a, b):
    with decimal.localcontext() as context:
        context.prec = 60
        return Fraction((decimal.Decimal(a.numerator) / a.denominator) ** (decimal.Decimal(b.numerator) / b.denominator))


KINDS = {"double": Double(), "extended": Extended(), "whole": Extended(whole=True)}


def bounded(value):
    if value != value:
        return 0.0
    return value if -LIMIT <= value <= LIMIT else math.copysign(LIMIT, value)


def value_in(line):
    """The value of a line as printed."""
    if "extended" in line:
        return KINDS["extended"].number(Fraction(line["extended"]))
    return KINDS[line["precision"]].number(line["value"])


def differs(line, value):
    """A logarithm or power of more bits than a double has is the program's library's, which may be off by the last of them."""
    if line["precision"] == "extended" and line["operation"] in ("logarithm", "power"):
        return abs(value - value_in(line)) > abs(value) * Fraction(1, 2 ** (EXTENDED_BITS - 2))
    return value != value_in(line)


def wrapped(a, b):
    return (int(a) - int(b)) % 2 ** 32


def evaluate(line, values):
    """The value that a line should have, by those above it."""
    kind, operation = KINDS[line["precision"]], line["operation"]
    if operation == "given":
        return value_in(line)
    operands = [of if isinstance(of, list) else [of, 1] for of in line["of"]]
    plain = [values[of] for of, _ in operands]
    numbers = [kind.number(value) for value in plain]
    if operation == "normalised":
        value, least, most = map(float, plain)
        return 0.5 if most - least < EPSILON else (value - least) / (most - least)
    if operation == "truncated":
        return kind.number(math.trunc(numbers[0]))
    if operation == "logarithm":
        return kind.logarithm(numbers[0])
    if operation == "wrapped":
        return kind.number(wrapped(*plain))
    if operation == "wrapped_signed":
        return kind.number((wrapped(*plain) + 2 ** 31) % 2 ** 32 - 2 ** 31)
    if operation == "six_decimals":
        return float("%.6f" % float(plain[0]))
    if operation in ("least", "greatest"):
        return (min if operation == "least" else max)(numbers)
    if operation == "same":
        return numbers[0]
    result = None
    for (_, times), number in zip(operands, numbers):
        for _ in range(times):
            result = number if result is None else kind.two(operation, result, number)
    return kind.number(0) if result is None else result


def wrong_lines(job):
    """(index, what it should be) of each line that does not follow from those above it."""
    values, wrong = [], []
    for index, line in enumerate(job["lines"]):
        if any((of[0] if isinstance(of, list) else of) >= index for of in line.get("of", [])):
            wrong.append((index, "a line that stands above it"))
            values.append(value_in(line))
            continue
        value = evaluate(line, values)
        value = value if line["operation"] == "given" else bounded(value)
        if differs(line, value):
            wrong.append((index, float(value)))
        values.append(value_in(line))
    return wrong


def is_wrong(job, index):
    """Does one line not follow from those above it, as they are printed?"""
    line = job["lines"][index]
    values = {of: value_in(job["lines"][of]) for of in (of[0] if isinstance(of, list) else of for of in line.get("of", []))}
    return differs(line, bounded(evaluate(line, values)))
