# SPDX-License-Identifier: Apache-2.0
"""A proxy between a client and the qmaster: it passes everything on, cuts inside a frame on request, and records the
times of orders."""
import functools
import re
import socket
import struct
import threading
import time

from cellspace import QMASTER
from gridengine import PORT

THROUGH = PORT + 1000
FRAME = re.compile(rb"<gmsh><dl>(\d+)</dl></gmsh>")
LENGTH = re.compile(rb"<dl>(\d+)</dl>")
TAG = re.compile(rb"<tag>(\d+)</tag>")
ADD_ORDERS = struct.pack(">II", 2, 8)


class Orders:
    """Finds packets of orders in what a client sends."""

    def __init__(self):
        self.buffer, self.moments = b"", []

    def feed(self, data):
        self.buffer += data
        while (frame := FRAME.match(self.buffer)):
            header = self.buffer[frame.end():frame.end() + int(frame.group(1))]
            if len(header) < int(frame.group(1)):
                return
            length = LENGTH.search(header) if header.startswith(b"<mih") else None
            end = frame.end() + len(header) + (int(length.group(1)) if length else 0)
            if len(self.buffer) < end:
                return
            body = self.buffer[frame.end() + len(header):end]
            if length and TAG.search(header).group(1) == b"2" and body[8:16] == ADD_ORDERS:
                self.moments.append(time.time())
            self.buffer = self.buffer[end:]


class Proxy:
    def __init__(self):
        self.listener = socket.create_server((QMASTER, THROUGH), backlog=16)
        self.pairs, self.orders, self.lock = [], [], threading.Lock()
        self.cut_after = None                   # bytes that still go to the client before the cut
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                qmaster = socket.create_connection((QMASTER, PORT), timeout=5)
                qmaster.settimeout(None)
            except OSError:
                client.close()
                continue
            orders = Orders()
            with self.lock:
                self.pairs.append((client, qmaster))
                self.orders.append(orders)
            threading.Thread(target=self.pump, args=(client, qmaster, orders), daemon=True).start()
            threading.Thread(target=self.pump, args=(qmaster, client, None), daemon=True).start()

    def pump(self, source, target, orders):
        try:
            while (data := source.recv(1 << 16)):
                if orders is None and self.cut_after is not None:
                    if len(data) > self.cut_after:
                        target.sendall(data[:self.cut_after])
                        self.cut_after = None
                        break
                    self.cut_after -= len(data)
                if orders:
                    orders.feed(data)
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, after):
        """The connection, when so many bytes more have come from the qmaster: most often inside a frame."""
        self.cut_after = after

    def moments(self):
        """When orders went by."""
        with self.lock:
            return sorted(moment for orders in self.orders for moment in orders.moments)


@functools.cache
def of_this_process():
    return Proxy()
