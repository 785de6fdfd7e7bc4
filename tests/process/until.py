# SPDX-License-Identifier: BSD-3-Clause
"""Waits for a condition."""
import time

WITHIN = 60  # seconds; enough for any event on a loaded machine


def until(look, within=WITHIN, good=bool):
    """Returns the result of look() as soon as good() accepts it."""
    end = time.monotonic() + within
    while not good(seen := look()):
        assert time.monotonic() < end, f'not in time: {seen}'
        time.sleep(0.005)
    return seen
