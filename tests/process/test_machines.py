#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests plans for several machines without carrying them out.

Covers the files of plans, exports, and the combination of the machines' reports.

test_machines.py TOPO BUILD    TAP on standard output."""
import copy
import functools
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from typing import Any

sys.dont_write_bytecode = True

import tap  # noqa: E402

TOPO, BUILD = sys.argv[1:]
sys.path.insert(0, TOPO)

from drbfabric import Failure  # noqa: E402
from drbfabric.fabric import check, given_plan, nodes, plan_types  # noqa: E402
from drbfabric.machines import all_machines, merged_metrics, part  # noqa: E402

WITHIN = 30
NOT_NEEDED = 'format', 'version', 'driver', 'rate'
FILE = 'machines:\n  - {name: a, address: 192.0.2.1}\n  - {name: b, address: 192.0.2.2, ssh_port: 2222}\n'
COUNTS = {'sent': 10, 'received': 10, 'lost': 0, 'duplicated': 0, 'misdelivered': 0, 'reordered': 1, 'not_sent': 0,
          'receiver_dropped': 0}


def call(*command, told=''):
    r = subprocess.run(command, input=told, capture_output=True, text=True, timeout=WITHIN, check=False,
                       env={**os.environ, 'DRB_BUILD': BUILD})
    return r.returncode, r.stdout, r.stderr


def drbtopo(*arguments):
    return call(f'{BUILD}/src/plan/drbtopo', 'plan', *arguments)


def fabric(*arguments, told=''):
    return call(f'{TOPO}/fabric', *arguments, told=told)


class Plan:
    """A folder with a list of machines and its plan."""

    def __init__(self, *options, text=FILE):
        self.options, self.text = options, text

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        (self.dir / 'machines.yaml').write_text(self.text)
        self.path = str(self.dir / 'plan')
        code, self.out, err = drbtopo('--machines', str(self.dir / 'machines.yaml'), '--out', self.path, *self.options)
        assert code == 0, err
        self.plan = json.loads((self.dir / 'plan/plan.json').read_text())
        self.parts = {name: json.loads((self.dir / f'plan/{name}/plan.json').read_text()) for name in ('a', 'b')}
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def packets_fit_between_machines():
    """The default MTU fits between machines; a larger one than fits is refused."""
    with Plan() as p:
        assert {part['mtu'] for part in p.parts.values()} == {p.plan['mtu']} == {1450}
        config = p.dir / 'plan/a' / p.parts['a']['switches'][0]['config']
        assert 'mtu: 1450' in config.read_text(), config.read_text()
        code, out, err = drbtopo('--machines', str(p.dir / 'machines.yaml'), '--mtu', '9000')
        assert (code, out) == (2, '') and '--mtu 9000: ' in err and 'underlay_mtu leaves room for 1450' in err, err
    with Plan('--mtu', '8000', text='underlay_mtu: 9000\n' + FILE) as p:
        assert p.plan['mtu'] == 8000 and p.plan['underlay_mtu'] == 8050


def names_of_a_plan_are_names():
    """Names that become part of a path or of a command run by root use drbtopo's alphabet."""
    with Plan() as p:
        part_a = p.dir / 'plan/a/plan.json'
        given_plan.load(str(part_a.parent))
        for where, key, name in (('switches', 'namespace', '../../etc/x'), ('switches', 'config', '/etc/shadow'),
                                 ('hosts', 'batch', 'a b'), ('hosts', 'name', '-x'), ('links', 'upper_port', 'u0;id'),
                                 ('links', 'lower', None), ('links', 'upper', 7)):
            plan = json.loads(part_a.read_text())
            plan[where][0][key] = name
            other = p.dir / 'other'
            other.mkdir(exist_ok=True)
            (other / 'plan.json').write_text(json.dumps(plan))
            try:
                given_plan.load(str(other))
                raise AssertionError(f'{name!r} was taken')
            except Failure as e:
                assert e.code == 2 and f'{where}: {key}: {json.dumps(name)} is no name that drbtopo' in str(e), e


