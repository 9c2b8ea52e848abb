# SPDX-License-Identifier: Apache-2.0
"""The protocol of a Grid Engine 8.1.9 qmaster, as far as tests speak it: objects by GET with their doubles, load reports of hosts.

Lists carry their own descriptors, so what comes is decoded without tables; the one below only gives fields their names.
"""
import socket
import struct
import subprocess

HEADER = struct.pack(">II", 0, 0x10020000)
GDI_VERSION = 0x10003001
FULL = 6			# a report of all load values
GET, TAG_GDI, TAG_ACKNOWLEDGE, TAG_REPORT = 1, 2, 3, 4
TARGETS = {"hosts": 3, "queues": 4, "jobs": 5, "clients": 6, "pes": 13, "users": 15, "projects": 17, "quotas": 25, "reservations": 26}
DOUBLE, U32, BOOL, STRING, LIST, OBJECT, REFERENCE, HOST, U64 = 2, 3, 6, 8, 9, 10, 11, 12, 13

# Type, number of its first field, and the names of its fields in order: "-" for fields that are not used.
TYPES = """
JB 50 job_number job_name version - jid_predecessor_list - - ja_ad_predecessor_list - - project department - - - - - submission_time
  execution_time deadline owner - group - - - - type reserve priority jobshare - - - - - - checkpoint_name - - - - - - - hard_resource_list
  soft_resource_list hard_queue_list soft_queue_list - - pe pe_range master_hard_queue_list - - ja_structure ja_n_h_ids ja_u_h_ids ja_s_h_ids
  ja_o_h_ids ja_a_h_ids - ja_template ja_tasks - - - - - - - override_tickets - - urg nurg nppri rrcontr dlcontr wtcontr ar
JAT 141150 task_number status start_time - hold granted_pe - granted_destin_identifier_list master_queue state - - - - - - - - - tix oticket
  fticket sticket share - - - - - - - prio ntix
JG 2100 qname qversion qhostname slots - tag_slave_job task_id_range ticket oticket fticket sticket jcoticket jcfticket
RN 1250 min max step
JRE 140450 job_number
QR 1900 name
CQ 143100 name - qinstances
QU 250 qhostname qname full_name - - - - - job_slots - - - - - - - - - - - - - - s_rt h_rt s_cpu h_cpu s_fsize h_fsize s_data h_data s_stack
  h_stack s_core h_core s_rss h_rss s_vmem h_vmem - - - - - - - - - - consumable_config_list - - - state tagged4schedule - - - -
  suspended_on_subordinate - - - - - resource_utilization - - state_changes
CQU 144152 state until
EH 450 name - - - load_list
HL 700 name value
EV 850 id name host commproc commid uid d_time - - - busy_handling - last_heard_from - - next_number busy
CE 900 name - valtype stringval doubleval relop consumable - dominant - pj_doubleval pj_dominant requestable tagged
RUE 144000 name utilized_now utilized utilized_now_nonexclusive utilized_nonexclusive
RDE 143950 time amount
AR 144502 id name account owner group submission_time start_time end_time duration verify error_handling state checkpoint_name resource_list
  resource_utilization queue_list granted_slots reserved_queues mail_options - pe pe_range granted_pe master_queue_list acl_list xacl_list
  type qi_errors
ARA 144552 name group
PE 1850 name
RQS 144302 name
UU 2550 name - - - - - usage usage_time_stamp - long_term_usage project debited_job_usage
PR 2500 name - - - - usage usage_time_stamp - long_term_usage project - - debited_job_usage
UPP 140900 name usage long_term_usage
UPU 140250 job_number old_usage_list
UA 2450 name value
AN 600 status text quality
"""
REPORT = [(2350, 0x3), (2351, 0xc), (2352, 0x9), (2353, 0x3), (2354, 0x3)]
LOAD = [(1100, 0x208), (1101, 0x8), (1102, 0x3), (1103, 0x3), (1104, 0x20c)]
STATIC = {"arch", "num_proc", "mem_total", "swap_total", "virtual_total", "m_topology", "m_socket", "m_core", "m_thread"}


def field_names():
    """{number of a field: its name}"""
    out = {}
    for line in TYPES.replace("\n  ", " ").strip().splitlines():
        prefix, first, *names = line.split()
        out.update((int(first) + k, prefix + "_" + name) for k, name in enumerate(names) if name != "-")
    return out


FIELDS = field_names()


class WireError(Exception):
    pass


