#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A running switch may only make the system calls and use the files that it needs.

Another call, made in one of its threads as injected code would, and another file are refused with
a message. The switch goes on forwarding.

test_confine.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import grp
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from inject import call, filters, needs_x86, status  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import NULLS, SWITCH, World, ask, forwards, refuses, stop, timely  # noqa: E402

EXECVE, UNSHARE, SOCKET, CONNECT, SENDTO, SOCKETPAIR, PERSONALITY, IOCTL = 59, 272, 41, 42, 44, 53, 135, 16
TIOCSTI, HIGH = 0x5412, 1 << 32  # the kernel takes the low bits of a request for an ioctl
QUERY = 0xffffffff  # of personality(): changes nothing
OFF = NULLS + 'process: {confine: false}\n'


def trouble(path):
    return ask(path, '/drb/info')[0]['trouble']


def has_nobody():
    """Returns whether this process is root and may become another user."""
    lines = pathlib.Path('/proc/self/uid_map').read_text(encoding='ascii').split('\n')
    return os.geteuid() == 0 and any(int(line.split()[0]) <= 65534 < int(line.split()[0]) + int(line.split()[2])
                                     for line in lines if line)


def gone(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='ascii').rpartition(')')[2].split()[0] in 'ZX'
    except FileNotFoundError:
        return True


def is_somebody_else():
    """A switch that root starts is not root and cannot become root.

    Its broker ends with it, even if the switch is killed."""
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
    """If the broker is dead or stopped, only orders that need it fail, each with a message.

    A broker that goes on is asked again. Its late answers are not taken for answers to later
    requests."""
    for how in (signal.SIGKILL, signal.SIGSTOP):
        with World() as w:
            p = w.ready(NULLS)
            path = w.socket_of('drb-s1-0')
            broker, = pathlib.Path(f'/proc/{p.pid}/task/{p.pid}/children').read_text(encoding='ascii').split()
            os.kill(int(broker), how)
            # The switch reports it at once to a client that asks.
            want = 'drb-broker is gone' if how == signal.SIGKILL else 'drb-broker is stopped'
            timely(1, lambda s=path, t=want: until(lambda: t in trouble(s)))
            reloads = []
            for _ in range(2):
                begun = time.monotonic()
                said = ask(path, '/drb/reload')[0]
                assert said.startswith(f'error: {w.dir}/c.yaml: ') and 'is gone or stopped: restart' in said, said
                assert time.monotonic() - begun < 1
            assert ask(path, '/drb/info')[0]['ready'] == 1
            if how == signal.SIGSTOP:
                os.kill(int(broker), signal.SIGCONT)
                until(lambda s=path, r=reloads: r.append(ask(s, '/drb/reload')[0]) or r[-1].startswith('ok: '))
                os.kill(int(broker), signal.SIGSTOP)
                until(lambda s=path: 'drb-broker is stopped' in trouble(s))
            begun = time.monotonic()
            err = stop(p)
            assert time.monotonic() - begun < 5
            # One message for each end or stop of the broker, and one for each failed reload. Some
            # reloads may fail before the broker has gone on.
            assert err.count('restart the switch, or have') == 3 + len(reloads[:-1]) + (how == signal.SIGSTOP), err
            assert err.count('memif links runs again') == (how == signal.SIGSTOP), err
            if how == signal.SIGSTOP:
                os.kill(int(broker), signal.SIGKILL)


def as_user(user, group, more, work):
    """Returns what work() returns in a process of this user and these groups."""
    def become():
        os.setgroups(more)
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become()
            said = work()
        except OSError as e:
            said = f'{type(e).__name__}'
        os.write(out, said.encode())
        os._exit(0)
    os.close(out)
    os.waitpid(child, 0)
    with os.fdopen(into) as f:
        return f.read()


