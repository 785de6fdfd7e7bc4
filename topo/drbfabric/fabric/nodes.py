# SPDX-License-Identifier: BSD-3-Clause
"""Single nodes of a fabric that is up: shows their status, and stops and restarts switches."""

import contextlib
from concurrent import futures

from drbfabric import Failure, usage
from drbfabric.common import schemes
from drbfabric.common.cli import need_root
from drbfabric.common.limits import at_once
from drbfabric.common.output import print_result, print_rows
from drbfabric.common.places import program
from drbfabric.fabric import fabrics, netns, processes
from drbfabric.fabric.telemetry import Telemetry

ASKED_AT_ONCE = 256


def find(plan, name):
    """The switch or host of this name."""
    for node in plan['switches'] + plan['hosts']:
        if node['name'] == name:
            return node
    raise usage(f"fabric {plan['fabric']} has no node '{name}': hosts are h0 to h{len(plan['hosts']) - 1}, "
                f"switches {plan['switches'][0]['name']} to {plan['switches'][-1]['name']}")


def find_switches(plan, names):
    found = [find(plan, name) for name in dict.fromkeys(names)]
    for node in found:
        if 'config' not in node:
            raise usage(f"{node['name']} is a host: only switches are processes")
    return found


def warn_without_rate(plan, say):
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


def tell_of_memif(plan, say):
    """Suggests memif links if the links between switches are veths without a rate."""
    names = {switch['name'] for switch in plan['switches']}
    if not plan['rate_value'] and any(link['kind'] == 'veth' and link['lower'] in names for link in plan['links']):
        say('links between switches are veths: --links memif carries TCP 2.4 times as fast (sudo tests/bench/fabric), '
            'but tcpdump does not see it')


def neighbours_beyond(plan, limit):
    """A warning if the hosts may need more neighbour entries than the kernel's limit; else ''."""
    hosts = len(plan['hosts'])
    needed = hosts * (hosts + len(plan.get('elsewhere', [])) - 1)
    if needed <= limit:
        return ''
    cure = ' '.join(f'net.{family}.neigh.default.gc_thresh{n}={needed}' for family in ('ipv4', 'ipv6') for n in (2, 3))
    return (f'if all hosts talk to all others, those here have {needed} neighbour entries, and the kernel takes '
            f'{limit} in all namespaces together, then packets are lost: sysctl {cure}')


def warn_of_neighbours(plan, say):
    """Warns if neighbour tables may overflow. Only the first network namespace has the limit."""
    with contextlib.suppress(OSError):
        with open('/proc/sys/net/ipv4/neigh/default/gc_thresh3', encoding='ascii') as f:
            text = neighbours_beyond(plan, int(f.read()))
        if text:
            say(text)


# Time within which a healthy switch answers.
PROMPT_S = 0.9


def _status(node, process, absent):
    """The row of a switch, even if it was started by hand. Its state is `absent` if there is no
    process, and silent if it does not answer in time."""
    row = {'node': node['name'], 'namespace': node['namespace'], 'state': absent}
    if process and processes.is_alive(*process):
        row.update(state='starting', pid=process[0])
    try:
        with Telemetry(node['namespace'], PROMPT_S) as t:
            info = t.ask('/drb/info') or {}
    except (TimeoutError, BlockingIOError):
        # The switch reads no commands, or does not even accept the connection.
        row['state'] = 'silent'
        return row
    except OSError:
        return row
    row.update(pid=info.get('pid'), uptime_s=info['uptime_ns'] / 1e9 if 'uptime_ns' in info else None)
    row['state'] = 'stuck' if info.get('stuck') else 'ready' if info.get('ready') == 1 else 'starting'
    return row


def status(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = fabric.plan()
    if not plan:
        raise Failure(f'no fabric {fabric.name} here')
    recorded, made = fabric.processes(), fabric.state().get('namespaces') or {}
    stopped = fabric.stopped()

    def one(node):
        name = node['name']
        return _status(node, recorded.get(name), fabrics.STOPPED if name in stopped else 'dead')

    # Ask all at once, so that any number of silent switches costs only one timeout.
    with futures.ThreadPoolExecutor(max_workers=at_once(ASKED_AT_ONCE)) as pool:
        rows = list(pool.map(one, plan['switches']))
    for node in plan['hosts']:
        there = netns.inode(node['namespace'])
        good = there is not None and there == made.get(node['namespace'])
        rows.append({'node': node['name'], 'namespace': node['namespace'],
                     'state': 'ready' if good else 'gone'})
    print_rows([('node', 'node'), ('namespace', 'namespace'), ('pid', 'pid'), ('state', 'state'),
                ('uptime_s', 'uptime s')], rows, args.format)
    return 0 if all(row['state'] == 'ready' for row in rows) else 1


def stop(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    with fabrics.lock():
        for node in find_switches(fabric.need_plan(), args.switches):
            state = fabrics.STOPPED if fabric.stop_switch(node) else 'did not run'
            if state == fabrics.STOPPED:
                fabric.record_stop(node['name'])
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
