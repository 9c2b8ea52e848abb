# SPDX-License-Identifier: Apache-2.0
"""The order in which one submitter's jobs are offered."""

DESCENDING = ("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2")


def in_order(jobs):
    """Places of the jobs, as they were submitted."""
    return sorted(range(len(jobs)), key=lambda at: ([-jobs[at].get(name, 0) for name in DESCENDING], jobs[at].get("cluster", 0), jobs[at].get("proc", 0)))