def only_operators_give_orders():
    """Only root and members of the operators' group may give orders.

    A process of the switch's user may read its counters. It can order nothing, and cannot join a
    capture that root requested. Other users can do nothing."""
    if not has_nobody():
        raise tap.Skip('nobody else here')
    group = next(g for g in grp.getgrall() if g.gr_gid != 0)
    with World() as w:
        p = w.ready(f'{NULLS}process: {{operators: {group.gr_name}}}\n')
        path, own = w.socket_of('drb-s1-0'), int(min(status(p.pid, 'Uid')))

        def order():
            return ask(path, '/drb/down,u0')[0]

        def read():
            return ask(path, '/drb/info')[0]['name']

        def join_capture():
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                s.settimeout(WITHIN)
                s.connect(str(path.parent / 'capture'))
                return repr(s.recv(64))

        assert as_user(own, 65534, [], read) == 's1-0'
        orders = [f'/drb/{name}' for name in ('reload', 'set,threshold=3', 'capture', 'drain', 'undrain', 'down', 'up')]
        refused = as_user(own, 65534, [], lambda: '\n'.join(ask(path, *orders))).split('\n')
        assert [said.startswith('error: only root ') for said in refused] == [True] * len(orders), refused
        assert ask(path, '/drb/capture') == ['ok: waits']
        assert as_user(own, 65534, [], join_capture) == "b''"
        for member in (lambda work: as_user(12345, group.gr_gid, [], work),
                       lambda work: as_user(12345, 12345, [group.gr_gid], work)):
            assert member(read) == 's1-0'
            assert member(order).startswith('ok: '), member(order)
        assert as_user(12345, 12345, [], read) == 'PermissionError'
        stop(p)
    with World() as w:
        refuses(w, f'{NULLS}process: {{operators: there-is-none}}\n', "there is no group 'there-is-none': groupadd")


def must_be_able_to():
    """If root may not become another user, as in some containers, the switch does not start."""
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
        # Only root may empty the bounding set. The set gives nothing to other users.
        for field in 'CapPrm', 'CapEff', 'CapAmb', *(['CapBnd'] if os.geteuid() == 0 else []):
            assert status(p.pid, field) == {'0' * 16}, f'{field}: {status(p.pid, field)}'
        stop(p)


def another_call_is_refused():
    needs_x86()
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')
        if filters(p.pid) == {'0'}:
            raise tap.Skip('this kernel has no seccomp filters, or this build a sanitizer')
        assert filters(p.pid) == {'2'}, filters(p.pid)
        assert 'refused' not in trouble(path), trouble(path)
        address = bytes(w.dir / 'notify') + b'\0'
        # One call after the other, because the switch names only the last refused call.
        calls = (('personality', PERSONALITY, QUERY), ('socket', SOCKET, socket.AF_INET, socket.SOCK_STREAM, 0),
                 ('execve', EXECVE, 0, 0, 0), ('socket', SOCKET, socket.AF_INET, socket.SOCK_DGRAM, 0),
                 ('unshare', UNSHARE, 0), ('socket', SOCKET, socket.AF_UNIX, socket.SOCK_DGRAM, 0),
                 ('connect', CONNECT, 0, 0, 110), ('socketpair', SOCKETPAIR, socket.AF_UNIX, socket.SOCK_DGRAM, 0, 0),
                 ('sendto', SENDTO, 0, b'x', 1, 0, address, len(address)), ('ioctl', IOCTL, 0, TIOCSTI | HIGH, 0))
        for name, *what in calls:
            call(p.pid, *what)
            until(lambda n=name: f'system call {n} (' in trouble(path))
            forwards(path)
        time.sleep(0.5)
        err = stop(p)
        for name in {name for name, *_ in calls}:
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
    """A config that has become a link to another folder is not read.

    The file there belongs to the switch's own user."""
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


tap.run((is_somebody_else, only_operators_give_orders, must_be_able_to, no_capability_may_come_back,
         another_call_is_refused, unless_it_is_left_off, another_file_is_refused, without_broker))
