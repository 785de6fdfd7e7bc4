# SPDX-License-Identifier: BSD-3-Clause
"""Single nodes of a fabric that is up: shows their status, and stops and restarts switches."""

import contextlib
import json
import subprocess

from drbfabric import Failure, usage
from drbfabric.common import schemes
from drbfabric.common.cli import need_root
from drbfabric.common.output import print_result, print_rows
from drbfabric.common.places import program
from drbfabric.fabric import fabrics, netns, processes
from drbfabric.fabric.plan_types import Plan
from drbfabric.fabric.telemetry import Telemetry


def find(plan: Plan, name):
    """The switch or host of this name."""
    for node in plan['switches'] + plan['hosts']:
        if node['name'] == name:
            return node
    raise usage(f"fabric {plan['fabric']} has no node '{name}': hosts are h0 to h{len(plan['hosts']) - 1}, "
                f"switches {plan['switches'][0]['name']} to {plan['switches'][-1]['name']}")


def find_switches(plan: Plan, names):
    found = [find(plan, name) for name in dict.fromkeys(names)]
    for node in found:
        if 'config' not in node:
            raise usage(f"{node['name']} is a host: only switches are processes")
    return found


def warn_without_rate(plan: Plan, say):
    """Warns if a scheme compares queues, but links have no rate, so that queues stay empty."""
    if plan['rate_value']:
        return
    try:
        with Telemetry(plan['switches'][0]['namespace']) as t:
            port = t.ask('/drb/port,u0') or {}
    except OSError:
        return
    scheme = plan.get('scheme')
    if scheme and schemes.compares_queues(scheme) and port.get('occupancy') != 'ring':
        say(f'no --rate, so {scheme} sees no queues: packets leave as they come, and an uplink counts '
            'as loaded only while its driver refuses packets; give a rate, such as --rate 500pps')


def tell_of_memif(plan: Plan, say):
    """Suggests memif links if the links between switches are veths without a rate."""
    names = {switch['name'] for switch in plan['switches']}
    if not plan['rate_value'] and any(link['kind'] == 'veth' and link['lower'] in names for link in plan['links']):
        say('links between switches are veths: --links memif carries TCP faster (sudo tests/bench/fabric), '
            'but tcpdump does not see it')


def neighbours_beyond(plan: Plan, limit):
    """A warning if the hosts may need more neighbour entries than the kernel's limit; else ''."""
    hosts = len(plan['hosts'])
    needed = hosts * (hosts + len(plan.get('elsewhere', [])) - 1)
    if needed <= limit:
        return ''
    cure = ' '.join(f'net.{family}.neigh.default.gc_thresh{n}={needed}' for family in ('ipv4', 'ipv6') for n in (2, 3))
    return (f'if all hosts talk to all others, those here have {needed} neighbour entries, and the kernel takes '
            f'{limit} in all namespaces together, then packets are lost: sysctl {cure}')


def warn_of_neighbours(plan: Plan, say):
    """Warns if neighbour tables may overflow. Only the first network namespace has the limit."""
    with contextlib.suppress(OSError):
        with open('/proc/sys/net/ipv4/neigh/default/gc_thresh3', encoding='ascii') as f:
            text = neighbours_beyond(plan, int(f.read()))
        if text:
            say(text)


def _listed(fabric):
    """Returns the exit status of drbctl list for a fabric, and its rows: {switch: row}."""
    done = subprocess.run([program('drbctl', 'ctl'), 'list', '--json', '--fabric', fabric.name],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, {row['switch']: row for row in map(json.loads, done.stdout.splitlines())}


def status(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = fabric.plan()
    if not plan:
        raise Failure(f'no fabric {fabric.name} here')
    made = fabric.state().get('namespaces') or {}
    code, listed = _listed(fabric)
    rows = [{'node': node['name'], 'namespace': node['namespace'],
             **{key: listed.get(node['name'], {}).get(key) for key in ('pid', 'state', 'uptime_s')}}
            for node in plan['switches']]
    for node in plan['hosts']:
        there = netns.inode(node['namespace'])
        good = there is not None and there == made.get(node['namespace'])
        rows.append({'node': node['name'], 'namespace': node['namespace'], 'state': 'ready' if good else 'gone'})
        code = code if good else 1
    print_rows([('node', 'node'), ('namespace', 'namespace'), ('pid', 'pid'), ('state', 'state'),
                ('uptime_s', 'uptime s')], rows, args.format)
    return code


def stop(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    with fabrics.lock():
        for node in find_switches(fabric.need_plan(), args.switches):
            state = fabrics.STOPPED if fabric.stop_switch(node) else 'did not run'
            print_result({'switch': node['name'], 'state': state}, f"{node['name']}: {state}",
                         args.format)
    return 0


def restart(args):
    need_root()
    fabric, drbswitch = fabrics.Fabric(args.name), program('drbswitch', 'switch')
    with fabrics.lock():
        nodes = find_switches(fabric.need_plan(), args.switches)
        for node in nodes:
            fabric.stop_switch(node)
        switches = processes.Switches(fabric, drbswitch)
        for node in nodes:
            switches.start(node)
        switches.wait_ready(nodes, args.timeout)
    for node in nodes:
        print_result({'switch': node['name'], 'state': 'runs again'}, f"{node['name']}: runs again",
                     args.format)
    return 0
