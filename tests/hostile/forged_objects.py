# SPDX-License-Identifier: Apache-2.0
"""More lies of a forged qmaster, into LIES of forged_lies: about lengths and types, single objects, the order of events, and repetitions."""
import time

from forged_lies import FOUR_GIGABYTES, GIGABYTE, Lists, Report, delivery, event, lie, ranges
from forged_qmaster import HEADER, JOB_ADD, JOB_LIST, NULL, TAG_REPORT, Honest, packed_list, report, text, u32

JATASK_ADD, JATASK_DEL, JATASK_MOD, PETASK_ADD, JOB_DEL, JOB_MOD, JOB_USAGE, JOB_FINAL_USAGE = 26, 27, 28, 29, 33, 34, 36, 37
EXECHOST_ADD, QINSTANCE_MOD, USER_MOD, JOB_FINISH = 22, 67, 80, 38
NAN, INFINITY = float("nan"), float("inf")
# The first fields of types, and the places of those that are forged.
FIELDS = {"JB": (50, {"job_number": 0, "version": 2, "jid": 4, "submission_time": 17, "execution_time": 18, "deadline": 19, "owner": 20, "group": 22,
                      "type": 27, "priority": 29, "hard": 45, "queues": 47, "pe": 51, "pe_range": 52, "ja_structure": 56, "ja_n_h_ids": 57,
                      "ja_u_h_ids": 58, "template": 63, "tasks": 64, "ar": 81}),
          "JAT": (141150, {"task_number": 0, "status": 1, "start_time": 2, "hold": 4, "granted": 7, "state": 9, "usage": 16, "pe_tasks": 25}),
          "JG": (2100, {"qname": 0, "slots": 3}), "UA": (2450, {"name": 0, "value": 1}), "PET": (2700, {"id": 0, "usage": 7}),
          "CE": (900, {"name": 0, "shortcut": 1, "valtype": 2, "stringval": 3, "doubleval": 4, "relop": 5, "consumable": 6, "default": 7,
                       "requestable": 12, "urgency": 14}),
          "PE": (1850, {"name": 0, "slots": 1, "rule": 6, "control_slaves": 7, "urgency_slots": 10}),
          "UU": (2550, {"name": 0, "oticket": 1, "fshare": 2, "usage": 6, "usage_time_stamp": 7, "long_term": 9, "project": 10, "debited": 11, "version": 13}),
          "UPU": (140250, {"job_number": 0, "old": 1}), "UPP": (140900, {"name": 0, "usage": 1, "long_term": 2}),
          "STN": (2600, {"name": 0, "type": 1, "id": 2, "shares": 3, "children": 4}), "JRE": (140450, {"job_number": 0}),
          "CAL": (140650, {"name": 0, "year": 1, "week": 2}), "QU": (250, {"qhostname": 0, "qname": 1, "full_name": 2, "job_slots": 8, "state": 53, "version": 58,
                                                                           "changes": 68}),
          "CQU": (144152, {"state": 0, "until": 1}), "HGRP": (141550, {"name": 0, "hosts": 1}), "HR": (141600, {"name": 0}),
          "AR": (144502, {"id": 0, "owner": 3, "start_time": 6, "end_time": 7, "state": 11, "granted": 16, "pe": 20, "pe_range": 21}),
          "RQS": (144302, {"name": 0, "description": 1, "enabled": 2, "rule": 3}), "EH": (450, {"name": 0, "processors": 6})}


def objects(prefix, *rows):
    """A packed list of these objects: each a dictionary with the same fields. The type of a field is that of its value."""
    first, places = FIELDS[prefix]
    kinds = {int: 0x3, bool: 0x6, float: 0x2, str: 0x8, bytes: 0x9}
    names = sorted(rows[0], key=places.get)
    descriptor = [(first + places[name], kinds[type(rows[0][name])]) for name in names]
    return packed_list("", descriptor, [[row[name] for name in names] for row in rows])


def job(number, **fields):
    return {"job_number": number, "submission_time": 1700000000, "owner": "ann", "group": "ann", "priority": 1024, "ja_structure": ranges((1, 1, 1)),
            "ja_n_h_ids": ranges((1, 1, 1)), **fields}


def task(number, status=0x80, **fields):
    return {"task_number": number, "status": status, "start_time": 1700000000, "state": 0x80, "granted": objects("JG", {"qname": "all.q@sgehost", "slots": 1}), **fields}


