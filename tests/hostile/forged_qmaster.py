# SPDX-License-Identifier: Apache-2.0
"""A forged qmaster: it speaks the protocol as far as a scheduler needs it. Classes derived from Honest lie where they
like.

    ForgedQmaster         a port, a cell directory; each connection has its own behaviour
    └─ Honest             what a qmaster says: greeting, registration, a total update, answers, deliveries
       └─ Peer            frames to and from one client

The cell is one that was recorded (tests/reference/gdi): a host, its queue, and one pending job, which a scheduler that works will start.
"""
import os
import re
import socket
import struct
import sys
import threading
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
sys.path.insert(0, os.path.join(TOP, "tests/qmaster"))
from wire import GDI_VERSION, HEADER, Reader, packed_list, text, u32  # noqa: E402

TAG_GDI, TAG_REPORT = 2, 4
GET, ADD, MOD, PERMCHECK = 1, 2, 4, 6
EVENT_CLIENTS, ORDERS, CONFIGURATIONS = 6, 8, 10
CONFIG_LIST, JOB_LIST, JOB_ADD = 17, 31, 32
UPDATE = (5, 9, 13, CONFIG_LIST, 21, JOB_LIST, 52, 61, 70, 81, 51, 56, 77, 85, 89, 93)  # events of a total update, in order
REP = [(2350, 0x3), (2351, 0xc), (2352, 0x9), (2353, 0x3), (2354, 0x3)]
ET = [(1600, 0x3), (1601, 0x3), (1602, 0x3), (1603, 0x3), (1604, 0x3), (1605, 0x8), (1606, 0x8), (1607, 0x9)]
AN = [(600, 0x3), (601, 0x8), (602, 0x3)]
EV = [(850, 0x703), (851, 0x8), (852, 0xc), (853, 0x8), (854, 0x3), (856, 0x3), (862, 0x3), (865, 0x3), (866, 0x3)]
PERM = [(141650, 0x3), (141651, 0x3), (141652, 0xc), (141653, 0x8), (141654, 0x8)]
NULL = u32(0)
OK, INFO = 1, 3
EV_ID, EV_BUSY_HANDLING, UNTIL_ACKNOWLEDGED = 850, 860, 1


class Request(Reader):
    """A request of a client: values by field number. Conditions and enumerations are skipped."""

    def element(self, descriptor):
        if self.u32() == 1:
            descriptor = self.descriptor()
        bits = self.u32()
        self.at += (bits + 7) // 8
        return {number: self.value(kind) for number, kind in descriptor}

    def condition(self):
        if self.u32():
            operator = self.u32()
            if operator in (29, 30, 31):
                self.condition()
                if operator != 31:
                    self.condition()
            else:
                self.u32()
                kind = self.u32() & 255
                self.u32()
                if kind == 9:
                    self.condition()
                else:
                    self.value(kind)

    def enumeration(self):
        if self.u32() and self.u32() == 2:
            for _ in range(self.u32()):
                self.u32(), self.u32(), self.u32()
                if self.u32():
                    self.enumeration()

    def element_begin(self):
        self.u32()
        bits = self.u32()
        self.at += (bits + 7) // 8

    def tasks(self):
        while self.at < len(self.data):
            task = {"command": self.u32(), "target": self.u32(), "version": self.u32(), "data": self.list(), "answers": self.list()}
            self.condition()
            self.enumeration()
            task.update(credential=self.string(), id=self.u32(), packet=self.u32(), more=self.u32())
            yield task


def recorded(name, direction="<"):
    """(tag, data) of each message with data that went this way."""
    folder = os.path.join(TOP, "tests/reference/gdi")
    with open(os.path.join(folder, next(f for f in sorted(os.listdir(folder)) if f.startswith(name))), encoding="ascii") as file:
        data = b"".join(bytes.fromhex(line[1:]) for line in file if line[0] == direction)
    at = 0
    while (frame := re.compile(rb"<gmsh><dl>(\d+)</dl></gmsh>").match(data, at)):
        at = frame.end() + int(frame[1])
        header = re.match(rb"<mih.*<dl>(\d+)</dl><df>(\w+)</df>.*<tag>(\d+)</tag>", data[frame.end():at])
        if header:
            at += int(header[1])
            if header[2] == b"bin":
                yield int(header[3]), data[at - int(header[1]):at]


