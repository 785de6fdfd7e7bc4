#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: the input that it refuses, and the privileges that it gives up.

test_input.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import os
import re
import pathlib
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import CONFIGS, HEAD, NULLS, SWITCH, WITHIN, World, ask, refuses, run, stop  # noqa: E402


def status_of(task):
    return dict(line.split(':\t', 1) for line in (task / 'status').read_text().splitlines())


def least_privilege():
    """Once the switch forwards, no thread has a capability or may get one.

    Only the switch's user may use its sockets. A reload still works."""
    with World() as w:
        text = HEAD + (f'link: {{driver: memif}}\nports: [{{name: d0, driver: vdev, device: net_null0}}]\n'
                       f'process: {{workers: 1, memif_dir: {w.dir}/memif}}\n')
        (w.dir / 'run/dpdk').mkdir(mode=0o755)
        (w.dir / 'run/dpdk/drb-s1-0').mkdir(mode=0o755)
        low = w.start(text)
        core = w.start(text.replace('layer: 1', 'layer: 2').replace('name: d0', 'name: d1'), name='core')
        for _ in range(2):
            w.notified('READY=1')
        for p in (low, core):
            tasks = list(pathlib.Path(f'/proc/{p.pid}/task').iterdir())
            assert len(tasks) >= 3, tasks
            for task in tasks:
                status = status_of(task)
                assert status['NoNewPrivs'] == '1', status
                for kind in ('CapEff', 'CapPrm', 'CapInh', 'CapAmb'):
                    assert int(status[kind], 16) == 0, (task, kind, status[kind])
        sockets = [w.socket_of('drb-s1-0'), w.socket_of('drb-s2-0'), *(w.dir / 'memif').iterdir()]
        assert len(sockets) == 3, sockets
        for path in sockets:
            assert path.stat().st_mode & 0o777 == 0o600, (path, oct(path.stat().st_mode))
            assert path.parent.stat().st_mode & 0o777 == 0o700, path.parent
        assert ask(w.socket_of('drb-s1-0'), '/drb/reload')[0].startswith('ok: ')
        for p in (low, core):
            stop(p)


def late_interfaces():
    """A switch waits for missing interfaces, and then ends with status 1: its config is right."""
    missing = 'c.yaml:4: ports[0].interface: port d0: no interface "nosuch0"'
    with World() as w:
        cases: list[tuple[str, list[str]]] = [
            ('0s', []),
            ('300ms', ['drbswitch: drb-s1-0: waiting up to 0.3 s for interface "nosuch0" of port d0'])]
        for wait, said in cases:
            begun = time.monotonic()
            p = w.start(HEAD + f'process: {{wait: {wait}}}\nports: [{{name: d0, interface: nosuch0}}, '
                        '{name: u0, driver: none}]\n')
            assert p.wait(WITHIN) == 1
            assert time.monotonic() - begun >= 0.3 * len(said)
            lines = p.stderr.read().decode().splitlines()
            assert lines[:-1] == said and missing in lines[-1], lines
            assert w.left() == [], w.left()
        w.drain()
        # The switch notifies the service manager that it waits, and SIGTERM ends the wait.
        p = w.start(HEAD + 'ports: [{name: d0, interface: nosuch0}, {name: u0, interface: nosuch1}]\n')
        w.notified('STATUS=waiting for interface nosuch0 and 1 others\nEXTEND_TIMEOUT_USEC=90000000')
        begun = time.monotonic()
        assert stop(p).splitlines() == ['drbswitch: drb-s1-0: waiting up to 30 s for interface "nosuch0" '
                                        'of port d0 and 1 others']
        assert time.monotonic() - begun < 2
        assert w.left() == [], w.left()


