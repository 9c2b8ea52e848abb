# SPDX-License-Identifier: Apache-2.0
"""Values of complexes: numbers, patterns, and the comparison `request OP offer`.  sge_types(1), complex(5)."""
import fnmatch
import functools

INFINITY = float("inf")
STRINGS = ("STRING", "CSTRING", "RESTRING", "HOST")
SUFFIX = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


@functools.lru_cache(maxsize=None)
def number(text):
    """A number, memory size or time as a double; None when it is none."""
    text = text.strip()
    word = text.lower()
    if word in ("true", "false"):
        return 1.0 if word == "true" else 0.0
    if word == "infinity":
        return INFINITY
    try:
        if ":" in text:
            h, m, s = text.split(":")
            return float(h or 0) * 3600 + float(m or 0) * 60 + float(s or 0)
        if text[-1:] in SUFFIX:
            return float(text[:-1]) * SUFFIX[text[-1]]
        return float(text)
    except ValueError:
        return None


def split_top(text, sep):
    """Split at `sep`, but not inside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == sep and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


@functools.lru_cache(maxsize=None)
def pattern(expression, word):
    """`a*|!(b?&c)` against a word: | binds least, then &, then !."""
    terms = split_top(expression, "|")
    if len(terms) > 1:
        return any(pattern(t, word) for t in terms)
    terms = split_top(expression, "&")
    if len(terms) > 1:
        return all(pattern(t, word) for t in terms)
    expression = expression.strip()
    if expression.startswith("!"):
        return not pattern(expression[1:], word)
    if expression.startswith("(") and expression.endswith(")"):
        return pattern(expression[1:-1], word)
    return fnmatch.fnmatchcase(word, expression)


def compare(a, relop, b):
    return {"==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}[relop]


def fits(kind, request, relop, offer):
    """`request OP offer`, both as text."""
    if kind in STRINGS:
        if kind in ("CSTRING", "HOST"):
            request, offer = request.lower(), offer.lower()
        return pattern(request, offer) == (relop != "!=")
    a, b = number(request), number(offer)
    return a is not None and b is not None and compare(a, relop, b)


def relation(relop):
    """EXCL attributes are compared like <=; they are counted elsewhere."""
    return "<=" if relop == "EXCL" else relop
