#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests when the harness regards a process as running or ready, and its open files."""

import os
import resource
import subprocess
import sys
import tempfile
from typing import Any
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'topo'))

from drbfabric.common import files, limits  # noqa: E402
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


def only_the_started_process_is_ready():
    """The socket may be that of an earlier process, which has not ended yet."""
    switches = processes.Switches(None, 'drbswitch')
    switches.children['s1-0'] = mock.Mock(pid=7)
    cases: tuple[tuple[Any, bool, bool], ...] = (
        ({'pid': 7, 'ready': 1}, True, True), ({'pid': 7, 'ready': 0}, True, False),
        ({'pid': 8, 'ready': 1}, False, False), (None, False, False))
    for said, answers, ready in cases:
        with mock.patch.object(processes, 'Telemetry') as telemetry:
            telemetry.return_value.__enter__.return_value.ask.return_value = said
            got = switches._answers('s1-0', 'drb-s1-0'), switches._is_ready('s1-0', 'drb-s1-0')
        assert got == (answers, ready), (said, got)


def tasks_share_the_open_files():
    """Runs last, because it lowers the limit of this process for good."""
    limit = limits.SPARE_FILES + 40
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits.SPARE_FILES, limit))
    for most, files_each, want in ((39, 1, 39), (40, 1, 40), (41, 1, 40), (256, 2, 20), (256, 3, 13), (256, 41, 1)):
        assert limits.at_once(most, files=files_each) == want, (most, files_each, want)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (limit, limit)


def a_failed_write_leaves_the_old_file_alone():
    with tempfile.TemporaryDirectory() as folder:
        files.write(f'{folder}/plan', 'old')
        try:
            files.write(f'{folder}/plan', 'new \ud800')  # a character that has no bytes in UTF-8
        except UnicodeEncodeError:
            pass
        assert os.listdir(folder) == ['plan'], os.listdir(folder)
        with open(f'{folder}/plan', encoding='utf-8') as f:
            assert f.read() == 'old'


tap.run([one_thread, lives_as_long_as_its_last_thread, only_the_started_process_is_ready,
         a_failed_write_leaves_the_old_file_alone, tasks_share_the_open_files])
