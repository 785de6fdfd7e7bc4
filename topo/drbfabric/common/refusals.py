# SPDX-License-Identifier: BSD-3-Clause
"""Translates errors of the kernel and of iproute2 into words of users: the error, and its cure."""

import os
import re

from drbfabric.common.places import called

CURES = (
    ('Operation not permitted|Permission denied',
     'not permitted: it takes the capabilities SYS_ADMIN, NET_ADMIN and NET_RAW (of a container: --privileged), '
     'or {rootless}'),
    ('Read-only file system', 'it cannot be written to: mount a tmpfs at /run'),
    ('No space left on device|Disk quota exceeded', 'no room is left: see df'),
    ('File exists', 'it is there already: another fabric or program has it'),
    ('Unknown device type|qdisc kind is unknown', 'the kernel lacks it: modprobe veth, vxlan or sch_netem'),
    ('Cannot find device|No such device|No such file|Cannot open network namespace|does not exist|'
     'no interface with this name',
     'it is not there, or not any more: {fabric} down, and up again'),
    ('Native and generic XDP', 'the switch has an XDP program of its own there: take --driver af_packet'),
    ('Too many open files', 'too many open files: raise the limit (ulimit -n)'),
)


def in_words(what, said):
    """A message about an operation (what) that failed. It ends with the original text in
    parentheses, so that users can search for it."""
    said = ' '.join(said.split()).removeprefix('Error: ') or 'failed'
    for pattern, cure in CURES:
        if re.search(pattern, said):
            return f"{what}: {cure.format(rootless=called('rootless'), fabric=called('fabric'))} ({said})"
    return f'{what}: refused ({said})'


def of_error(error):
    """A message about an unexpected OSError."""
    return in_words(error.filename or 'a system call', os.strerror(error.errno) if error.errno else str(error))


def of_batch(lines, said):
    """A message about a failed line of `ip -batch`, whose error has the line's number."""
    found = re.search(r'\s*Command failed \S+:(\d+)', said)
    if not found or not 0 < int(found[1]) <= len(lines):
        return in_words('ip', said)
    return in_words(f'ip {lines[int(found[1]) - 1].strip()}', said.replace(found[0], ''))