class Reader:
    """A packed buffer, taken from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def u32(self):
        self.at += 4
        return struct.unpack_from(">I", self.data, self.at - 4)[0]

    def string(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end].decode("utf-8", "replace"), end + 1
        return text

    def value(self, kind):
        if kind == DOUBLE:
            self.at += 8
            return struct.unpack_from(">d", self.data, self.at - 8)[0]
        if kind in (U32, BOOL):
            return self.u32()
        if kind in (STRING, HOST):
            return self.string()
        if kind == LIST:
            return self.list()
        if kind == OBJECT:
            return self.element(self.descriptor()) if self.u32() else None
        if kind == U64:
            self.at += 4
            return (self.u32(), self.at)[0]
        if kind == REFERENCE:
            return None
        raise WireError("a field of type %d" % kind)

    def descriptor(self):
        return [(self.u32(), self.u32() & 255) for k in range(self.u32())]

    def element(self, descriptor):
        status = self.u32()
        if status == 1:
            descriptor = self.descriptor()
        bits = self.u32()
        self.at += (bits + 7) // 8
        return {FIELDS.get(number, number): self.value(kind) for number, kind in descriptor}

    def list(self):
        if not self.u32():
            return []
        count = self.u32()
        self.string()
        self.u32()
        descriptor = self.descriptor()
        return [self.element(descriptor) for k in range(count)]

    def condition(self):
        if self.u32():
            raise WireError("a condition in an answer")

    def enumeration(self):
        if self.u32() and self.u32() == 2:
            raise WireError("an enumeration of fields in an answer")


def u32(*values):
    return struct.pack(">%dI" % len(values), *values)


def text(value):
    return value.encode() + b"\0"


def packed_list(name, descriptor, rows):
    """descriptor: [(number, type word)]; rows: values in its order, those of lists and objects packed already"""
    out = [u32(1, len(rows)), text(name), u32(0, len(descriptor)), b"".join(u32(*field) for field in descriptor)]
    for row in rows:
        out.append(u32(2, len(descriptor)) + bytes((len(descriptor) + 7) // 8))
        for (number, word), value in zip(descriptor, row):
            kind = word & 255
            out.append(u32(value) if kind in (U32, BOOL) else struct.pack(">d", value) if kind == DOUBLE else
                       text(value) if kind in (STRING, HOST) else value)
    return b"".join(out)


class Connection:
    """One endpoint: (host, component, id)."""

    def __init__(self, qmaster, port, host, component, number=0, security="none"):
        self.security, self.mid = security, 0
        self.socket = socket.create_connection((qmaster, port), timeout=30, source_address=(host, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        hello = ('<cm version="0.4"><df>bin</df><ct>message</ct><dst host="%s" comp="qmaster" id="1"></dst>'
                 '<rdata host="%s" comp="%s" id="%d"></rdata><port>0</port><ac>disabled</ac></cm>' % (qmaster, host, component, number))
        self._send(hello.encode())
        answer = self._header()
        if b'condition="connected"' not in answer and b">connected<" not in answer and b'"connected"' not in answer:
            raise WireError(answer.decode())

    def _send(self, header, data=b""):
        self.socket.sendall(b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data)

    def _take(self, count):
        while len(self.buffer) < count:
            self.buffer += self._more()
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def _header(self):
        while b"</gmsh>" not in self.buffer:
            self.buffer += self._more()
        head, self.buffer = self.buffer.split(b"</gmsh>", 1)
        return self._take(int(head.split(b"<dl>")[1].split(b"<")[0]))

    def _more(self):
        more = self.socket.recv(1 << 18)
        if not more:
            raise WireError("the qmaster has closed the connection")
        return more

    def send(self, data, tag):
        self.mid += 1
        self._send(b'<mih version="0.1"><mid>%d</mid><dl>%d</dl><df>bin</df><mat>nak</mat><tag>%d</tag><rid>0</rid></mih>' % (
            self.mid, len(data), tag), data)
        return self.mid

    def receive(self):
        """(tag, rid, data) of the next message"""
        header = self._header()

        def number(name):
            return int(header.split(b"<%s>" % name)[1].split(b"<")[0])
        return number(b"tag"), number(b"rid"), self._take(number(b"dl"))

    def credential(self):
        """Return the identity of the client, root. With munge each packet has a credential of its own."""
        if self.security == "none":
            return "none:0 0 root root"
        return subprocess.run(["munge", "-n"], capture_output=True, text=True, check=True).stdout.strip()

    def get(self, *targets):
        """A list of objects for each target, all of one moment."""
        user = self.credential()
        tasks = [u32(GET, TARGETS[target], GDI_VERSION, 0, 0, 0, 1, 0) + text(user) + u32(k + 1, 1, k + 1 < len(targets))
                 for k, target in enumerate(targets)]
        mid = self.send(HEADER + b"".join(tasks), TAG_GDI)
        while True:
            tag, rid, data = self.receive()
            if tag == TAG_GDI and rid == mid:
                return self._answers(Reader(data[8:]), targets)

    @staticmethod
    def _answers(reader, targets):
        out = []
        for target in targets:
            reader.u32(), reader.u32(), reader.u32()
            out.append(reader.list())
            for answer in reader.list():
                if answer["AN_status"] != 1:
                    raise WireError("%s: %s" % (target, answer["AN_text"]))
            reader.condition()
            reader.enumeration()
            reader.string()
            reader.u32(), reader.u32(), reader.u32()
        return out

    def report_loads(self, host, values, number):
        """A load report of an execution daemon; returns when the qmaster has acknowledged it."""
        loads = packed_list("", LOAD, [(name, value, 0, name in STATIC, host) for name, value in values])
        mid = self.send(HEADER + packed_list("report list", REPORT, [(FULL, host, loads, GDI_VERSION, number)]), TAG_REPORT)
        while self.receive()[0] != TAG_ACKNOWLEDGE:
            pass
        return mid

    def close(self):
        self.socket.close()
