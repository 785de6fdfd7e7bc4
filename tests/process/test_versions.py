#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests programs of this version with switches of others.

They read the replies that tests/fixtures/versions stores for each release, and today's switch still
reports all that each release needs.

test_versions.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import copy
import csv
import http.client
import io
import json
import re
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stored_switch import DRBCTL, StoredSwitch, stored  # noqa: E402
from store_version import running  # noqa: E402
from until import WITHIN  # noqa: E402

VIEWS = 'ports', 'routing', 'differences', 'drops', 'worker', 'memory', 'info', 'links'
# (view, path of its group in a reply to /drb/all, prefix of its metrics)
GROUPS = (('routing', ('routing',), 'drb_routing_'), ('worker', ('worker',), 'drb_worker_'),
          ('ports', ('ports', 0), 'drb_port_'))


def objects(reply, at=()):
    """Yields the path and value of every object in a reply; of a list only the first object."""
    if isinstance(reply, dict):
        yield at, reply
        for key, value in reply.items():
            yield from objects(value, (*at, key))
    elif isinstance(reply, list) and reply:
        yield from objects(reply[0], (*at, 0))


def place(reply, at):
    for key in at:
        reply = reply[key]
    return reply


def releases_are_read():
    for version, told in stored():
        known = {key for reply in told['replies'].values() for _, part in objects(reply) for key in part}
        with StoredSwitch(told) as w:
            row, = w.rows('list')
            assert (row['version'], row['state'], row['ports']) == (version, 'running', 4), row
            for view in VIEWS:
                rows = w.rows('show', 's1-0', view)
                unknown = {key for row in rows for key, value in row.items() if value is None}
                assert rows and not unknown & known, (view, unknown)
                assert w.ask('show', 's1-0', view)
            assert [row['conserved'] for row in w.rows('check')] == [True]
            assert [row['switch'] for row in w.rows('watch', '--count', '1', '--interval', '10ms')] == ['s1-0']
            said = w.ask('watch', '--count', '1', '--interval', '10ms')
            assert 's1-0' in said, said
            path = w.run('path', 'h0', 'h1', '--json')
            assert path.returncode == 0 and json.loads(path.stdout)['port'] == 'd1', path
            assert f'version="{version}"' in w.ask('metrics')


def served(w, complaint=''):
    """Returns drbctl serve's state of a switch, after the expected complaint."""
    with socket.create_server(('127.0.0.1', 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([DRBCTL, 'serve', '--runtime', w.dir / 'run', '--listen', f'127.0.0.1:{port}'],
                              stderr=subprocess.PIPE, text=True)
    w.processes.append(server)
    assert server.stderr
    said = server.stderr.readline()
    if complaint:
        assert complaint in said, said
        said = server.stderr.readline()
    assert 'serving' in said, said
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=WITHIN)
    connection.request('GET', '/api/state')
    state = json.loads(connection.getresponse().read())
    connection.close()
    server.terminate()
    return state


def serve_reads_releases():
    for version, told in stored():
        with StoredSwitch(told) as w:
            state = served(w)
        switch, = state['switches']
        assert state['format'] == 1 and switch['up'] and switch['version'] == version, switch
        keys, reply = state['port_counters'], told['replies']['/drb/all']['ports']
        for port, was in zip(switch['ports'], reply):
            assert dict(zip(keys, port['count'])) == {key: was.get(key) for key in keys}, port


def keys_of_releases_are_still_told():
    """Programs of a release refuse replies without these keys.

    A key may only be removed as the release process allows."""
    now = running()['replies']
    for version, told in stored():
        for command, reply in told['replies'].items():
            for at, was in objects(reply):
                tells = place(now[command], at)
                for key, value in was.items():
                    assert key in tells, f'{version}: {command} {at} had {key}'
                    assert isinstance(tells[key], type(value)), f'{version}: {command} {at} {key}: {tells[key]}'


def unknown_figures_are_empty():
    """Removes one counter of each group and adds an unknown one: nothing else changes."""
    version, told = stored()[-1]
    with StoredSwitch(told) as w:
        whole = {view: w.rows('show', 's1-0', view) for view in VIEWS}, w.ask('metrics')
    for view, at, prefix in GROUPS:
        other = copy.deepcopy(told)
        group = place(other['replies']['/drb/all'], at)
        key = next(k for k, v in reversed(group.items()) if isinstance(v, int) and not k.endswith(('_ns', '_ppm')))
        del group[key]
        group['row_of_a_later_version'] = 5
        with StoredSwitch(other) as w:
            rows = w.rows('show', 's1-0', view)
            differing = {k for a, b in zip(rows, whole[0][view]) for k in b if a[k] != b[k]}
            assert differing == {key} and rows[0][key] is None, (key, differing)
            text = next(csv.DictReader(io.StringIO(w.ask('show', 's1-0', view, '--csv'))))
            assert text[key] == '', text
            assert re.search(r'(^| )-( |$)', w.ask('show', 's1-0', view, '--wide'), re.M)
            lost = set(whole[1].splitlines()) - set(w.ask('metrics').splitlines())
            assert lost and all(line.startswith(f'{prefix}{key}') for line in lost), lost
            assert served(w)['switches'][0]['up']


def a_check_that_cannot_tell_says_so():
    version, told = stored()[-1]
    other = copy.deepcopy(told)
    del other['replies']['/drb/all']['routing']['too_big_replies']
    with StoredSwitch(other) as w:
        done = w.run('check', '--json')
        assert done.returncode == 1 and json.loads(done.stdout)['conserved'] is None
        assert f'version {version} does not report' in done.stderr and done.stderr.count('\n') == 1, done.stderr


def reasons_of_later_versions_count():
    _, told = stored()[-1]
    other = copy.deepcopy(told)
    reply = other['replies']['/drb/all']
    reply['ports'][0]['in_packets'] += 3
    reply['ports'][0]['in_discards'] += 3
    reply['drops'] = {'later_reason': 3, **reply['drops']}
    with StoredSwitch(other) as w:
        assert w.rows('check')[0]['conserved']


def a_later_format_is_refused_with_both_versions():
    _, told = stored()[-1]
    other = {**told, 'greeting': {**told['greeting'], 'drbswitch': '9.8.7', 'format': 2}}
    with StoredSwitch(other) as w:
        for args in (('list',), ('show', 's1-0'), ('reload', 's1-0'), ('trace', 'h0', 'h1'), ('metrics',)):
            done = w.run(*args)
            assert re.search(r'is of version 9\.8\.7, this program of \d', done.stderr), done.stderr
            assert done.returncode == (0 if args == ('metrics',) else 1), (args, done)
        assert not served(w, '9.8.7')['switches'][0]['up']


def captures_of_other_versions_are_refused():
    """A switch hangs up on a reader whose messages it does not understand."""
    version, told = stored()[0]
    told['replies']['/drb/capture'] = 'ok: waits'

    def hang_up():
        reader, _ = capture.accept()
        with reader:
            reader.recv(1 << 16)

    with StoredSwitch(told) as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as capture:
        capture.bind(str(w.socket_of('drb-s1-0').parent / 'capture'))
        capture.listen()
        threading.Thread(target=hang_up, daemon=True).start()
        done = w.run('capture', 's1-0')
    assert done.returncode == 1, done
    assert f'cannot begin to capture: the switch is of version {version}, this program of ' in done.stderr, done.stderr


tap.run((releases_are_read, serve_reads_releases, keys_of_releases_are_still_told, unknown_figures_are_empty,
         a_check_that_cannot_tell_says_so, reasons_of_later_versions_count,
         a_later_format_is_refused_with_both_versions, captures_of_other_versions_are_refused))
