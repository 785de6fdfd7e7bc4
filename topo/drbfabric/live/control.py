# SPDX-License-Identifier: BSD-3-Clause
"""A control beside a live run: processes that only wake at the beginning of each slot.

Switches with a packet to send wake then, too. A control that wakes late shows that the machine, not
the fabric, causes delays."""

import mmap
import os
import signal
import struct
import time

COUNTS = struct.Struct('QQ')  # slots so far, and how many of them it woke late for


class Control:
    """Runs one process on each CPU that this process may use, while the context lasts. The
    processes have the caller's scheduling class."""

    def __init__(self, slot):
        """slot: its length in seconds. A process that wakes more than half a slot late is late for
        that slot."""
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
            # The child was late for all slots that it slept through, and perhaps for this one.
            missed, behind = divmod(max(0.0, time.monotonic() - due), self.slot)
            due += missed * self.slot
            slots += 1 + int(missed)
            late += int(missed) + (behind > self.slot / 2)
            COUNTS.pack_into(self.counts, place, slots, late)

    def late_share(self):
        """Returns the share of slots that a process was late for: the largest of all processes."""
        return max(late / max(slots, 1) for slots, late in COUNTS.iter_unpack(self.counts[:]))

    def __exit__(self, *_):
        for child in self.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
