# SPDX-License-Identifier: Apache-2.0
"""Functions of ClassAd expressions: name -> (function of values, fewest arguments, most)."""
import math
import re

from values import ERROR, UNDEFINED, View, is_number, number, wrap
from written import text

MANY = 1 << 30


def passing(function):
    """ERROR, then UNDEFINED, among the arguments is the result."""
    def call(*values):
        for special in (ERROR, UNDEFINED):
            if any(value is special for value in values):
                return special
        return function(*values)
    return call


def undefined_first(function):
    """UNDEFINED, then ERROR."""
    def call(*values):
        return UNDEFINED if any(value is UNDEFINED for value in values) else ERROR if any(value is ERROR for value in values) else function(*values)
    return call


def is_a(*types):
    return lambda value: type(value) in types


def of_texts(function):
    """Wrap a function of texts. Its arguments can be values that can be written as a text."""
    return passing(lambda *values: function(*map(text, values)))


def joined(*values):
    """The first that is undefined or error decides."""
    special = next((value for value in values if value is UNDEFINED or value is ERROR), None)
    return "".join(map(text, values)) if special is None else special


def join(separator, *values):
    """The values, or the items of a list, those that are undefined left out."""
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    known = [value for value in values if value is not UNDEFINED]
    if separator is ERROR or any(value is ERROR for value in known):
        return ERROR
    if not known and values:
        return UNDEFINED
    found = ""
    for value in known:
        found += ((("" if separator is UNDEFINED else text(separator)) if found else "") + text(value))
    return found


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
    """The number at the begin of a text, as strtod(3) reads it."""
    if is_number(value):
        return float(value)
    if not isinstance(value, str):
        return ERROR
    hexadecimal = re.match(r"\s*([-+]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][-+]?\d+)?)", value)
    if hexadecimal:
        return float.fromhex(hexadecimal[1])
    decimal = re.match(r"\s*([-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:inf(inity)?|nan)))", value)
    return float(decimal[1]) if decimal else ERROR


def integer(value):
    found = real(value) if not isinstance(value, (bool, int)) else value
    return ERROR if found is ERROR else whole(found) if isinstance(found, float) else int(found)


def extreme(pick):
    def call(values):
        if not isinstance(values, list):
            return ERROR if values is not UNDEFINED else UNDEFINED
        known = [value for value in values if value is not UNDEFINED]
        if not all(map(is_number, known)):
            return ERROR
        if len(known) < 2:
            return known[0] if known else UNDEFINED
        known = [number(value) for value in known]
        return pick(map(float, known)) if any(isinstance(value, float) for value in known) else pick(known)
    return call


def equal(a, b):
    if isinstance(a, str) and isinstance(b, str):
        return a.lower() == b.lower()
    return is_number(a) and is_number(b) and a == b


def member(wanted, values):
    if wanted is UNDEFINED or values is UNDEFINED:
        return UNDEFINED
    if wanted is ERROR:
        return ERROR
    return any(equal(wanted, value) for value in values) if isinstance(values, list) and not isinstance(wanted, (list, View)) else ERROR


def size(value):
    return len(value.ad) if isinstance(value, View) else len(value) if isinstance(value, (list, str)) else ERROR


def signed32(number):
    return (number + 2 ** 31) % 2 ** 32 - 2 ** 31


def substr(value, start, *length):
    """Positions have 32 bits, as in HTCondor."""
    if not isinstance(value, str) or any(type(n) is not int for n in (start, *length)):
        return ERROR
    start, length = signed32(start), [signed32(n) for n in length]
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


def items(values, delimiters):
    """The words of a list; without delimiters it is one word."""
    return [word.strip() for word in (re.split("[%s]" % re.escape(delimiters), values) if delimiters else [values]) if word.strip()]


def string_list_member(wanted, values, delimiters=", \t\r\n"):
    """Treat an undefined argument as an empty text, unless both are undefined."""
    if not all(isinstance(word, str) or word is UNDEFINED for word in (wanted, values, delimiters)):
        return ERROR
    if wanted is UNDEFINED and values is UNDEFINED:
        return UNDEFINED
    wanted, values, delimiters = ("" if word is UNDEFINED else word for word in (wanted, values, delimiters))
    return bool(wanted) and wanted in items(values, delimiters)


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


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def multiple(value, number, step, of):
    """The least multiple of step that is not below, whole if both are; of nothing the value itself."""
    if step == 0 if is_whole(step) else abs(of) <= 1e-8:
        return value
    if is_whole(value) and is_whole(step):
        over = wrap(value + step - 1)
        quotient = abs(over) // abs(step)
        return wrap((quotient if (over < 0) == (step < 0) else -quotient) * step) if step != -1 else over
    quotient = number / of
    return (float(math.ceil(quotient)) or math.copysign(0.0, quotient)) * of if math.isfinite(quotient) else quotient * of


def quantize(value, step):
    number, of = real(value), 0.0
    if number is ERROR:
        return ERROR
    if not isinstance(step, list):
        of = real(step)
        return ERROR if of is ERROR else multiple(value, number, step, of)
    last = 0.0
    for last in step:
        of = real(last)
        if of is ERROR:
            return ERROR
        if of >= number:
            return last
    return multiple(value, number, last, of)


FUNCTIONS = {
    "isundefined": (lambda value: value is UNDEFINED, 1, 1), "iserror": (lambda value: value is ERROR, 1, 1),
    "isinteger": (is_a(int), 1, 1), "isreal": (is_a(float), 1, 1), "isstring": (is_a(str), 1, 1), "isboolean": (is_a(bool), 1, 1),
    "isclassad": (is_a(View), 1, 1), "islist": (is_a(list), 1, 1), "string": (passing(text), 1, 1), "join": (join, 2, MANY),
    "floor": (rounded(math.floor), 1, 1), "ceiling": (rounded(math.ceil), 1, 1), "round": (rounded(round), 1, 1),
    "int": (passing(integer), 1, 1), "real": (passing(real), 1, 1),
    "min": (extreme(min), 1, 1), "max": (extreme(max), 1, 1), "member": (member, 2, 2),
    "size": (passing(size), 1, 1),
    "tolower": (of_texts(str.lower), 1, 1), "toupper": (of_texts(str.upper), 1, 1),
    "strcat": (joined, 0, MANY), "substr": (undefined_first(substr), 2, 3),
    "regexp": (passing(regexp), 2, 3), "stringlistmember": (string_list_member, 2, 3),
    "pow": (power, 2, 2), "quantize": (quantize, 2, 2),
}