def bad_input():
    with World() as w:
        refuses(w, 'fabric: {layers: 3, arity: 2}\n', 'c.yaml:1: switch: key is missing')
        refuses(w, NULLS, 'switch.label: 2 is not in 0..1', '--label', '2')
        refuses(w, HEAD + 'link: {driver: none}\nprocess: {cpus: "999"}\n',
                'c.yaml:4: process.cpus: "999": this process may run on CPUs ')
        refuses(w, HEAD + 'process: {workers: 2}\nlink: {driver: none}\n'
                'ports: [{name: d0, driver: af_xdp, interface: lo}]\n',
                'c.yaml:3: process.workers: port d0: the af_xdp driver needs a channel of interface '
                '"lo" for each of 2 workers and finds 1')
        refuses(w, HEAD + 'link: {driver: none}\n'
                'ports: [{name: u0, driver: pci, device: "fffe:1f:1f.7"}]\n',
                'c.yaml:4: ports[0].device: port u0: no PCI device "fffe:1f:1f.7"')
        refuses(w, HEAD.replace('arity: 1', 'arity: 17') + 'link: {driver: memif}\n'
                'ports: [' + ', '.join(f'{{name: {end}{n}, driver: vdev, device: net_null{end}{n}}}'
                                       for end in 'du' for n in range(17)) + ']\n',
                'ports: 34 devices of DPDK, which supports 32: use af_packet or memif for others')
        refuses(w, HEAD + 'link: {driver: memif}\nports: [{name: d0, driver: none}]\n'
                f'process: {{memif_dir: {w.dir}/no/such}}\n', 'process.memif_dir')
        assert w.left() == [], w.left()
        shutil.rmtree(w.dir / 'run', ignore_errors=True)
        refuses(w, NULLS, f'cannot make {w.dir}/run/dpdk for the stats socket')
        (w.dir / 'run').write_text('a file')
        refuses(w, NULLS, 'Not a directory')
        (w.dir / 'run').unlink()
        (w.dir / 'run').mkdir()
        if os.geteuid() != 0:
            (w.dir / 'run').chmod(0o500)
            refuses(w, NULLS, 'Permission denied')
            (w.dir / 'run').chmod(0o700)


def devices_that_fail():
    """A device that only the driver can refuse is bad input, too: a message names its line."""
    with World() as w:
        for device, want in (('net_pcap0,rx_pcap=/nonexistent/x', 'port d0: cannot create device'),
                             ('no_such_driver', 'port d0: cannot create device "no_such_driver"')):
            p = w.start(NULLS.replace('device: net_null0', f'device: "{device}"'))
            assert p.wait(WITHIN) == 2
            err = p.stderr.read().decode()
            assert want in err and '].device: ' in err and 'Usage' not in err, err
            assert w.left() == [], w.left()
        (w.dir / 'in.pcap').write_bytes(bytes.fromhex('d4c3b2a1020004000000000000000000ffff000001000000'))
        p = w.start(NULLS.replace('device: net_null0', f'device: "net_pcap0,rx_pcap={w.dir}/in.pcap,'
                                  'tx_pcap=/dev/null"') + 'process: {workers: 2}\n')
        assert p.wait(WITHIN) == 2
        err = p.stderr.read().decode()
        assert 'transmit queues, too few for 2 workers' in err, err


def without_rights():
    """A switch that lacks a right fails with a message that names the right.

    A refusal by DPDK is reported, too."""
    drop = ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'] if os.geteuid() == 0 else []
    if drop and not shutil.which('setpriv'):
        raise tap.Skip('setpriv is not installed')
    with World() as w:
        path = w.config(HEAD + 'link: {driver: none}\n'
                        'ports: [{name: d0, driver: af_packet, interface: lo}]\n')
        r = subprocess.run([*drop, SWITCH, '-c', path], env=w.environment(), stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, timeout=WITHIN)
        assert r.returncode != 0, r.stderr
        assert 'port d0: cannot open its packet socket on "lo"' in r.stderr, r.stderr
        assert 'it takes CAP_NET_RAW' in r.stderr, r.stderr
        refuses(w, NULLS + 'process: {hugepages: "yes", memory: 3000}\n', 'process.hugepages: 3000 MiB are needed and')
        path = w.config(NULLS + 'process: {hugepages: no, memory: 3000}\n')
        r = subprocess.run(['prlimit', '--as=2000000000', SWITCH, '-c', path], env=w.environment(),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WITHIN)
        if 'AddressSanitizer failed to allocate' in r.stderr:
            return  # it failed before DPDK did; builds without a sanitizer test this
        assert r.returncode == 1 and 'DPDK did not start: ' in r.stderr, r.stderr


