# SPDX-License-Identifier: Apache-2.0
"""ClassAd expressions in HTCondor's old semantics, as plainly as they can be written down: text to a tree of tuples, and the tree walked.

    parse("TARGET.Memory >= MY.RequestMemory").evaluate(job, slot, now)

An ad is a dictionary of lower-case names: Expression, or a value. Values are UNDEFINED, ERROR, bool, int, float, str, list.
"""
import math
import re
import struct

from functions import FUNCTIONS
from values import ERROR, UNDEFINED, is_number, number, truth, wrap

TOKEN = re.compile(r"""\s*(?:
    (?P<real>(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?(?![\w.]) | \.\d+(?:[eE][-+]?\d+)?(?![\w.]) | (?:0|[1-9]\d*)[eE][-+]?\d+(?![\w.]))
  | (?P<int>(?:0|[1-9]\d*)(?![\w.]))
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<name>[A-Za-z_]\w*)
  | (?P<quoted>'(?:[^'\\]|\\.)+')
  | (?P<sign>\?\s*:|=\?=|=!=|>>>|==|!=|<=|>=|<<|>>|&&|\|\||\?:|[-+*/%~!<>&|^?:(){}\[\],.])
)""", re.X)

LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "=?=", "=!=", "is", "isnt"], ["<", "<=", ">", ">="], ["<<", ">>", ">>>"],
          ["+", "-"], ["*", "/", "%"]]
KEYWORDS = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}


class Refused(ValueError):
    """A text that cannot be parsed."""


def tokens(text):
    """Return [(kind, word, adjacent)]. `adjacent`: no space separates the word from the word before."""
    found, close, at = [], [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise Refused("column %d of %r" % (at + 1, text))
        word = match[match.lastgroup]
        kind = "sign" if word.lower() in ("is", "isnt") else match.lastgroup
        close.append(match.start(match.lastgroup) == at)
        if kind == "quoted":
            word = re.sub(r"\\(.)", r"\1", word[1:-1])
        elif kind == "sign":
            word = "?:" if word[0] == "?" and word[-1] == ":" else word.lower()
        found.append((kind, word))
        at = match.end()
    return found + [("end", "")], close + [False]


class Parser:
    def __init__(self, text):
        self.tokens, self.close = tokens(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, *signs):
        """The sign that comes next if it is one of these."""
        kind, word = self.peek()
        if kind == "sign" and word in signs:
            self.at += 1
            return word
        return None

    def need(self, sign):
        if not self.take(sign):
            raise Refused("%s is missing before %r" % (sign, self.peek()[1]))

    def whole(self):
        tree = self.choice()
        if self.peek()[0] != "end":
            raise Refused("%r is too much" % self.peek()[1])
        return tree

    def choice(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.choice()
        self.need(":")
        return "choice", condition, yes, self.choice()

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while True:
            sign = self.take(*LEVELS[level])
            if not sign:
                return left
            left = "binary", sign, left, self.binary(level + 1)

    def unary(self):
        sign = self.take("-", "+", "!", "~")
        self.least(sign)
        return ("unary", sign, self.unary()) if sign else self.selection()

    def least(self, sign):
        """The least integer, written without a blank in it."""
        if sign == "-" and self.peek() == ("int", "9223372036854775808") and self.close[self.at]:
            self.tokens[self.at] = "int", "-9223372036854775808"

    def selection(self):
        tree = self.term()
        while True:
            if self.take("["):
                tree = "item", tree, self.choice()
                self.need("]")
            elif self.take("."):
                kind, word = self.peek()
                if kind != "quoted" and (kind != "name" or word.lower() in KEYWORDS):
                    raise Refused("%r where a name is wanted" % word)
                self.at += 1
                tree = "selection", tree
            elif self.take("?:"):
                tree = "unless", tree, self.signed_term()
            else:
                return tree

    def signed_term(self):
        sign = self.take("-", "+")
        self.least(sign)
        if sign and (self.peek()[0] not in ("int", "real") or not self.close[self.at]):
            raise Refused("%s before %r" % (sign, self.peek()[1]))
        return ("unary", sign, self.term()) if sign else self.term()

    def term(self):
        kind, word = self.peek()
        if kind == "end" or kind == "sign" and word not in "({":
            raise Refused("%r where a value is wanted" % word)
        self.at += 1
        if kind == "int":
            return "value", int(word) if int(word) < 2 ** 63 else 0
        if kind == "real":
            return "value", float(word)
        if kind == "quoted":
            return "name", None, word.lower()
        if kind == "string":
            return "value", word[1:-1].replace('\\"', '"')
        if word == "(":
            tree = self.choice()
            self.need(")")
            return tree
        if word == "{":
            return "list", self.arguments("}")
        return self.named(word.lower())

    def named(self, name):
        if name in KEYWORDS:
            return "value", KEYWORDS[name]
        if self.take("("):
            return "call", name, self.arguments(")")
        if name in ("my", "target") and self.take("."):
            kind, word = self.peek()
            if kind != "quoted" and (kind != "name" or word.lower() in KEYWORDS):
                raise Refused("%r where a name is wanted" % word)
            self.at += 1
            return "name", name, word.lower()
        return "name", None, name

    def arguments(self, end):
        found = []
        while not self.take(end):
            if found:
                self.need(",")
            found.append(self.choice())
        return found


class Expression:
    def __init__(self, text):
        self.text, self.tree = text, Parser(text).whole()

    def evaluate(self, my, target=None, now=0):
        return Moment(now).value(self.tree, my, target or {})


def parse(text):
    return Expression(text)


def ad_of(attributes):
    """From JSON: texts are expressions, all else is a value."""
    return {name.lower(): Expression(value) if isinstance(value, str) else value for name, value in attributes.items()}


def attribute(my, name, target=None, now=0):
    return Moment(now).look_up(name.lower(), my, target or {})


class Moment:
    """One evaluation. It records the attributes in progress to stop at cycles."""

    def __init__(self, now):
        self.now, self.open = now, []

    def value(self, tree, my, target):
        return getattr(self, "of_" + tree[0])(tree, my, target)

    def of_value(self, tree, my, target):
        return tree[1]

    def of_name(self, tree, my, target):
        _, scope, name = tree
        if scope is None and name == "currenttime" and name not in my and name not in target:
            return self.now
        if scope == "target" or scope is None and name not in my:
            return self.look_up(name, target, my)
        return self.look_up(name, my, target)

    def look_up(self, name, my, target):
        found = my.get(name, UNDEFINED)
        if not isinstance(found, Expression):
            return found() if callable(found) else found
        if (id(my), name) in self.open:
            return UNDEFINED
        self.open.append((id(my), name))
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
        if not isinstance(items, list) or type(at) is not int or not 0 <= at < len(items):
            return ERROR
        return items[at]

    def of_selection(self, tree, my, target):
        """Return undefined or an error, since ads are not nested in ads."""
        return UNDEFINED if self.value(tree[1], my, target) is UNDEFINED else ERROR

    def of_unless(self, tree, my, target):
        value = self.value(tree[1], my, target)
        return self.value(tree[2], my, target) if value is UNDEFINED else value

    def of_choice(self, tree, my, target):
        condition = truth(self.value(tree[1], my, target))
        if condition is UNDEFINED or condition is ERROR:
            return condition
        return self.value(tree[2] if condition else tree[3], my, target)

    def of_call(self, tree, my, target):
        _, name, arguments = tree
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
        if sign in ("=?=", "is", "=!=", "isnt") and isinstance(a, list) and isinstance(b, list):
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
