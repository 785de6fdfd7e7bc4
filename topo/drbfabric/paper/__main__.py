# SPDX-License-Identifier: BSD-3-Clause
"""Started by `drbsim paper` as a folder: python3 drbfabric/paper DIR.

python3 topo/drbfabric/paper DIR docs/notes/simulations.md renews the table of what was not reproduced in that text."""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from drbfabric.paper import command  # noqa: E402

if __name__ == '__main__':
    sys.exit(command.main(sys.argv[1]) if len(sys.argv) == 2 else command.renew(*sys.argv[1:]))
