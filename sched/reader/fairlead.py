# SPDX-License-Identifier: Apache-2.0
"""Read the jobs, the share tree and the hosts of a Fairlead scheduler, through libfairlead(3).

Print the pending jobs of a cell, the first one first:

    import fairlead

    with fairlead.Cell("/etc/fairlead/cell") as cell:
        for job in cell.jobs(fairlead.PENDING):
            print(job.job_number, job.owner, job.prio)

Several values that must be of the same run are read by one function:

    pending, started = cell.read(lambda view: (view.count(fairlead.PENDING), view.count(fairlead.STARTED)))

The scheduler publishes a run in shared memory and waits for no reader. If it uses the memory of a run
again while that is read, libfairlead reports ESTALE. This module then discards the data and reads the
newest run, so all results are of one run. Readers need no lock, and may be slow.

All times are seconds since 1970, and 0 is "none". Texts that the scheduler does not have are "".
A Cell belongs to one thread at a time.
"""
from __future__ import annotations

import ctypes
import errno
import os
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint16, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, fields
from typing import Any, Callable, Iterator, Optional, TypeVar

__all__ = ["CELL", "PENDING", "STARTED", "Cell", "FairleadError", "Health", "Host", "Instance", "Job", "Node", "Range", "Run", "Stale",
           "Usage", "Sharer", "View"]

CELL = "/etc/fairlead/cell"
"""Directory of the cell if none is named and FAIRLEAD_CELL is not set."""

STARTED, PENDING = 0, 1
"""Lists of jobs: a row for each started task; a row for each job with tasks that are not started, in priority order."""

USERS, PROJECTS, DEPARTMENTS = 0, 1, 2
"""Kinds of sharers."""

_Result = TypeVar("_Result")


class FairleadError(OSError):
    """There is no data. `errno` is the error of libfairlead: ENOENT if no scheduler has published, EACCES, EPROTO, ..."""


class Stale(FairleadError):
    """The scheduler has replaced the run at each attempt to read it."""


# Structures of fairlead.h. tests/reader/python compares them with the header.

class _Structure(ctypes.Structure):
    """A structure that becomes a data class with members of the same names."""


class _Run(_Structure):
    _fields_ = [("generation", c_uint64), ("run", c_uint64), ("now", c_int64), ("run_ns", c_uint64), ("pending", c_size_t),
                ("started", c_size_t), ("free_slots", c_uint64), ("event", c_uint64), ("bytes", c_uint64), ("scheduler_pid", c_uint32),
                ("scheduler_alive", c_bool), ("prio_is_whole", c_bool)]


class _Health(_Structure):
    _fields_ = [("starts", c_uint64), ("reservations", c_uint64), ("unbooked", c_uint64), ("withheld", c_uint64), ("refused", c_uint64),
                ("orders_kept", c_uint64), ("hosts_up", c_uint64), ("store_failures", c_uint64)]


class _Range(_Structure):
    _fields_ = [("min", c_uint32), ("max", c_uint32), ("step", c_uint32)]


class _Job(_Structure):
    _fields_ = [("job_number", c_uint32), ("task", c_uint32), ("is_array", c_bool), ("is_started", c_bool), ("state", c_char * 8),
                ("name", c_char_p), ("owner", c_char_p), ("project", c_char_p), ("department", c_char_p), ("submission_time", c_int64),
                ("start_time", c_int64), ("deadline", c_int64), ("execution_time", c_int64), ("priority", c_int32), ("jobshare", c_uint32),
                ("override_tickets", c_uint32), ("ar", c_uint32), ("hard_resources", c_char_p), ("soft_resources", c_char_p),
                ("pe", c_char_p), ("pe_range", c_char_p), ("granted_pe", c_char_p), ("queue", c_char_p), ("slots", c_uint32),
                ("tasks", POINTER(_Range)), ("nranges", c_size_t), ("held", POINTER(_Range)), ("in_error", POINTER(_Range)),
                ("nheld", c_size_t), ("nin_error", c_size_t), ("restarted", POINTER(_Range)), ("nrestarted", c_size_t),
                ("has_usage", c_bool), ("cpu", c_double), ("mem", c_double), ("io", c_double), ("prio", c_double), ("nurg", c_double),
                ("ntckts", c_double), ("npprior", c_double), ("urg", c_double), ("rrcontr", c_double), ("wtcontr", c_double),
                ("dlcontr", c_double), ("tckts", c_double), ("otckt", c_double), ("ftckt", c_double), ("stckt", c_double),
                ("share", c_double)]


