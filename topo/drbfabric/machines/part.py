# SPDX-License-Identifier: BSD-3-Clause
"""One machine's part in commands for a fabric over several machines. Its reports are JSON, which
combined.py combines."""

import csv
import json
import subprocess

from drbfabric import Failure, usage
from drbfabric.common.cli import need_root, say
from drbfabric.common.places import program
from drbfabric.fabric import check, fabrics, keeper
from drbfabric.fabric.plan_types import Plan, ends_of
from drbfabric.fabric.telemetry import Telemetry


def _need_part(fabric):
    plan = fabric.need_plan()
    if 'machine' not in plan:
        raise usage(f'fabric {fabric.name} is on this machine alone')
    return plan


def counts(args):
    """Prints the packets that this machine's ends of links to others have sent and received."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan, up_ns = _need_part(fabric), fabric.state()['up_ns']
    own = {switch['name'] for switch in plan['switches']}
    views, ends = check.snapshots(plan), {}
    for link in plan['links']:
        for end in ends_of(link):
            if 'id' in link and end.node in own:
                view = views[end.node]
                at = view['name'].index(end.port)
                ends[end.name] = {'in': view['in_packets'][at], 'out': view['out_packets'][at],
                                  'restarted': view['started_ns'] > up_ns}
    print(json.dumps({'machine': plan['machine'], 'ends': ends}))
    return 0


def answers(args):
    """Prints the unchanged replies of this machine's switches to commands."""
    need_root()
    plan, said = _need_part(fabrics.Fabric(args.name)), {}
    for switch in plan['switches']:
        instance = switch['namespace']
        try:
            with Telemetry(instance) as t:
                said[instance] = {'greeting': t.greeting, **{command: t.ask(command) for command in args.commands}}
        except (ConnectionRefusedError, FileNotFoundError):
            pass  # the switch does not run; without a socket, drbctl will report that
        except OSError as e:
            say(f'{instance}: {e}')
    print(json.dumps({'machine': plan['machine'], 'switches': said}))
    return 0


def _arrivals(plan: Plan, records):
    """Summarises drbgen's records of packets by the sending machine: {machine: {'packets',
    'sum_ns', 'min_ns', 'span_ns'}}.

    sum_ns and min_ns are of latencies, which are differences between two machines' clocks; span_ns
    is the time from the first packet to the last."""
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
    """Sends this machine's part of traffic that all machines send at the same time, and reports the
    packets that arrive here."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = _need_part(fabric)
    drbgen = program('drbgen', 'gen')
    labels = [host['label'] for host in plan['hosts']]
    if not labels:
        print(json.dumps({'machine': plan['machine']}))
        return 0
    with keeper.kept('drb-replay-') as folder:
        traffic, records = f'{folder}/traffic', f'{folder}/records.csv'
        size = ['-l', str(plan['layers']), '-d', str(plan['arity'])]
        # The same options produce the same packets on every machine.
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
