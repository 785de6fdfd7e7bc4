# SPDX-License-Identifier: BSD-3-Clause
"""keeper.py FABRIC PID: a process beside Mininet's, for the case that it is killed."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))

from drbfabric.mininet.fabric import keep  # noqa: E402

keep(sys.argv[1], int(sys.argv[2]))
