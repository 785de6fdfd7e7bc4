# SPDX-License-Identifier: BSD-3-Clause
"""Samples the figures of machine.py over a long run."""

import threading
import time

import machine

EVERY = 0.1
RENEW = 10  # samples between two searches for new processes


class Sampler:
    """Samples from construction until `end`."""

    def __init__(self, program='drbswitch'):
        self.program, self.rows, self.ended = program, [], threading.Event()
        self.control = machine.Control()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        looks, paths, before = 0, [], {}
        while not self.ended.wait(EVERY):
            if looks % RENEW == 0:
                paths = machine.threads(self.program)
            looks += 1
            now = machine.waits(paths)
            self.rows.append((time.monotonic(), self.control.late(), machine.most_waited(before, now) / 1e9))
            self.control.restart()
            before = now

    def longest(self, begin, end):
        """Returns the longest delays in a span, in seconds.

        The first is the delay of a control process, the second that of a switch that could run."""
        rows = [row for row in list(self.rows) if begin <= row[0] <= end + EVERY]
        return max((row[1] for row in rows), default=0.0), max((row[2] for row in rows), default=0.0)

    def forget(self):
        self.rows = []

    def end(self):
        self.ended.set()
        self.thread.join()
        self.control.end()
