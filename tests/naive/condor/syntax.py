# SPDX-License-Identifier: Apache-2.0
"""ClassAd expressions from text to a tree of tuples."""
import re

from values import ERROR, UNDEFINED

TOKEN = re.compile(r"""\s*(?:
    (?P<real>(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?(?![\w.]) | \.\d+(?:[eE][-+]?\d+)?(?![\w.]) | (?:0|[1-9]\d*)[eE][-+]?\d+(?![\w.]))
  | (?P<int>(?:0|[1-9]\d*)(?![\w.]))
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<name>[A-Za-z_]\w*)
  | (?P<quoted>'(?:[^'\\]|\\.)+')
  | (?P<sign>\?\s*:|=\?=|=!=|>>>|==|!=|<=|>=|<<|>>|&&|\|\||\?:|[-+*/%~!<>&|^?:(){}\[\],.=;])
)""", re.X)

LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "=?=", "=!=", "is", "isnt"], ["<", "<=", ">", ">="], ["<<", ">>", ">>>"],
          ["+", "-"], ["*", "/", "%"]]
KEYWORDS = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}
ADS = ("my", "self", "target", "parent")  # names that mean an ad


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


class Written:
    """An expression, with its name if it is an attribute of an ad."""

    def __init__(self, text, tree):
        self.text, self.tree, self.name = text, tree, None


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
        literal = sign == "-" and self.peek()[0] in ("int", "real") and self.close[self.at]
        return ("unary", sign, self.unary(), literal) if sign else self.selection()

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
                kind, word = self.name()
                tree = "selection", tree, word.lower(), kind == "name" and word.lower() in ADS, (kind, word)
            elif self.take("?:"):
                tree = "unless", tree, self.signed_term()
            else:
                return tree

    def signed_term(self):
        sign = self.take("-", "+")
        self.least(sign)
        if sign and (self.peek()[0] not in ("int", "real") or not self.close[self.at]):
            raise Refused("%s before %r" % (sign, self.peek()[1]))
        return ("unary", sign, self.term(), sign == "-") if sign else self.term()

    def term(self):
        kind, word = self.peek()
        if kind == "end" or kind == "sign" and word not in "({[":
            raise Refused("%r where a value is wanted" % word)
        self.at += 1
        if kind == "int":
            return "value", int(word) if int(word) < 2 ** 63 else 0
        if kind == "real":
            return "value", float(word)
        if kind == "quoted":
            return "name", None, word.lower(), (kind, word)
        if kind == "string":
            return "value", word[1:-1].replace('\\"', '"')
        if word == "(":
            tree = self.choice()
            self.need(")")
            return "group", tree
        if word == "{":
            return "list", self.arguments("}")
        return self.ad() if word == "[" else self.named(word)

    def name(self):
        """Take a name that is not a keyword."""
        kind, word = self.peek()
        if kind != "quoted" and (kind != "name" or word.lower() in KEYWORDS):
            raise Refused("%r where a name is wanted" % word)
        self.at += 1
        return kind, word

    def named(self, spelled):
        name = spelled.lower()
        if name in KEYWORDS:
            return "value", KEYWORDS[name]
        if self.take("("):
            return "call", name, self.arguments(")"), spelled
        if name in ("my", "target") and self.take("."):
            kind, word = self.name()
            return "name", name, word.lower(), (kind, word), spelled
        return "ad_name" if name in ADS else "name", None, name, ("name", spelled)

    def ad(self):
        """The attributes in brackets, with the first spelling of each name."""
        found = {}
        while not self.take("]"):
            spelled = self.name()[1]
            self.need("=")
            attribute = Written(None, self.choice())
            attribute.name = found[spelled.lower()].name if spelled.lower() in found else spelled
            found[spelled.lower()] = attribute
            if self.peek() != ("sign", "]"):
                self.need(";")
            while self.take(";"):
                pass
        return "ad", found

    def arguments(self, end):
        found = []
        while not self.take(end):
            if found:
                self.need(",")
            found.append(self.choice())
        return found
