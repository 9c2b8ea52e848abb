# SPDX-License-Identifier: Apache-2.0
"""Check which jobs fit on the machine, now or later.

A booking is (begin, end, slots). A job is assumed to run as long as it asked for, else default_duration, and DURATION_OFFSET more. One that runs and
should have ended is assumed to end a schedule_interval from now.
"""


def duration(policy, job):
    return (job.limit or policy.default_duration) + policy.offset


def fits(slots, bookings, begin, end, wanted):
    """Whether so many are free over all that time."""
    moments = [begin] + [b for b, _, _ in bookings if begin < b < end]
    return all(wanted + sum(n for b, e, n in bookings if b <= moment < e) <= slots for moment in moments)


def booked(policy, now, running):
    for job in running:
        end = job.start + duration(policy, job)
        yield job.start, end if end > now else now + policy.interval, job.slots


def later(slots, policy, bookings, now, job):
    """Return the earliest start of a job: after the end of a booking. For one slot the first such moment; a
    parallel job's is sought from the last one backwards, as
    long as it fits, so that a gap that lies before one in which it does not fit is not seen. None: never."""
    moments = sorted({end for _, end, _ in bookings if end > now}, reverse=job.slots > 1)
    found = None
    for moment in moments:
        if fits(slots, bookings, moment, moment + duration(policy, job), job.slots):
            found = moment
            if job.slots == 1:
                return found
        elif job.slots > 1:
            return found
    return found


def starts(slots, policy, now, running, order):
    """Return the jobs that start now, in order: each that fits without using slots reserved for the jobs before
    it."""
    reserved, free = 0, slots - sum(job.slots for job in running)
    bookings = list(booked(policy, now, running))
    for job in order:
        end = now + duration(policy, job)
        if job.slots <= free and (policy.max_reservation == 0 or fits(slots, bookings, now, end, job.slots)):
            free -= job.slots
            bookings.append((now, end, job.slots))
            yield job
        elif reserved < policy.max_reservation:
            moment = later(slots, policy, bookings, now, job)
            if moment is not None:
                reserved += 1
                bookings.append((moment, moment + duration(policy, job), job.slots))
