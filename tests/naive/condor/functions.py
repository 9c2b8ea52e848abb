# SPDX-License-Identifier: Apache-2.0
"""What ClassAd expressions may call: name -> (function of values, fewest arguments, most)."""
import math
import re

from values import ERROR, UNDEFINED, is_number, number, wrap

MANY = 1 << 30


def passing(function):
    """ERROR, then UNDEFINED, among the arguments is the result."""
    def call(*values):
        for special in (ERROR, UNDEFINED):
            if any(value is special for value in values):
                return special
        return function(*values)
    return call


def is_a(*types):
    return lambda value: type(value) in types


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        shown = "%.16G" % value
        return shown if "." in shown or "E" in shown else shown + ".0"
    return value if isinstance(value, str) else str(value)


def of_texts(function):
    """Of what can be written as a text: lists can't."""
    return passing(lambda *values: ERROR if any(isinstance(value, list) for value in values) else function(*map(text, values)))


def whole(value):
    """A real as an integer, if it has a place there."""
    return int(value) if math.isfinite(value) and -2 ** 63 <= value < 2 ** 63 else ERROR


def rounded(to):
    def call(value):
        if isinstance(value, str):
            value = real(value)
        if not is_number(value):
            return ERROR
        return whole(to(value)) if isinstance(value, float) and math.isfinite(value) else int(value) if not isinstance(value, float) else ERROR
    return call


def real(value):
    if is_number(value):
        return float(value)
    try:
        return float(value) if isinstance(value, str) and re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", value) else ERROR
    except OverflowError:
        return ERROR


def integer(value):
    found = real(value) if not isinstance(value, (bool, int)) else value
    return ERROR if found is ERROR else whole(found) if isinstance(found, float) else int(found)


def extreme(pick):
    def call(values):
        if not isinstance(values, list):
            return ERROR if values is not UNDEFINED else UNDEFINED
        known = [number(value) for value in values if value is not UNDEFINED]
        if not all(map(is_number, known)):
            return ERROR
        if not known:
            return UNDEFINED
        return pick(map(float, known)) if any(isinstance(value, float) for value in known) else pick(known)
    return call


def equal(a, b):
    if isinstance(a, str) and isinstance(b, str):
        return a.lower() == b.lower()
    return is_number(a) and is_number(b) and a == b


def member(wanted, values):
    return any(equal(wanted, value) for value in values) if isinstance(values, list) and not isinstance(wanted, list) else ERROR


def size(value):
    return len(value) if isinstance(value, (list, str)) else ERROR


def substr(value, start, *length):
    if not isinstance(value, str) or any(type(n) is not int for n in (start, *length)):
        return ERROR
    begin = min(start if start >= 0 else max(0, len(value) + start), len(value))
    count = length[0] if length else len(value) - begin
    return value[begin:begin + count] if count >= 0 else value[begin:max(begin, len(value) + count)]


def regexp(pattern, value, options=""):
    if not all(isinstance(word, str) for word in (pattern, value, options)):
        return ERROR
    try:
        return re.search(pattern, value, re.I if "i" in options.lower() else 0) is not None
    except re.error:
        return ERROR


def string_list_member(wanted, values, delimiters=" ,"):
    if not all(isinstance(word, str) for word in (wanted, values, delimiters)):
        return ERROR
    return wanted in [word.strip() for word in re.split("[%s]" % re.escape(delimiters), values) if word.strip()]


def power(a, b):
    a, b = (value if isinstance(value, int) and not isinstance(value, bool) else real(value) for value in (a, b))
    if a is ERROR or b is ERROR:
        return ERROR
    if isinstance(a, int) and isinstance(b, int) and b >= 0:
        return wrap(pow(a, b, 2 ** 64))
    a, b = float(a), float(b)
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.nan if a else math.copysign(math.inf, a) if b % 2 == 1 else math.inf


def multiple(value, step):
    """The least multiple of step that is not below, of the type of step."""
    if not is_number(step) or step == 0:
        return ERROR
    if isinstance(step, float):
        quotient = value / step
        return (float(math.ceil(quotient)) or math.copysign(0.0, quotient)) * step if math.isfinite(quotient) else quotient * step
    if isinstance(value, float):
        return whole(float(math.ceil(value / step)) * step) if math.isfinite(value) else ERROR
    return wrap(-(-value // int(step)) * int(step))


def quantize(value, step):
    value = value if isinstance(value, int) and not isinstance(value, bool) else real(value)
    if value is ERROR:
        return ERROR
    if not isinstance(step, list):
        return multiple(value, step)
    for item in step:
        if not is_number(item):
            return ERROR
        if item >= value:
            return item
    return multiple(value, step[-1]) if step else ERROR


FUNCTIONS = {
    "isundefined": (lambda value: value is UNDEFINED, 1, 1), "iserror": (lambda value: value is ERROR, 1, 1),
    "isinteger": (is_a(int), 1, 1), "isreal": (is_a(float), 1, 1), "isstring": (is_a(str), 1, 1), "isboolean": (is_a(bool), 1, 1),
    "floor": (rounded(math.floor), 1, 1), "ceiling": (rounded(math.ceil), 1, 1), "round": (rounded(round), 1, 1),
    "int": (passing(integer), 1, 1), "real": (passing(real), 1, 1),
    "min": (extreme(min), 1, 1), "max": (extreme(max), 1, 1), "member": (lambda wanted, values: passing(member)(wanted, values), 2, 2),
    "size": (passing(size), 1, 1),
    "tolower": (of_texts(str.lower), 1, 1), "toupper": (of_texts(str.upper), 1, 1),
    "strcat": (of_texts(lambda *values: "".join(values)), 0, MANY), "substr": (passing(substr), 2, 3),
    "regexp": (passing(regexp), 2, 3), "stringlistmember": (passing(string_list_member), 2, 3),
    "pow": (power, 2, 2), "quantize": (quantize, 2, 2),
}