def usage(*values):
    return objects("UA", *({"name": name, "value": float(value)} for name, value in values))


# Lengths and types


@lie("expected")
class LengthWithSpaces(Honest):
    def greet(self):
        self.peer.raw(b"<gmsh><dl> 12 </dl></gmsh><crm version=")


@lie(None, within=90)
class LengthWithThousandZeros(Honest):
    def greet(self):
        self.peer.raw(b"<gmsh><dl>" + b"0" * 1000 + b"12</dl></gmsh>")


@lie(None, within=90)
class LengthOfNothing(Honest):
    def registered(self, mid, task):
        self.peer.raw(b"<gmsh><dl>0</dl></gmsh>" * 100000)
        raise ConnectionError("enough")


@lie(None)
class ThousandsOfAcknowledgements(Honest):
    """Acknowledge messages that were never sent."""
    def registered(self, mid, task):
        data = b'<am version="0.1"><mid>77</mid></am>'
        header = self.peer.header(len(data), b"am", 0)
        for _ in range(20):
            self.peer.raw((b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data) * 10000)
        raise ConnectionError("enough")


@lie(None)
class BitsWithoutEnd(Report):
    """The bits of what has changed, more than there are fields."""
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, 1) + text("") + u32(0, 1, 50, 0x2303, 2, FOUR_GIGABYTES)))


@lie("type")
class TypesThatNeverOccur(Report):
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, 1) + text("") + u32(0, 5, 50, 0x4, 51, 0x1, 52, 0x5, 53, 0x7, 54, 0xff, 2, 5) + b"\0" * 100))


@lie(None)
class FieldsTwice(Report):
    """Send each field with another value."""
    def lies(self):
        return delivery(event(JOB_LIST, packed_list("", [(50, 0x3), (50, 0x3), (70, 0x8), (70, 0x3), (50, 0x8)], [(7, 8, "ann", 9, "x")])))


@lie(None)
class NumbersAsTexts(Lists):
    """Numbers are texts, texts are numbers, lists are doubles."""
    def list(self):
        return packed_list("", [(50, 0x8), (67, 0x2), (70, 0x3), (107, 0x2), (102, 0x8)], [("7", 1e300, 5, -1.0, "1-4"), ("-7", NAN, 0, INFINITY, "")])


@lie(None)
class ListInAList(Report):
    """The count of a list inside is that of bytes, and goes beyond the list around it."""
    def lies(self):
        inner = u32(1, GIGABYTE) + text("") + u32(0, 1, 1250, 0x10103) + u32(2, 1) + b"\0" + u32(5)
        return delivery(event(JOB_LIST, u32(1, 1) + text("") + u32(0, 2, 50, 0x2303, 107, 0x2009, 2, 2) + b"\0" + u32(7) + inner))


# Jobs


@lie(None, kb=96 << 10)
class OddSteps(Lists):
    """Negative steps, steps beyond the range, ranges with steps in each other, and a hundred thousand of them."""
    def list(self):
        rows = [job(20, pe="make", pe_range=ranges((1, 9, FOUR_GIGABYTES))), job(21, pe="make", pe_range=ranges((1, 9, 2), (2, 8, 2))),
                job(22, pe="make", pe_range=ranges((2, 3, 100))), job(23, pe="make", pe_range=ranges((9, 1, 2))),
                job(24, pe="make", pe_range=ranges(*((k + 1, k + 9, 3) for k in range(100000)))), job(25, pe="make", pe_range=ranges((1, FOUR_GIGABYTES, 2))),
                job(26, pe="make", pe_range=NULL), job(27, pe="make", pe_range=ranges((0, 0, 0)))]
        odd = [job(30 + k, pe="", pe_range=NULL, ja_n_h_ids=ids, type=0x80) for k, ids in enumerate((
            ranges((1, 9, FOUR_GIGABYTES)), ranges((1, FOUR_GIGABYTES, 2), (2, FOUR_GIGABYTES, 2)), ranges(*((k + 1, k + 100000, 7) for k in range(20000)))))]
        return objects("JB", *({"type": 0, **row} for row in rows + odd))


@lie(None, kb=64 << 10)
class SameJobAgain(Lists):
    def list(self):
        return objects("JB", *(job(20, owner="ann" if k % 2 else "bob") for k in range(10000)))


