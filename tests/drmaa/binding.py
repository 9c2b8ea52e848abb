# SPDX-License-Identifier: Apache-2.0
"""libdrmaa as a program finds it: the shared object, through ctypes; each call returns its code, or raises a Fault with the words of the diagnosis."""
import ctypes
import os

from cell import BUILD

FOREVER, NO_WAIT = -1, 0
ANY, ALL = b"DRMAA_JOB_IDS_SESSION_ANY", b"DRMAA_JOB_IDS_SESSION_ALL"
SUSPEND, RESUME, HOLD, RELEASE, TERMINATE = range(5)
QUEUED, SYSTEM_HOLD, USER_HOLD, RUNNING, USER_SUSPENDED, DONE, FAILED = 0x10, 0x11, 0x12, 0x20, 0x22, 0x30, 0x40
(SUCCESS, INTERNAL, COMMUNICATION, AUTH, ARGUMENT, NO_SESSION, NO_MEMORY, CONTACT, DEFAULT_CONTACT, NO_CONTACT, INIT, ACTIVE, EXIT, FORMAT, VALUE,
 CONFLICT, TRY_LATER, DENIED, INVALID_JOB, NOT_SUSPENDED, NOT_RUNNING, NO_HOLD, NO_RELEASE, TIMEOUT, NO_RUSAGE, NO_MORE) = range(26)


class Fault(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


library = ctypes.CDLL(os.path.join(BUILD, "libdrmaa.so"))
library.drmaa_strerror.restype = ctypes.c_char_p


def call(name, *arguments):
    """A function that takes a buffer for its diagnosis last."""
    text = ctypes.create_string_buffer(1024)
    code = getattr(library, name)(*arguments, text, ctypes.c_size_t(len(text)))
    if code:
        raise Fault(code, text.value.decode(errors="replace"))


def text_of(name, *arguments):
    to = ctypes.create_string_buffer(1024)
    call(name, *arguments, to, ctypes.c_size_t(len(to)))
    return to.value.decode()


def take(kind, values):
    """Return all items of a list and release the list."""
    found, to = [], ctypes.create_string_buffer(1024)
    size = ctypes.c_int()
    assert getattr(library, "drmaa_get_num_" + kind + "s")(values, ctypes.byref(size)) == 0
    while getattr(library, "drmaa_get_next_" + kind)(values, to, ctypes.c_size_t(len(to))) == 0:
        found.append(to.value.decode())
    assert getattr(library, "drmaa_get_next_" + kind)(values, to, ctypes.c_size_t(len(to))) == NO_MORE
    assert len(found) == size.value
    getattr(library, "drmaa_release_" + kind + "s")(values)
    return found


class Template:
    def __init__(self, command=None, *arguments, **attributes):
        self.pointer = ctypes.c_void_p()
        call("drmaa_allocate_job_template", ctypes.byref(self.pointer))
        if command:
            self.set("remote_command", command)
            self.set_vector("v_argv", *arguments)
        for name, value in attributes.items():
            self.set(name, value)

    def set(self, name, value):
        call("drmaa_set_attribute", self.pointer, b"drmaa_" + name.encode(), os.fsencode(value))

    def get(self, name):
        return text_of("drmaa_get_attribute", self.pointer, b"drmaa_" + name.encode())

    def set_vector(self, name, *values):
        call("drmaa_set_vector_attribute", self.pointer, b"drmaa_" + name.encode(), (ctypes.c_char_p * (len(values) + 1))(*map(os.fsencode, values), None))

    def get_vector(self, name):
        values = ctypes.c_void_p()
        call("drmaa_get_vector_attribute", self.pointer, b"drmaa_" + name.encode(), ctypes.byref(values))
        return take("attr_value", values)

    def run(self):
        to = ctypes.create_string_buffer(1024)
        call("drmaa_run_job", to, ctypes.c_size_t(len(to)), self.pointer)
        return to.value.decode()

    def run_bulk(self, start, end, step):
        ids = ctypes.c_void_p()
        call("drmaa_run_bulk_jobs", ctypes.byref(ids), self.pointer, start, end, step)
        return take("job_id", ids)

    def delete(self):
        call("drmaa_delete_job_template", self.pointer)


class End:
    """The result of drmaa_wait() for a job."""

    def __init__(self, job, stat, usage):
        self.job, self.stat, self.usage = job, stat, dict(word.split("=", 1) for word in usage)

    def flag(self, name):
        value = ctypes.c_int(-1)
        call("drmaa_" + name, ctypes.byref(value), self.stat)
        return value.value

    def signal(self):
        to = ctypes.create_string_buffer(32)
        call("drmaa_wtermsig", to, ctypes.c_size_t(len(to)), self.stat)
        return to.value.decode()


def wait(job, timeout=FOREVER, usage=True):
    """The end of a job. One that has never started has no usage: asking for it is NO_RUSAGE, and the job is waited for all the same."""
    to, stat, values = ctypes.create_string_buffer(1024), ctypes.c_int(), ctypes.c_void_p()
    call("drmaa_wait", job if isinstance(job, bytes) else job.encode(), to, ctypes.c_size_t(len(to)), ctypes.byref(stat), ctypes.c_long(timeout),
         ctypes.byref(values) if usage else None)
    return End(to.value.decode(), stat.value, take("attr_value", values) if usage else [])


def synchronize(*jobs, timeout=FOREVER, dispose=False):
    names = [job if isinstance(job, bytes) else job.encode() for job in jobs]
    call("drmaa_synchronize", (ctypes.c_char_p * (len(names) + 1))(*names, None), ctypes.c_long(timeout), int(dispose))


def state(job):
    value = ctypes.c_int(-1)
    call("drmaa_job_ps", job.encode(), ctypes.byref(value))
    return value.value


def control(job, action):
    call("drmaa_control", job if isinstance(job, bytes) else job.encode(), action)