def events_of(report):
    """[(type, key, key2, name, name2, packed objects)] of a report."""
    reader = Request(report[8:])
    reader.u32(), reader.u32(), reader.string(), reader.u32(), reader.descriptor()
    reader.element_begin()
    reader.u32(), reader.string()
    found = []
    if reader.u32():
        count = reader.u32()
        reader.string(), reader.u32(), reader.descriptor()
        for _ in range(count):
            reader.element_begin()
            reader.u32(), reader.u32()
            event = [reader.u32(), reader.u32(), reader.u32(), reader.string(), reader.string()]
            begin = reader.at
            reader.list()
            found.append((*event, reader.data[begin:reader.at]))
    return found


def report(events, first=1):
    """events: as events_of() has them. The packed buffer of a delivery."""
    rows = [(first + k, int(time.time()), *event) for k, event in enumerate(events)]
    inner = packed_list("Events", ET, rows)
    return HEADER + packed_list("report list", REP, [(2, "localhost", inner, GDI_VERSION, 1)])


def objects_of(target):
    """The packed list of a recorded answer to a GET."""
    for tag, data in recorded("b2-"):
        reader = Request(data[8:])
        while tag == TAG_GDI and reader.at < len(reader.data):
            reader.u32()
            found = reader.u32() == target
            reader.u32()
            begin = reader.at
            reader.list()
            if found:
                return reader.data[begin:reader.at]
            reader.list(), reader.condition(), reader.enumeration(), reader.string(), reader.u32(), reader.u32(), reader.u32()
    raise ValueError("no answer about %d" % target)


def cell_events():
    """A total update: what was recorded, and the job that was submitted later as the pending one."""
    reports = [events_of(data) for tag, data in recorded("c1-") if tag == TAG_REPORT]
    lists = {event[0]: event[5] for event in next(events for events in reports if len(events) > 10)}
    lists[JOB_LIST] = next(event[5] for events in reports for event in events if event[0] == JOB_ADD)
    lists[CONFIG_LIST] = objects_of(CONFIGURATIONS)
    return [(kind, 0, 0, "", "", lists.get(kind, NULL)) for kind in UPDATE]


class Peer:
    """The server's side of one connection."""

    def __init__(self, sock):
        self.socket, self.mid, self.buffer = sock, 0, b""

    def raw(self, data):
        self.socket.sendall(data)

    def frame(self, header, data=b""):
        self.raw(b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data)

    def header(self, length, form=b"bin", tag=TAG_REPORT, answers=0):
        self.mid += 1
        return b'<mih version="0.1"><mid>%d</mid><dl>%d</dl><df>%s</df><mat>nak</mat><tag>%d</tag><rid>%d</rid></mih>' % (
            self.mid, length, form, tag, answers)

    def message(self, data, tag, answers=0, form=b"bin"):
        self.frame(self.header(len(data), form, tag, answers), data)

    def _more(self):
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError("the client has closed")
        self.buffer += more

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def receive(self):
        """(header, data)"""
        while b"</gmsh>" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"</gmsh>", 1)
        header = self._take(int(re.search(rb"<dl>(\d+)<", head)[1]))
        length = re.search(rb"<dl>(\d+)</dl>", header)
        return header, self._take(int(length[1])) if length else b""


