#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A running switch may make the system calls, and use the files, that it needs: another call, made in one of
its threads as injected code would, and another file are refused, which is said; it goes on forwarding.

test_confine.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import ctypes
import os
import pathlib
import platform
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import NULLS, SWITCH, World, ask, forwards, stop  # noqa: E402

PTRACE_GETREGS, PTRACE_SETREGS, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 12, 13, 0x4206, 0x4207, 17
WALL = 0x40000000
REGISTERS = ('r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base '
             'gs_base ds es fs gs').split()
SYSCALL = b'\x0f\x05'
EXECVE, UNSHARE, SOCKET, CONNECT, PERSONALITY, IOCTL, INET, STREAM = 59, 272, 41, 42, 135, 16, 2, 1
TIOCSTI, HIGH = 0x5412, 1 << 32  # the kernel takes the low bits of a request for an ioctl
QUERY = 0xffffffff  # of personality(): changes nothing
OFF = NULLS + 'process: {confine: false}\n'
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, tid, data=None):
    if libc.ptrace(ctypes.c_long(request), ctypes.c_long(tid), None, data) < 0:
        raise tap.Skip(f'may not stop a thread here: {os.strerror(ctypes.get_errno())}')


def waits(pid):
    """A thread that has just entered the kernel by an instruction that can be used again."""
    limit = time.monotonic() + WITHIN
    while time.monotonic() < limit:  # it works now and then
        for tid in map(int, os.listdir(f'/proc/{pid}/task')):
            path = pathlib.Path(f'/proc/{pid}/task/{tid}')
            # epoll_wait() of the thread for interrupts (dpdk-intr since 23.11): it begins anew whatever the call says.
            if (path / 'comm').read_text(encoding='ascii').startswith(('eal-intr', 'dpdk-intr')) and \
                    (path / 'syscall').read_text(encoding='ascii').split()[0] == '232':
                return tid
    raise AssertionError('no thread sleeps')


def call(pid, number, *arguments):
    """Has a thread make this system call instead of its own."""
    tid, state = waits(pid), ctypes.create_string_buffer(8 * len(REGISTERS))
    ptrace(PTRACE_SEIZE, tid)
    try:
        ptrace(PTRACE_INTERRUPT, tid)
        os.waitpid(tid, WALL)
        ptrace(PTRACE_GETREGS, tid, state)
        r = dict(zip(REGISTERS, struct.unpack(f'{len(REGISTERS)}Q', state.raw)))
        with open(f'/proc/{pid}/mem', 'rb', buffering=0) as memory:
            memory.seek(r['rip'] - len(SYSCALL))
            assert memory.read(len(SYSCALL)) == SYSCALL
        r.update(zip(('rdi', 'rsi', 'rdx'), arguments), rip=r['rip'] - len(SYSCALL), rax=number,
                 orig_rax=(1 << 64) - 1)
        state.raw = struct.pack(f'{len(REGISTERS)}Q', *(r[name] for name in REGISTERS))
        ptrace(PTRACE_SETREGS, tid, state)
    finally:
        ptrace(PTRACE_DETACH, tid)


def trouble(path):
    return ask(path, '/drb/info')[0]['trouble']


def status(pid, field):
    """What threads have there, each value once."""
    return {line.split()[1] for path in pathlib.Path(f'/proc/{pid}/task').glob('*/status')
            for line in path.read_text(encoding='ascii').splitlines() if line.startswith(f'{field}:')}


def filters(pid):
    """Of each thread: 2 if system calls are filtered."""
    return status(pid, 'Seccomp')


def has_nobody():
    """Whether root may become somebody else here."""
    lines = pathlib.Path('/proc/self/uid_map').read_text(encoding='ascii').split('\n')
    return os.geteuid() == 0 and any(int(line.split()[0]) <= 65534 < int(line.split()[0]) + int(line.split()[2])
                                     for line in lines if line)


def gone(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='ascii').rpartition(')')[2].split()[0] in 'ZX'
    except FileNotFoundError:
        return True


def is_somebody_else():
    """Root starts a switch, which is not root and cannot become it. Its broker goes with it, however it ends."""
    with World() as w:
        p = w.ready(NULLS)
        assert not has_nobody() or '0' not in status(p.pid, 'Uid') | status(p.pid, 'Gid'), status(p.pid, 'Uid')
        broker, = pathlib.Path(f'/proc/{p.pid}/task/{p.pid}/children').read_text(encoding='ascii').split()
        if filters(p.pid) == {'2'}:
            assert filters(broker) == {'2'}, filters(broker)
        assert status(broker, 'CapEff') <= {'0' * 16, '0' * 15 + '2'}, status(broker, 'CapEff')
        p.kill()
        p.wait(WITHIN)
        until(lambda: gone(broker))