def plans_of_other_versions_are_read_or_refused():
    """Stored plans of releases are accepted. If a key is missing, one line names both versions."""
    os.environ['DRB_BUILD'] = BUILD
    for path in pathlib.Path(__file__).parents[1].glob('fixtures/versions/*/plan.json'):
        plan = json.loads(path.read_text(encoding='utf-8'))
        assert plan_types.checked('plan.json', plan) == plan
        assert plan_types.checked('plan.json', {**plan, 'later': 1})
        for at in ((), ('switches', -1), ('hosts', 0), ('links', 2)):
            for key in functools.reduce(lambda part, step: part[step], at, plan):
                other = copy.deepcopy(plan)
                del functools.reduce(lambda part, step: part[step], at, other)[key]
                if key in NOT_NEEDED:
                    plan_types.checked('plan.json', other)
                else:
                    refused(other, f"has no '{key}': drbtopo {plan.get('version', '0.3.0 or older')} wrote it")
        refused({**plan, 'format': 99, 'version': '9.8.7'}, 'drbtopo 9.8.7 wrote it, these programs are of version')


def refused(plan, why):
    try:
        plan_types.checked('plan.json', plan)
        raise AssertionError(f'taken: {why}')
    except Failure as e:
        assert e.code == 2 and why in str(e) and '\n' not in str(e), e


def parts_make_the_whole():
    with Plan() as p:
        whole, parts = p.plan, p.parts
        for key in ('switches', 'hosts'):
            there = [node['name'] for part in parts.values() for node in part[key]]
            assert sorted(there) == sorted(node['name'] for node in whole[key])
        ends = [(link['lower'], link['lower_port'], link.get('id'))
                for part in parts.values() for link in part['links']]
        for link in whole['links']:
            times = ends.count((link['lower'], link['lower_port'], link.get('id')))
            assert times == (2 if 'id' in link else 1), link
        ids = [link['id'] for link in whole['links'] if 'id' in link]
        assert sorted(ids) == list(range(1000, 1000 + len(ids))) and len(ids) == whole['between'][0]['links']
        for machine, other in (('a', 'b'), ('b', 'a')):
            assert [h['name'] for h in parts[machine]['elsewhere']] == [h['name'] for h in parts[other]['hosts']]
        for node in whole['switches'] + whole['hosts']:
            assert (p.dir / 'plan' / node['batch']).is_file(), node


def ports_to_other_machines_are_packet_sockets():
    with Plan('--links', 'memif') as p:
        for link in p.plan['links']:
            if 'id' in link:
                for side in ('lower', 'upper'):
                    switch = next(s for s in p.plan['switches'] if s['name'] == link[side])
                    text = (p.dir / 'plan' / switch['config']).read_text()
                    assert f"- {{name: {link[f'{side}_port']}, driver: af_packet}}" in text, text


def vlans_are_of_the_interface():
    text = 'links: vlan\nfirst_id: 100\nmachines:\n  - {name: a, address: 192.0.2.1, interface: eth1}\n' \
           '  - {name: b, address: 192.0.2.2, interface: eth2}\n'
    with Plan(text=text) as p:
        wires = [(p.dir / f'plan/{name}/wires.batch').read_text() for name in ('a', 'b')]
        for number, interface in enumerate(('eth1', 'eth2')):
            found = [line for line in wires[number].splitlines() if 'type vlan' in line]
            assert len(found) == 8 and all(line.startswith(f'link add link {interface} name ') for line in found)
            assert sorted(int(line.split()[-1]) for line in found) == list(range(100, 108))
        assert p.plan['mtu'] == 1500


CABLES = FILE + """cables:
  - {ends: {s2-0.u1: eth1, s3-2.d0: eth2}}
  - {ends: {s3-3.d0: eth4, s2-1.u1: eth3}, vlan: 101}
"""


