# SPDX-License-Identifier: Apache-2.0
"""ClassAd expressions in HTCondor's old semantics, as plainly as they can be written down: text to a tree of tuples, and the tree walked.

    parse("TARGET.Memory >= MY.RequestMemory").evaluate(job, slot, now)

An ad is a dictionary of lower-case names: Expression, or a value. Values are UNDEFINED, ERROR, bool, int, float, str, list, View of an ad.
"""
import math
import struct

from functions import FUNCTIONS
from syntax import Parser, Refused, Written
from values import ERROR, UNDEFINED, View, is_number, number, truth, wrap
from written import of_ad

NO_AD = {}


class Expression(Written):
    def __init__(self, text):
        super().__init__(text, Parser(text).whole())

    def evaluate(self, my, target=None, now=0):
        return Moment(now).value(self.tree, my, target or {})


def parse(text):
    return Expression(text)


def ad_of(attributes):
    """From JSON: texts are expressions, all else is a value."""
    return {name.lower(): Expression(value) if isinstance(value, str) else value for name, value in attributes.items()}


def attribute(my, name, target=None, now=0):
    return Moment(now).look_up(name.lower(), my, target or {})


class Nested(dict):
    """A nested ad and the ad around it."""

    def __init__(self, attributes, outer):
        super().__init__(attributes)
        self.outer = outer


def outermost(ad):
    while getattr(ad, "outer", None) is not None:
        ad = ad.outer
    return ad


def nearest(ad, name):
    """The ad that has this attribute, or the nearest ad around it that has it, or None."""
    while ad is not None and name not in ad:
        ad = getattr(ad, "outer", None)
    return ad


