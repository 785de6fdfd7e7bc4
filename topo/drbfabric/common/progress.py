# SPDX-License-Identifier: BSD-3-Clause
"""How far something is that takes a while, on a terminal, and the time left."""

import sys
import time

REDRAW_SECONDS = 0.2


class _Line:
    """A line that is written over, on a terminal; nothing elsewhere."""

    def __init__(self):
        self.began, self.show = time.monotonic(), sys.stderr.isatty()

    def write(self, text):
        if self.show:
            print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)

    def end(self):
        self.write('')


class Progress(_Line):
    """Of work in parts; `total` is what all parts take together, in any unit."""

    def __init__(self, what, total):
        super().__init__()
        self.what, self.total, self.done, self.shown = what, total, 0.0, self.began

    def add(self, amount):
        """So much more is done."""
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


class RunProgress(_Line):
    """Of runs, each of which takes so many seconds until one has told better."""

    def __init__(self, total, seconds):
        super().__init__()
        self.total, self.done, self.seconds = total, 0, seconds

    def say(self, what):
        spent = time.monotonic() - self.began
        left = (spent / self.done if self.done else self.seconds) * (self.total - self.done)
        self.write(f'{self.done} of {self.total} runs, {int(left // 60)} min {int(left % 60)} s left: {what}')
