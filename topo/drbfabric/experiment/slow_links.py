# SPDX-License-Identifier: BSD-3-Clause
"""Slow links of an experiment: those that drbsim makes slow for the same seed. A Kth of the rate of the other
links means K slots a packet (`slotted` in docs/reference/config.md)."""

import json

from drbfabric.common import children
from drbfabric.common.places import program
from drbfabric.faults.faults import Link


def drawn(setup, seed):
    """{link: slots that a packet takes}, each by the port at its lower end: s1-0.u1."""
    if not setup.slow:
        return {}
    text = children.run([program('drbsim', 'sim'), 'packet', *setup.size, '--slow', setup.slow,
                         '--seed', str(seed), '--list-slow', '--json'])
    return {row['link']: row['slots'] for row in map(json.loads, text.splitlines())}


def ends(plan, links):
    """{(switch, port): slots}, both ends of each link."""
    return {end: slots for name, slots in links.items() for end in Link(plan, name).ends}


def slow_down(fabric, plan, paces, slot_ns):
    """Gives these ports their pace: their switches reload."""
    for switch in plan['switches']:
        mine = {port: slots for (name, port), slots in paces.items() if name == switch['name']}
        if not mine:
            continue
        with open(fabric.path(switch['config']), 'a', encoding='utf-8') as f:
            f.write('ports:\n')
            f.writelines(f'  - {{name: {port}, rate: {1e9 / slot_ns / slots:.15g}pps}}\n'
                         for port, slots in mine.items())
        children.run([program('drbctl', 'ctl'), 'reload', switch['name'], '--fabric', fabric.name])
