# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m drblab"""

from drblab.command import entry

if __name__ == '__main__':
    entry()
