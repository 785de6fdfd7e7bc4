# SPDX-License-Identifier: BSD-3-Clause
"""Options of a point of the model packet, and values derived from them."""

import functools
import json
import math
import os
import re
from dataclasses import dataclass, fields

from drbfabric import usage
from drbfabric.common import children, schemes
from drbfabric.common.cli import NS
from drbfabric.common.places import program
from drbfabric.live import impaired_links, timed_faults

HOSTS_MAX = 1024
HELLO_MS = 100  # default period of hellos
HELLO_MIN_MS, HELLO_MAX_MS = 10, 4000
# Upper bound of the CPU time of a hop. All hops of a slot come at its beginning.
HOP_NS = 16000
SLOT_MIN_NS = 2000000


@functools.cache
def threshold_at(load, threshold):
    """Returns the threshold T as text: the given one, or the paper's for this load of uplinks.
    drbsim computes the latter (include/drb/threshold.h)."""
    if threshold != 'paper':
        return threshold
    said = children.run([program('drbsim', 'sim'), 'packet', '-l', '2', '-d', '2', '--scheme', 'drb', '--slots', '2',
                         '--stats', '1', '--load', str(load), '--threshold', 'paper', '--json'])
    return f"{json.loads(said)['threshold']:.6g}"


def added_slots(delay, layers):
    """Returns the slots that links between switches add, from a text as for drbsim."""
    first, *others = delay.split(',')
    if not all(word.isdigit() for word in (first, *others)) or int(first) or len(set(others)) > 1 or \
       len(others) not in (0, layers - 1):
        raise usage(f'delay {delay}: must be 0, or 0 and then one number for each other layer, such as 0,3,3')
    return int(others[0]) if others else 0


def shape_of(setup):
    """Returns the options that select layers, arity and uplinks of the fabric."""
    size = ['-l', str(setup.layers), '-d', str(setup.arity)]
    return [*size, '--uplinks', str(setup.uplinks)] if setup.uplinks else size


@dataclass(frozen=True)
class Machine:
    """Options of all points of a call: the fabric, and what happens to disturbed runs."""
    name: str  # of the fabric
    links: str
    slot_ns: int  # 0: as long as the CPUs need
    queue: int  # limit of egress queues in packets; 0: queue_for()
    repeats: int  # of a disturbed run
    stretches: int  # times that slots may be doubled


