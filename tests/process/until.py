# SPDX-License-Identifier: BSD-3-Clause
"""Waits for what must come to hold."""
import time

WITHIN = 60  # seconds for anything to happen on a loaded machine


def until(look, within=WITHIN, good=bool):
    """What look() says, as soon as that is good."""
    end = time.monotonic() + within
    while not good(seen := look()):
        assert time.monotonic() < end, f'not in time: {seen}'
        time.sleep(0.005)
    return seen
