# SPDX-License-Identifier: Apache-2.0
"""Autoclusters: jobs whose attributes relevant to a match are equal."""
import re

from expressions import Expression

ALWAYS = {"requirements", "rank", "concurrencylimits"}
NEVER = {"cpususage", "diskusage", "gpususage", "memoryusage", "residentsetsize"}
# of time, of the remote user, of priorities, of use in the cycle
OF_THE_CYCLE = {"submitteruserprio", "submittorprio", "submitteruserresourcesinuse", "submittergroup", "submittergroupresourcesinuse",
                "submittergroupquota", "submitternegotiatinggroup", "submitterautoregroup", "currenttime"}


def names_in(tree):
    """(scope, name) of all in an expression."""
    if isinstance(tree, tuple) and tree and tree[0] == "name":
        yield tree[1], tree[2]
    elif isinstance(tree, dict):
        for attribute in tree.values():
            yield from names_in(attribute.tree)
    elif isinstance(tree, (tuple, list)):
        for part in tree:
            yield from names_in(part)


def theirs(expression, ad):
    """The names that it looks up in the other ad."""
    if not isinstance(expression, Expression):
        return set()
    return {name for scope, name in names_in(expression.tree) if scope == "target" or scope is None and name not in ad}


def own(expression, ad, seen=()):
    """The names of its own ad that it depends on, and what these depend on."""
    if not isinstance(expression, Expression):
        return set()
    found = {name for scope, name in names_in(expression.tree) if scope != "target" and name in ad and name not in seen}
    for name in sorted(found):
        found |= own(ad[name], ad, (*seen, *found))
    return found


class Clusters:
    def __init__(self, config, slots, policies):
        self.config = config
        self.wanted = set(ALWAYS)
        for slot in slots:
            for expression in [*slot.ad.values(), *policies]:
                self.wanted |= theirs(expression, slot.ad)
        self.wanted |= self.names("ADD_SIGNIFICANT_ATTRIBUTES")
        if config.has("SIGNIFICANT_ATTRIBUTES"):
            self.wanted = self.names("SIGNIFICANT_ATTRIBUTES")
        self.removed = self.names("REMOVE_SIGNIFICANT_ATTRIBUTES") if config.has("REMOVE_SIGNIFICANT_ATTRIBUTES") else NEVER
        self.pattern = re.compile(config.text("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX", "^Slot[0-9]*_"), re.I)

    def names(self, macro):
        return set(self.config.text(macro, "").lower().replace(",", " ").split())

    def of(self, job):
        """Equal for jobs of one autocluster."""
        wanted = set(self.wanted)
        if not self.config.has("SIGNIFICANT_ATTRIBUTES"):
            wanted |= own(job.ad["requirements"], job.ad) | own(job.ad["rank"], job.ad)
        wanted -= self.removed | OF_THE_CYCLE
        values = [(name, text(job.ad[name])) for name in sorted(wanted) if name in job.ad and not self.pattern.match(name)]
        return str(values + [("concurrencylimits", job.limits)] if "concurrencylimits" in wanted else values)


def text(value):
    return value.text if isinstance(value, Expression) else repr(value)
