# SPDX-License-Identifier: BSD-3-Clause
"""Shows the progress of a long task, and the time left, on a terminal."""

import sys
import time

REDRAW_SECONDS = 0.2


class _Line:
    """A line on a terminal that is overwritten again and again; elsewhere, nothing is printed."""

    def __init__(self):
        self.began, self.show = time.monotonic(), sys.stderr.isatty()

    def write(self, text):
        if self.show:
            print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)

    def end(self):
        self.write('')


class Progress(_Line):
    """Progress of a task in parts; `total` is the sum over all parts, in any unit."""

    def __init__(self, what, total):
        super().__init__()
        self.what, self.total, self.done, self.shown = what, total, 0.0, self.began

    def add(self, amount):
        """Call when a part of this amount is done."""
        self.done = min(self.done + amount, self.total)
        now = time.monotonic()
        if self.done <= 0 or now - self.shown < REDRAW_SECONDS:
            return
        self.shown = now
        share, passed = self.done / self.total, now - self.began
        self.write(f'{self.what}: {100 * share:.0f} %, {passed / share - passed:.0f} s left')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