class _Why(_Structure):
    _fields_ = [("kind", c_char_p), ("subject", c_char_p), ("object", c_char_p), ("count", c_uint32), ("wanted", c_double),
                ("had", c_double), ("number", c_uint16), ("unit", c_uint16)]


class _Host(_Structure):
    _fields_ = [("name", c_char_p), ("available", c_bool), ("arch", c_char_p), ("processors", c_int32), ("sockets", c_int32),
                ("cores", c_int32), ("threads", c_int32), ("load_avg", c_double), ("np_load_avg", c_double), ("load_reported", c_double),
                ("mem_total", c_double), ("mem_used", c_double), ("swap_total", c_double), ("swap_used", c_double), ("loads", c_size_t)]


class _Instance(_Structure):
    _fields_ = [("name", c_char_p), ("queue", c_char_p), ("host", c_size_t), ("host_available", c_bool), ("np_load_avg", c_double),
                ("seq_no", c_double), ("type", c_char * 5), ("state", c_char * 16), ("slots", c_uint32), ("used", c_uint32),
                ("reserved", c_uint32), ("resources", c_size_t), ("alarms", c_size_t)]


class _Usage(_Structure):
    _fields_ = [("cpu", c_double), ("mem", c_double), ("io", c_double), ("ltcpu", c_double), ("ltmem", c_double), ("ltio", c_double),
                ("combined", c_double), ("time_stamp", c_int64)]


class _Sharer(_Structure):
    _fields_ = [("name", c_char_p), ("oticket", c_uint32), ("fshare", c_uint32), ("running_tasks", c_uint32), ("usage", _Usage)]


class _Node(_Structure):
    _fields_ = [("name", c_char_p), ("parent", c_int32), ("depth", c_uint32), ("shares", c_uint32), ("has_children", c_bool),
                ("is_temporary", c_bool), ("job_count", c_uint32), ("usage", c_double), ("long_target_share", c_double),
                ("short_target_share", c_double)]


# Results. They are copies, and stay valid when the scheduler publishes the next run.

@dataclass(frozen=True)
class Run:
    """The run that was read."""
    generation: int
    """Number of the publication. Grows over restarts, and may skip numbers."""
    run: int
    """Number of the run since the start of the scheduler."""
    now: int
    """Clock of the run."""
    run_ns: int
    """Duration of the run."""
    pending: int
    """Rows of the list PENDING."""
    started: int
    """Rows of the list STARTED."""
    free_slots: int
    event: int
    """Number of the last event that the run includes."""
    bytes: int
    """Shared memory of the run."""
    scheduler_pid: int
    scheduler_alive: bool
    """False: the last run of a scheduler that has ended."""
    prio_is_whole: bool


@dataclass(frozen=True)
class Health:
    """State of the scheduler at the time of the run."""
    starts: int
    """Job starts that this run has decided."""
    reservations: int
    unbooked: int
    """Jobs and tasks whose usage is not booked yet, because the store cannot be read."""
    withheld: int
    """Job starts withheld since the start of the scheduler."""
    refused: int
    """Orders refused since the start of the scheduler."""
    orders_kept: int
    hosts_up: int
    store_failures: int


@dataclass(frozen=True)
class Range:
    """Task ids min, min + step, ..., at most max."""
    min: int
    max: int
    step: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.min, self.max + 1, max(self.step, 1)))

    def __len__(self) -> int:
        return len(range(self.min, self.max + 1, max(self.step, 1)))


