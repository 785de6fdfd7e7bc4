# SPDX-License-Identifier: BSD-3-Clause
"""Cuts, mends and slows links, makes them gray, and kills switches, at given slots of a live run.

The list has the form of `drbsim packet --faults`. Switches notice a cut link, or a neighbour that
was killed, after three missed hellos. They notice a cut link earlier if the kernel reports the lost
carrier. Other switches learn of it some hellos later. Killed switches stay dead until the next run,
because a switch that starts needs many slots until it forwards, while the simulator's needs
none."""

import math
import os
import re
import time
from typing import NamedTuple

from drbfabric import usage
from drbfabric.fabric.fabrics import Fabric
from drbfabric.fabric.plan_types import Plan
from drbfabric.faults.faults import Link, kill
from drbfabric.live import impaired_links

LOOK_SECONDS = 0.1
AFTER_SECONDS = 1e-5  # a packet before its slot would leave a slot earlier
LINE = re.compile(r'([0-9]+)\s+(?:(cut|gray|mend|kill)\s+(\S.*)|(slow)\s+(\S+)\s+([1-9][0-9]{0,3}))')
ON_LINKS = {'cut': lambda link: link.set('down'), 'gray': lambda link: link.lose_data(),
            'mend': lambda link: link.set('up')}
# If a link is cut more often than this within a minute, switches hold it back as flapping.
CUTS_MAX = 3


class Fault(NamedTuple):
    slot: int
    verb: str
    names: list  # of links, or of switches to kill
    slots: int = 1  # that a packet takes on a link which becomes slow


def read(path):
    """Returns the faults of a file in the order of their slots. Path '': none."""
    if not path:
        return []
    try:
        with open(path, encoding='utf-8-sig', errors='replace') as f:
            lines = f.read().split('\n')
    except OSError as e:
        raise usage(f'{path}: {os.strerror(e.errno)}') from e
    faults = []
    for number, line in enumerate(lines, 1):
        text = line.partition('#')[0].strip()
        found = LINE.fullmatch(text)
        if found and found[4]:
            faults.append(Fault(int(found[1]), found[4], [found[5]], int(found[6])))
        elif found:
            faults.append(Fault(int(found[1]), found[2], found[3].split()))
        elif text:
            raise usage(f"{path}:{number}: '{text}': a fabric takes SLOT cut LINK..., SLOT gray LINK..., "
                        'SLOT mend LINK..., SLOT slow LINK SLOTS and SLOT kill SWITCH...')
    return sorted(faults, key=lambda fault: fault.slot)


def check(faults, dead):
    """Refuses what a fabric cannot follow. dead: links that stay dead."""
    cuts: dict[str, int] = {}
    killed = [name for fault in faults if fault.verb == 'kill' for name in fault.names]
    for name in killed:
        if killed.count(name) > 1:
            raise usage(f'faults: {name}: killed twice, and stays dead after the first time')
    for fault in faults:
        for name in fault.names if fault.verb != 'kill' else ():
            if '.d' in name:
                raise usage(f'faults: {name}: name a link by its lower end, such as s1-0.u1')
            if name in dead:
                raise usage(f'faults: {name}: the link is dead for the whole run')
            cuts[name] = cuts.get(name, 0) + (fault.verb == 'cut')
            if cuts[name] > CUTS_MAX:
                raise usage(f'faults: {name}: cut more than {CUTS_MAX} times: switches hold back links that flap')


def begin_of(slot, hosts):
    """Returns when a run may begin, in seconds since 1970. slot: length of a slot in seconds.

    Slots of switches begin at multiples of their length in the monotonic clock, and so do packets
    of drbgen unless it is told when to begin."""
    lead = 3 + hosts / 100  # seconds until drbgen is ready
    # Takes the closest of several pairs of readings.
    _, now, wall = min((time.monotonic() - before, before, wall)
                       for before, wall in ((time.monotonic(), time.time()) for _ in range(9)))
    return wall - now + math.ceil((now + lead) / slot) * slot + AFTER_SECONDS


def cause(plan: Plan, faults, begin, setup, child):
    """Causes the faults while the child runs. begin: time of slot 0 in seconds since 1970.

    Returns the largest delay of a fault in slots; infinity if the child ended before one was
    due."""
    late, killed = 0.0, set()
    for fault in faults:
        if fault.slot >= setup.slots:
            break
        due = begin + fault.slot * setup.slot
        while child.runs() and (left := due - time.time()) > 0:
            time.sleep(min(left, LOOK_SECONDS))
        if not child.runs():
            return math.inf
        if fault.verb == 'kill':
            list(kill(Fabric(plan['fabric']), fault.names))
            killed.update(fault.names)
        elif fault.verb == 'slow':
            impaired_links.slow_down(Fabric(plan['fabric']), plan, {fault.names[0]: fault.slots}, setup.stretched_ns,
                                     killed)
        else:
            for name in fault.names:
                ON_LINKS[fault.verb](Link(plan, name))
        late = max(late, (time.time() - due) / setup.slot)
    return late


def mend(plan: Plan, faults):
    """Mends all links that the faults cut or made gray.

    The next run gives slow links their rates, and starts killed switches."""
    for name in {name for fault in faults if fault.verb in ON_LINKS for name in fault.names}:
        Link(plan, name).set('up')
