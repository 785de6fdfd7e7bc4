# SPDX-License-Identifier: BSD-3-Clause
"""A control beside a live run: processes that do nothing but wake at the beginning of each slot, as switches
with a packet to send do. What makes them late is the machine, not the fabric."""

import mmap
import os
import signal
import struct
import time

COUNTS = struct.Struct('QQ')  # slots so far, those of them that it woke for too late


class Control:
    """One process on each CPU that may be used, in the caller's scheduling class, while the context lasts."""

    def __init__(self, slot):
        """slot: seconds; a process that wakes more than half of it late is late, once for each slot."""
        self.slot, self.children = slot, []
        self.cpus = sorted(os.sched_getaffinity(0))
        self.counts = mmap.mmap(-1, COUNTS.size * len(self.cpus))

    def __enter__(self):
        parent = os.getpid()
        for place, cpu in enumerate(self.cpus):
            child = os.fork()
            if child == 0:
                try:
                    signal.signal(signal.SIGTERM, signal.SIG_DFL)
                    os.sched_setaffinity(0, {cpu})
                    self._wake(COUNTS.size * place, parent)
                finally:
                    os._exit(1)
            self.children.append(child)
        return self

    def _wake(self, place, parent):
        slots = late = 0
        due = time.monotonic()
        while os.getppid() == parent:
            due += self.slot
            time.sleep(max(0.0, due - time.monotonic()))
            # Whole slots that it slept through, and perhaps the one that it is in.
            missed, behind = divmod(max(0.0, time.monotonic() - due), self.slot)
            due += missed * self.slot
            slots += 1 + int(missed)
            late += int(missed) + (behind > self.slot / 2)
            COUNTS.pack_into(self.counts, place, slots, late)

    def late_share(self):
        """Of its slots, the share that the latest of them was late for."""
        return max(late / max(slots, 1) for slots, late in COUNTS.iter_unpack(self.counts[:]))

    def __exit__(self, *_):
        for child in self.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