@dataclass(frozen=True)
class Job:
    """A started task, or a job with tasks that are not started. Names are those of qstat(1) and sge_priority(5)."""
    job_number: int
    task: int
    """The started task. In PENDING the lowest id that is not started. 1 if the job is not an array."""
    is_array: bool
    is_started: bool
    state: str
    """Letters of qstat: qw, hqw, Eqw, r, t, s, S, T, ..."""
    name: str
    owner: str
    project: str
    department: str
    submission_time: int
    start_time: int
    deadline: int
    execution_time: int
    priority: int
    jobshare: int
    override_tickets: int
    ar: int
    """Advance reservation, 0: none."""
    hard_resources: str
    soft_resources: str
    pe: str
    pe_range: str
    granted_pe: str
    queue: str
    """Master queue instance of a started task."""
    slots: int
    tasks: tuple[Range, ...]
    """PENDING: ids that are not started. May be empty if the job is not an array."""
    held: tuple[Range, ...]
    """Arrays: ids of held tasks. Ranges may overlap and may include other ids, as those of the next two."""
    in_error: tuple[Range, ...]
    restarted: tuple[Range, ...]
    has_usage: bool
    """Usage was reported: cpu (s), mem (GB s) and io (GB) are valid."""
    cpu: float
    mem: float
    io: float
    prio: float
    nurg: float
    ntckts: float
    npprior: float
    urg: float
    rrcontr: float
    wtcontr: float
    dlcontr: float
    tckts: float
    otckt: float
    ftckt: float
    stckt: float
    share: float


@dataclass(frozen=True)
class Host:
    """An execution host. Numbers that were not reported are negative. "global" has values that all hosts share."""
    name: str
    available: bool
    arch: str
    processors: int
    sockets: int
    cores: int
    threads: int
    load_avg: float
    np_load_avg: float
    load_reported: float
    mem_total: float
    """Bytes, as the next three."""
    mem_used: float
    swap_total: float
    swap_used: float


@dataclass(frozen=True)
class Instance:
    """A queue on a host."""
    name: str
    queue: str
    host_available: bool
    np_load_avg: float
    seq_no: float
    type: str
    """Letters of BIPC: batch, interactive, parallel, checkpointing."""
    state: str
    """Letters of aACDduESsco. "": jobs may start."""
    slots: int
    used: int
    reserved: int


@dataclass(frozen=True)
class Usage:
    """Usage of a user or project."""
    cpu: float
    """Decayed: s; mem in GB s, io in GB."""
    mem: float
    io: float
    ltcpu: float
    """Never decayed, as ltmem and ltio."""
    ltmem: float
    ltio: float
    combined: float
    """Decayed, weighted by usage_weight_list."""
    time_stamp: int


@dataclass(frozen=True)
class Sharer:
    """A user, a project or a department."""
    name: str
    oticket: int
    fshare: int
    running_tasks: int
    usage: Usage


@dataclass(frozen=True)
class Node:
    """A node of the share tree."""
    name: str
    path: str
    """Names from the root, as /physics/atlas. The root is "/"."""
    parent: int
    """Index in the list of nodes, -1 for the root."""
    depth: int
    shares: int
    has_children: bool
    is_temporary: bool
    """A copy of a `default` node for a user, for this run."""
    job_count: int
    usage: float
    long_target_share: float
    """Part of the tree that its shares promise among active nodes."""
    short_target_share: float
    """Part that it is entitled to now, after usage and compensation."""


_library: Optional[ctypes.CDLL] = None