class Moment:
    """One evaluation. It records the attributes in progress to stop at cycles."""

    def __init__(self, now):
        self.now, self.open = now, []

    def value(self, tree, my, target):
        return getattr(self, "of_" + tree[0])(tree, my, target)

    def of_value(self, tree, my, target):
        return tree[1]

    def of_name(self, tree, my, target):
        _, scope, name = tree[:3]
        if scope != "target":
            home = nearest(my, name)
            if home is not None:
                return self.look_up(name, home, target)
            if getattr(my, "outer", None) is not None:
                return self.now if scope is None and name == "currenttime" else UNDEFINED
        elif isinstance(my, Nested):
            my = outermost(my)
        if scope is None and name == "currenttime" and name not in my and name not in target:
            return self.now
        if scope == "target" or scope is None and name not in my:
            return self.look_up(name, target, my)
        return self.look_up(name, my, target)

    def look_up(self, name, my, target):
        found = my.get(name, UNDEFINED)
        if not isinstance(found, Written):
            return found() if callable(found) else found
        if id(found) in self.open:
            return UNDEFINED
        self.open.append(id(found))
        value = self.value(found.tree, my, target)
        self.open.pop()
        return value

    def of_list(self, tree, my, target):
        return [self.value(item, my, target) for item in tree[1]]

    def of_item(self, tree, my, target):
        items, at = self.value(tree[1], my, target), self.value(tree[2], my, target)
        for special in (ERROR, UNDEFINED):
            if items is special or at is special:
                return special
        if isinstance(items, View) and isinstance(at, str):
            return self.look_up(at.lower(), items.ad, items.target)
        if not isinstance(items, list) or type(at) is not int or not 0 <= at < len(items):
            return ERROR
        return items[at]

    def of_group(self, tree, my, target):
        return self.value(tree[1], my, target)

    def of_ad(self, tree, my, target):
        return View(Nested(tree[1], my), target, of_ad)

    def of_ad_name(self, tree, my, target):
        name = tree[2]
        if name in my:
            return self.look_up(name, my, target)
        outer = getattr(my, "outer", None)
        if name == "parent":
            return UNDEFINED if outer is None else View(outer, target, of_ad)
        found = View(target, outermost(my), of_ad) if name == "target" else View(my, target, of_ad)
        return UNDEFINED if found.ad is NO_AD else found

    def of_selection(self, tree, my, target):
        return self.selected(self.value(tree[1], my, target), tree)

    def selected(self, value, tree):
        _, _, name, means_ad, _ = tree
        if isinstance(value, list):
            return [self.alone(self.selected(item, tree)) for item in value]
        if not isinstance(value, View):
            return UNDEFINED if value is UNDEFINED else ERROR
        if means_ad:
            return self.of_ad_name((None, None, name), value.ad, value.target)
        home = nearest(value.ad, name)
        return UNDEFINED if home is None else self.look_up(name, home, value.target)

    @staticmethod
    def alone(value):
        """Without the ads around it, and without the other ad."""
        return View(Nested(value.ad, None), NO_AD, of_ad) if isinstance(value, View) else value

    def of_unless(self, tree, my, target):
        value = self.value(tree[1], my, target)
        return self.value(tree[2], my, target) if value is UNDEFINED else value

    def of_choice(self, tree, my, target):
        condition = truth(self.value(tree[1], my, target))
        if condition is UNDEFINED or condition is ERROR:
            return condition
        return self.value(tree[2] if condition else tree[3], my, target)

    def of_call(self, tree, my, target):
        _, name, arguments = tree[:3]
        if name == "ifthenelse":
            return self.of_choice(("choice", *arguments), my, target) if len(arguments) == 3 else ERROR
        if name == "time":
            return self.now if not arguments else ERROR
        if name not in FUNCTIONS:
            return ERROR
        function, least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            return ERROR
        return function(*[self.value(argument, my, target) for argument in arguments])

    def of_unary(self, tree, my, target):
        value = self.value(tree[2], my, target)
        if value is ERROR or value is UNDEFINED:
            return value
        if tree[1] == "!":
            known = truth(value)
            return known if known is ERROR else not known
        if tree[1] == "~":
            return ~value if type(value) is int else ERROR
        if type(value) not in (int, float):
            return ERROR
        return value if tree[1] == "+" else wrap(-value)

    def of_binary(self, tree, my, target):
        sign = tree[1]
        if sign in ("&&", "||"):
            return self.logic(tree, my, target, decides=sign == "||")
        a, b = self.value(tree[2], my, target), self.value(tree[3], my, target)
        if sign in ("=?=", "is", "=!=", "isnt") and any(isinstance(a, kind) and isinstance(b, kind) for kind in (list, View)):
            return ERROR
        if sign in ("=?=", "is"):
            return same(a, b)
        if sign in ("=!=", "isnt"):
            return not same(a, b)
        for beats in (ERROR, UNDEFINED):
            if a is beats or b is beats:
                return beats
        if sign in COMPARISONS:
            return compare(sign, a, b)
        return bits(sign, a, b) if sign in BITS else arithmetic(sign, a, b)

    def logic(self, tree, my, target, decides):
        """`decides`: the truth value that settles it: true for ||, false for &&."""
        left = truth(self.value(tree[2], my, target))
        if left is ERROR or left is decides:
            return left
        right = truth(self.value(tree[3], my, target))
        return UNDEFINED if left is UNDEFINED and right is not decides and right is not ERROR else right


def same(a, b):
    return type(a) is type(b) and a == b


COMPARISONS = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
               ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def compare(sign, a, b):
    if isinstance(a, str) and isinstance(b, str):
        return COMPARISONS[sign](a.lower(), b.lower())
    return COMPARISONS[sign](a, b) if is_number(a) and is_number(b) else ERROR


BITS = ("&", "|", "^", "<<", ">>", ">>>")


def bits(sign, a, b):
    if type(a) is not int or type(b) is not int:
        return ERROR
    if sign in ("&", "|", "^"):
        return a & b if sign == "&" else a | b if sign == "|" else a ^ b
    b %= 64
    return wrap(a << b) if sign == "<<" else wrap(a >> b if sign == ">>" else (a % 2 ** 64) >> b)


def arithmetic(sign, a, b):
    if not is_number(a) or not is_number(b):
        return ERROR
    a, b = number(a), number(b)
    whole = type(a) is int and type(b) is int
    if sign in "/%" and (b == 0 or sign == "%" and not whole):
        return ERROR
    if sign == "%":
        return int(math.copysign(1, a)) * (abs(a) % abs(b))
    if sign == "/":
        quotient = abs(a) // abs(b) if whole else 0
        return wrap(quotient if (a < 0) == (b < 0) else -quotient) if whole else real(lambda: a / b)
    do = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[sign]
    return wrap(do()) if whole else real(do)


def real(do):
    """Return an error if the result is not finite."""
    try:
        found = do()
    except OverflowError:
        return ERROR
    return found if math.isfinite(found) else ERROR


def single(x):
    """Rounded to single precision."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
