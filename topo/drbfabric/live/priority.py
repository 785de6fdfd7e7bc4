# SPDX-License-Identifier: BSD-3-Clause
"""Real-time priority during measurements, so that other processes delay them less.

Switches have normal priority while they start or end. Each needs a CPU for a tenth of a second
then, and with real-time priority no other process could use that CPU."""

import contextlib
import os

from drbfabric.fabric import processes


def _set(fabric, policy, priority):
    """Sets the policy of all threads of the switches, and of this thread, whose children inherit
    it: the traffic generator is one."""
    threads = [0]
    for pid, started in fabric.processes().values():
        with contextlib.suppress(FileNotFoundError):
            if processes.is_alive(pid, started):
                threads += map(int, os.listdir(f'/proc/{pid}/task'))
    for thread in threads:
        # The permission may be missing, or the thread may have ended.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


def take(fabric):
    _set(fabric, os.SCHED_RR, 1)


def lay_down(fabric):
    _set(fabric, os.SCHED_OTHER, 0)