def _load() -> ctypes.CDLL:
    """Load libfairlead once. FAIRLEAD_LIBRARY names another file than the installed one."""
    global _library
    if _library is None:
        library = ctypes.CDLL(os.environ.get("FAIRLEAD_LIBRARY", "libfairlead.so.0"))
        view, number = c_void_p, c_uint32
        for name, result, arguments in (
                ("attach", c_int, [POINTER(c_void_p), c_char_p]), ("detach", None, [c_void_p]), ("begin", view, [c_void_p]),
                ("end", c_int, [c_void_p]), ("run", None, [view, POINTER(_Run)]), ("health", c_int, [view, POINTER(_Health)]),
                ("count", c_size_t, [view, c_int]), ("get", c_int, [view, c_int, c_size_t, POINTER(_Job)]),
                ("find", c_int, [view, number, c_size_t, POINTER(_Job)]), ("why", c_int, [view, number, c_size_t, POINTER(_Why)]),
                ("why_text", c_size_t, [POINTER(_Why), c_char_p, c_size_t]), ("hosts", c_size_t, [view]),
                ("host", c_int, [view, c_size_t, POINTER(_Host)]), ("instances", c_size_t, [view]),
                ("instance", c_int, [view, c_size_t, POINTER(_Instance)]), ("sharers", c_size_t, [view, c_int]),
                ("sharer", c_int, [view, c_int, c_size_t, POINTER(_Sharer)]), ("nodes", c_size_t, [view]),
                ("node", c_int, [view, c_size_t, POINTER(_Node)])):
            function = getattr(library, "fl_" + name)
            function.restype, function.argtypes = result, arguments
        _library = library
    return _library


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")


def _values(item: _Structure, result: Callable[..., _Result], **more: Any) -> _Result:
    """Copy the members that the data class has. `more` has those of another form."""
    values = {}
    for field in fields(result):
        if field.name in more:
            values[field.name] = more[field.name]
        else:
            value = getattr(item, field.name)
            values[field.name] = _text(value) if value is None or isinstance(value, bytes) else value
    return result(**values)


def _ranges(items: Any, n: int) -> tuple[Range, ...]:
    return tuple(Range(items[k].min, items[k].max, items[k].step) for k in range(n)) if items else ()


def _job(job: _Job) -> Job:
    return _values(job, Job, tasks=_ranges(job.tasks, job.nranges), held=_ranges(job.held, job.nheld),
                   in_error=_ranges(job.in_error, job.nin_error), restarted=_ranges(job.restarted, job.nrestarted))


class View:
    """One run, in a function that Cell.read() calls. Its methods return copies."""

    def __init__(self, library: ctypes.CDLL, view: int) -> None:
        self._library, self._view = library, view

    def _rows(self, n: int, structure: type, get: Callable[..., int], *arguments: Any) -> Iterator[Any]:
        """Yield the structures of rows 0 to n - 1."""
        for k in range(n):
            item = structure()
            if get(self._view, *arguments, k, byref(item)):
                return
            yield item

    def run(self) -> Run:
        """Return the run itself."""
        run = _Run()
        self._library.fl_run(self._view, byref(run))
        return _values(run, Run)

    def health(self) -> Optional[Health]:
        """Return the state of the scheduler. None: the run does not report it."""
        health = _Health()
        return None if self._library.fl_health(self._view, byref(health)) else _values(health, Health)

    def count(self, which: int) -> int:
        """Return the number of rows of a list: STARTED or PENDING."""
        return int(self._library.fl_count(self._view, which))

    def jobs(self, which: Optional[int] = None) -> list[Job]:
        """Return the rows of a list: STARTED or PENDING. None: both, started tasks first."""
        return [_job(item) for chosen in ([STARTED, PENDING] if which is None else [which])
                for item in self._rows(self.count(chosen), _Job, self._library.fl_get, chosen)]

    def job(self, job_number: int) -> list[Job]:
        """Return the rows of one job: its started tasks, then its pending row. Empty: there is no such job."""
        rows: list[Job] = []
        item = _Job()
        while self._library.fl_find(self._view, job_number, len(rows), byref(item)) == 0:
            rows.append(_job(item))
        return rows

    def why(self, job_number: int) -> list[str]:
        """Return the reasons why tasks of a job did not start, as sentences."""
        sentences: list[str] = []
        why, text = _Why(), ctypes.create_string_buffer(2000)
        while self._library.fl_why(self._view, job_number, len(sentences), byref(why)) == 0:
            self._library.fl_why_text(byref(why), text, len(text))
            sentences.append(_text(text.value))
        return sentences

    def hosts(self) -> list[Host]:
        """Return the execution hosts, "global" first."""
        return [_values(item, Host) for item in self._rows(self._library.fl_hosts(self._view), _Host, self._library.fl_host)]

    def instances(self) -> list[Instance]:
        """Return the queue instances."""
        return [_values(item, Instance)
                for item in self._rows(self._library.fl_instances(self._view), _Instance, self._library.fl_instance)]

    def sharers(self, kind: int = USERS) -> list[Sharer]:
        """Return the users, projects or departments with their tickets and usage."""
        return [_values(item, Sharer, usage=_values(item.usage, Usage))
                for item in self._rows(self._library.fl_sharers(self._view, kind), _Sharer, self._library.fl_sharer, kind)]

    def tree(self) -> list[Node]:
        """Return the nodes of the share tree: configured nodes in pre-order, then temporary ones."""
        nodes: list[Node] = []
        for item in self._rows(self._library.fl_nodes(self._view), _Node, self._library.fl_node):
            if 0 <= item.parent < len(nodes):
                above = nodes[item.parent].path
                path = f"{above if above != '/' else ''}/{_text(item.name)}"
            else:
                path = "/"
            nodes.append(_values(item, Node, path=path))
        return nodes


