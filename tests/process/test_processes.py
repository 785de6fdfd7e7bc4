#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests when the harness regards a process as running."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'topo'))

from drbfabric.fabric import processes  # noqa: E402

import tap  # noqa: E402

# The first thread ends and the second goes on. The kernel kills a process in this order if the
# other threads take long to end.
FIRST_THREAD_ENDS = '''
import ctypes, sys, threading
def second():
    print(flush=True)
    sys.stdin.read()
threading.Thread(target=second, daemon=True).start()
ctypes.CDLL(None).pthread_exit(None)
'''


def started(program):
    child = subprocess.Popen([sys.executable, '-c', program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout and child.stdin
    child.stdout.readline()
    return child


def end(child):
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)


def one_thread():
    child = started('import sys; print(flush=True); sys.stdin.read()')
    started_at = processes.start_time(child.pid)
    assert processes.is_alive(child.pid, started_at)
    end(child)
    assert not processes.is_alive(child.pid, started_at)
    child.wait()


def lives_as_long_as_its_last_thread():
    child = started(FIRST_THREAD_ENDS)
    started_at = processes.start_time(child.pid)
    while open(f'/proc/{child.pid}/stat', encoding='ascii').read().rpartition(')')[2].split()[0] != 'Z':
        pass
    assert started_at and processes.is_alive(child.pid, started_at)
    end(child)
    assert processes.start_time(child.pid) is None
    child.wait()


tap.run([one_thread, lives_as_long_as_its_last_thread])
