#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbctl serve, metrics and events at drbswitch as processes: a switch that hangs, is killed or ends in order is
down, and only that one.

test_metrics.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import http.client
import json
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


class Fabric(World):
    """Three switches without links, and drbctl serve."""

    def __enter__(self):
        super().__enter__()
        self.switch = {}
        for name in NAMES:
            text = SWITCH.format(layer=name[1], label=name[3])
            self.switch[name] = self.ready(text + self.uplinks(name), name=f'{name}.yaml')
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        self.server = subprocess.Popen([DRBCTL, 'serve', '--runtime', self.dir / 'run', '--interval', '100ms',
                                        '--listen', f'127.0.0.1:{self.port}'], stderr=subprocess.PIPE)
        self.processes.append(self.server)
        assert self.server.stderr
        self.server.stderr.readline()
        return self

    @staticmethod
    def uplinks(name):
        devices = ('  - {name: u0, device: net_null2}\n  - {name: u1, device: net_null3}\n',
                   '  - {name: d2, device: net_null2}\n  - {name: d3, device: net_null3}\n')
        return devices[name[1] == '2']

    def get(self, path):
        """What is served."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=WITHIN)
        connection.request('GET', path)
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def up(self):
        """{switch: whether it is up} by the metrics."""
        found = re.findall(r'^drb_up\{fabric="drb",switch="([^"]+)",layer="."\} ([01])$', self.get('/metrics'), re.M)
        return {name: value == '1' for name, value in found}

    def until(self, **up):
        """Until these, and only these, are listed, as up or down. Names have an underscore."""
        wanted = {name.replace('_', '-'): value for name, value in up.items()}
        until(self.up, good=lambda seen: seen == wanted)

    def state(self, name):
        """Of this switch."""
        return next(s for s in json.loads(self.get('/api/state'))['switches'] if s['name'] == name)


def one_that_hangs_is_down():
    """It costs the others one look, and is up again as soon as it goes on."""
    with Fabric() as f:
        f.until(s1_0=True, s1_1=True, s2_0=True)
        f.switch['s1-1'].send_signal(signal.SIGSTOP)
        f.until(s1_0=True, s1_1=False, s2_0=True)
        assert not f.state('s1-1')['ended']
        once = subprocess.run([DRBCTL, 'metrics', '--runtime', f.dir / 'run'], capture_output=True, text=True,
                              timeout=WITHIN, check=True).stdout
        assert re.search(r'^drb_up\{.*"s1-1".*\} 0$', once, re.M) and re.search(r'^drb_up\{.*"s2-0".*\} 1$', once, re.M)
        assert 'drb_port_up{fabric="drb",switch="s1-0"' in once
        f.switch['s1-1'].send_signal(signal.SIGCONT)
        f.until(s1_0=True, s1_1=True, s2_0=True)


def one_that_ends_is_down():
    """In order or not: as long as there is another one of its fabric."""
    with Fabric() as f:
        f.until(s1_0=True, s1_1=True, s2_0=True)
        with subprocess.Popen([DRBCTL, 'events', '--json', '--runtime', f.dir / 'run'], stdout=subprocess.PIPE,
                              text=True) as events:
            f.processes.append(events)
            assert events.stdout
            events.stdout.readline()  # null devices are never quiet: it has looked, and looked again
            stop(f.switch['s1-1'])
            while (event := json.loads(events.stdout.readline()))['what'] != 'switch':
                pass
            events.terminate()
        assert (event['switch'], event['before'], event['after']) == ('s1-1', 'runs', 'gone'), event
        f.until(s1_0=True, s1_1=False, s2_0=True)
        until(lambda: f.state('s1-1')['ended'])  # one that is ending answers no more, but has its socket still
        assert not f.state('s1-1')['up']
        f.switch['s2-0'].kill()
        f.until(s1_0=True, s1_1=False, s2_0=False)
        assert not f.state('s2-0')['ended']
        f.drain()
        again = f.ready(SWITCH.format(layer=1, label=1) + f.uplinks('s1-1'), name='s1-1.yaml')
        f.until(s1_0=True, s1_1=True, s2_0=False)
        stop(again)
        stop(f.switch['s1-0'])
        f.until(s1_0=False, s1_1=False, s2_0=False)
        shutil.rmtree(f.dir / 'run/dpdk/drb-s2-0')  # the last socket: nobody misses a fabric that is gone
        f.until()


def any_address_is_served():
    """Where it listens at every address of the machine, by address: no name is one, so no other site's is."""
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


tap.run((one_that_hangs_is_down, one_that_ends_is_down, any_address_is_served))