class Cell:
    """A reader of the scheduler of one cell. Close it, or use it in a `with` statement.

    `directory` is the directory of the cell. Default: FAIRLEAD_CELL, else /etc/fairlead/cell. Raises FairleadError if no scheduler
    has published a run, or if it cannot be read.
    """

    def __init__(self, directory: Optional[str] = None) -> None:
        self.directory = directory or os.environ.get("FAIRLEAD_CELL") or CELL
        self._library = _load()
        self._cell = c_void_p()
        self._in_section = False
        rc = self._library.fl_attach(byref(self._cell), os.fsencode(self.directory))
        if rc:
            self._cell = c_void_p()
            raise FairleadError(-rc, os.strerror(-rc), self.directory)

    def close(self) -> None:
        """Detach from the scheduler. The cell cannot be read any more."""
        if self._cell and not self._in_section:
            self._library.fl_detach(self._cell)
            self._cell = c_void_p()

    def __enter__(self) -> Cell:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_cell", None):
            self.close()

    def read(self, function: Callable[[View], _Result], attempts: int = 100) -> _Result:
        """Call the function with the newest run, and return its result, which is of this one run.

        The function is called again if the run was replaced meanwhile, so it must have no effects. Raises Stale if that happens at
        each attempt. An exception of the function is raised if its data was of one run.
        """
        if not self._cell:
            raise ValueError("the cell is closed")
        if self._in_section:
            raise ValueError("the cell is already being read; use the view")
        for _ in range(attempts):
            failure: Optional[BaseException] = None
            view = self._library.fl_begin(self._cell)
            self._in_section = True
            try:
                result = function(View(self._library, view))
            except Exception as exception:
                failure = exception
            finally:
                self._in_section = False
                rc = self._library.fl_end(self._cell)
            if rc == -errno.ESTALE:
                continue
            if failure is not None:
                raise failure
            return result
        raise Stale(errno.ESTALE, "the scheduler replaces its runs faster than they can be read", self.directory)

    def run(self) -> Run:
        """Return the newest run."""
        return self.read(View.run)

    def health(self) -> Optional[Health]:
        """Return the state of the scheduler. None: the run does not report it."""
        return self.read(View.health)

    def jobs(self, which: Optional[int] = None) -> list[Job]:
        """Return the rows of a list: STARTED or PENDING. None: both, of the same run."""
        return self.read(lambda view: view.jobs(which))

    def job(self, job_number: int) -> list[Job]:
        """Return the rows of one job."""
        return self.read(lambda view: view.job(job_number))

    def why(self, job_number: int) -> list[str]:
        """Return the reasons why tasks of a job did not start."""
        return self.read(lambda view: view.why(job_number))

    def hosts(self) -> list[Host]:
        """Return the execution hosts."""
        return self.read(View.hosts)

    def instances(self) -> list[Instance]:
        """Return the queue instances."""
        return self.read(View.instances)

    def sharers(self, kind: int = USERS) -> list[Sharer]:
        """Return the users, projects or departments."""
        return self.read(lambda view: view.sharers(kind))

    def tree(self) -> list[Node]:
        """Return the nodes of the share tree."""
        return self.read(View.tree)
