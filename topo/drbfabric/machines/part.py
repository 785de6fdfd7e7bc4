# SPDX-License-Identifier: BSD-3-Clause
"""One machine's part in what a fabric over several machines does together: what it reports, as JSON, and
combined.py puts together."""

import csv
import json
import subprocess
import tempfile

from drbfabric import Failure, usage
from drbfabric.common.cli import need_root, say
from drbfabric.common.places import program
from drbfabric.fabric import check, fabrics
from drbfabric.fabric.telemetry import Telemetry


def _need_part(fabric):
    plan = fabric.need_plan()
    if 'machine' not in plan:
        raise usage(f'fabric {fabric.name} is on this machine alone')
    return plan


def counts(args):
    """What this machine's ends of links to others have sent and received."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan, up_ns = _need_part(fabric), fabric.state()['up_ns']
    own = {switch['name'] for switch in plan['switches']}
    views, ends = check.snapshots(plan), {}
    for link in plan['links']:
        for side in ('lower', 'upper'):
            name, port = link[side], link[f'{side}_port']
            if 'id' in link and name in own:
                view = views[name]
                at = view['name'].index(port)
                ends[f'{name}.{port}'] = {'in': view['in_packets'][at], 'out': view['out_packets'][at],
                                          'restarted': view['started_ns'] > up_ns}
    print(json.dumps({'machine': plan['machine'], 'ends': ends}))
    return 0


def answers(args):
    """What this machine's switches say, word for word."""
    need_root()
    plan, said = _need_part(fabrics.Fabric(args.name)), {}
    for switch in plan['switches']:
        instance = switch['namespace']
        try:
            with Telemetry(instance) as t:
                said[instance] = {'greeting': t.greeting, **{command: t.ask(command) for command in args.commands}}
        except (ConnectionRefusedError, FileNotFoundError):
            pass  # it does not run, and has no socket, which says that
        except OSError as e:
            say(f'{instance}: {e}')
    print(json.dumps({'machine': plan['machine'], 'switches': said}))
    return 0


def _arrivals(plan, records):
    """What came from each machine, by records of drbgen: {machine: {packets, sum and least of latencies, time from
    the first to the last}}. Latencies are between two clocks."""
    machine_of = {host['name']: host['machine'] for host in plan['hosts'] + plan['elsewhere']}
    result, times = {}, {}
    for row in csv.DictReader(records):
        if row['latency_ns']:
            ns, at, source = int(row['latency_ns']), int(row['received_ns']), machine_of[row['source']]
            came = result.setdefault(source, {'packets': 0, 'sum_ns': 0, 'min_ns': ns, 'span_ns': 0})
            low, high = times.get(source, (at, at))
            times[source] = min(low, at), max(high, at)
            came['packets'] += 1
            came['sum_ns'] += ns
            came['min_ns'] = min(came['min_ns'], ns)
    for source, (low, high) in times.items():
        result[source]['span_ns'] = high - low
    return result


def replay(args):
    """Sends from the hosts of this machine what all machines send at the same time, and takes what arrives."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = _need_part(fabric)
    drbgen = program('drbgen', 'gen')
    labels = [host['label'] for host in plan['hosts']]
    if not labels:
        print(json.dumps({'machine': plan['machine']}))
        return 0
    with tempfile.TemporaryDirectory(prefix='drb-replay-') as folder:
        traffic, records = f'{folder}/traffic', f'{folder}/records.csv'
        size = ['-l', str(plan['layers']), '-d', str(plan['arity'])]
        # The same options give the same packets on every machine.
        written = subprocess.run([drbgen, 'write', *size, *args.write_options, '--out', traffic], check=False,
                                 stdout=subprocess.DEVNULL)
        if written.returncode != 0:
            raise Failure('', written.returncode)
        done = subprocess.run([drbgen, 'replay', traffic, '--fabric', fabric.name, '--json', '--records', records,
                               '--hosts', f'{min(labels)}-{max(labels)}', '--begin', args.begin],
                              check=False, stdout=subprocess.PIPE, text=True)
        if not done.stdout:
            raise Failure('', done.returncode)
        with open(records, encoding='utf-8') as f:
            result = {'machine': plan['machine'], **json.loads(done.stdout), 'from': _arrivals(plan, f)}
    print(json.dumps(result))
    return done.returncode
