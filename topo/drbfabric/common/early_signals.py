# SPDX-License-Identifier: BSD-3-Clause
"""Handles signals before a program has done anything. Nothing must be undone then, so a signal ends
the program at once.

This module imports nothing slow, because programs import it first.
"""

import os
import signal

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def end_at_once(program):
    """Until other handlers are installed, signals end the program with one line and exit code 1."""
    def end(number, _):
        # A second signal between the line and the end must not print another line.
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        os.write(2, f'{program}: ended by {signal.Signals(number).name}\n'.encode())
        os._exit(1)

    for number in SIGNALS:
        signal.signal(number, end)
