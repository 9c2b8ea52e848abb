# SPDX-License-Identifier: Apache-2.0
"""Actions and output of `fairlead userprio`, in a local cell or with a file, with a fixed clock."""
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess

import condor
import live
from condor_cell import START, config_text, long_text, macro
from programs import ROOT, Trouble, contents


class LocalCell:
    """A scheduler that is its own qmaster, with commands as a user types them."""

    def __init__(self, programs, config):
        self.programs, self.scratch, self.now = programs, programs.scratch, START
        self.cell, self.config = programs.fresh(), config
        shutil.rmtree(self.cell)
        shutil.copytree(os.path.join(ROOT, "conf/local"), self.cell)
        self.write(config)
        command = [programs.schedd, "--local", "--state", os.path.join(self.scratch, "state"), "-c", self.cell, "--workers", programs.workers]
        self.scheduler = live.Scheduler(command, programs.env, programs.clock(), self.scratch)
        self.at(START)
        self.scheduler.until("a scheduler that answers", self.answers)

    def write(self, config):
        conf = contents(os.path.join(ROOT, "conf/local/sched_conf"))
        conf = re.sub(r"(?m)^algorithm .*$", "algorithm userprio", conf)
        with open(os.path.join(self.cell, "sched_conf"), "w") as file:
            file.write(re.sub(r"(?m)^(schedule_interval|flush_(submit|finish)_sec) .*$", r"\1 1", conf))
        with open(os.path.join(self.cell, "condor_config"), "w") as file:
            file.write(config_text(config, 1, 0))

    def at(self, now):
        self.now = now
        self.scheduler.at(now)

    def close(self):
        self.scheduler.close()
        shutil.rmtree(os.path.join(self.scratch, "state"), ignore_errors=True)

    def type(self, *words, notes=subprocess.STDOUT):
        """(exit status, both streams, unless the second one, with notes, is to go elsewhere)"""
        env = dict(self.programs.env, LD_PRELOAD=self.programs.clock(), CLOCK_SHIFT=self.scheduler.date)
        done = subprocess.run([self.programs.fairlead, "-c", self.cell, *words], env=env, stdout=subprocess.PIPE, stderr=notes, text=True)
        return done.returncode, done.stdout

    def answers(self):
        return self.type("userprio", "-setprio", "probe@answers", "1")[0] == 0

    def cycle(self):
        """The next one that begins now."""
        def has_been():
            code, text = self.type("negotiate", "--json")
            return code == 0 and json.loads(text)["begin"] >= self.now
        self.scheduler.until("a cycle at %d" % self.now, has_been)

    def reload(self, config):
        """Reload the configuration. A user first seen after this has the new defaults."""
        self.write(config)
        self.scheduler.reload()


ATTRIBUTES = ("Priority", "PriorityFactor", "Ceiling", "Floor", "WeightedAccumulatedUsage", "BeginUsageTime", "LastUsageTime")


def customers_of(text):
    """Parse the output of -autoformat: name -> {attribute: number}."""
    found = {}
    for line in text.splitlines():
        name, *values = line.split()
        found[name] = {what: float(value) for what, value in zip(ATTRIBUTES, values) if re.fullmatch(r"[-+.\deE]+", value)}
    return found


def shown(cell):
    code, text = cell.type("userprio", "-allusers", "-autoformat", "Name", *ATTRIBUTES, notes=subprocess.DEVNULL)
    if code:
        raise Trouble("fairlead userprio: exit %d: %s" % (code, text.strip()))
    return customers_of(text)


EDITED = {"ceiling": "Ceiling", "floor": "Floor", "factor": "PriorityFactor", "eup": "Priority", "accumulated": "WeightedAccumulatedUsage",
          "begin": "BeginUsageTime", "last": "LastUsageTime"}
NOBODY = {"Ceiling": -1, "PriorityFactor": 1000, "Priority": 500}


