# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel and the programs of iproute2 refuse, in words of users: what is wrong, and the cure."""

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
    ('Too many open files', 'too many open files: raise the limit (ulimit -n)'),
)


def in_words(what, said):
    """A line about what was refused; what was said of it stands behind in brackets, for whoever looks it up."""
    said = ' '.join(said.split()).removeprefix('Error: ') or 'failed'
    for pattern, cure in CURES:
        if re.search(pattern, said):
            return f"{what}: {cure.format(rootless=called('rootless'), fabric=called('fabric'))} ({said})"
    return f'{what}: refused ({said})'


def of_error(error):
    """The same of an OSError that nobody has foreseen."""
    return in_words(error.filename or 'a system call', os.strerror(error.errno) if error.errno else str(error))


def of_batch(lines, said):
    """The same of a line of `ip -batch`, which counts them."""
    found = re.search(r'\s*Command failed \S+:(\d+)', said)
    if not found or not 0 < int(found[1]) <= len(lines):
        return in_words('ip', said)
    return in_words(f'ip {lines[int(found[1]) - 1].strip()}', said.replace(found[0], ''))
