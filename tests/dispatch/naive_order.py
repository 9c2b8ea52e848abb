# SPDX-License-Identifier: Apache-2.0
"""The order in which hosts and queue instances are looked at, with all its habits: when lists are sorted again, and when not."""


class Order:
    """
    Instances carry the number of their host's rank by load, which rises only with the load. Those that are not in the list when hosts are
    numbered, since they are full or closed, keep the number that they had, 0 at first. The queue list is sorted at the start of
    every search for a job, but only if hosts were renumbered for this job, or if the last one placed was a parallel one with
    soft requests. A job that fails before its search begins leaves the old order to its successors, until
    a start changes a host's load again.
    """

    def __init__(self, state):
        self.state = state
        self.by_seqno = state.cell.conf["queue_sort_method"].lower().startswith("seq")
        self.hosts = list(state.cell.hosts)
        self.value = {h.name: state.sort_value(h) for h in self.hosts}
        self.number = {}
        self.moved = True			# a load has changed since the last job looked at
        self.sorts = True			# do searches for the job at hand sort the queue list?
        self.soft_left = True			# nothing has been placed yet, or the last job placed was a parallel one with soft requests

    def begin_job(self, queues):
        self.sorts = self.moved or self.soft_left
        if not self.moved:
            return
        self.moved = False
        self.hosts.sort(key=lambda h: self.value[h.name])
        values = sorted({0.0, *self.value.values()})			# `global` is a host, too, with this value
        self.number.update({i: values.index(self.value[i.host.name]) for i in queues})

    def key(self, instance):
        rank = self.number.get(instance, 0)
        return (instance.seq_no, rank) if self.by_seqno else (rank, instance.seq_no)

    def begin_search(self, queues, parallel):
        if self.sorts:
            queues.sort(key=self.key)
        self.soft_left &= parallel

    def found(self, soft_parallel):
        """The job was placed, now or later. A search with soft requests that fails leaves its own order behind."""
        self.soft_left = soft_parallel

    def started(self, granted):
        """Each host that got something is put before the first one that is not better than it."""
        for instance, slots in granted:
            host = instance.host
            value = self.state.sort_value(host)
            self.moved |= value != self.value[host.name]
            self.value[host.name] = value
            self.hosts.remove(host)
            place = next((k for k, h in enumerate(self.hosts) if self.value[h.name] >= value), len(self.hosts))
            self.hosts.insert(place, host)