def memory_that_the_machine_has_not():
    """It is refused at once, in one line: DPDK would try for 20 s, and then say less."""
    has = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') >> 20
    with World() as w:
        for hugepages in ('auto', '"no"', '"yes"'):
            for memory in (1 << 20, min(10 * has, 1 << 20)):
                began = time.monotonic()
                refuses(w, NULLS + f'process: {{hugepages: {hugepages}, memory: {memory}}}\n',
                        f'process.memory: {memory} MiB are needed and this machine has ')
                assert time.monotonic() - began < 5


def a_peer_that_does_not_come():
    """A memif link without its other end is reported once, and the switch forwards without it."""
    with World() as w:
        p = w.ready(HEAD + f'process: {{memif_dir: {w.dir}}}\nlink: {{driver: none}}\n'
                    'ports: [{name: u0, driver: memif}]\n')
        said = 's2-0 has not come to '
        assert any(said in line.decode() for line in p.stderr)
        assert said not in stop(p)


def examples():
    """The switch accepts every example in config/, with the options that the example names."""
    files = sorted(str(p.relative_to(CONFIGS)) for p in CONFIGS.rglob('*.yaml'))
    assert files, 'no examples'
    whole = 'f32/switch.yaml'
    assert whole in files
    for name in files:
        if name == whole:
            for layer, switches in ((1, 8), (2, 8), (3, 4)):
                for label in range(switches):
                    r = run('-c', CONFIGS / name, '--layer', layer, '--label', label, '--check')
                    assert r.returncode == 0 and f'ok, drb-s{layer}-{label}' in r.stderr, r.stderr
            r = run('-c', CONFIGS / name, '--layer', 3, '--label', 4, '--check')
            assert r.returncode == 2
            continue
        r = run('-c', CONFIGS / name, '--check')
        assert r.returncode == 0 and ': ok, ' in r.stderr, r.stderr


def service_file():
    """systemd understands every line of the unit, and rates its exposure as low."""
    if not shutil.which('systemd-analyze'):
        raise tap.Skip('systemd-analyze is not installed')
    with World() as w:
        deploy = CONFIGS.parent / 'deploy'
        text = (deploy / 'drbswitch@.service.in').read_text().replace('@SYSCONFDIR@', '/etc')
        unit = w.dir / 'drbswitch@.service'
        # A folder whose name has a space, like a prefix may have.
        (w.dir / 'of programs').symlink_to(os.path.dirname(os.path.abspath(SWITCH)))
        unit.write_text(text.replace('@BINDIR@', f'{w.dir}/of programs'))
        assert not re.search('@[A-Z]+@', unit.read_text()), 'a path that meson.build does not set'
        shutil.copy(deploy / 'drbswitch.target', w.dir)
        r = subprocess.run(['systemd-analyze', 'verify', '--man=no', w.dir / 'drbswitch@s1-0.service'],
                           capture_output=True, text=True, timeout=WITHIN)
        assert r.returncode == 0 and r.stderr == '', r.stderr
        r = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--threshold=35', unit],
                           capture_output=True, text=True, timeout=WITHIN)
        assert r.returncode == 0, r.stdout


tap.run((least_privilege, late_interfaces, bad_input, devices_that_fail, without_rights,
         memory_that_the_machine_has_not, a_peer_that_does_not_come, examples, service_file))
