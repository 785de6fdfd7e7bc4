# SPDX-License-Identifier: BSD-3-Clause
"""Signals before a program works: nothing is to be undone yet, so it ends at once.

Imports nothing slow: it stands before everything else that a program imports.
"""

import os
import signal

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def end_at_once(program):
    """Until others are installed, signals end the program with one line and exit code 1."""
    def end(number, _):
        # Another must not come between the line and the end, and be said, too.
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        os.write(2, f'{program}: ended by {signal.Signals(number).name}\n'.encode())
        os._exit(1)

    for number in SIGNALS:
        signal.signal(number, end)
