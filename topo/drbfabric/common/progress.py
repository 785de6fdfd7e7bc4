# SPDX-License-Identifier: BSD-3-Clause
"""How far something is that takes a while, on a terminal: the share that is done, and the time left."""

import sys
import time

REDRAW_SECONDS = 0.2


class Progress:
    """Of work in parts; `total` is what all parts take together, in any unit."""

    def __init__(self, what, total):
        self.what, self.total, self.done = what, total, 0.0
        self.began = self.shown = time.monotonic()
        self.show = sys.stderr.isatty()

    def add(self, amount):
        """So much more is done."""
        self.done = min(self.done + amount, self.total)
        now = time.monotonic()
        if not self.show or self.done <= 0 or now - self.shown < REDRAW_SECONDS:
            return
        self.shown = now
        share, passed = self.done / self.total, now - self.began
        print(f'\r\033[K{self.what}: {100 * share:.0f} %, {passed / share - passed:.0f} s left', end='',
              file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.show:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