def cables_are_interfaces_of_machines():
    with Plan('--links', 'memif', text=CABLES) as p:
        for lower, kind, number, ends in (('s2-0', 'cable', 1000, ('eth1', 'eth2')),
                                          ('s2-1', 'vlan', 101, ('eth3', 'eth4'))):
            for plan in (p.plan, *p.parts.values()):
                link, = (link for link in plan['links'] if (link['lower'], link['lower_port']) == (lower, 'u1'))
                assert (link['kind'], link['id']) == (kind, number), link
                assert (link['lower_interface'], link['upper_interface']) == ends, link
        kinds = [link['kind'] for link in p.plan['links'] if 'id' in link]
        assert sorted(kinds) == ['cable', 'vlan'] + 6 * ['vxlan'], kinds
        for name, switches, port, ends in (('a', ('s2-0', 's2-1'), 'u1', ('eth1', 'eth3')),
                                           ('b', ('s3-2', 's3-3'), 'd0', ('eth2', 'eth4'))):
            part = p.dir / 'plan' / name
            wires = (part / 'wires.batch').read_text().splitlines()
            assert f'link set dev {ends[0]} netns drb-{switches[0]} name {port}' in wires, wires
            vlan = f'link add link {ends[1]} name {port} arp off mtu 1450 netns drb-{switches[1]} type vlan id 101'
            assert vlan in wires and sum('type vxlan' in line for line in wires) == 6, wires
            for switch in switches:
                assert f'link set dev {port} up\n' in (part / f'{switch}.batch').read_text()
                assert f'- {{name: {port}, driver: af_packet}}' in (part / f'{switch}.yaml').read_text()


def cables_are_exported_or_refused():
    with Plan(text=CABLES) as p:
        code, out, err = fabric('export', 'containerlab', p.path)
        assert code == 2 and not out and err.count('\n') == 1, err
        assert 's2-0.u1 is a cable link' in err and 'without cables' in err, err
        for engine in ('ansible', 'mpi', 'prometheus'):
            assert fabric('export', engine, p.path)[0] == 0


def mistakes_of_cables_end_the_plan():
    with tempfile.NamedTemporaryFile('w') as f:
        f.write(CABLES.replace('s2-1.u1', 's2-0.u1'))
        f.flush()
        code, out, err = drbtopo('--machines', f.name)
        assert code == 2 and not out and err.count('\n') == 1, err
        assert f'{f.name}:6: cables[1].ends: s3-3.d0 leads to s2-1.u1, not to s2-0.u1' in err, err


def what_needs_one_clock_is_refused():
    with tempfile.NamedTemporaryFile('w') as f:
        f.write(FILE)
        f.flush()
        for options, why in ((('--slotted', '--rate', '500pps'), '--slotted: all links must share a clock'),
                             (('-l', '1'), 'is one switch, which is not split')):
            code, out, err = drbtopo('--machines', f.name, *options)
            assert code == 2 and not out and why in err and err.count('\n') == 1, err


def a_machine_without_a_share_is_named():
    text = 'machines:\n' + ''.join(f'  - {{name: m{i}, address: 192.0.2.{i + 1}}}\n' for i in range(9))
    with tempfile.NamedTemporaryFile('w') as f:
        f.write(text)
        f.flush()
        code, _, err = drbtopo('--machines', f.name)
        assert code == 2 and f'{f.name}:10: machines[8].share: m8 gets nothing of F(3,2)' in err, err


def ansible_gets_all_it_needs():
    with Plan() as p:
        code, out, err = fabric('export', 'ansible', p.path)
        assert code == 0 and not err, err
        names = sorted(os.path.basename(line) for line in out.splitlines())
        assert names == ['a.tar.gz', 'b.tar.gz', 'fabric.yaml', 'inventory.json'], names
        hosts = json.loads((p.dir / 'plan/inventory.json').read_text())['machines']['hosts']
        assert hosts['b'] == {'ansible_host': '192.0.2.2', 'ansible_user': 'root', 'ansible_port': 2222,
                              'drb_command': 'drbfabric'}, hosts
        with tarfile.open(p.dir / 'plan/a.tar.gz') as tar:
            assert sorted(tar.getnames()) == sorted(os.listdir(p.dir / 'plan/a'))


