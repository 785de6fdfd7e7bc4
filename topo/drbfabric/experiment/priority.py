# SPDX-License-Identifier: BSD-3-Clause
"""Real-time priority while something is measured: what else runs here delays it less. Not while switches start or end:
each takes a CPU for a tenth of a second then, and real time would keep everybody else from it."""

import contextlib
import os

from drbfabric.fabric import processes


def _set(fabric, policy, priority):
    """For all threads of its switches, and for this one, from which the generator inherits it."""
    threads = [0]
    for pid, started in fabric.processes().values():
        with contextlib.suppress(FileNotFoundError):
            if processes.is_alive(pid, started):
                threads += map(int, os.listdir(f'/proc/{pid}/task'))
    for thread in threads:
        # Not permitted to everybody; a thread may have ended.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


def take(fabric):
    _set(fabric, os.SCHED_RR, 1)


def lay_down(fabric):
    _set(fabric, os.SCHED_OTHER, 0)
