#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the log of drbswitch, which must not depend on a reader.

Covers a pipe that nobody reads, a full disk, and a closed standard error.

test_log.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import fcntl
import os
import re
import signal
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import until  # noqa: E402
from world import NULLS, TIME, WITHIN, World, ask, forwards, open_files, run, stop  # noqa: E402

F_SETPIPE_SZ = 1031


def full_pipe():
    """Returns the reading and the writing end of a pipe that is completely full."""
    r, w = os.pipe()
    fcntl.fcntl(w, F_SETPIPE_SZ, 4096)
    os.set_blocking(w, False)
    try:
        while True:
            os.write(w, b'x' * 512)
    except BlockingIOError:
        os.set_blocking(w, True)
    return r, w


def lives_with(stderr):
    """drbswitch starts, forwards, reloads and ends with this standard error."""
    with World() as w:
        p = w.start(NULLS, stderr=stderr)
        w.notified('READY=1')
        path = w.socket_of('drb-s1-0')
        forwards(path)
        for _ in range(300):
            text = ask(path, '/drb/set,threshold=-1')[0]
            assert text.startswith('error: '), text
            w.notified('RELOADING=1')
            w.notified('READY=1\nSTATUS=not reloaded: set')
        w.config('nonsense: 1\n')
        p.send_signal(signal.SIGHUP)
        w.notified('RELOADING=1')
        w.notified('READY=1\nSTATUS=not reloaded')
        forwards(path)
        begun = time.monotonic()
        p.terminate()
        assert p.wait(WITHIN) == 0
        assert time.monotonic() - begun < 5
        assert w.left() == [], w.left()


def nobody_reads():
    r, w = full_pipe()
    lives_with(w)
    os.close(r)
    os.close(w)


def everybody_left():
    r, w = os.pipe()
    os.close(r)
    lives_with(w)
    os.close(w)


def full_disk():
    with open('/dev/full', 'wb') as f:
        lives_with(f)


def a_reader_comes_late():
    r, w = full_pipe()
    with World() as world:
        p = world.start(NULLS, stderr=w)
        os.close(w)
        world.notified('READY=1')
        os.read(r, 4096)
        assert b' ready: ' in os.read(r, 4096)
        p.terminate()
        assert p.wait(WITHIN) == 0
    os.close(r)


def priorities():
    r, w = os.pipe()
    st = os.fstat(w)
    with World() as world:
        p = world.start(NULLS, stderr=w, env={'JOURNAL_STREAM': f'{st.st_dev}:{st.st_ino}'})
        os.close(w)
        world.notified('READY=1')
        world.config('nonsense: 1\n')
        p.send_signal(signal.SIGHUP)
        world.notified('RELOADING=1')
        world.notified('READY=1')
        p.terminate()
        assert p.wait(WITHIN) == 0
    with os.fdopen(r) as f:
        lines = f.read().splitlines()
    assert lines[0].startswith('<6>drb-s1-0 ready: '), lines
    assert any(re.match(r'<3>.*c\.yaml:1: nonsense: ', line) for line in lines), lines
    assert all(re.match('<[346]>', line) for line in lines), lines


def levels():
    with World() as w:
        p = w.ready(NULLS, '--log-level', 'warning')
        assert ' ready: ' not in stop(p)
        w.drain()
        p = w.ready(NULLS)
        p.terminate()
        assert p.wait(WITHIN) == 0
        said = p.stderr.read().decode()
        assert TIME.match(said) and ' ready: ' in said, said
        w.drain()
        assert 'EAL: ' in stop(w.ready(NULLS, '--log-level', 'debug'))
    r = run('-c', 'x', '--log-level', 'loud')
    assert r.returncode == 2 and '--log-level: "loud" is none of error, warning' in r.stderr, r


def renamed_logs_begin_again():
    """After a reload, messages go to a new file of the old name."""
    with World() as w:
        folder = w.dir / 'logs'
        folder.mkdir()
        log, files = folder / 's1-0.log', []
        with open(log, 'ab') as f:
            p = w.start(NULLS, stderr=f)
        w.notified('READY=1')

        def reloaded(at=log):
            def times():
                return at.read_text(encoding='utf-8').count(' reloaded: ') if at.exists() else 0

            before = times()
            p.send_signal(signal.SIGHUP)
            w.notified('RELOADING=1')
            w.notified('READY=1')
            until(lambda: times() > before)
            return at.stat().st_ino

        first = reloaded()
        assert reloaded() == first, 'a file that was not renamed is kept'
        open_before = open_files(p.pid)
        for end in ('1', '2', 'gone'):  # twice renamed, once removed
            files.append(log.rename(folder / f's1-0.log.{end}'))
            if end == 'gone':
                files.pop().unlink()
            assert reloaded() != first, end
        sizes = [f.stat().st_size for f in files]
        assert reloaded() and sizes == [f.stat().st_size for f in files], sizes
        assert open_files(p.pid) == open_before
        moved = folder.rename(w.dir / 'moved')
        reloaded(moved / log.name)
        said = (moved / log.name).read_text(encoding='utf-8')
        assert f'{log}: cannot be opened again: No such file or directory' in said, said
        p.terminate()
        assert p.wait(WITHIN) == 0


tap.run((nobody_reads, everybody_left, full_disk, a_reader_comes_late, priorities, levels, renamed_logs_begin_again))
