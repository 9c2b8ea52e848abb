# SPDX-License-Identifier: Apache-2.0
"""Which tasks are to be suspended on a threshold, and which to go on.  queue_conf(5): suspend_thresholds, nsuspend."""

ON_THRESHOLD, ANYHOW = 0x10000, 0x14500		# JAT_state: suspended, by user, queue, threshold, slot-wise


class Task:
    def __init__(self, number, task, start, granted, state):
        self.id, self.start, self.state = [number, task], start, state
        self.queues = [i for i, n in granted]


def pick(tasks, most, latest_first):
    """The latest, or earliest, of them; of several of the same second the first in the list."""
    return sorted(tasks, key=lambda t: -t.start if latest_first else t.start)[:most]


def suspensions(state, tasks, checked):
    """
    (suspended, resumed) [[job, task]]: tasks in the order of the job list; `checked`: when an instance was the last to suspend or resume
    something, by name: it is left alone until its interval is over.
    """
    suspended, resumed = [], []
    for i in state.cell.instances:
        if not i.suspend_thresholds or set(i.state) & set("sSC") or state.now < checked.get(i.name, 0) + i.suspend_interval:
            continue
        if state.suspends(i):
            suspended += pick([t for t in tasks if i in t.queues and not t.state & ANYHOW and t not in suspended], i.nsuspend, True)
        else:
            resumed += pick([t for t in tasks if t.queues[0] is i and t.state & ON_THRESHOLD], i.nsuspend, False)
    return sorted(t.id for t in suspended), sorted(t.id for t in resumed)
