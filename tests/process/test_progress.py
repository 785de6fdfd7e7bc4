#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A long simulation shows on a terminal how much is done, also within its only run.

test_progress.py DRBSIM    TAP on standard output."""
import os
import pty
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402

# One second or more. The line is drawn at most five times a second.
RUN = [sys.argv[1], 'packet', '-d', '24', '--load', '0.9', '--slots', '600', '--stats', '100', '--threads', '1']


def on_a_terminal(command):
    """Runs a command on a terminal; returns its status and what it printed there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    said = b''
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            part = b''
        if not part:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()
        said += part


def one_run_shows_its_share():
    status, said = on_a_terminal(RUN)
    before = said[:said.index('scheme')]
    shares = [int(share) for share in re.findall(r': (\d+) %, \d+ s left', before)]
    assert status == 0 and shares and shares == sorted(shares) and shares[0] < 100 and shares[-1] > 0, said


def without_a_terminal_there_is_no_progress():
    command = [*RUN[:5], '0.9', '--slots', '40', '--stats', '20']
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr and done.stdout.startswith('scheme'), done


tap.run((one_run_shows_its_share, without_a_terminal_there_is_no_progress))