@lie(None, kb=64 << 10)
class WaitsForItself(Lists):
    """Jobs that wait for themselves, in a circle, and for a hundred thousand others that there are not."""
    def list(self):
        rows = [(20, [20]), (21, [22]), (22, [23]), (23, [21]), (24, range(100000)), (25, [0, FOUR_GIGABYTES])]
        return objects("JB", *(job(number, jid=objects("JRE", *({"job_number": other} for other in others))) for number, others in rows))


@lie(None)
class TimesAtTheEnd(Lists):
    def list(self):
        return objects("JB", *({**job(20 + k), "submission_time": when, "execution_time": FOUR_GIGABYTES, "deadline": when, "ar": FOUR_GIGABYTES, "priority": when,
                                "version": when} for k, when in enumerate((0, 1, 0x7fffffff, 0x80000000, FOUR_GIGABYTES))))


@lie(None, kb=64 << 10)
class OddRequests(Lists):
    def list(self):
        names = ["", "=", "slots", "a" * 100000, "\x1b[2J", "h_rt", "h_rt", "\xff", "%s%n"]
        values = ["nan", "-1", "1e999", "9" * 10000, "", "*" * 2000, "[" * 2000, "INFINITY", "0:-1:0"]
        return objects("JB", *(job(20 + k, hard=objects("CE", {"name": name, "stringval": value, "doubleval": NAN}),
                                   queues=packed_list("", [(1900, 0x8)], [(value,)])) for k, (name, value) in enumerate(zip(names, values))))


@lie(None, kb=64 << 10)
class TasksBeyondAll(Lists):
    """Tasks that a job cannot have, granted four billion slots in queues that do not exist, a hundred thousand times."""
    def list(self):
        lots = objects("JG", *({"qname": "no.q@nowhere", "slots": FOUR_GIGABYTES} for _ in range(1000)))
        return objects("JB", *(job(20 + k, tasks=tasks) for k, tasks in enumerate((
            objects("JAT", task(0), task(FOUR_GIGABYTES), task(2)), objects("JAT", task(1, granted=lots)), objects("JAT", task(1, granted=NULL)),
            objects("JAT", *(task(1) for _ in range(10000))), objects("JAT", task(1, status=0x77777777), task(1, status=0x10000))))))


# Other objects


class OfComplexes(Lists):
    kind = 13

    def list(self):
        rows = [("slots", 99, 99), ("slots", 1, 2), ("a" * 10000, 0, 0), ("h_rt", 3, FOUR_GIGABYTES), ("", 1, 1), ("x=y", 2, 7), ("\x1b[1m", 9, 9)]
        return objects("CE", *({"name": name, "shortcut": name, "valtype": kind, "relop": relop, "consumable": relop, "requestable": 99, "default": "nan",
                                "urgency": "inf", "stringval": "", "doubleval": NAN} for name, kind, relop in rows))


class OfEnvironments(Lists):
    kind = 52

    def list(self):
        rules = ["0", "-1", "99999999999", "$fill_up x", "", "$pe_slots", "nan", "4294967296"]
        return objects("PE", *({"name": "make" if k % 2 else "pe%d" % k, "slots": FOUR_GIGABYTES, "rule": rule, "control_slaves": True, "urgency_slots": rule}
                               for k, rule in enumerate(rules)))


class OfUsers(Lists):
    """Usage that is no number, again and again of the same name, and of jobs that there are not."""
    kind = 77

    def list(self):
        wrong = usage(*[(name, value) for name in ("cpu", "cpu", "x" * 200, "", "mem\n") for value in (NAN, INFINITY, -INFINITY, -1e300, 1e308)])
        entries = objects("UPU", *({"job_number": k % 7, "old": wrong} for k in range(1000)))
        projects = objects("UPP", *({"name": "p%d" % (k % 3), "usage": wrong, "long_term": wrong} for k in range(1000)))
        return objects("UU", *({"name": name, "oticket": FOUR_GIGABYTES, "fshare": FOUR_GIGABYTES, "usage": wrong, "usage_time_stamp": FOUR_GIGABYTES, "long_term": wrong,
                                "project": projects, "debited": entries, "version": FOUR_GIGABYTES} for name in ("ann", "ann", "", "b" * 5000, "bob")))