def mistakes_of_plans_are_named():
    with Plan() as p:
        code, _, err = fabric('up', '--plan', p.path)
        assert code == 2 and ('take the folder of one of them (a, b)' in err or 'needs root' in err), err
        code, _, err = fabric('export', 'ansible', f'{p.path}/a')
        assert code == 2 and 'is not of several machines' in err, err


def a_report(machine, source, ns):
    return json.dumps({'machine': machine, **COUNTS,
                       'from': {source: {'packets': 2, 'sum_ns': sum(ns), 'min_ns': min(ns), 'span_ns': 10 ** 9}}})


def clocks_are_told_apart():
    """b's clock is 5 ms ahead of a's; packets take 1 and 3 ms from a, and 3 and 5 ms from b."""
    with Plan() as p:
        told = json.dumps({'a': a_report('a', 'b', [-2000000, 0]), 'b': a_report('b', 'a', [6000000, 8000000])})
        code, out, err = fabric('combine', 'replay', p.path, '--json', told=told)
        assert code == 0 and not err, err
        rows = [json.loads(line) for line in out.splitlines()]
        assert rows[2]['machine'] == 'all' and rows[2]['sent'] == 20, rows
        there, back = rows[4], rows[3]
        # The error is half of 1 + 3 ms, plus the drift of clocks in 1.004 s. The true value is
        # within it.
        assert there['error_us'] == back['error_us'] == 2000 + 100.4 and there['offset_us'] == 4000, rows
        assert abs(there['mean_us'] - 2000) <= 2000 and abs(back['mean_us'] - 4000) <= 2000, rows


def clocks_that_cannot_be_are_named():
    """b receives 8 ms before a sent, a 3 ms before b sent: a clock was set in between."""
    with Plan() as p:
        told = {'a': a_report('a', 'b', [-3000000, 0]), 'b': a_report('b', 'a', [-8000000, 0])}
        for texts, why in ((told, 'a clock was set'), ({**told, 'b': json.dumps({'machine': 'b', **COUNTS})},
                                                       'no packets came the other way')):
            _, out, err = fabric('combine', 'replay', p.path, '--json', told=json.dumps(texts))
            assert f'drbfabric: b to a: one-way latencies are not known: {why}' in err, err
            ways = [row for row in map(json.loads, out.splitlines()) if 'from' in row]
            assert ways and all(way['error_us'] is None and way.get('mean_us') is None for way in ways), ways


def arrivals_have_their_span():
    plan: Any = {'hosts': [{'name': 'h0', 'machine': 'a'}], 'elsewhere': [{'name': 'h8', 'machine': 'b'}]}
    records = 'source,received_ns,latency_ns\nh8,700,-5\nh8,200,7\nh0,1,3\nh8,,\n'.splitlines()
    assert part._arrivals(plan, records) == {  # pylint: disable=protected-access
        'b': {'packets': 2, 'sum_ns': 2, 'min_ns': -5, 'span_ns': 500},
        'a': {'packets': 1, 'sum_ns': 3, 'min_ns': 3, 'span_ns': 0}}


def losses_and_absent_machines_fail():
    with Plan() as p:
        lossy = json.loads(a_report('a', 'b', [1, 2]))
        lossy['lost'] = 1
        for told, why in (({'a': json.dumps(lossy), 'b': a_report('b', 'a', [1, 2])}, ''),
                          ({'a': a_report('a', 'b', [1, 2])}, 'b (192.0.2.2) does not answer')):
            code, _, err = fabric('combine', 'replay', p.path, told=json.dumps(told))
            assert code == 1 and why in err, (code, err)


