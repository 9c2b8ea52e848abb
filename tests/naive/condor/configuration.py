# SPDX-License-Identifier: Apache-2.0
"""Macros by name, regardless of case, with the defaults of the caller."""


class Configuration:
    def __init__(self, macros):
        self.macros = {name.lower(): value for name, value in macros.items()}

    def has(self, name):
        return name.lower() in self.macros

    def number(self, name, default):
        return float(self.macros.get(name.lower(), default))

    def text(self, name, default):
        return str(self.macros.get(name.lower(), default))

    def truth(self, name, default):
        return str(self.macros.get(name.lower(), default)).lower() in ("true", "1", "t", "yes")


class Groups:
    """GROUP_NAMES as a tree: the root first, breadth first, siblings by name."""

    def __init__(self, config):
        names = sorted(config.text("GROUP_NAMES", "").replace(",", " ").split(), key=str.lower)
        self.root = Group(config, "<none>", None)
        for name in names:
            parent = self.walk(name.split(".")[:-1])
            above = parent is not self.root and parent.name.lower() or ""
            if name.lower() != "<none>" and above == name.lower().rpartition(".")[0] and not parent.child(name.rpartition(".")[2]):
                parent.children.append(Group(config, name, parent))
        self.all = [self.root]
        for group in self.all:
            self.all += group.children
        self.configured = len(self.all) > 1
        self.root.autoregroup = any(group.autoregroup for group in self.all[1:])

    def walk(self, path):
        group = self.root
        for name in path:
            child = group.child(name)
            if not child:
                return group
            group = child
        return group

    def of(self, customer):
        """A submitter's group, the deepest there is of its name; of a bare name the group that it is, else the root."""
        if "@" in customer:
            return self.walk(customer.rpartition("@")[0].split(".")[:-1])
        found = self.walk(customer.split("."))
        return found if found.name.lower() == customer.lower() else self.root


class Group:
    def __init__(self, config, name, parent):
        self.name, self.parent, self.children = name, parent, []
        self.is_static = config.has("GROUP_QUOTA_" + name)
        self.configured = config.number("GROUP_QUOTA_" + name, config.number("GROUP_QUOTA_DYNAMIC_" + name, 0))
        self.accepts_surplus = config.truth("GROUP_ACCEPT_SURPLUS_" + name, config.truth("GROUP_ACCEPT_SURPLUS", False)) or parent is None
        self.autoregroup = config.truth("GROUP_AUTOREGROUP_" + name, config.truth("GROUP_AUTOREGROUP", False)) and parent is not None
        self.quota = self.subtree_quota = 0.0
        self.demand = self.requested = self.wanted = self.alloc = self.usage = 0.0
        self.last_served = 0
        self.submitters = []

    def child(self, name):
        """Find a group by the last component of its name."""
        return next((child for child in self.children if child.name.lower().rpartition(".")[2] == name.lower()), None)

    def path(self):
        """Itself and all above, the root last."""
        group, found = self, []
        while group:
            found.append(group)
            group = group.parent
        return found

    def subtree(self):
        return [self] + [group for child in self.children for group in child.subtree()]
