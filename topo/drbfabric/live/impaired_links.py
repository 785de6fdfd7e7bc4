# SPDX-License-Identifier: BSD-3-Clause
"""Slow and dead links of a point.

drbsim draws them for the same seed, or finds them by their names. A link on which a packet takes K
slots has 1/K of the rate of the other links (`slotted` in docs/reference/config.md)."""

import json

from drbfabric import Failure, usage
from drbfabric.common import children
from drbfabric.common.places import program
from drbfabric.fabric.link_states import wait_up
from drbfabric.fabric.plan_types import Plan
from drbfabric.faults.faults import Link, set_rates


def _names(setup, option, text, column):
    """Returns the links in this column of drbsim, by the ports at their lower ends: s1-0.u1."""
    if not text:
        return []
    said = children.run([program('drbsim', 'sim'), 'packet', *setup.shape, option, text,
                         '--seed', str(setup.seed), '--slots', '2', '--stats', '1', '--load', '0.1', '--json'])
    return (json.loads(said).get(column) or '').split()


def slow(setup):
    """Returns {slow link: slots that a packet takes}."""
    return {link: int(setup.slow.split(':')[2]) for link in _names(setup, '--slow', setup.slow, 'slow_links')}


def dead(setup):
    """Returns the dead links."""
    links = _names(setup, '--fail', setup.fail, 'failed')
    for name in links:
        if '.' not in name:
            raise usage(f'fail {setup.fail}: {name} is a switch: name links, such as s1-0.u1, or link:N')
    return links


def slow_down(fabric, plan: Plan, links, slot_ns, dead_switches=()):
    """Sets the rates of both ends of links, but of none at a dead switch.

    links: {link: slots that a packet takes}."""
    set_rates(fabric, {(node, port): f'{1e9 / slot_ns / slots:.15g}pps' for name, slots in links.items()
                       for node, port in Link(plan, name).ends if node not in dead_switches})


def cut(plan: Plan, links, before):
    """Repairs the links that were dead before, cuts the new ones, and waits until switches know all
    of them."""
    for name in set(before) - set(links):
        Link(plan, name).set('up')
    for name in links:
        Link(plan, name).set('down')
    if not links and not before:
        return
    silent, wanted = set(wait_up(plan)), {'.'.join(end) for name in links for end in Link(plan, name).ends}
    if silent != wanted:
        raise Failure(f"dead links: switches hear nobody at {' '.join(sorted(silent)) or 'no port'}, "
                      f"it must be {' '.join(sorted(wanted)) or 'none'}")