def both_ends_are_compared():
    with Plan() as p:
        ends = {'a': {}, 'b': {}}
        machine_of = {s['name']: s['machine'] for s in p.plan['switches']}
        for link in p.plan['links']:
            for side in ('lower', 'upper') if 'id' in link else ():
                ends[machine_of[link[side]]][f"{link[side]}.{link[f'{side}_port']}"] = {
                    'in': 7, 'out': 7, 'restarted': False}

        def compare():
            return fabric('combine', 'links', p.path, '--json', told=json.dumps(
                {name: json.dumps({'machine': name, 'ends': of}) for name, of in ends.items()}))

        code, out, err = compare()
        assert code == 0 and json.loads(out) == {'check': 'links between machines', 'checked': 16, 'failed': 0}, out
        ends['a']['s2-0.u1']['out'] = 9
        code, _, err = compare()
        assert code == 1 and err == 'drbfabric: s2-0.u1 sent 9 packets, s3-2.d0 received 7\n', err
        ends['a']['s2-0.u1']['restarted'] = True
        assert compare()[0] == 0


def waves_of_all_machines_fit():
    """Limits how many pairs all machines together ping at a time."""
    alone: Any = {'hosts': [{}] * 128}
    assert check.pairs_a_wave(alone) == 192
    for count, wave in ((1, 96), (2, 64), (3, 48), (63, 48)):
        several: Any = {**alone, 'elsewhere': [{'machine': f'm{i % count}'} for i in range(128)]}
        assert check.pairs_a_wave(several) == wave


def full_neighbour_tables_are_announced():
    plan: Any = {'hosts': [{}] * 8, 'elsewhere': [{}] * 8}
    assert nodes.neighbours_beyond(plan, 120) == ''
    said = nodes.neighbours_beyond(plan, 119)
    assert 'have 120 neighbour entries, and the kernel takes 119' in said, said
    assert 'net.ipv6.neigh.default.gc_thresh3=120' in said, said


def machines_speak_for_their_own_switches():
    """Names in a machine's reply become paths: only the plan's names for it are accepted."""
    plan: Any = {'switches': [{'namespace': f'drb-s1-{i}', 'machine': 'ab'[i]} for i in range(2)]}
    good, bad = {'greeting': {}}, {'/drb/info': {}}
    for said, wanted in (({'drb-s1-0': good}, ['drb-s1-0']), ({'drb-s1-0': bad}, []), ({'drb-s1-0': 1}, []),
                         ({'drb-s1-1': good, '../../victim': good, '/tmp/x': good, 'drb-s1-0': good}, ['drb-s1-0'])):
        assert list(all_machines.own_switches(plan, 'a', json.dumps({'switches': said}))) == wanted, said
    for text in ('', '[]', '{"switches": 3}', '{}'):
        assert all_machines.own_switches(plan, 'a', text) == {}


def expositions_are_merged():
    """Each metric is listed once, as Prometheus requires; machines that are gone are down."""
    text = ('# HELP drb_up 1 if\n# TYPE drb_up gauge\ndrb_up{fabric="drb",switch="s1-0"} 1\n'
            '# HELP x y\n# TYPE x gauge\nx 3\n')
    gone = [({'name': 's2-1', 'layer': 2}, 'c', 'drb')]
    lines = merged_metrics.merge({'a': text, 'b': text}, ['a', 'b', 'c'], gone).splitlines()
    assert lines[2:5] == [f'drb_machine_up{{machine="{name}"}} {up}' for name, up in (('a', 1), ('b', 1), ('c', 0))]
    assert lines[5:] == ['# HELP drb_up 1 if', '# TYPE drb_up gauge',
                         'drb_up{machine="a",fabric="drb",switch="s1-0"} 1',
                         'drb_up{machine="b",fabric="drb",switch="s1-0"} 1',
                         'drb_up{machine="c",fabric="drb",switch="s2-1",layer="2"} 0', '# HELP x y', '# TYPE x gauge',
                         'x{machine="a"} 3', 'x{machine="b"} 3'], lines


