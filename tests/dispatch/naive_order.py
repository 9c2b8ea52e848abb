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
        self.globe = state.cell.globe
        self.value = {h.name: state.sort_value(h) for h in self.hosts}
        self.value[self.globe.name] = 0.0
        self.hosts.append(self.globe)
        self.number = {}
        self.seq = {h.name: 0 for h in self.hosts}
        self.moved = True			# a load has changed since the last job looked at
        self.flag = True
        self.soft_left = True			# nothing has been placed yet, or the last job placed was a parallel one with soft requests

    def begin_job(self, queues):
        self.flag = self.moved
        if self.moved:
            self.hosts.sort(key=lambda h: self.value[h.name])
        self.moved = False

    def begin_select(self, queues):
        if not self.flag:
            return
        rank, before, changed = 0, None, False
        ranks = {}
        for h in self.hosts:
            v = self.value[h.name]
            if before is None:
                before = v
            elif before < v:
                rank, before = rank + 1, v
            ranks[h.name] = rank
            if self.seq[h.name] != rank:
                changed = True
                self.seq[h.name] = rank
        self.number.update({i: ranks[i.host.name] for i in queues})
        self.flag = changed

    def key(self, instance):
        rank = self.number.get(instance, 0)
        return (instance.seq_no, rank) if self.by_seqno else (rank, instance.seq_no)

    def begin_search(self, queues, parallel):
        if self.flag or self.soft_left:
            queues.sort(key=self.key)
        self.soft_left &= parallel

    def visited(self, hosts):
        """A parallel attempt numbers the hosts by their first instance in the queue list, and sorts them."""
        places = {h.name: n for n, h in enumerate(hosts)}
        self.seq = {h.name: places.get(h.name, 2 ** 32 - 1) for h in self.hosts}
        self.hosts.sort(key=lambda h: self.seq[h.name])

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
