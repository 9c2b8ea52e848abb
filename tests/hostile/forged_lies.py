# SPDX-License-Identifier: Apache-2.0
"""The ways in which a forged qmaster lies: to any client, about packed buffers, about events, in its answers. LIES
has them by name."""
import struct

from forged_qmaster import ET, GDI_VERSION, HEADER, JOB_ADD, JOB_LIST, NULL, REP, TAG_GDI, TAG_REPORT, Honest, packed_list, report, text, u32

PATIENCE_S = 120			# for the one start order at the end
GIGABYTE = 1 << 30
FOUR_GIGABYTES = 0xffffffff
CUTS = 8			# schedulers that are cut off, four times each
LIES = {}


def lie(says, within=PATIENCE_S, kb=0, again=1, for_good=False, about_jobs=True, minutes=False, believed=False):
    """A way to lie.

    says       what the scheduler says about it; None: nothing in particular
    within     seconds until it has found the truth and made its start order
    kb         memory that it may take for it
    again      so many connections lie
    for_good   it does not try again: an administrator has to do something
    about_jobs nothing is true that could be ordered
    minutes    it takes some minutes: it runs only if it is named
    believed   the negative control: it passes for the truth, which this test must notice
    """
    def enter(behaviour):
        behaviour.lying = again > 0 and about_jobs
        behaviour.says, behaviour.within, behaviour.kb, behaviour.again = says, within, kb, again
        behaviour.for_good, behaviour.minutes, behaviour.believed = for_good, minutes, believed
        LIES[behaviour.__name__] = behaviour
        return behaviour
    return enter


@lie("is the scheduler", again=0)
class NoLie(Honest):
    """Check that the truth does lead to a start."""


@lie(None, believed=True)
class TruthCalledALie(Honest):
    """Check that an order that depends on a lie is detected."""


# The connection


@lie("the peer is not a qmaster")
class AnotherServer(Honest):
    def greet(self):
        self.peer.raw(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")


@lie("access denied")
class Denied(Honest):
    def greet(self):
        self.peer.frame(b'<crm version="0.3"><cs condition="access denied">\x1b[2J\x07 &lt;you&gt; &amp; all \xff</cs>'
                        b'<rdata host="a" comp="b" id="0"></rdata><params></params></crm>')


@lie("expected")
class GreetingOutOfOrder(Honest):
    def greet(self):
        self.peer.frame(b'<crm version="0.3"><rdata host="a" comp="b" id="1"></rdata><cs condition="connected">ok</cs><params></params></crm>')


@lie("header of")
class HeaderOfFourGigabytes(Honest):
    def greet(self):
        self.peer.raw(b"<gmsh><dl>4294967295</dl></gmsh><crm ")


@lie("expected")
class LengthIsNoNumber(Honest):
    def greet(self):
        self.peer.raw(b"<gmsh><dl>-1</dl></gmsh>")


@lie(None, within=90)
class NoGreeting(Honest):
    def greet(self):
        pass


@lie("at most 1073741824")
class MessageOfFourGigabytes(Honest):
    def registered(self, mid, task):
        self.peer.frame(self.peer.header(FOUR_GIGABYTES))


@lie(None, within=90)
class GigabyteThatDoesNotCome(Honest):
    """Announced and begun. Only what has come may take memory."""
    def registered(self, mid, task):
        self.answer(mid, [task])
        self.peer.frame(self.peer.header(GIGABYTE), report(self.qmaster.update)[:10000])


@lie(None, within=90)
class ByteASecond(Honest):
    def registered(self, mid, task):
        self.answer(mid, [task])
        data = report(self.qmaster.update)
        header = self.peer.header(len(data))
        for byte in b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data:
            if self.over.wait(0.01 if byte == ord("<") else 1):
                return
            self.peer.raw(bytes([byte]))


@lie("expected")
class ElementsOutOfOrder(Honest):
    def registered(self, mid, task):
        self.peer.frame(b'<mih version="0.1"><dl>8</dl><mid>1</mid><df>bin</df><mat>nak</mat><tag>4</tag><rid>0</rid></mih>', HEADER)


@lie("expected")
class NumbersBeyondTheirRange(Honest):
    def registered(self, mid, task):
        self.peer.frame(b'<mih version="0.1"><mid>99999999999999999999</mid><dl>8</dl><df>bin</df><mat>nak</mat><tag>4</tag><rid>0</rid></mih>', HEADER)


@lie("bin, am, sim")
class UnknownFormat(Honest):
    def registered(self, mid, task):
        self.peer.message(b"", TAG_REPORT, form=b"exe")


class Cut(Honest):
    """End each of the first connections at the beginning or at a random byte of the data that the qmaster sends."""
    part = 0

    def registered(self, mid, task):
        granted, update = self.answer_bytes([task]), report(self.qmaster.update)
        stream = b"".join(b"<gmsh><dl>%d</dl></gmsh>" % len(header) + header + data for header, data in (
            (self.peer.header(len(granted), b"bin", TAG_GDI, mid), granted), (self.peer.header(len(update)), update)))
        place = (self.number - 1) * CUTS + self.part
        self.peer.raw(stream[:place * 12 if self.number % 2 else len(stream) * place // (CUTS * self.again)])
        raise ConnectionError("cut")


for part in range(CUTS):
    lie(None, again=4)(type(f"Cut{part}", (Cut,), {"part": part}))


@lie(None, within=120)
class NeverReads(Honest):
    """Read nothing, but ask the scheduler for its state again and again. The scheduler must not keep answers without
    a limit."""
    def registered(self, mid, task):
        question = b'<sim version="0.1"></sim>'
        head = self.peer.header(len(question), b"sim", 0)
        self.answer(mid, [task])
        while True:
            self.peer.raw((b"<gmsh><dl>%d</dl></gmsh>" % len(head) + head + question) * 1000)


@lie("may have lost the scheduler role", within=240, about_jobs=False, minutes=True)
class Mute(Honest):
    """Send everything, then neither read nor write anything. The connection stays open."""
    def released(self):
        self.lying = True
        self.over.wait(240)


@lie(None)
class ClosesAtOnce(Honest):
    def registered(self, mid, task):
        self.peer.message(b'<ccm version="0.1"></ccm>', 0, 0, b"ccm")


# Packed buffers


class Report(Honest):
    """The registration is granted; then comes what `lies` says, and the truth only if that was good enough to be released."""
    def registered(self, mid, task):
        self.answer(mid, [task])
        data = self.lies()
        self.next_event += max(len(self.qmaster.update), 0)
        self.peer.message(data, TAG_REPORT)

    def released(self):
        if self.lying:
            self.repent()
        else:
            super().released()

    def lies(self):
        return b""


def delivery(events):
    """events: a packed list, or what should be one."""
    return HEADER + packed_list("report list", REP, [(2, "localhost", events, GDI_VERSION, 1)])


def event(kind, objects, number=1):
    return packed_list("Events", ET, [(number, 1, kind, 7, 0, "", "", objects)])


@lie("version")
class AnotherVersion(Report):
    def lies(self):
        return u32(0, 0x10021000) + report(self.qmaster.update)[8:]


@lie("buffer")
class EmptyReport(Report):
    pass


@lie("JB_owner")
class AnotherKindOfField(Report):
    def lies(self):
        return delivery(event(JOB_LIST, packed_list("", [(50, 0x2303), (70, 0x2003)], [(7, 7)])))


@lie("elements")
class FourBillionElements(Report):
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, FOUR_GIGABYTES) + text("jobs") + u32(0, 1, 50, 0x2303)))


