# SPDX-License-Identifier: BSD-3-Clause
"""Makes system calls in a thread of a running process, as code that an attacker injected would."""
import ctypes
import os
import pathlib
import platform
import struct
import time

import tap
from until import WITHIN

PTRACE_GETREGS, PTRACE_SETREGS, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 12, 13, 0x4206, 0x4207, 17
WALL = 0x40000000
REGISTERS = ('r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base '
             'gs_base ds es fs gs').split()
SYSCALL = b'\x0f\x05'
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, tid, data=None):
    if libc.ptrace(ctypes.c_long(request), ctypes.c_long(tid), None, data) < 0:
        raise tap.Skip(f'may not stop a thread here: {os.strerror(ctypes.get_errno())}')


def waits(pid):
    """Returns a thread that sleeps in a system call which it repeats when it is interrupted."""
    limit = time.monotonic() + WITHIN
    while time.monotonic() < limit:  # tries again, as the thread works now and then
        for tid in map(int, os.listdir(f'/proc/{pid}/task')):
            path = pathlib.Path(f'/proc/{pid}/task/{tid}')
            # DPDK's interrupt thread (dpdk-intr since 23.11) sleeps in epoll_wait(). It calls that
            # again whatever the injected call returns.
            if (path / 'comm').read_text(encoding='ascii').startswith(('eal-intr', 'dpdk-intr')) and \
                    (path / 'syscall').read_text(encoding='ascii').split()[0] == '232':
                return tid
    raise AssertionError('no thread sleeps')


def call(pid, number, *arguments):
    """Replaces the system call in which a thread sleeps by this one, once.

    Arguments of type bytes are copied to the thread's stack and passed by address."""
    tid, state = waits(pid), ctypes.create_string_buffer(8 * len(REGISTERS))
    ptrace(PTRACE_SEIZE, tid)
    try:
        ptrace(PTRACE_INTERRUPT, tid)
        os.waitpid(tid, WALL)
        ptrace(PTRACE_GETREGS, tid, state)
        r = dict(zip(REGISTERS, struct.unpack(f'{len(REGISTERS)}Q', state.raw)))
        room, numbers = r['rsp'] - 4096, []
        with open(f'/proc/{pid}/mem', 'r+b', buffering=0) as memory:
            memory.seek(r['rip'] - len(SYSCALL))
            assert memory.read(len(SYSCALL)) == SYSCALL
            for argument in arguments:
                if isinstance(argument, bytes):
                    memory.seek(room)
                    memory.write(argument)
                    argument, room = room, room + len(argument)
                numbers.append(argument)
        r.update(zip(('rdi', 'rsi', 'rdx', 'r10', 'r8', 'r9'), numbers), rip=r['rip'] - len(SYSCALL), rax=number,
                 orig_rax=(1 << 64) - 1)
        state.raw = struct.pack(f'{len(REGISTERS)}Q', *(r[name] for name in REGISTERS))
        ptrace(PTRACE_SETREGS, tid, state)
    finally:
        ptrace(PTRACE_DETACH, tid)


def status(pid, field):
    """Returns the set of values that a process's threads have in a field of their status."""
    return {line.split()[1] for path in pathlib.Path(f'/proc/{pid}/task').glob('*/status')
            for line in path.read_text(encoding='ascii').splitlines() if line.startswith(f'{field}:')}


def filters(pid):
    """Returns the seccomp modes of all threads; 2 means that system calls are filtered."""
    return status(pid, 'Seccomp')


def needs_x86():
    if platform.machine() != 'x86_64':
        raise tap.Skip('registers of x86-64 only')
