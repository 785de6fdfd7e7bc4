# SPDX-License-Identifier: BSD-3-Clause
"""How many files this process and the programs that it runs may have open."""

import resource

SPARE_FILES = 24  # what a process has open besides


def at_once(most, files=1):
    """How many things to do at a time, at most so many, where each takes `files` open files: as many as the hard
    limit allows, to which the soft one is raised where that is needed."""
    wanted = most * files + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return most
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, (soft - SPARE_FILES) // files)
