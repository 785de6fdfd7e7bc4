# SPDX-License-Identifier: BSD-3-Clause
"""Standard streams of a process that was started without some of them, as daemons and runners do.

Python has None in their place, and the next files that it opens get their numbers.
"""

import os
import sys


def replace_closed():
    """Opens /dev/null in place of each closed stream, also for children."""
    for number, (name, mode) in enumerate((('stdin', 'r'), ('stdout', 'w'), ('stderr', 'w'))):
        if getattr(sys, name) is None:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            setattr(sys, name, open(number, mode, encoding='utf-8'))
