# SPDX-License-Identifier: BSD-3-Clause
"""Ends a program early on a signal, but not between starting a child and knowing that it runs.

A signal raises Interrupted anywhere, even inside subprocess, which would then forget a child that
it has just started. The child would still act after everything was undone. deferred() prevents
this.
"""

import contextlib
import signal

from drbfabric import Failure
from drbfabric.common.early_signals import SIGNALS

_depth = 0
_pending = None


class Interrupted(Failure):
    """A signal ends the program."""


def on_signals(handler):
    for number in SIGNALS:
        signal.signal(number, handler)


def _end(number):
    # Ignore further signals, so that they do not interrupt the undoing that the first one causes.
    on_signals(signal.SIG_IGN)
    raise Interrupted(f'ended by {signal.Signals(number).name}')


def stop_on_signal(number, _):
    global _pending
    if _depth:
        _pending = number
    else:
        _end(number)


@contextlib.contextmanager
def ignored():
    """Ignores signals: for code that undoes everything anyway."""
    on_signals(signal.SIG_IGN)
    yield
    on_signals(stop_on_signal)


@contextlib.contextmanager
def deferred():
    """Delays the effect of a signal until the end of the context."""
    global _depth, _pending
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _pending and not _depth:
            number, _pending = _pending, None
            _end(number)
