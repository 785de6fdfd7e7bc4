# SPDX-License-Identifier: BSD-3-Clause
"""Stops single threads, as a debugger does."""
import ctypes
import os

import tap
from until import until

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # lets waitpid() wait for threads, too
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, tid):
    arguments = (ctypes.c_long(request), ctypes.c_long(tid), None, None)
    if libc.ptrace(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Stopped:
    """Keeps a thread stopped while the context lasts."""

    def __init__(self, tid):
        self.tid = tid

    def __enter__(self):
        try:
            ptrace(PTRACE_SEIZE, self.tid)
        except PermissionError as e:
            raise tap.Skip(f'may not stop a thread here: {e}') from e
        ptrace(PTRACE_INTERRUPT, self.tid)
        until(lambda: os.waitpid(self.tid, WALL | os.WNOHANG)[0])

    def __exit__(self, *_):
        try:
            ptrace(PTRACE_DETACH, self.tid)
        # The thread was killed. Its process ends only when the tracer has waited for the thread.
        except ProcessLookupError:
            until(lambda: os.waitpid(self.tid, WALL | os.WNOHANG)[0])


def worker(pid, number):
    """Returns the thread ID of a worker."""
    for tid in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{tid}/comm', encoding='ascii') as f:
            if f.read().strip() == f'worker-{number}':
                return int(tid)
    raise AssertionError('no such thread')
