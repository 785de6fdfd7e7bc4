# SPDX-License-Identifier: BSD-3-Clause
"""Runs test functions and reports in TAP."""

import signal
import sys
import traceback


class Skip(Exception):
    """Skips a test, because a program or a permission is missing here."""


def run(tests):
    # On SIGTERM, unwind: context managers then end the processes they started and resume stopped
    # ones.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} - {test.__name__}', flush=True)
        except Skip as e:
            print(f'ok {number} - {test.__name__} # SKIP {e}', flush=True)
        # A test that raises has failed, and the other tests still run.
        except Exception as e:
            print(f'not ok {number} - {test.__name__}')
            for line in traceback.format_exception(e):
                print('# ' + line.rstrip().replace('\n', '\n# '), flush=True)