@lie("199")
class MoreFieldsThanThereMayBe(Report):
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, 1) + text("jobs") + u32(0, 100000) + u32(50, 0x2303) * 100000))


@lie("deep")
class TenThousandDeep(Report):
    def lies(self):
        return delivery(event(51, (u32(1, 1) + text("") + u32(0, 1, 2604, 0x102009, 2, 1) + b"\0") * 10000 + NULL))


@lie(None, kb=64 << 10)
class MillionEmptyElements(Report):
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, 1000000) + text("") + u32(0, 0) + u32(2, 0) * 1000000))


@lie("no NUL")
class StringWithoutEnd(Report):
    def lies(self):
        return HEADER + u32(1, 1) + b"a" * 10000000


@lie("left over")
class BytesLeftOver(Report):
    def lies(self):
        return report(self.qmaster.update) + u32(1, 2, 3)


@lie("status")
class AnotherStatus(Report):
    def lies(self):
        return delivery(event(JOB_LIST, u32(1, 1) + text("") + u32(0, 1, 50, 0x2303, 1, 0, 7)))


# Events


@lie(None)
class UnknownEvents(Report):
    def lies(self):
        return report([(kind, 0, 0, "", "", NULL) for kind in (0, 98, 99, 1000, FOUR_GIGABYTES)] * 4)

    def repent(self):
        self.next_event = 21
        super().repent()


@lie(None, about_jobs=False)
class NumbersThatJump(Honest):
    """Forwards: something was lost."""
    def released(self):
        self.next_event += 1000
        self.deliver([(JOB_ADD, 8, 0, "", "", NULL)])


@lie(None)
class NumbersAtTheEnd(Report):
    def lies(self):
        return report([(JOB_ADD, 8, 0, "", "", NULL)] * 5, FOUR_GIGABYTES - 1)


@lie(None)
class ObjectsOfAnotherType(Report):
    """Send hosts in the place of jobs, and so on for all kinds. Every object is sound, but of the wrong kind."""
    def lies(self):
        update = self.qmaster.update
        return report([(*one[:5], other[5]) for one, other in zip(update, update[1:] + update[:1])])


class Lists(Report):
    """A total update in which one list is another one."""
    kind = JOB_LIST

    def lies(self):
        return report([(*one[:5], self.list()) if one[0] == self.kind else one for one in self.qmaster.update])

    def list(self):
        return NULL