class Honest:
    """One connection of a qmaster. While it is `lying`, the scheduler must not order anything."""
    lying = False

    def __init__(self, qmaster, sock, number):
        self.qmaster, self.peer, self.number = qmaster, Peer(sock), number
        self.client, self.busy, self.next_event, self.host = 0, 0, 1, "localhost"
        self.over = threading.Event()

    # what may be overridden

    def greet(self):
        self.peer.frame(b'<crm version="0.3"><cs condition="connected">ok</cs><rdata host="%s" comp="fairlead" id="%d"></rdata>'
                        b'<params>gdi_timeout=60:gdi_retries=0:cl_ping=false</params></crm>' % (self.host.encode(), self.number))

    def registered(self, mid, task):
        """The answer to a registration and the total update that follows it."""
        self.answer(mid, [task])
        self.deliver(self.qmaster.update)

    def released(self):
        """Deliver an empty list if nothing happens for a second: the client accepts more events."""
        if not self.over.wait(1):
            self.deliver([])

    def repent(self):
        """Send the complete truth, as a qmaster does after some errors."""
        self.lying = False
        self.deliver(self.qmaster.update)

    def asked(self, mid, tasks):
        """Any other request."""
        self.answer(mid, tasks)

    # what it is made of

    def deliver(self, events):
        self.peer.message(report(events, self.next_event), TAG_REPORT)
        self.next_event += len(events)

    def data_of(self, task):
        if task["command"] & 255 == PERMCHECK:
            return packed_list("", PERM, [(1, 1, "localhost", "", "root")])
        if task["target"] == EVENT_CLIENTS and task["command"] == GET:
            rows = [(self.client, "fairlead", self.host, "fairlead", self.number, 5, int(time.time()), self.next_event, 0)] if self.client else []
            return packed_list("", EV, rows) if rows else NULL
        if task["target"] == EVENT_CLIENTS and task["command"] & 255 == ADD:
            return packed_list("", EV, [(self.client, "fairlead", self.host, "fairlead", self.number, 5, 0, 1, 0)])
        return NULL

    def answer_bytes(self, tasks, said=((OK, "ok", INFO),)):
        return HEADER + b"".join(u32(task["command"], task["target"], GDI_VERSION) + self.data_of(task) + packed_list("", AN, said) + NULL + NULL +
                                 text(task["credential"]) + u32(task["id"], task["packet"], task["more"]) for task in tasks)

    def answer(self, mid, tasks, said=((OK, "ok", INFO),)):
        self.peer.message(self.answer_bytes(tasks, said), TAG_GDI, mid)

    def request(self, mid, data):
        tasks = list(Request(data[8:]).tasks())
        self.qmaster.ordered(self.lying, [order for task in tasks if task["target"] == ORDERS for order in task["data"]])
        first = tasks[0]
        if first["target"] == EVENT_CLIENTS and first["command"] & 255 == ADD:
            self.client = first["data"][0][EV_ID] or 11
            self.busy = first["data"][0][EV_BUSY_HANDLING]
            self.next_event = 1
            self.registered(mid, first)
        elif first["target"] == EVENT_CLIENTS and first["command"] & 255 == MOD:
            self.answer(mid, tasks)
            if self.busy != UNTIL_ACKNOWLEDGED:
                self.released()
        else:
            self.asked(mid, tasks)

    def run(self):
        while True:
            header, data = self.peer.receive()
            mid = re.search(rb"<mid>(\d+)</mid>", header)
            if header.startswith(b"<cm "):
                self.host = re.search(rb'<rdata host="([^"]*)"', header)[1].decode()
                self.greet()
            elif b"<df>ccm<" in header:
                self.peer.message(b'<ccrm version="0.1"></ccrm>', 0, 0, b"ccrm")
            elif b"<tag>2<" in header:
                self.request(int(mid[1]), data)
            elif b"<tag>3<" in header and self.client and self.busy == UNTIL_ACKNOWLEDGED:
                self.released()
            elif b"<tag>17<" in header:
                self.client = 0


class ForgedQmaster:
    """behaviours: a class for each connection in turn; the last one for all that follow."""

    def __init__(self, directory, behaviours):
        self.update = cell_events()
        self.behaviours, self.behaving, self.orders, self.connections = behaviours, [], [], 0
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.cell = os.path.join(directory, "default")
        os.makedirs(os.path.join(self.cell, "common"))
        self.write("bootstrap", "admin_user none\ndefault_domain none\nignore_fqdn true\nspooling_method classic\nsecurity_mode none\nscheduler_threads 0\n")
        self.write("act_qmaster", "localhost\n")
        threading.Thread(target=self.accept, daemon=True).start()

    def write(self, name, content):
        with open(os.path.join(self.cell, "common", name), "w", encoding="ascii") as file:
            file.write(content)

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.changed:
                self.connections += 1
                number = self.connections
                self.changed.notify_all()
            threading.Thread(target=self.serve, args=(sock, number), daemon=True).start()

    def serve(self, sock, number):
        behaviour = self.behaviours[min(number, len(self.behaviours)) - 1](self, sock, number)
        self.behaving.append(behaviour)
        try:
            behaviour.run()
        except (OSError, struct.error, LookupError, ValueError) as error:
            behaviour.why = error
        finally:
            behaviour.over.set()
            sock.close()

    def ordered(self, lying, orders):
        with self.changed:
            self.orders += [(lying, order) for order in orders]
            self.changed.notify_all()

    def wait(self, holds, seconds):
        with self.changed:
            return self.changed.wait_for(lambda: holds(self), seconds)

    def close(self):
        self.listener.close()
