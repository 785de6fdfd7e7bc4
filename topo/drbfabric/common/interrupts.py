# SPDX-License-Identifier: BSD-3-Clause
"""Ending early on a signal, but not between starting a program and knowing that it runs.

A signal raises Failure wherever the harness is, also inside subprocess, which then forgets the
program that it has just started: what that does comes after everything was undone.
"""

import contextlib
import signal

from drbfabric import Failure
from drbfabric.common.early_signals import SIGNALS

_depth = 0
_pending = None


def on_signals(handler):
    for number in SIGNALS:
        signal.signal(number, handler)


def _end(number):
    # One is enough: another must not cut short what the first one sets off.
    on_signals(signal.SIG_IGN)
    raise Failure(f'ended by {signal.Signals(number).name}')


def stop_on_signal(number, _):
    global _pending
    if _depth:
        _pending = number
    else:
        _end(number)


@contextlib.contextmanager
def ignored():
    """A signal that comes inside has no effect: what is inside undoes everything."""
    on_signals(signal.SIG_IGN)
    yield
    on_signals(stop_on_signal)


@contextlib.contextmanager
def deferred():
    """A signal that comes inside takes effect at the end."""
    global _depth, _pending
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _pending and not _depth:
            number, _pending = _pending, None
            _end(number)
