# SPDX-License-Identifier: Apache-2.0
"""TRES minutes that running tasks may still use: TRESRunMins of sshare(1)."""
from naive_factors import granted, usage_factor

UNLIMITED = 4294967295
LARGEST = 2 ** 64 - 1                                   # seconds
KINDS = "cpu mem energy node billing fs/disk vmem pages gres/gpu license/mat".split()


def time_limit(job, partition):
    limit = job.of("time_limit", None)
    if limit is None:
        limit = partition.max_time if partition else 0
        limit = limit or UNLIMITED
    return limit


def seconds_gone(task, last_pass):
    return max(0, last_pass - task["start_time"])


def seconds_left(cell, job, task, partition, last_pass):
    factor = usage_factor(cell, job)
    return max(0, int(time_limit(job, partition) * 60 * factor) - int(seconds_gone(task, last_pass) * factor))


def run_minutes(cell, tasks, last_pass):
    """Minutes by association and kind. `tasks` are (association, job, task, partition); accounts have what is
    below them."""
    seconds = {}
    for association, job, task, partition in tasks if cell.limits else []:
        left, counts = seconds_left(cell, job, task, partition, last_pass), granted(cell, job, task, partition)
        while association:
            for kind in KINDS:
                key = association.key(), kind
                seconds[key] = min(LARGEST, seconds.get(key, 0) + left * int(counts.get(kind, 0)))
            association = association.parent
    return {key: amount // 60 for key, amount in seconds.items()}