def values_of(cell, row, name):
    """Return the values of a customer that the row asks for. An unknown customer has the defaults."""
    wanted = [what for what in condor.EDITED if what in row]
    have = shown(cell).get(name, NOBODY) if wanted else {}
    return {what: have["Priority"] / have["PriorityFactor"] if what == "rup" else have.get(EDITED[what], 0) for what in wanted}


def tool(case, programs):
    with contextlib.closing(LocalCell(programs, case.get("config", {}))) as cell:
        commands = [command_of(cell, row) for row in case["commands"]]
    with contextlib.closing(LocalCell(programs, case.get("config", {}))) as cell:
        expiry = [moment_of(cell, row, case["expiry"]) for row in case.get("expiry", [])]
    return {"commands": commands, "expiry": expiry}


def customer_in(words):
    return next(word for word in words if "@" in word)


def command_of(cell, row):
    words = shlex.split(row["do"])
    code, text = cell.type("userprio", *words)
    found = {"succeeds": code == 0} if "rc" in row else {}
    if "out_contains" in row:
        found["says"] = row["out_contains"] if row["out_contains"].lower() in text.lower() else text.strip()
    return {**found, **values_of(cell, row, customer_in(words))}


def moment_of(cell, row, rows):
    """An edit at its second, or the cycle that ends what has run out."""
    cell.at(START + row["at"])
    if row.get("cycle"):
        cell.cycle()
        last = [other for other in rows[:rows.index(row)] if "do" in other][-1]
        return values_of(cell, row, customer_in(shlex.split(last["do"])))
    code, text = cell.type("userprio", *shlex.split(row["do"]))
    if code:
        raise Trouble("%s: exit %d: %s" % (row["do"], code, text.strip()))
    return values_of(cell, row, customer_in(shlex.split(row["do"])))


# ---- factors ----

def factor_commands(case, programs):
    with contextlib.closing(LocalCell(programs, case["config"])) as cell:
        return [factor_command(cell, case, row) for row in case["commands"]]


def factor_command(cell, case, row):
    words = row["do"].split()
    if words[0] == "change":                    # change MACRO to VALUE and reconfigure
        before = shown(cell)
        cell.reload({**case["config"], words[1]: words[3]})
        cell.scheduler.until("the new %s" % words[1], lambda: new_factor(cell) == float(words[3]))
        return {"kept": all(shown(cell)[name]["PriorityFactor"] == of["PriorityFactor"] for name, of in before.items()), "new_factor": new_factor(cell)}
    before = shown(cell)
    code, _ = cell.type("userprio", "-" + words[0], *words[1:])
    have = shown(cell)
    if "expect_eup" in row:
        return {"eup": have[words[1]]["Priority"]} if code == 0 else {"exit": code}
    return {"refused": code != 0 and have == before}


def new_factor(cell):
    """Return the factor of a customer that is not known yet."""
    cell.seen = getattr(cell, "seen", 0) + 1
    name = "new%d@cs.example.org" % cell.seen
    cell.type("userprio", "-setprio", name, "1")
    return shown(cell).get(name, {}).get("PriorityFactor")


# ---- text ----

def tool_text(case, programs):
    cell = programs.fresh()
    state, date = os.path.join(programs.scratch, "state.long"), os.path.join(programs.scratch, "date")
    with open(state, "w") as file:
        file.write(long_text(case["records"], case["last_update"]))
    with open(date, "w") as file:
        file.write("=%d\n" % case["now"])
    with open(os.path.join(cell, "condor_config"), "w") as file:
        file.write("".join("%s = %s\n" % (name, macro(value)) for name, value in case["config"].items()))
    env = dict(programs.env, LD_PRELOAD=programs.clock(), CLOCK_SHIFT=date, TZ="UTC")
    found = {}
    for row in case["commands"]:
        command = [programs.fairlead, "-c", cell, "userprio", "-inputfile", state, *shlex.split(row["args"])]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        found[row["args"]] = {"rc": done.returncode, "stdout": done.stdout.split("\n")}
    return found


__all__ = ["LocalCell", "factor_commands", "shown", "tool", "tool_text"]
