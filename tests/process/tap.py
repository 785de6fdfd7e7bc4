# SPDX-License-Identifier: BSD-3-Clause
"""Runs test functions and reports in TAP."""

import signal
import sys
import traceback


class Skip(Exception):
    """A program or a right is missing here."""


def run(tests):
    # Who ends a test ends what it has started, also what it has stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} - {test.__name__}', flush=True)
        except Skip as e:
            print(f'ok {number} - {test.__name__} # SKIP {e}', flush=True)
        except Exception as e:  # a test that breaks has failed; the others still run
            print(f'not ok {number} - {test.__name__}')
            for line in traceback.format_exception(e):
                print('# ' + line.rstrip().replace('\n', '\n# '), flush=True)
