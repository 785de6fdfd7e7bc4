# SPDX-License-Identifier: BSD-3-Clause
"""Enters network namespaces and sets properties inside them.

up_down.prepare_namespaces() makes namespaces with a file of the plan for `ip -batch`.

A thread's network namespace determines what its sockets, its /proc/sys/net and its children see.
One process that enters one namespace after another therefore replaces hundreds of `ip netns exec`.
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import subprocess

from drbfabric import Failure, usage
from drbfabric.common import interrupts, refusals
from drbfabric.common.limits import at_once

FOLDER = '/run/netns'
CLONE_NEWNET, CLONE_NEWNS = 0x40000000, 0x00020000
MS_RDONLY, MS_BIND, MS_REC, MS_SLAVE = 0x1, 0x1000, 0x4000, 0x80000
SIOCETHTOOL = 0x8946
# Lines per `ip -batch`, which opens two namespaces for each line and keeps them open until it ends.
BATCH_LINES = 256
# struct ethtool_value commands of linux/ethtool.h that set a feature of the interface.
ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO = 0x17, 0x1f, 0x24, 0x2c

_libc = ctypes.CDLL(None, use_errno=True)
_home = os.open('/proc/self/ns/net', os.O_RDONLY | os.O_CLOEXEC)


def _setns(fd):
    if _libc.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), 'setns')


def enter(name):
    """Moves this thread into the namespace permanently."""
    try:
        fd = os.open(f'{FOLDER}/{name}', os.O_RDONLY | os.O_CLOEXEC)
        try:
            _setns(fd)
        finally:
            os.close(fd)
    except OSError as e:
        raise Failure(refusals.in_words(f'cannot enter namespace {name}', os.strerror(e.errno))) from e


def own_files(hosts):
    """Gives this process the /sys of its network namespace, as `ip netns exec` does, and replaces
    /etc/hosts by the file `hosts`.

    If that is not permitted, the previous ones stay.
    """
    if _libc.unshare(CLONE_NEWNS) != 0:
        return
    _libc.mount(b'', b'/', b'none', MS_SLAVE | MS_REC, None)
    read_only = os.statvfs('/sys').f_flag & os.ST_RDONLY
    _libc.mount(b'sysfs', b'/sys', b'sysfs', MS_RDONLY if read_only else 0, None)
    _libc.mount(hosts.encode(), b'/etc/hosts', None, MS_BIND, None)


@contextlib.contextmanager
def inside(name):
    """Moves this thread into the namespace, and back at the end of the context."""
    enter(name)
    try:
        yield
    finally:
        _setns(_home)


def exists(name):
    """Returns whether a namespace has the name, or an empty file that an ended container left."""
    return os.path.exists(f'{FOLDER}/{name}')


def inode(name):
    """A number that identifies a namespace while it exists; None if there is none of this name."""
    try:
        found = os.stat(f'{FOLDER}/{name}')
    except FileNotFoundError:
        return None
    # A file on which no namespace is mounted is in another file system.
    return found.st_ino if found.st_dev == os.fstat(_home).st_dev else None


def born(name):
    """The time at which a namespace was made, in us; None if there is none of this name.

    Needed because the kernel reuses the inodes of deleted namespaces."""
    return None if inode(name) is None else os.stat(f'{FOLDER}/{name}').st_ctime_ns // 1000


def delete(names):
    """Deletes namespaces, and files that are left of them. Returns the names that still exist."""
    living = [name for name in names if inode(name) is not None]
    if living:
        batch([f'netns delete {name}' for name in living], force=True)
    for name in set(names) - set(living):
        with contextlib.suppress(OSError):
            os.unlink(f'{FOLDER}/{name}')
    return [name for name in names if exists(name)]


def need_free(names, otherwise):
    """Fails if names are in use, and lists them. otherwise: an alternative to removing them."""
    taken = [name for name in names if exists(name)]
    if taken:
        what = f'namespace {taken[0]} exists and is' if len(taken) == 1 else \
            f"{len(taken)} namespaces exist and are"
        raise usage(f"{what} not of this fabric: {otherwise}, or remove what is left: "
                    f"for n in {' '.join(taken)}; do ip netns delete $n; done")


def batch(source, force=False, told=lambda lines: None):
    """Runs `ip -batch` on a file (a path) or on lines (a list), in this thread's namespace.

    `told` is called with the number of lines each time that more are done."""
    lines = source
    if not isinstance(source, list):
        with open(source, encoding='utf-8') as f:
            lines = f.read().splitlines()
    step = at_once(BATCH_LINES, files=2)
    for at in range(0, len(lines), step):
        part = lines[at:at + step]
        with interrupts.deferred():
            done = subprocess.run(['ip', *(['-force'] if force else []), '-batch', '-'], text=True, check=False,
                                  input='\n'.join(part) + '\n', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0 and not force:
            raise Failure(refusals.of_batch(part, done.stderr))
        told(len(part))


def tc(words):
    """Runs `tc` in this thread's namespace."""
    with interrupts.deferred():
        done = subprocess.run(['tc', *words.split()], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Failure(refusals.in_words(f'tc {words}', done.stderr))


def sysctl(settings):
    """Writes {path below /proc/sys/net: value} of this thread's namespace."""
    for path, value in settings.items():
        try:
            with open(f'/proc/sys/net/{path}', 'w', encoding='ascii') as f:
                f.write(str(value))
        except OSError as e:
            raise Failure(refusals.of_error(e)) from e


def offloads_off(interface):
    """Does what `ethtool -K IF tx off tso off gso off gro off` does.

    After that, the frames that pass the interface are those that would be on a wire: with complete
    checksums, and no longer than the MTU.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for command in (ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_STXCSUM, ETHTOOL_SGRO):
            value = ctypes.create_string_buffer(struct.pack('=II', command, 0))
            request = struct.pack('16sP', interface.encode(), ctypes.addressof(value))
            try:
                fcntl.ioctl(s.fileno(), SIOCETHTOOL, request.ljust(40, b'\0'))
            except OSError as e:
                raise Failure(f'{interface}: cannot turn offload {command:#x} off: '
                              f'{os.strerror(e.errno)}') from e


# Later interfaces inherit `default`, so these are set before the links are made.
SWITCH_SETTINGS = {
    # In a switch's namespace, the kernel must neither send nor forward packets.
    'ipv4/ip_forward': 0,
    'ipv6/conf/all/disable_ipv6': 1,
    'ipv6/conf/default/disable_ipv6': 1,
}
HOST_SETTINGS = {
    'ipv4/ip_forward': 0,
    # The plan sets addresses: there are no duplicates to detect, and no routers to ask.
    'ipv6/conf/default/accept_dad': 0,
    'ipv6/conf/default/dad_transmits': 0,
    'ipv6/conf/default/router_solicitations': 0,
    'ipv6/conf/default/accept_ra': 0,
    'ipv6/conf/default/autoconf': 0,
    # An address stays while its link is down, as in IPv4.
    'ipv6/conf/all/keep_addr_on_down': 1,
}