class OfTree(Lists):
    """A node below itself by its name and number, a thousand of the same name, and shares of 0."""
    kind = 51

    def list(self):
        leaves = objects("STN", *({"name": "ann", "type": 77, "id": 1, "shares": 0, "children": NULL} for _ in range(1000)))
        root = objects("STN", {"name": "Root", "type": 0, "id": 0, "shares": FOUR_GIGABYTES, "children": leaves})
        return objects("STN", *({"name": "Root", "type": 0, "id": 0, "shares": 0, "children": root} for _ in range(3)))


class OfCalendars(Lists):
    kind = 5

    def list(self):
        texts = ["1-" * 5000, "99.99.99999=25:61-99=off", "-", "", "\x1b", "mon-mon-mon", "0" * 100000]
        return objects("CAL", *({"name": "c%d" % (k % 3), "year": value, "week": value} for k, value in enumerate(texts)))


class OfGroups(Lists):
    """Groups of hosts that are in each other."""
    kind = 85

    def list(self):
        members = {"@a": ["@b", "@c"], "@b": ["@a"], "@c": ["@c"], "@d": ["@none", ""], "@allhosts": ["@allhosts"]}
        return objects("HGRP", *({"name": name, "hosts": packed_list("", [(141600, 0xc)], [(other,) for other in others])} for name, others in members.items()))


@lie(None, kb=96 << 10)
class OddQuotas(Lists):
    """A set that cannot be understood keeps all jobs from starting, until it is gone."""
    kind = 89

    def list(self):
        return objects("RQS", *({"name": name, "description": "d" * 10000, "enabled": True, "rule": rule} for name in ("q", "q", "")
                                for rule in (NULL, ranges((1, 1, 1)), usage(("cpu", NAN)))))


class OfReservations(Lists):
    """Send reservations that end before they begin, for all slots, again and again."""
    kind = 93

    def list(self):
        granted = objects("JG", {"qname": "all.q@sgehost", "slots": FOUR_GIGABYTES})
        return objects("AR", *({"id": k % 100, "owner": "ann", "start_time": FOUR_GIGABYTES - k, "end_time": k, "state": k, "granted": granted, "pe": "make",
                                "pe_range": ranges((9, 1, FOUR_GIGABYTES))} for k in range(2000)))


