# SPDX-License-Identifier: Apache-2.0
"""The order in which hosts and queue instances are looked at, with all its habits: when lists are sorted again, and when not."""


class Order:
    """
    The host list is sorted by load when a job is looked at, if a start has changed a value. When a search for that job begins, be it for
    a reservation, hosts are numbered along the list: the number rises where the value is greater than all before. Attempts of parallel
    jobs give hosts other numbers, their places in the queue list, and leave the host list in that order: so a search for a reservation
    numbers along another list than the search before.

    Instances carry the number that their host got when they were in the queue list last, 0 at first. The queue list is sorted at the
    start of every search for a job, but only if the number of a host has changed for this job, or if the last one placed was a
    parallel one with soft requests. A job that fails before its search begins leaves the old order to its successors.
    """

    def __init__(self, state):
        self.state = state
        self.by_seqno = state.cell.conf["queue_sort_method"].lower().startswith("seq")
        self.hosts = [*state.cell.hosts, state.cell.globe]
        self.value = {h: state.sort_value(h) for h in state.cell.hosts} | {state.cell.globe: 0.0}
        self.number_of_host = dict.fromkeys(self.hosts, 0)
        self.number = {}			# by instance
        self.moved = True			# a load has changed since the last job looked at
        self.changed = False			# hosts were sorted for the job at hand, and then: the number of some host has changed
        self.soft_left = True			# nothing has been placed yet, or the last job placed was a parallel one with soft requests

    def begin_job(self):
        self.changed = self.moved
        if self.moved:
            self.hosts.sort(key=self.value.get)
        self.moved = False

    def begin_select(self, queues):
        """A search for a place begins: now, or for a reservation."""
        if not self.changed:
            return
        before, numbers, counted = self.number_of_host, {}, []
        for host in self.hosts:
            if not counted or self.value[host] > counted[-1]:
                counted.append(self.value[host])
            numbers[host] = len(counted) - 1
        self.number_of_host = numbers
        self.number.update({i: numbers[i.host] for i in queues})
        self.changed = numbers != before

    def key(self, instance):
        rank = self.number.get(instance, 0)
        return (instance.seq_no, rank) if self.by_seqno else (rank, instance.seq_no)

    def begin_search(self, queues, parallel):
        if self.changed or self.soft_left:
            queues.sort(key=self.key)
        self.soft_left &= parallel

    def visited(self, hosts):
        """A parallel attempt numbers the hosts by their first instance in the queue list, and sorts them."""
        places = {host: n for n, host in enumerate(hosts)}
        self.number_of_host = {host: places.get(host, 2**32 - 1) for host in self.hosts}
        self.hosts.sort(key=self.number_of_host.get)

    def found(self, soft_parallel):
        """The job was placed, now or later. A failed search with soft requests leaves its own order."""
        self.soft_left = soft_parallel

    def started(self, granted):
        """Each host that got something is put before the first one that is not better than it."""
        for instance, slots in granted:
            host = instance.host
            value = self.state.sort_value(host)
            self.moved |= value != self.value[host]
            self.value[host] = value
            self.hosts.remove(host)
            place = next((k for k, h in enumerate(self.hosts) if self.value[h] >= value), len(self.hosts))
            self.hosts.insert(place, host)