def prometheus_gets_every_machine():
    with Plan() as p:
        code, out, err = fabric('export', 'prometheus', p.path)
        assert code == 0, err
        job, = json.loads(pathlib.Path(out.strip()).read_text())['scrape_configs']
        assert job['static_configs'] == [{'targets': [f'192.0.2.{i}:9110'], 'labels': {'machine': name}}
                                         for i, name in ((1, 'a'), (2, 'b'))], job
        if not shutil.which('promtool'):
            raise tap.Skip('promtool is not installed')
        code, out, err = call('promtool', 'check', 'config', out.strip())
        assert code == 0, out + err


def what_all_machines_cannot_do_is_refused():
    with Plan() as p:
        code, _, err = fabric('ctl', '--machines', p.path, 'list')
        assert code == 2 and 'drbfabric export ansible makes it' in err, err
        assert fabric('export', 'ansible', p.path)[0] == 0
        code, _, err = fabric('ctl', '--machines', p.path, 'capture')
        assert code == 2 and "path, reload, set, show, undrain, up, watch, not 'capture'" in err, err
        for words, why in ((('--csv',), 'a table for each round, or --json'), (('-n', '0'), "'0': must be a whole")):
            code, _, err = fabric('ctl', '--machines', p.path, 'watch', *words)
            assert code == 2 and why in err, err
        code, _, err = fabric('ctl', '--machines', p.path, 'show', 's9-9')
        assert code == 2 and 's9-9 is no switch of fabric drb' in err, err
        code, _, err = fabric('experiment', '--machines', p.path)
        assert code == 2 and 'plan with --rate 500pps' in err, err


def containerlab_links_all():
    """Every port has its link, and both ends of a link between machines use the same name."""
    with Plan() as p:
        code, out, err = fabric('export', 'containerlab', p.path)
        assert code == 0, err
        tops = [json.loads(pathlib.Path(line).read_text()) for line in out.splitlines()]
        ends, remotes = [], {}
        for top, other in zip(tops, ('192.0.2.2', '192.0.2.1')):
            assert (top['name'], top['prefix']) == ('drb', '__lab-name')
            for node, what in top['topology']['nodes'].items():
                settings = what['sysctls']
                assert settings['net.ipv6.conf.all.disable_ipv6'] == 0 if node[0] == 'h' else \
                    settings['net.ipv6.conf.default.addr_gen_mode'] == 1, (node, settings)
                for bind in what.get('binds', []):
                    assert (p.dir / 'plan' / bind.split(':')[0]).is_file(), (node, bind)
            for link in top['topology']['links']:
                ends += [f"{e['node']}.{e['interface']}" for e in link.get('endpoints', [link.get('endpoint')])]
                assert link['mtu'] == 1450, link
                if link['type'] == 'vxlan':
                    assert link['remote'] == other and link['dst-port'] == 4789
                    remotes.setdefault(link['vni'], []).append(f"{link['endpoint']['node']}")
        wanted = [f"{link[side]}.{link[f'{side}_port']}" for link in p.plan['links'] for side in ('lower', 'upper')]
        assert sorted(ends) == sorted(wanted)
        pairs = {link['id']: sorted((link['lower'], link['upper'])) for link in p.plan['links'] if 'id' in link}
        assert {vni: sorted(nodes) for vni, nodes in remotes.items()} == pairs


