# SPDX-License-Identifier: BSD-3-Clause
"""Shows the progress of a run on a terminal."""

from __future__ import annotations

import sys
import time

REDRAW_SECONDS = 0.2


def _text(seconds: float) -> str:
    if seconds < 100:
        return f'{seconds:.0f} s'
    return f'{seconds / 60:.0f} min' if seconds < 6000 else f'{seconds / 3600:.1f} h'


class Progress:
    """A line on standard error that is overwritten; nothing unless that is a terminal."""

    def __init__(self, total: int, done: int = 0) -> None:
        self.total, self.done, self._known = total, done, done
        self._began = self._shown = time.monotonic()
        self._show = sys.stderr is not None and sys.stderr.isatty()

    def add(self) -> None:
        """Call when a point is done."""
        self.done += 1
        now = time.monotonic()
        if not self._show or now - self._shown < REDRAW_SECONDS:
            return
        self._shown = now
        left = (now - self._began) / (self.done - self._known) * (self.total - self.done)
        self._write(f'{self.done} of {self.total} points, {_text(left)} left')

    def end(self) -> None:
        """Clears the line."""
        if self._show:
            self._write('')

    def _write(self, text: str) -> None:
        print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)
