#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""On a signal the harness ends early, but it completes steps that must not be cut short.

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
    """Runs steps until a Failure ends them; returns the finished steps and the message."""
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
    for _ in range(1000):  # the interpreter checks for signals between its own steps
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
    """The second of two signals must not interrupt the cleanup that the first one started."""
    def undoes(done):
        try:
            interrupt(signal.SIGINT)
        finally:
            interrupt(signal.SIGINT)
            done.append('undone')
    assert reached(undoes) == (['undone'], 'ended by SIGINT')


tap.run((a_signal_ends_it, what_is_begun_is_finished, another_does_not_cut_short))