def containerlab_topologies_are_valid():
    """Tests topologies by the published schema, which is not kept here but in DRB_SCHEMAS."""
    path = pathlib.Path(os.environ.get('DRB_SCHEMAS', '/nowhere'), 'clab.schema.json')
    if not path.is_file():
        raise tap.Skip(f'no {path.name}: DRB_SCHEMAS must name a folder with it (tests/README.md)')
    try:
        jsonschema = importlib.import_module('jsonschema')
    except ImportError as e:
        raise tap.Skip(f'{e.name} is not installed') from None
    # Python's patterns have no such classes of characters. Names in plans are ASCII.
    text = path.read_text().replace('\\\\p{L}', 'a-zA-Z').replace('\\\\p{N}', '0-9')
    validator = jsonschema.Draft7Validator(json.loads(text))
    for size in ('2', '4'):
        with Plan('-d', size) as p:
            _, out, _ = fabric('export', 'containerlab', p.path)
            for line in out.splitlines():
                top = json.loads(pathlib.Path(line).read_text())
                errors = [e.message for e in validator.iter_errors(top)]
                assert not errors, errors[:3]
                top['topology']['links'][0]['type'] = 'wire'
                assert list(validator.iter_errors(top)), 'the schema takes anything'


def compose_runs_one_machine():
    """Every node is a container with its files; containers.sh runs what compose.yaml lists."""
    with tempfile.TemporaryDirectory() as folder:
        assert drbtopo('-l', '2', '-d', '2', '--rate', '500pps', '--out', folder)[0] == 0
        code, out, err = fabric('export', 'compose', folder)
        assert code == 0 and out.split() == [f'{folder}/compose.yaml', f'{folder}/containers.sh'], err
        services = json.loads(pathlib.Path(folder, 'compose.yaml').read_text())['services']
        assert set(services) == {*(f'h{i}' for i in range(8)), *(f's1-{i}' for i in range(4)), 's2-0', 's2-1'}
        script = pathlib.Path(folder, 'containers.sh').read_text()
        for name, service in services.items():
            assert pathlib.Path(folder, f'{name}.batch').is_file() and service['network_mode'] == 'none'
            line, = (x for x in script.splitlines() if f"--name {service['container_name']} " in x)
            for word in (*service['cap_add'], *service.get('volumes', []), *service.get('command', [])):
                assert f' {word}' in line, (word, line)
        assert subprocess.run(['sh', '-n', f'{folder}/containers.sh'], check=False).returncode == 0
        mistakes = [(('compose', folder, '--out', folder), '--out: what compose runs stands beside the plan'),
                    (('ansible', folder), 'is not of several machines')]
        with Plan() as p:
            mistakes.append((('compose', p.path), 'is of several machines, and compose runs one'))
            for arguments, said in mistakes:
                code, _, err = fabric('export', *arguments)
                assert code == 2 and said in err and err.count('\n') == 1, err
        pathlib.Path(folder, 'plan.json').write_text('{}')
        assert 'is no plan' in fabric('export', 'compose', folder)[2]
        assert drbtopo('-l', '2', '-d', '2', '--links', 'memif', '--out', folder)[0] == 0
        assert 'is a memif link, which compose does not make' in fabric('export', 'compose', folder)[2]


tap.run((packets_fit_between_machines, names_of_a_plan_are_names,
         plans_of_other_versions_are_read_or_refused, parts_make_the_whole,
         ports_to_other_machines_are_packet_sockets, vlans_are_of_the_interface,
         cables_are_interfaces_of_machines, cables_are_exported_or_refused, mistakes_of_cables_end_the_plan,
         what_needs_one_clock_is_refused, a_machine_without_a_share_is_named, ansible_gets_all_it_needs,
         mistakes_of_plans_are_named, clocks_are_told_apart, clocks_that_cannot_be_are_named,
         arrivals_have_their_span, losses_and_absent_machines_fail, both_ends_are_compared,
         waves_of_all_machines_fit, full_neighbour_tables_are_announced,
         machines_speak_for_their_own_switches, expositions_are_merged,
         prometheus_gets_every_machine, what_all_machines_cannot_do_is_refused,
         compose_runs_one_machine, containerlab_links_all,
         containerlab_topologies_are_valid))