@dataclass(frozen=True)
class Setup:
    """Options of a point of the model packet."""
    layers: int = 3
    arity: int = 2
    uplinks: int = 0  # of a switch of layer 1; 0: arity
    scheme: str = 'drb'
    load: float = 0.9
    traffic: str = 'permutation'
    threshold: str = 'paper'  # a number, or 'paper'
    slots: int = 1000
    stats: int = 0  # slots at the end that are measured; 0: half
    seed: int = 1
    slow: str = ''  # link:N:K, as for drbsim
    fail: str = ''  # link:N, or links by name
    faults: str = ''  # file of timed_faults.py
    detect: int = 0  # slots until switches notice a cut
    delay: str = '0'  # slots that links add, by layer, as for drbsim
    detail: bool = False  # also figures of links
    slot_ns: int = SLOT_MIN_NS
    stretched: int = 0  # times that slots were doubled
    queue: int = 512

    @property
    def hosts(self):
        return 2 * self.arity ** self.layers

    @property
    def warmup(self):
        return self.slots - (self.stats or self.slots // 2)

    @property
    def stretched_ns(self):
        return self.slot_ns << self.stretched

    @property
    def slot(self):
        """Length of a slot in seconds."""
        return self.stretched_ns / 1e9

    @property
    def t(self):
        """The threshold T as text."""
        return threshold_at(self.load * self.arity / (self.uplinks or self.arity), self.threshold)

    @property
    def hello_ms(self):
        """Period of hellos. Switches notice a cut link after three."""
        return round(self.detect * self.stretched_ns / 3e6) if self.faults else HELLO_MS

    @property
    def added_slots(self):
        """The slots that links between switches add."""
        return added_slots(self.delay, self.layers)

    @property
    def size(self):
        return ['-l', str(self.layers), '-d', str(self.arity)]

    @property
    def shape(self):
        """Options for the shape of the fabric. drbgen needs only the size."""
        return shape_of(self)

    @property
    def queues(self):
        """Kinds of switch links, in the order in which a packet crosses them."""
        return [f'up{m}' for m in range(1, self.layers)] + \
               [f'down{m}' for m in range(self.layers, 0, -1)]


# Options that a point may have.
OPTIONS = tuple(field.name for field in fields(Setup) if field.name not in ('slot_ns', 'stretched', 'queue'))


def default_slot(hosts, layers):
    """Returns a slot in ns, in whole ms, that is long enough for the CPUs to process its hops."""
    cpus = len(os.sched_getaffinity(0))
    ns = hosts * (2 * layers - 1) * HOP_NS * 2 // max(2, cpus)
    return max(SLOT_MIN_NS, ns // NS['ms'] * NS['ms'])


def queue_for(traffic):
    """Returns the limit of egress queues in packets. Traffic with lasting destinations needs longer
    ones."""
    return 512 if traffic == 'permutation' else 4096


def need_small(layers, arity):
    """Refuses fabrics with more than HOSTS_MAX hosts, because each host is a network namespace."""
    if layers > 16 or arity > 32 or 2 * arity ** layers > HOSTS_MAX:
        raise usage(f'F({layers},{arity}): more than {HOSTS_MAX} hosts, each a namespace')


def made_of(kind, point):
    """Makes an instance of a dataclass of options. Values get the types of the defaults."""
    given = {}
    for name, value in point.items():
        try:
            given[name] = type(getattr(kind, name))(value)
        except (TypeError, ValueError):
            raise usage(f'{name} {value}: must be a number') from None
    return kind(**given)


def setup_of(machine, point):
    """Returns the setup of a point. machine: a Machine."""
    given = made_of(Setup, point)
    need_small(given.layers, given.arity)
    if given.faults and not given.detect:
        raise usage('detect: must be given with faults: the slots until switches notice a cut')
    added_slots(given.delay, given.layers)
    if not 0 <= given.stats <= given.slots:
        raise usage(f'stats {given.stats}: must be from 1 to the {given.slots} slots of the run')
    return Setup(**{**{name: getattr(given, name) for name in OPTIONS},
                    'slot_ns': machine.slot_ns or default_slot(given.hosts, given.layers),
                    'queue': machine.queue or queue_for(given.traffic)})


def check_faults(setup, machine):
    """Refuses a list of faults that a fabric cannot follow."""
    faults = timed_faults.read(setup.faults)
    least, most = (3e6 * ms / setup.stretched_ns for ms in (HELLO_MIN_MS, HELLO_MAX_MS >> machine.stretches))
    if not least <= setup.detect <= most:
        raise usage(f'detect {setup.detect}: must be from {math.ceil(least)} to {int(most)} slots, three hellos')
    # drbsim knows the links of the fat-tree.
    children.run([program('drbsim', 'sim'), 'packet', *setup.shape, '--faults', setup.faults, '--slots', '2', '--stats',
                  '1', '--load', '0.1'])
    timed_faults.check(faults, impaired_links.dead(setup))
    if machine.links == 'memif' and any(fault.verb == 'gray' for fault in faults):
        raise usage('faults: a memif link cannot become gray: take --links veth')


def check_setup(setup, machine):
    """Refuses what other programs would refuse only after switches have started."""
    if setup.threshold != 'paper' and not re.fullmatch(r'[0-9]+(\.[0-9]+)?', setup.threshold):
        raise usage(f"threshold {setup.threshold}: must be a number from 0, or 'paper'")
    schemes.row(setup.scheme)
    impaired_links.slow(setup)
    impaired_links.dead(setup)
    if setup.faults:
        check_faults(setup, machine)
    children.run([program('drbtopo', 'plan'), 'plan', *setup.shape, '--fabric', machine.name, '--scheme', setup.scheme,
                  '--links', machine.links, '--queue', str(setup.queue)])
