#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the stats socket: no client delays another, and foreign folders and links stay untouched.

test_stats_socket.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import fcntl
import json
import os
import pathlib
import resource
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import NULLS, WITHIN, World, ask, connect, refuses, stop, timely  # noqa: E402

MOST = 1024  # DRB_STATS_CLIENTS_MAX
SOON = 1.0  # seconds within which a client is served, whatever others do


def is_closed(s):
    s.settimeout(0)
    try:
        return s.recv(1 << 20) == b''
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    finally:
        s.settimeout(30)


def served_soon(path):
    assert timely(SOON, lambda: ask(path, '/drb/info'))[0]['ready'] == 1


def silent_clients():
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')
        silent = [connect(path) for _ in range(10)]
        served_soon(path)
        assert not any(is_closed(s) for s in silent)
        silent += [connect(path) for _ in range(MOST + 50 - len(silent))]
        served_soon(path)
        # The first clients have been silent for the longest time.
        gone = [is_closed(s) for s in silent]
        assert all(gone[:50]) and not any(gone[60:]), gone.index(False)
        for s in silent:
            s.close()
        served_soon(path)
        stop(p)


def descriptors(pid):
    """Returns the size of the kernel's table of descriptors.

    The process waits for milliseconds when the kernel enlarges the table."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text(encoding='ascii')
    return int(status.split('\nFDSize:')[1].split()[0])


def a_thousand_ask():
    with World() as w:
        p = w.ready(NULLS)
        path, room = w.socket_of('drb-s1-0'), descriptors(p.pid)
        clients = [connect(path) for _ in range(1000)]
        assert descriptors(p.pid) == room
        for _ in range(3):
            for s in clients:
                s.send(b'/drb/info')
            for s in clients:
                assert json.loads(s.recv(1 << 20))['/drb/info']['name'] == 's1-0'
        for s in clients:
            s.close()
        stop(p)


def few_descriptors():
    """A service manager may set a limit that the switch cannot raise.

    The switch then serves fewer clients, or reports why it ends."""
    for limit in range(8, 32):
        with World() as w:
            p = w.start(NULLS, limit=limit)
            said = p.communicate(timeout=WITHIN)[1].decode()
            assert p.returncode == 1 and said.count('\n') == 1, (limit, said)
            assert f'take 32 open files, and this process may have {limit}: raise the limit' in said, said
            assert w.left() == []
    with World() as w:
        p = w.start(NULLS, limit=128)
        w.notified('READY=1')
        path = w.socket_of('drb-s1-0')
        clients = [connect(path) for _ in range(150)]
        served_soon(path)
        for s in clients:
            s.close()
        stop(p)


def other_threads(p):
    """Returns the CPU time in seconds of all threads except the worker."""
    ticks = 0
    for task in pathlib.Path(f'/proc/{p.pid}/task').iterdir():
        if not (task / 'comm').read_text().startswith('worker-'):
            ticks += sum(map(int, (task / 'stat').read_text().rpartition(')')[2].split()[11:13]))
    return ticks / os.sysconf('SC_CLK_TCK')


def may_open(p, descriptors):
    """Limits a switch's descriptors, as the user that it has become: nobody else may."""
    status = pathlib.Path(f'/proc/{p.pid}/status').read_text(encoding='ascii')
    user, group = (int(status.split(f'{kind}:\t')[1].split()[0]) for kind in ('Uid', 'Gid'))
    subprocess.run(['prlimit', f'--pid={p.pid}', f'--nofile={descriptors}:'], user=user, group=group, check=True,
                   timeout=WITHIN)


def no_descriptor_left():
    """A client that cannot be accepted waits, and the switch spends no CPU on it meanwhile."""
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')
        client = connect(path)
        may_open(p, 1)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as waits:
            waits.settimeout(30)
            waits.connect(str(path))
            spent = -other_threads(p)
            time.sleep(1)
            spent += other_threads(p)
            assert spent < 0.2, f'{spent:.2f} s of CPU time in a second'
            client.send(b'/drb/info')
            assert b's1-0' in client.recv(1 << 16)
            may_open(p, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
            assert b'version' in waits.recv(1 << 16)
        client.close()
        stop(p)


def folders_of_others():
    with World() as w:
        dpdk = w.dir / 'run/dpdk'
        (w.dir / 'elsewhere').mkdir()
        (w.dir / 'elsewhere/dpdk_telemetry.v2').write_text('keep')
        dpdk.symlink_to(w.dir / 'elsewhere')
        refuses(w, NULLS, 'links are not followed')
        dpdk.unlink()
        dpdk.mkdir(0o700)
        (dpdk / 'drb-s1-0').symlink_to(w.dir / 'elsewhere')
        refuses(w, NULLS, 'links are not followed')
        assert (w.dir / 'elsewhere/dpdk_telemetry.v2').read_text() == 'keep'
        (dpdk / 'drb-s1-0').unlink()
        (dpdk / 'drb-s1-0').write_text('keep')
        refuses(w, NULLS, 'it is no directory')
        (dpdk / 'drb-s1-0').unlink()
        dpdk.chmod(0o777)
        refuses(w, NULLS, 'another user owns it or may write to it')
        dpdk.chmod(0o700)
        if os.geteuid() == 0:
            # A switch in another container, with another user number, left the folder. Only such a
            # switch can have made it.
            (dpdk / 'drb-s1-0').mkdir()
            try:
                os.chown(dpdk / 'drb-s1-0', 4321, 4321)
            except OSError:
                # a user namespace without this number
                pass
            else:
                os.chown(dpdk, 4321, 4321)
                refuses(w, NULLS, 'another user owns it or may write to it')
                os.chown(dpdk, 0, 0)
        stop(w.ready(NULLS))


def waits_for_the_dying():
    with World() as w:
        folder = w.dir / 'run/dpdk/drb-s1-0'
        folder.mkdir(0o700, parents=True)
        fd = os.open(folder, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        refuses(w, NULLS, 'is running already')
        timer = threading.Timer(0.4, os.close, (fd,))
        timer.start()
        stop(w.ready(NULLS))
        timer.join()


def what_is_asked_is_repeated_as_text():
    """The reply to an unknown key with control characters and invalid UTF-8 is still JSON."""
    with World() as w:
        p = w.ready(NULLS)
        said, = ask(w.socket_of('drb-s1-0'), '/drb/set,\x02\udcff\x7f"=1')
        assert said.startswith('error: ') and '???"' in said, said
        said, = ask(w.socket_of('drb-s1-0'), '/drb/set,' + '\udca8' * 400)
        assert said == 'error: set: "' + '?' * 32 + '..." is too long', said
        stop(p)


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
tap.run((silent_clients, a_thousand_ask, few_descriptors, no_descriptor_left, folders_of_others, waits_for_the_dying,
         what_is_asked_is_repeated_as_text))