JOB = [(50, 0x2303), (52, 0x82003), (67, 0x82003), (70, 0x82008), (72, 0x82008), (79, 0x2003), (101, 0x2008), (102, 0x2009), (106, 0x2009), (107, 0x2009)]
RANGE = [(1250, 0x10103), (1251, 0x10003), (1252, 0x10003)]


def ranges(*rows):
    return packed_list("task_id_range", RANGE, rows)


def job(number, owner="ann", pe="", slots=NULL, tasks=ranges((1, 1, 1))):
    return (number, 0, 1700000000, owner, owner, 1024, pe, slots, tasks, tasks)


@lie(None)
class OddJobs(Lists):
    """Numbers of 0, twice the same, ranges that are none, four billion tasks of step 0."""
    def list(self):
        whole = ranges((1, FOUR_GIGABYTES, 1))
        return packed_list("jobs", JOB, [job(0), job(11, tasks=ranges((5, 1, 1))), job(12, tasks=ranges((1, 10, 0))), job(13, tasks=whole), job(13),
                                         job(14, tasks=ranges((0, 0, 0))), job(15, pe="make", slots=whole), job(FOUR_GIGABYTES),
                                         job(16, tasks=ranges(*[(1, FOUR_GIGABYTES, 1)] * 1000))])


@lie(None, kb=64 << 10)
class OddNames(Lists):
    def list(self):
        names = ["", "\x1b[2J\x1b]0;root\x07", "\"},\n{\"event\":\"x\"", "\u202ennn", "a" * 1000000, "../../etc/passwd", "%n%n%s"]
        return packed_list("jobs", JOB, [job(20 + k, owner=name) for k, name in enumerate(names)])


class Loads(Lists):
    kind = 21

    def list(self):
        values = ["nan", "inf", "-inf", "1e999", "-1e308", "0x10", "1e308K", "", "a" * 100000, "9" * 400]
        loads = packed_list("", [(700, 0x10708), (701, 0x10008), (702, 0x3), (703, 0x6)], [("load_avg", value, 0, 0) for value in values] +
                            [("np_load_avg", value, 0, 0) for value in values] + [("slots", value, 0, 0) for value in values])
        return packed_list("", [(450, 0x10270c), (454, 0x82009), (456, 0x82003), (465, 0x803)],
                           [("sgehost", loads, FOUR_GIGABYTES, FOUR_GIGABYTES), ("global", loads, 0, 0), ("", loads, 0, 0), ("sgehost", loads, 0, 0)])


lie(None, about_jobs=False)(type("OddLoads", (Loads,), {}))


@lie(None, about_jobs=False)
class OddConfiguration(Lists):
    kind = 70

    def list(self):
        nan = struct.pack(">d", float("nan"))
        return packed_list("", [(2651, 0x102008), (2656, 0x102008), (2664, 0x102002), (2665, 0x102002), (2679, 0x102002), (2684, 0x102003)],
                           [("-1:00:00", "load_avg*nan", struct.unpack(">d", nan)[0], float("inf"), -1e308, FOUR_GIGABYTES)])


@lie(None, about_jobs=False)
class TreeWithoutEnd(Lists):
    """Nest lists as deeply as is allowed."""
    kind = 51

    def list(self):
        tree = NULL
        for k in range(120):
            tree = packed_list("", [(2600, 0x102708), (2601, 0x102003), (2603, 0x102003), (2604, 0x102009)], [("n%d" % k, 0, FOUR_GIGABYTES, tree)])
        return tree


@lie(None, kb=256 << 10, about_jobs=False)
class HundredUpdates(Honest):
    """The qmaster sends everything again, as it does after some errors, and again."""
    def released(self):
        for _ in range(100):
            self.deliver(self.qmaster.update)
        raise ConnectionError("enough")


@lie(None, about_jobs=False)
class GoesDownAndShutsDown(Honest):
    def released(self):
        self.deliver([(kind, 0, 0, "", "", NULL) for kind in (60, 97)])
        raise ConnectionError("down")


# Answers


@lie("not the manager", again=100, for_good=True)
class Refuses(Honest):
    def registered(self, mid, task):
        self.answer(mid, [task], [(9, "you are \x1b[1mnot the manager", 1), (1, "ok", 3)])


@lie(None)
class AnswersNobodyAskedFor(Honest):
    """Before, after, twice; and none to what was asked."""
    def asked(self, mid, tasks):
        for answers in (0, 999, FOUR_GIGABYTES, mid, mid, mid):
            self.answer(answers, tasks)

    def registered(self, mid, task):
        self.peer.message(report([]), TAG_REPORT)
        self.answer(mid, [task])
        self.answer(mid, [task])
        raise ConnectionError("enough")


@lie(None)
class AnswerToAnother(Honest):
    """Announce tasks and send none, and send bytes that are not a packet."""
    def registered(self, mid, task):
        self.peer.message(self.answer_bytes([{**task, "more": 1}]), TAG_GDI, mid)
        self.repent()


@lie(None)
class AnswerWithoutAnElement(Honest):
    def registered(self, mid, task):
        self.peer.message(HEADER, TAG_GDI, mid)
