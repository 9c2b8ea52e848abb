# SPDX-License-Identifier: Apache-2.0
"""Levels of autogroups, by which the kernel divides the processors among sessions: sched(7)."""
import re

WEIGHTS = [1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15]  # of the levels from 0 on
# The functional policy alone, with 60, 30 and 10 shares for the projects. It does not count past usage: tickets and levels stay the same.
FUNCTIONAL = [("sched_conf", "weight_tickets_share             1000000", "weight_tickets_share             0"),
              ("sched_conf", "weight_tickets_functional        0", "weight_tickets_functional        1000000"),
              ("sched_conf", "weight_project                   0.200000", "weight_project                   1.000000"),
              ("sched_conf", "weight_user                      0.400000", "weight_user                      0.000000"),
              ("sched_conf", "weight_department                0.200000", "weight_department                0.000000"),
              ("sched_conf", "weight_job                       0.200000", "weight_job                       0.000000"),
              ("projects/atlas", "fshare  300", "fshare  60"), ("projects/borealis", "fshare  300", "fshare  30"),
              ("projects/cosmos", "fshare  300", "fshare  10")]


def level(pid):
    """
    The level of the autogroup of a process. None if it has none: its file is missing in a kernel without autogroups, and empty
    for a process that is ending, or that init started without a session.
    """
    try:
        with open(f"/proc/{pid}/autogroup") as file:
            found = re.search(r" nice (-?\d+)$", file.read().strip())
            return int(found[1]) if found else None
    except FileNotFoundError:
        return None


def level_of(share):
    """Return the level whose weight is nearest, as a ratio, to this share of the weight of level 0."""
    return min(range(len(WEIGHTS)), key=lambda n: max(WEIGHTS[n] / (share * WEIGHTS[0]), share * WEIGHTS[0] / WEIGHTS[n]))
