#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The harness ends early on a signal, but not in the middle of what must be whole.

test_interrupts.py TOPO_DIR    TAP on standard output."""
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.common import interrupts  # noqa: E402


def reached(*steps):
    """Which of the steps are run until a Failure ends them, and what it says."""
    interrupts.on_signals(interrupts.stop_on_signal)
    done = []
    try:
        for step in steps:
            step(done)
    except Failure as e:
        return done, str(e)
    return done, None


def interrupt(number):
    os.kill(os.getpid(), number)
    for _ in range(1000):  # the interpreter looks for signals between two steps of its own
        pass


def ends_at_once(done):
    done.append('begun')
    interrupt(signal.SIGINT)
    done.append('went on')


def ends_behind(done):
    with interrupts.deferred():
        interrupt(signal.SIGTERM)
        done.append('inside')
        with interrupts.deferred():
            done.append('further inside')
        done.append('still inside')
    done.append('behind')


def a_signal_ends_it():
    for _ in range(2):
        assert reached(ends_at_once) == (['begun'], 'ended by SIGINT')


def what_is_begun_is_finished():
    for _ in range(2):
        assert reached(ends_behind) == (['inside', 'further inside', 'still inside'], 'ended by SIGTERM')


def another_does_not_cut_short():
    """The second of two signals must not end what the first one sets off."""
    def undoes(done):
        try:
            interrupt(signal.SIGINT)
        finally:
            interrupt(signal.SIGINT)
            done.append('undone')
    assert reached(undoes) == (['undone'], 'ended by SIGINT')


tap.run((a_signal_ends_it, what_is_begun_is_finished, another_does_not_cut_short))
