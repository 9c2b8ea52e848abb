# SPDX-License-Identifier: Apache-2.0
"""Values, expressions and ads of ClassAds as texts, as HTCondor's library writes them."""
import math
import re

from values import ERROR, UNDEFINED


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        return "%.15E" % value if value else "-0.0" if math.copysign(1, value) < 0 else "0.0"
    if isinstance(value, list):
        return "{ %s }" % ",".join(inside(item) for item in value)
    return value if isinstance(value, str) else str(value)


def inside(value):
    """Return the value as it is written in the text of a list."""
    return quoted(value) if isinstance(value, str) else repr(value) if value is UNDEFINED or value is ERROR else text(value)


def quoted(value):
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def of_name(kind, word):
    if kind == "quoted" and (not re.fullmatch(r"[A-Za-z_]\w*", word) or word.lower() in ("true", "false", "undefined", "error")):
        return "'%s'" % re.sub(r"(['\\])", r"\\\1", word)
    return word


def of_ad(ad):
    """Short names come first, then in the order of letters."""
    found = sorted(ad.items(), key=lambda item: (len(item[0]), item[0]))
    return "[ %s ]" % "; ".join("%s = %s" % (of_name("quoted", value.name), of_tree(value.tree)) for _, value in found)


def of_tree(tree):
    return globals()["write_" + tree[0]](*tree[1:])


def write_value(value):
    return inside(value)


def write_name(scope, _, spelled, scope_spelled=None):
    return "%s.%s" % (scope_spelled, of_name(*spelled)) if scope else of_name(*spelled)


write_ad_name = write_name


def write_group(tree):
    return "(%s)" % of_tree(tree)


def write_list(items):
    return "{ %s }" % ",".join(map(of_tree, items))


def write_ad(attributes):
    return of_ad(attributes)


def write_item(items, at):
    return "%s[%s]" % (of_tree(items), of_tree(at))


def write_selection(tree, _name, _ad, spelled):
    return "%s.%s" % (of_tree(tree), of_name(*spelled))


def write_unless(tree, other):
    return "%s ?: %s" % (of_tree(tree), of_tree(other))


def write_choice(condition, yes, no):
    return "%s ? %s : %s" % tuple(map(of_tree, (condition, yes, no)))


def write_call(_name, arguments, spelled):
    return "%s(%s)" % (spelled, ",".join(map(of_tree, arguments)))


def write_unary(sign, tree, literal):
    """A minus directly before a number is part of it."""
    if literal and isinstance(tree[1], int) and tree[1] in (0, -2 ** 63):
        return of_tree(tree)
    return ("" if literal else " ") + sign + of_tree(tree)


def write_binary(sign, a, b):
    return "%s %s %s" % (of_tree(a), {"=?=": "is", "=!=": "isnt"}.get(sign, sign), of_tree(b))
