# SPDX-License-Identifier: BSD-3-Clause
"""The limit on open files of this process and of the programs that it runs."""

import resource

SPARE_FILES = 24  # other files that a process has open


def at_once(most, files=1):
    """The number of tasks to do at a time, at most `most`, if each takes `files` open files.

    Raises the soft limit as far as needed and the hard limit allows."""
    wanted = most * files + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return most
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, (soft - SPARE_FILES) // files)
