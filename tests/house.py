#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the rooms know each other as CONTRIBUTING.md says? Reads what sources include and what objects use.

usage: house.py DIR [BUILD]

A finding is one line: FILE:LINE: what is there, what is allowed. No finding: exit code 0.
"""
import collections
import os
import re
import subprocess
import sys

# From the ground up. A room may use rooms of the lines before its own, of its own line none. "/*": each below it.
HOUSE = [
    ["conf/base", "shm"],
    ["conf"],
    ["conf/classad"],
    ["conf/gridengine", "conf/slurm", "urgency"],
    ["conf/condor"],
    ["tickets", "conf/cell"],
    ["sched/process"],
    ["sched/negotiation", "sched/mirror", "sched/qmaster/gdi", "sched/trace"],
    ["sched/qmaster/objects"],
    ["sched/qmaster"],
    ["sched/run"],
    ["sched/policy"],
    ["sched/policy/*", "sched/dispatch/timeline", "sched/dispatch/why"],
    ["sched/policy/policies.c", "sched/dispatch/quota", "sched/dispatch/cluster"],
    ["sched/dispatch/search"],
    ["sched/dispatch/reserve"],
    ["sched/dispatch"],
    ["sched/store", "sched/host", "sched/wire", "sched/reader"],
    ["sched", "sched/qmaster/members", "sched/shepherd/record"],
    ["sched/qmaster/*"],
    ["sched/qmaster/journal", "sched/replay", "sched/whatif"],
    ["sched/replay/outcome"],
    ["sched/explain"],
    ["sched/client"],
    ["sched/daemon", "sched/cli", "sched/hostd", "sched/relay", "sched/shepherd"],
    ["sched/cli/jobs", "sched/cli/dump"],
    ["sched/cli/*"],
    ["sched/cli/acct"],
    ["sched/cli/stat", "sched/cli/top", "sched/cli/usage"],
    ["sched/cli/queues"],
    ["sched/cli/main.c"],
    ["sched/compat", "sched/drmaa", "sched/metrics"],
]
# Files that stand elsewhere than their folder: what composes rooms, and what is shared with a program's room.
PLACES = {path: path for path in ("sched/policy/policies.c", "sched/cli/main.c")}
PLACES.update({f"sched/shepherd/{name}.{end}": "sched/shepherd/record" for name in ("record", "file", "process") for end in "ch"})
# Headers that only these rooms include; an inside.h, or x_inside.h, only its own. Other rooms ask its other headers.
INSIDES = {"sched/mirror/tables.h": {"sched/mirror", "sched/run"}}
# Structs whose members only these rooms name, and their folders: the rooms that are part of a run.
MEMBERS = {("sched/mirror/tables.h", "mirror"): ("sched", "sched/mirror", "sched/run", "sched/policy", "sched/dispatch", "sched/explain")}
# Rooms that may open a library.
LIBRARIES = {"zstd.h": {"sched/qmaster/journal", "sched/relay"}, "xxhash.h": {"sched/qmaster/journal"}, "jansson.h": {"sched/shepherd", "sched/shepherd/record", "sched/store", "sched/wire", "sched/client", "sched/cli"},
             "sqlite3.h": {"sched/store"}, "zmq.h": {"sched/wire"}, "munge.h": {"sched/wire", "sched/qmaster/gdi"}, "urcu/wfcqueue.h": {"sched/qmaster/gridengine"}, "hwloc.h": {"shm"}, "numa.h": {"shm"},
             "numaif.h": {"shm"}, "zlib.h": {"sched/trace"}, "ncurses.h": {"sched/cli/top"}, "microhttpd.h": {"sched/metrics"}}
JSON_WRITER = "sched/process/json.h"
JSON_WRITERS = {"sched/process", "sched/qmaster/json", "sched/qmaster/local", "sched/qmaster/journal", "sched/qmaster/members", "sched/wire", "sched/shepherd", "sched/client", "sched/cli"}
# Rooms that compare names of policies. Other rooms ask the members of struct policy_kind.
POLICY_ROOMS = ("sched/policy", "conf")
# Rooms that receive replies and messages with a typed reason. Other programs do not read the sentences.
REPLY_ROOMS = ("sched/client", "sched/compat", "sched/drmaa", "sched/cli")
SENTENCE = re.compile(r"\b(?:result|reply|message)s?(?:\.|->)(?:items\[[^]]*\]\.)?(?:text|note|lines)\b")
COMPARE = re.compile(r"\b(?:strn?cmp|strn?casecmp|memcmp|strstr|strcasestr)\s*\(")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
CALL = r"(?:_of)?(?:\((?:[^()]|\([^()]*\))*\))?"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TOPS = ("conf", "shm", "urgency", "tickets", "sched")


def opened_in(room, rooms):
    """A library that a room may use may be used by its folders."""
    return room in rooms or os.path.dirname(room) in rooms and room.startswith("sched/cli/")


def arguments_of(text, begin):
    """The text from `begin` to the parenthesis that closes the call, with strings skipped."""
    depth, at = 1, begin
    for token in re.finditer(STRING.pattern + r"|[()]", text[begin:begin + 2000]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        at = begin + token.start()
        if depth == 0:
            break
    return text[begin:at]


def room_of(path):
    return PLACES.get(path) or os.path.dirname(path)


class House:
    def __init__(self, top):
        self.top = top
        self.levels = {room: i for i, rooms in enumerate(HOUSE) for room in rooms}
        self.findings = []
        self.arrows = collections.defaultdict(dict)  # room -> room -> where it was seen first

    def level(self, room):
        return self.levels.get(room, self.levels.get(os.path.dirname(room) + "/*"))

    def find(self, where, text):
        self.findings.append(f"{where}: {text}")

    def sources(self):
        for top in TOPS:
            for folder, _, names in os.walk(os.path.join(self.top, top)):
                for name in sorted(names):
                    if name.endswith((".c", ".h")):
                        yield os.path.relpath(os.path.join(folder, name), self.top)

    def may_use(self, user, used):
        return user == used or self.level(used) < self.level(user)

    def arrow(self, where, user, used, what):
        for room in (user, used):
            if self.level(room) is None:
                self.find(where, f"{room} is a room that the house does not have: it wants a place in HOUSE of tests/house.py")
                return
        if user != used:
            self.arrows[user].setdefault(used, where)
        if not self.may_use(user, used):
            self.find(where, f"{user} uses {what} of {used}, which stands above it or beside it")

    def read_includes(self, path):
        user = room_of(path)
        with open(os.path.join(self.top, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                where = f"{path}:{number}"
                own = re.match(r'#include "([^"]+)"', line)
                library = re.match(r"#include <([^>]+)>", line)
                if own and own[1].startswith(tuple(t + "/" for t in TOPS)):
                    self.arrow(where, user, room_of(own[1]), own[1])
                    if own[1] == JSON_WRITER and not opened_in(user, JSON_WRITERS):
                        self.find(where, f"JSON in {user}: it is written in {', '.join(sorted(JSON_WRITERS))}")
                    allowed = {room_of(own[1])} if own[1].endswith("inside.h") else INSIDES.get(own[1], {user})
                    if user not in allowed:
                        self.find(where, f"{user} includes {own[1]}, the inside of {room_of(own[1])}: only {', '.join(sorted(allowed))} may")
                elif own:
                    self.find(where, f'"{own[1]}" does not begin with a room')
                if library and library[1] in LIBRARIES and not opened_in(user, LIBRARIES[library[1]]):
                    self.find(where, f"<{library[1]}> in {user}: it is opened in {', '.join(sorted(LIBRARIES[library[1]]))}")

    def read_types(self):
        seen = collections.defaultdict(dict)
        for path in self.sources():
            with open(os.path.join(self.top, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    type_ = re.match(r"(?:static |const |typedef )*(struct|union|enum) (\w+) \{", line)
                    if type_:
                        seen[type_[2]].setdefault(room_of(path), f"{path}:{number}")
                    if re.search(r'"\{?\\"[a-z_]+\\":', line) and not opened_in(room_of(path), JSON_WRITERS):
                        self.find(f"{path}:{number}", f"JSON text in {room_of(path)}: it is written in {', '.join(sorted(JSON_WRITERS))}")
        for name, places in sorted(seen.items()):
            if len(places) > 1:
                rooms = sorted(places)
                self.find(places[rooms[0]], f"{name} is the name of a type in {' and in '.join(rooms)}: one name, one thing")

    def read_members(self):
        """Find members of the structs of MEMBERS, after a variable or a function with the struct's name, in other rooms."""
        for (header, struct), rooms in MEMBERS.items():
            if not os.path.exists(os.path.join(self.top, header)):
                continue
            with open(os.path.join(self.top, header), encoding="utf-8") as file:
                body = re.search(rf"^struct {struct} {{\n(.*?)^}};", COMMENT.sub("", file.read()), re.M | re.S)
            members = re.findall(r"(\w+)(?:\[\w+\])?;", body[1]) if body else []
            named = re.compile(rf"\b(\w*{struct}{CALL}(?:->|\.)(?:{'|'.join(members)}))\b")
            for path in self.sources():
                if room_of(path) in rooms or path.startswith(tuple(room + "/" for room in rooms[1:])):
                    continue
                with open(os.path.join(self.top, path), encoding="utf-8") as file:
                    text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), file.read())
                for found in named.finditer(text):
                    self.find(f"{path}:{text.count(chr(10), 0, found.start()) + 1}",
                              f"{found[1]}: a member of struct {struct}, which {room_of(path)} may not know. Ask a function of {os.path.dirname(header)}")

    def policy_names(self):
        """Values of `algorithm`: the names in each struct policy_kind."""
        names = set()
        for path in self.sources():
            if path.startswith("sched/policy/"):
                with open(os.path.join(self.top, path), encoding="utf-8") as file:
                    names |= set(re.findall(r'struct policy_kind \w+ = \{\s*\.name = "(\w+)"', file.read()))
        return names

    def read_policy_names(self):
        """Find string comparisons with a policy's name, or with `algorithm`, outside POLICY_ROOMS.

        "default" is also the name of nodes in share trees, so only a comparison of something that is called algorithm or
        policy with it is a finding.
        """
        names = self.policy_names()
        for path in self.sources():
            if path.startswith(tuple(room + "/" for room in POLICY_ROOMS)):
                continue
            with open(os.path.join(self.top, path), encoding="utf-8") as file:
                text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), file.read())
            for call in COMPARE.finditer(text):
                arguments = arguments_of(text, call.end())
                literals = {literal[1:-1] for literal in STRING.findall(arguments)} & names
                words = set(re.findall(r"\w+", STRING.sub("", arguments)))
                if literals - {"default"} or "algorithm" in words or literals and "policy" in words:
                    self.find(f"{path}:{text.count(chr(10), 0, call.start()) + 1}",
                              f"{call[0]}{' '.join(arguments.split())}) compares the name of a policy: ask the members of struct policy_kind (policies_of())")

    def read_sentences(self):
        """Find comparisons of the sentences of replies and messages."""
        for path in self.sources():
            if not path.startswith(tuple(room + "/" for room in REPLY_ROOMS)):
                continue
            with open(os.path.join(self.top, path), encoding="utf-8") as file:
                text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), file.read())
            for call in COMPARE.finditer(text):
                sentence = SENTENCE.search(STRING.sub("", arguments_of(text, call.end())))
                if sentence:
                    self.find(f"{path}:{text.count(chr(10), 0, call.start()) + 1}",
                              f"{sentence[0]} is compared: a sentence for users. Ask its reason and its object")

    def read_symbols(self, build):
        objects = {os.path.join(build, os.path.splitext(path)[0] + ".o"): path for path in self.sources() if path.endswith(".c")}
        objects = {name: path for name, path in objects.items() if os.path.exists(name)}
        if not objects:
            return 0
        defined, used = {}, []
        for line in subprocess.run(["nm", "-gA", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
            name, rest = line.split(":", 1)
            kind, symbol = rest.split()[-2:]
            if kind == "U":
                used.append((objects[name], symbol))
            elif kind in "TDBRC" and symbol != "main":
                defined[symbol] = objects[name]
        for path, symbol in used:
            if symbol in defined:
                self.arrow(path, room_of(path), room_of(defined[symbol]), symbol)
        return len(defined)

    def read_cycles(self):
        """Check that no room can be reached from itself."""
        graph = {user: set(rooms) for user, rooms in self.arrows.items()}
        for start in sorted(graph):
            way, seen = [(start, [start])], set()
            while way:
                room, path = way.pop()
                for following in sorted(graph.get(room, ())):
                    if following == start:
                        if start == min(path):
                            self.find(start, "a circle: " + " -> ".join(path + [start]))
                        way = []
                        break
                    if following not in seen:
                        seen.add(following)
                        way.append((following, path + [following]))


    def read_map(self):
        """Check that the rooms and entry points that CONTRIBUTING.md describes exist, and that it describes all
        rooms."""
        name = "CONTRIBUTING.md"
        with open(os.path.join(self.top, name), encoding="utf-8") as file:
            rows = re.findall(r"^\| ((?:`[a-z/]+/`(?:, )?)+) \|.*\| ((?:`[\w.]+`(?:, )?)*)(?:, then `[\w.]+`)? ?\|$", file.read(), re.M)
        described = set()
        for rooms, files in rows:
            rooms = re.findall(r"`([a-z/]+)/`", rooms)
            rooms = [room if "/" in room or os.path.isdir(os.path.join(self.top, room)) else f"sched/dispatch/{room}" for room in rooms]
            described |= set(rooms)
            for room in rooms:
                if not os.path.isdir(os.path.join(self.top, room)):
                    self.find(name, f"{room}/ is not there")
            for begin in re.findall(r"`([\w.]+)`", files):
                if not any(os.path.exists(os.path.join(self.top, room, begin)) for room in rooms):
                    self.find(name, f"{begin} is not in {' or '.join(rooms)}")
        for room in sorted({os.path.dirname(path) for path in self.sources()} - described):
            self.find(name, f"no row describes {room}/")


def main():
    house = House(sys.argv[1])
    count = 0
    for path in house.sources():
        house.read_includes(path)
        count += 1
    house.read_types()
    house.read_policy_names()
    house.read_members()
    house.read_sentences()
    symbols = house.read_symbols(sys.argv[2]) if len(sys.argv) > 2 else None
    house.read_cycles()
    if os.path.exists(os.path.join(sys.argv[1], "CONTRIBUTING.md")):
        house.read_map()
    print("\n".join(dict.fromkeys(house.findings)))
    print(f"{count} files, {symbols if symbols is not None else 'no'} symbols, {len(house.findings)} findings")
    return house.findings != [] or count == 0


if __name__ == "__main__":
    sys.exit(main())