class OfHosts(Lists):
    kind = 21

    def list(self):
        return objects("EH", *({"name": "h%d" % (k // 2) if k else "", "processors": FOUR_GIGABYTES} for k in range(5000)))


@lie("is not a valid name of an object", again=100, about_jobs=False)
class NamesOfNoObject(OfEnvironments):
    """Objects with such names are left out, each time they come; all else is taken."""
    def list(self):
        return objects("PE", *({"name": name, "slots": 9, "rule": "1", "control_slaves": True, "urgency_slots": "min"}
                               for name in (".hidden", "../../etc/passwd", "a/b", "", "x" * 5000, "\x1b[2J", "NONE", "make")))


for forged in (OfComplexes, OfEnvironments, OfUsers, OfTree, OfCalendars, OfGroups, OfReservations, OfHosts):
    lie(None, kb=96 << 10, about_jobs=False)(type("Odd" + forged.__name__[2:], (forged,), {}))


# The order of events


class Story(Honest):
    """The truth, and then events that cannot be."""
    def released(self):
        self.deliver(self.events())
        raise ConnectionError("enough")

    def events(self):
        return []


class UnknownThings(Story):
    """The end, the usage and the tasks of jobs that there are not."""
    def events(self):
        one = objects("JAT", task(1))
        return [(kind, number, 1, "pe.1", "", elements) for number in (99, 0, FOUR_GIGABYTES) for kind, elements in (
            (JATASK_ADD, one), (JATASK_MOD, one), (JATASK_DEL, NULL), (PETASK_ADD, objects("PET", {"id": "pe.1", "usage": usage(("cpu", 1))})),
            (JOB_USAGE, usage(("cpu", 1))), (JOB_FINAL_USAGE, usage(("cpu", 1))), (JOB_FINISH, NULL), (JOB_DEL, NULL), (JOB_MOD, NULL))]


class LifeBackwards(Story):
    def events(self):
        return [(JOB_DEL, 99, 0, "", "", NULL), (JOB_FINAL_USAGE, 99, 1, "", "", usage(("cpu", NAN))), (JATASK_DEL, 99, 1, "", "", NULL),
                (JATASK_MOD, 99, 1, "", "", objects("JAT", task(1))), (JOB_MOD, 99, 0, "", "", objects("JB", job(99))),
                (JOB_ADD, 99, 0, "", "", objects("JB", job(99))), (JOB_ADD, 99, 0, "", "", objects("JB", job(99)))] * 200


class UsageIsNoNumber(Story):
    def events(self):
        wrong = usage(("cpu", NAN), ("mem", INFINITY), ("io", -1e308), ("cpu", -1), ("vmem", 1e308), ("start_time", NAN), ("", 1))
        return [(JOB_ADD, 98, 0, "", "", objects("JB", job(98))), (JATASK_ADD, 98, 1, "", "", objects("JAT", task(1))), (JOB_USAGE, 98, 1, "", "", wrong),
                (JOB_FINAL_USAGE, 98, 1, "", "", wrong), (USER_MOD, 0, 0, "ann", "", objects("UU", {"name": "ann", "usage": wrong, "long_term": wrong, "version": 7})),
                (JOB_USAGE, 98, 1, "", "", wrong), (JOB_FINAL_USAGE, 98, 1, "", "", wrong), (JATASK_MOD, 98, 1, "", "", objects("JAT", task(1)))]


class ThousandsOfParallelTasks(Story):
    def events(self):
        return [(JOB_ADD, 98, 0, "", "", objects("JB", job(98))), (JATASK_ADD, 98, 1, "", "", objects("JAT", task(1)))] + [
            (PETASK_ADD, 98, 1, "%d.host" % k, "", objects("PET", {"id": "%d.host" % k, "usage": usage(("cpu", k))})) for k in range(10100)]


class InstancesOfNoQueue(Story):
    def events(self):
        changes = objects("CQU", *({"state": k, "until": FOUR_GIGABYTES - k} for k in range(1000)))
        return [(QINSTANCE_MOD, 0, 0, name.partition("@")[0], name.partition("@")[2], objects("QU", {
            "qhostname": "sgehost", "qname": "all.q", "full_name": name, "job_slots": FOUR_GIGABYTES, "state": FOUR_GIGABYTES, "version": FOUR_GIGABYTES, "changes": changes}))
            for name in ("no.q@nowhere", "@", "", "all.q@", "@sgehost", "a" * 600 + "@b", "all.q@sgehost@x")]


class ThousandsOfHosts(Story):
    def events(self):
        return [(EXECHOST_ADD, 0, 0, "n%d" % k, "", objects("EH", {"name": "n%d" % k, "processors": 1})) for k in range(5000)]


class EventsTwice(Story):
    """With the numbers of others, which were taken already."""
    def released(self):
        for _ in range(20):
            self.peer.message(report([(JOB_DEL, 7, 0, "", "", NULL)] * 3, 1), TAG_REPORT)
        self.deliver([])
        raise ConnectionError("enough")


for forged, memory in ((UnknownThings, 0), (LifeBackwards, 0), (UsageIsNoNumber, 0), (ThousandsOfParallelTasks, 64), (InstancesOfNoQueue, 0), (ThousandsOfHosts, 96),
                       (EventsTwice, 0)):
    lie(None, kb=memory << 10, about_jobs=False)(forged)


@lie("is incomplete")
class UpdateInterrupted(Report):
    def lies(self):
        return report(self.qmaster.update[:9])


@lie("without hosts, jobs or queues")
class UpdateBackwards(Report):
    def lies(self):
        return report(self.qmaster.update[::-1])


@lie("out of order")
class UpdateInAnUpdate(Report):
    def lies(self):
        return report(self.qmaster.update[:9] + self.qmaster.update)


@lie(None, within=120)
class EmptyDeliveries(Honest):
    """A hundred thousand at once, none of them after a release."""
    def registered(self, mid, task):
        self.answer(mid, [task])
        data = report([])
        header = self.peer.header(len(data))
        frame = b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data
        for _ in range(100):
            self.peer.raw(frame * 1000)
        raise ConnectionError("enough")


@lie(None, within=90)
class DripOfBytes(Honest):
    """A byte now and then, within a header: longer than the scheduler is patient, if each byte makes it wait again."""
    def greet(self):
        end = time.monotonic() + 60
        for byte in b"<gmsh><dl>9</dl></gmsh>" + b"<" * 1000:
            if time.monotonic() > end or self.over.wait(0.2):
                return
            self.peer.raw(bytes([byte]))
