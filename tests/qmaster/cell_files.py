# SPDX-License-Identifier: Apache-2.0
"""A cell's files, as qconf prints them, put into a real Grid Engine, and out of it again.

A directory: sched_conf, complex, global_conf, rqs and share_tree, and a directory for each kind of object with a file for each. `about` may say

    queue_order host_order   the order in which queues and hosts are added
    calendars                {name: [year, week]} in place of files, {t60} for the time of day in a minute, {d60} the date, {w60} the day
"""
import json
import os
import re
import time

from gridengine import Refused, contents

KINDS = {		# directory: how its objects are added, listed, shown
    "usersets": ("-Au", "-sul", "-su"), "projects": ("-Aprj", "-sprjl", "-sprj"), "users": ("-Auser", "-suserl", "-suser"),
    "calendar": ("-Acal", "-scall", "-scal"), "ckpt": ("-Ackpt", "-sckptl", "-sckpt"), "pe": ("-Ap", "-spl", "-sp"),
    "hosts": ("-Ae", "-sel", "-se"), "hgrp": ("-Ahgrp", "-shgrpl", "-shgrp"), "queue": ("-Aq", "-sql", "-sq"),
}
WHOLE = {"sched_conf": "-ssconf", "complex": "-sc", "global_conf": "-sconf", "rqs": "-srqs", "share_tree": "-sstree"}
DEFAULT_USERSETS = ("arusers", "deadlineusers", "defaultdepartment")


def joined(text):
    return text.replace("\\\n", " ")


def attributes(text):
    rows = [line.split(None, 1) for line in joined(text).splitlines() if line.strip() and not line.startswith("#")]
    return {row[0]: row[1].strip() if len(row) > 1 else "" for row in rows}


def as_text(rows):
    return "".join("%s %s\n" % row for row in rows.items())


def load(path, default=None):
    if default is not None and not os.path.exists(path):
        return default
    with open(path) as file:
        return json.load(file)


def timed(text, now):
    def replaced(match):
        then = time.gmtime(now + int(match.group(2)))
        return time.strftime({"t": "%H:%M:%S", "d": "%d.%m.%Y", "w": "%a"}[match.group(1)], then).lower()
    return re.sub(r"\{([tdw])(-?\d+)\}", replaced, text)


class CellFiles:
    def __init__(self, engine, directory, about):
        self.engine, self.given, self.about = engine, directory, about
        self.refused, self.loads = {}, {}

    def text(self, *names):
        return contents(os.path.join(self.given, *names))

    def names(self, kind):
        path = os.path.join(self.given, kind)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    def put(self):
        add, run = self.engine.add, self.engine.run
        add("-Mc", self.text("complex"))
        add("-Msconf", self.text("sched_conf"))
        self.put_global()
        for name in self.names("usersets"):
            add("-Mu" if name in DEFAULT_USERSETS else "-Au", self.text("usersets", name))
        for name, texts in self.about.get("calendars", {}).items():
            year, week = (timed(text, int(time.time())) for text in texts)
            add("-Acal", "calendar_name %s\nyear %s\nweek %s\n" % (name, year, week))
        for kind in ("projects", "users", "calendar", "ckpt", "pe"):
            if kind == "calendar" and "calendars" in self.about:
                continue
            for name in self.names(kind):
                if kind != "users" or attributes(self.text(kind, name)).get("delete_time", "0") == "0":
                    add(KINDS[kind][0], self.text(kind, name))
        self.put_hosts()
        self.put_groups()
        self.put_queues()
        if self.text("rqs").strip():
            add("-Arqs", self.text("rqs"))
        if self.text("share_tree").strip():
            add("-Astree", self.text("share_tree"))
        run("qconf", "-tsm")

    def put_global(self):
        """Change the configuration where a case differs from the default."""
        wanted, has = attributes(self.text("global_conf")), attributes(self.engine.run("qconf", "-sconf"))
        changed = {name: wanted[name] for name in wanted if name.startswith("max_") and wanted[name] != has.get(name)}
        if changed:
            self.engine.add("-Mconf", as_text({**has, **changed}), "global")

    def host_order(self):
        known = self.about.get("host_order") or load(os.path.join(self.given, "expected.json"), {}).get("exec_host_list_order", [])
        return sorted(set(self.names("hosts")) - {"global"}, key=lambda name: (known.index(name) if name in known else len(known), name))

    def put_hosts(self):
        for name in self.host_order() + ["global"] * ("global" in self.names("hosts")):
            rows = attributes(self.text("hosts", name))
            loads = rows.pop("load_values", "NONE")
            rows.pop("processors", None)
            self.engine.add("-Me" if name == "global" else "-Ae", as_text(rows))
            if loads != "NONE" and name != "global":
                self.loads[name] = dict(item.strip().split("=", 1) for item in loads.split(","))
                self.loads[name].update(self.about.get("loads1", {}).get(name, {}))
        self.report({})

    def report(self, changes):
        for name, values in self.loads.items():
            values.update(changes.get(name, {}))
            if not changes or name in changes:
                self.engine.report_loads(name, list(values.items()))

    def put_groups(self):
        """Groups that others name come first."""
        left = self.names("hgrp")
        while left:
            ready = [name for name in left if not set(self.text("hgrp", name).split()) & set(left) - {name}]
            if not ready:
                raise Refused("host groups name one another in a circle")
            for name in ready:
                self.engine.add("-Ahgrp", self.text("hgrp", name))
                left.remove(name)

    def put_queues(self):
        """Subordinates are named when all queues are there. The real one sees circles where there are none: such a list stays out."""
        order = self.about.get("queue_order") or self.names("queue")
        later = []
        for name in order:
            rows = attributes(self.text("queue", name))
            if rows.get("subordinate_list", "NONE") != "NONE":
                later.append(name)
                rows["subordinate_list"] = "NONE"
            self.engine.add("-Aq", as_text(rows))
        for name in later:
            try:
                self.engine.add("-Mq", as_text(attributes(self.text("queue", name))))
            except Refused as error:
                self.refused[name] = str(error)

    def dump(self, path):
        for name, option in WHOLE.items():
            if name not in ("rqs", "share_tree") or self.text(name).strip():
                write(path, name, self.engine.run("qconf", option))
        for kind, (_, listing, show) in KINDS.items():
            if kind == "calendar" and not self.about.get("calendars") and not self.names(kind):
                continue
            known = listed(self.engine, listing) if kind in ("usersets", "users", "calendar") else self.names(kind)
            for name in known:
                write(path, os.path.join(kind, name), self.engine.run("qconf", show, name))


def listed(engine, option):
    """Names of objects of a kind; that there are none is an error to qconf."""
    try:
        return engine.run("qconf", option).split()
    except Refused:
        return []


def write(path, name, text):
    path = os.path.join(path, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
