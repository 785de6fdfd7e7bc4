#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs drbctl serve, metrics and events beside switches as processes.

If a switch hangs, is killed or ends in order, that switch is down and no other.

test_metrics.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import World, stop  # noqa: E402

DRBCTL = sys.argv[3]
NAMES = ('s1-0', 's1-1', 's2-0')
SWITCH = '''fabric: {{layers: 2, arity: 2}}
link: {{driver: vdev}}
switch: {{layer: {layer}, label: {label}}}
ports:
  - {{name: d0, device: net_null0}}
  - {{name: d1, device: net_null1}}
'''


TEXT = 'text/plain; charset=utf-8'


class Fabric(World):
    """Three switches without links, and a drbctl serve."""

    def __enter__(self):
        super().__enter__()
        self.switch = {}
        for name in NAMES:
            text = SWITCH.format(layer=name[1], label=name[3])
            self.switch[name] = self.ready(text + self.uplinks(name), name=f'{name}.yaml')
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        self.server = self.serve()
        return self

    def serve(self, *options):
        """Returns a drbctl serve that listens."""
        server = subprocess.Popen([DRBCTL, 'serve', '--runtime', self.dir / 'run', '--interval', '100ms',
                                   '--listen', f'127.0.0.1:{self.port}', *options], stderr=subprocess.PIPE)
        self.processes.append(server)
        assert server.stderr
        server.stderr.readline()
        return server

    @staticmethod
    def uplinks(name):
        devices = ('  - {name: u0, device: net_null2}\n  - {name: u1, device: net_null3}\n',
                   '  - {name: d2, device: net_null2}\n  - {name: d3, device: net_null3}\n')
        return devices[name[1] == '2']

    def get(self, path):
        """Returns the page that is served at this path."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=WITHIN)
        connection.request('GET', path)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return (gzip.decompress(body) if reply.getheader('Content-Encoding') == 'gzip' else body).decode()

    def up(self):
        """Returns {switch: whether it is up} according to the metrics."""
        found = re.findall(r'^drb_up\{fabric="drb",switch="([^"]+)",layer="."\} ([01])$', self.get('/metrics'), re.M)
        return {name: value == '1' for name, value in found}

    def until(self, **up):
        """Waits until exactly these switches are listed, up or down; names have "_" for "-"."""
        wanted = {name.replace('_', '-'): value for name, value in up.items()}
        until(self.up, good=lambda seen: seen == wanted)

    def states(self):
        """Returns {switch: state} as list, check and watch have them alike, with status 1."""
        seen = []
        for verb in (['list'], ['check'], ['watch', '--count', '1', '--interval', '10ms']):
            words = [DRBCTL, *verb, '--runtime', str(self.dir / 'run'), '--json']
            done = subprocess.run(words, capture_output=True, text=True, timeout=WITHIN, check=False)
            assert done.returncode == 1 and not done.stderr, done
            seen.append({row['switch']: row['state'] for row in map(json.loads, done.stdout.splitlines())})
        assert seen[0] == seen[1] == seen[2], seen
        return seen[0]

    def state(self, name):
        """Returns the served state of this switch."""
        return next(s for s in json.loads(self.get('/api/state'))['switches'] if s['name'] == name)


def one_that_hangs_is_down():
    """A switch that hangs is down and delays others by one poll; it is up again when it goes on."""
    with Fabric() as f:
        f.until(s1_0=True, s1_1=True, s2_0=True)
        f.switch['s1-1'].send_signal(signal.SIGSTOP)
        f.until(s1_0=True, s1_1=False, s2_0=True)
        assert not f.state('s1-1')['ended']
        assert f.states() == {'s1-0': 'running', 's1-1': 'hung', 's2-0': 'running'}
        once = subprocess.run([DRBCTL, 'metrics', '--runtime', f.dir / 'run'], capture_output=True, text=True,
                              timeout=WITHIN, check=True).stdout
        assert re.search(r'^drb_up\{.*"s1-1".*\} 0$', once, re.M) and re.search(r'^drb_up\{.*"s2-0".*\} 1$', once, re.M)
        assert 'drb_port_up{fabric="drb",switch="s1-0"' in once
        f.switch['s1-1'].send_signal(signal.SIGCONT)
        f.until(s1_0=True, s1_1=True, s2_0=True)


def one_that_ends_is_down():
    """An ended or killed switch is listed as down while another one of its fabric runs."""
    with Fabric() as f:
        f.until(s1_0=True, s1_1=True, s2_0=True)
        with subprocess.Popen([DRBCTL, 'events', '--json', '--runtime', f.dir / 'run'], stdout=subprocess.PIPE,
                              text=True) as events:
            f.processes.append(events)
            assert events.stdout
            # Null devices always receive packets: a first event shows that it has polled twice.
            events.stdout.readline()
            stop(f.switch['s1-1'])
            while (event := json.loads(events.stdout.readline()))['what'] != 'switch':
                pass
            events.terminate()
        assert (event['switch'], event['before'], event['after']) == ('s1-1', 'running', 'stopped'), event
        f.until(s1_0=True, s1_1=False, s2_0=True)
        # An ending switch does not answer any more but still has its socket.
        until(lambda: f.state('s1-1')['ended'])
        assert not f.state('s1-1')['up']
        f.switch['s2-0'].kill()
        f.until(s1_0=True, s1_1=False, s2_0=False)
        # While it ends, it closes its connections before its socket, and the poll then cannot tell.
        until(lambda: f.state('s2-0')['state'] == 'dead')
        assert not f.state('s2-0')['ended']
        # Without records, nothing is left of the one that was stopped.
        assert f.states() == {'s1-0': 'running', 's2-0': 'dead'}
        f.drain()
        again = f.ready(SWITCH.format(layer=1, label=1) + f.uplinks('s1-1'), name='s1-1.yaml')
        f.until(s1_0=True, s1_1=True, s2_0=False)
        stop(again)
        stop(f.switch['s1-0'])
        f.until(s1_0=False, s1_1=False, s2_0=False)
        # This was the last socket: without any, the fabric is no longer listed.
        shutil.rmtree(f.dir / 'run/dpdk/drb-s2-0')
        f.until()


def its_history_is_a_recording():
    """The history has every poll of the last time, as drbctl record writes them."""
    def history():
        return [json.loads(line) for line in f.get('/api/history').splitlines()]
    with Fabric() as f:
        f.until(s1_0=True, s1_1=True, s2_0=True)
        first = history()
        f.switch['s2-0'].kill()
        until(lambda: f.state('s2-0')['state'] == 'dead')
        now = json.loads(f.get('/api/state'))
        until(lambda: now in history())  # it comes a moment later
        seen = history()
        assert [s['time_ns'] for s in seen] == sorted({s['time_ns'] for s in seen})
        assert seen[:len(first)] == first
        words = [next((s['state'] for s in look['switches'] if s['name'] == 's2-0'), None) for look in seen]
        assert words[0] == 'running' and words[-1] == 'dead', words
        stop(f.server)
        f.server = f.serve('--keep', '1s')
        until(lambda: len(history()) >= 3)
        times = [look['time_ns'] for look in history()]
        assert max(times) - min(times) <= 1e9, times
        stop(f.server)
        f.server = f.serve('--keep', '0s')
        f.until(s1_0=True, s1_1=True, s2_0=False)
        assert history() == []


def the_address_is_one_that_browsers_take():
    for host, family in (('[::1]', socket.AF_INET6), ('[::]', socket.AF_INET6), ('127.0.0.1', socket.AF_INET)):
        if family == socket.AF_INET6 and not Path('/proc/net/if_inet6').exists():
            continue
        with socket.create_server((host.strip('[]'), 0), family=family) as free:
            port = free.getsockname()[1]
        server = subprocess.Popen([DRBCTL, 'serve', '--listen', f'{host}:{port}'], stderr=subprocess.PIPE, text=True)
        assert server.stderr
        said = server.stderr.readline()
        assert f'serving http://{host}:{port}/ ' in said, said
        server.terminate()
        server.wait(WITHIN)


def every_answer_keeps_other_sites_out():
    """A browser loads nothing else into the page, keeps no answer, and shows no page in a frame."""
    with Fabric() as f:
        for method, path, status, kind in (
                ('GET', '/', 200, 'text/html; charset=utf-8'), ('GET', '/api/state', 200, 'application/json'),
                ('GET', '/metrics', 200, 'text/plain; version=0.0.4; charset=utf-8'),
                ('GET', '/api/history', 200, 'application/x-ndjson'), ('HEAD', '/events', 200, 'text/event-stream'),
                ('GET', '/api', 404, TEXT), ('GET', '//', 404, TEXT), ('POST', '/', 405, TEXT),
                ('DELETE', '/metrics', 405, TEXT)):
            connection = http.client.HTTPConnection('127.0.0.1', f.port, timeout=WITHIN)
            connection.request(method, path)
            reply = connection.getresponse()
            headers = dict(reply.getheaders())
            connection.close()
            assert (reply.status, headers['Content-Type']) == (status, kind), (method, path, reply.status, headers)
            policy = set(headers['Content-Security-Policy'].split('; '))
            assert {"default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} <= policy, headers
            assert (headers['X-Content-Type-Options'], headers['Referrer-Policy'], headers['Cache-Control']) == (
                'nosniff', 'no-referrer', 'no-store'), headers


def serve_is_confined():
    """No thread of serve may gain privileges, or make a system call that it does not need."""
    def status(pid):
        return [dict(line.split(':\t', 1) for line in path.read_text(encoding='ascii').splitlines())
                for path in Path(f'/proc/{pid}/task').glob('*/status')]
    with Fabric() as f:
        f.get('/metrics')
        threads = status(f.server.pid)
        assert len(threads) >= 3 and all(thread['NoNewPrivs'] == '1' for thread in threads), threads
        # Compare with a switch: this kernel may have no filters, or this build has a sanitizer.
        assert {t['Seccomp'] for t in threads} == {t['Seccomp'] for t in status(f.switch['s1-0'].pid)}
        for field in ('CapPrm', 'CapEff', *(['CapBnd'] if os.geteuid() == 0 else [])):
            assert {int(thread[field], 16) for thread in threads} == {0}, field


def any_address_is_served():
    """If serve listens at every address, requests may name any address, but no foreign name.

    Otherwise a page of another site could reach it through a name of its own."""
    with World() as w, socket.create_server(('127.0.0.1', 0)) as free:
        port = free.getsockname()[1]
        free.close()
        v6 = Path('/proc/net/if_inet6')
        has_v6 = v6.exists() and ' lo' in v6.read_text(encoding='utf-8')
        for listen, hosts in (('0.0.0.0', {f'192.0.2.7:{port}': 200, f'127.0.0.1:{port}': 200,
                                           f'[2001:db8::7]:{port}': 200, f'localhost:{port}': 200,
                                           f'evil.example:{port}': 421, '192.0.2.7': 421, f'192.0.2.7:{port + 1}': 421,
                                           f'[192.0.2.7]:{port}': 421, f':{port}': 421,
                                           f'2001:db8::7:{port}': 421, 'a' * 300: 421}),
                              ('[::0]', {f'192.0.2.7:{port}': 200, f'[::1]:{port}': 200}),
                              ('127.0.0.1', {f'127.0.0.1:{port}': 200, f'192.0.2.7:{port}': 421})):
            if ':' in listen and not has_v6:
                continue
            server = subprocess.Popen([DRBCTL, 'serve', '--runtime', w.dir / 'run', '--listen', f'{listen}:{port}'],
                                      stderr=subprocess.PIPE)
            w.processes.append(server)
            assert server.stderr
            said = server.stderr.readline().decode()
            assert ('any address of this machine; by a name with --host NAME' in said) == (listen != '127.0.0.1'), said
            for host, status in hosts.items():
                connection = http.client.HTTPConnection('::1' if ':' in listen else '127.0.0.1', port, timeout=WITHIN)
                connection.request('GET', '/api/state', headers={'Host': host})
                assert connection.getresponse().status == status, (listen, host)
                connection.close()
            stop(server)


tap.run((one_that_hangs_is_down, one_that_ends_is_down, its_history_is_a_recording,
         the_address_is_one_that_browsers_take, every_answer_keeps_other_sites_out, serve_is_confined,
         any_address_is_served))