def without_broker():
    """A broker that is dead or stopped costs the orders that need it, each of which says so, and nothing else. One that
    goes on is asked again: what it says late is taken for no other answer."""
    for how in (signal.SIGKILL, signal.SIGSTOP):
        with World() as w:
            p = w.ready(NULLS)
            path = w.socket_of('drb-s1-0')
            broker, = pathlib.Path(f'/proc/{p.pid}/task/{p.pid}/children').read_text(encoding='ascii').split()
            os.kill(int(broker), how)
            reloads = []
            for _ in range(2):
                begun = time.monotonic()
                said = ask(path, '/drb/reload')[0]
                assert said.startswith(f'error: {w.dir}/c.yaml: ') and 'is gone or stopped: restart' in said, said
                assert time.monotonic() - begun < 5
            assert ask(path, '/drb/info')[0]['ready'] == 1
            if how == signal.SIGSTOP:
                os.kill(int(broker), signal.SIGCONT)
                until(lambda s=path, r=reloads: r.append(ask(s, '/drb/reload')[0]) or r[-1].startswith('ok: '))
                os.kill(int(broker), signal.SIGSTOP)
            begun = time.monotonic()
            err = stop(p)
            assert time.monotonic() - begun < 5
            # Once of itself, and of each order: some reloads may come before the broker has gone on.
            assert err.count('restart the switch, or have') == 3 + len(reloads[:-1]), err
            assert err.count('memif links runs again') == (how == signal.SIGSTOP), err
            if how == signal.SIGSTOP:
                os.kill(int(broker), signal.SIGKILL)


def must_be_able_to():
    """Root that may not become somebody else, in a container perhaps, starts nothing."""
    if not has_nobody():
        raise tap.Skip('nobody else here')
    with World() as w:
        done = subprocess.run(['setpriv', '--bounding-set=-setuid', SWITCH, '-c', w.config(NULLS)], env=w.environment(),
                              capture_output=True, text=True, timeout=WITHIN, check=False)
        assert done.returncode == 1 and done.stderr.count('\n') == 1, done
        assert ': start it as another user than root, or with CAP_SETUID and CAP_SETGID' in done.stderr, done
        assert w.left() == [], w.left()


def no_capability_may_come_back():
    with World() as w:
        p = w.ready(NULLS)
        # Nobody but root may empty the bounding set; to others it gives nothing.
        for field in 'CapPrm', 'CapEff', 'CapAmb', *(['CapBnd'] if os.geteuid() == 0 else []):
            assert status(p.pid, field) == {'0' * 16}, f'{field}: {status(p.pid, field)}'
        stop(p)


def needs_x86():
    if platform.machine() != 'x86_64':
        raise tap.Skip('registers of x86-64 only')


def another_call_is_refused():
    needs_x86()
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')
        if filters(p.pid) == {'0'}:
            raise tap.Skip('this kernel has no seccomp filters, or this build a sanitizer')
        assert filters(p.pid) == {'2'}, filters(p.pid)
        assert 'refused' not in trouble(path), trouble(path)
        calls = {'personality': (PERSONALITY, QUERY), 'execve': (EXECVE, 0, 0, 0), 'unshare': (UNSHARE, 0),
                 'socket': (SOCKET, INET, STREAM, 0), 'connect': (CONNECT, 0, 0, 110),
                 'ioctl': (IOCTL, 0, TIOCSTI | HIGH, 0)}
        for name, what in calls.items():
            call(p.pid, *what)
            until(lambda n=name: f'system call {n} (' in trouble(path))
            forwards(path)
        time.sleep(0.5)
        err = stop(p)
        for name in calls:
            assert err.count(f'system call {name} (') == 1, err


def unless_it_is_left_off():
    needs_x86()
    with World() as w:
        p = w.ready(OFF)
        assert filters(p.pid) == {'0'}
        call(p.pid, PERSONALITY, QUERY)
        time.sleep(0.5)
        assert 'refused' not in trouble(w.socket_of('drb-s1-0'))
        assert 'refused' not in stop(p)


def another_file_is_refused():
    """A config that has become a link to elsewhere: not even its own user's file is read."""
    for text in (NULLS, OFF):
        with World() as w:
            elsewhere = pathlib.Path(tempfile.mkdtemp(prefix='drb-elsewhere-'))
            p = w.ready(text)
            if text is NULLS and filters(p.pid) == {'0'}:
                raise tap.Skip('this kernel has no seccomp filters, or this build a sanitizer')
            path = w.socket_of('drb-s1-0')
            assert ask(path, '/drb/reload')[0].startswith('ok: ')
            (elsewhere / 'c.yaml').write_text(text)
            (w.dir / 'c.yaml').unlink()
            (w.dir / 'c.yaml').symlink_to(elsewhere / 'c.yaml')
            said = ask(path, '/drb/reload')[0]
            shutil.rmtree(elsewhere)
            forwards(path)
            err = stop(p)
            if 'no Landlock' in err:
                raise tap.Skip('this kernel has no Landlock')
            assert (said.startswith('ok: ') if text is OFF else 'Permission denied' in said), said


tap.run((is_somebody_else, must_be_able_to, no_capability_may_come_back, another_call_is_refused,
         unless_it_is_left_off, another_file_is_refused, without_broker))
