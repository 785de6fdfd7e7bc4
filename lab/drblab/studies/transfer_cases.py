# SPDX-License-Identifier: BSD-3-Clause
"""Transfers for the study of switches and hosts, as lists for the model `list`."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from drblab.engine import EngineError
from drblab.random import Random
from drblab.traffic import LIST_HEADING

STREAM = 7  # stream of random numbers for the order of hosts
FAN_IN = 32  # hosts of an incast, including its receiver
LOAD = 0.5  # load of transfers that begin at random times
DEAD = 0.05  # share of the links between switches that are dead
GRAY = 0.005  # share of them that lose all packets, and no switch knows
# Sizes of web search (DCTCP, SIGCOMM 2010) divided by 20, for short runs.
SMALL_SIZES = ('1,0.15 1,0.2 1,0.3 2,0.4 3,0.53 7,0.6 34,0.7 67,0.8 167,0.9 334,0.97 '
               '1000,1').split()


@dataclass(frozen=True)
class Fabric:
    """A fat-tree; its jobs have as many ranks as F(ranks) has hosts."""

    tree: tuple[int, int]
    ranks: tuple[int, int]
    small_sizes: bool = False

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return int(2 * self.tree[1] ** self.tree[0])


FABRICS = (Fabric((3, 4), (3, 4), True), Fabric((3, 8), (3, 4)), Fabric((3, 24), (3, 2), True))
# Lines of a list without the first column, the transfer's number.
Lines: TypeAlias = Iterator[str]


@dataclass(frozen=True)
class Draw:
    """The parameters of a list; sim: the path of drbsim."""

    fabric: Fabric
    amount: int
    seed: int
    sim: str

    def shuffled(self) -> list[int]:
        """All hosts in random order."""
        return Random(self.seed, STREAM).permutation(self.fabric.hosts)

    def printed(self, verb: str, *options: str) -> Lines:
        """The lines that `drbsim VERB --list` prints, without heading and numbers."""
        done = subprocess.run([self.sim, verb, '--list', *options], capture_output=True, text=True)
        if done.returncode:
            raise EngineError(done.stderr.strip())
        return (line.split(',', 1)[1] for line in done.stdout.splitlines()[1:])


def permutation(draw: Draw) -> Lines:
    """Each host sends to the next one of a random order."""
    order = draw.shuffled()
    for source, to in zip(order, order[1:] + order[:1]):
        yield f'0,{source},{to},{draw.amount},,'


def one_way(draw: Draw) -> Lines:
    """Each host of the lower half of the pods sends to one of the upper half."""
    half = draw.fabric.hosts // 2
    for source, to in enumerate(to for to in draw.shuffled() if to >= half):
        yield f'0,{source},{to},{draw.amount},,'


def incast(draw: Draw) -> Lines:
    """In each group of FAN_IN hosts, all others send to the first one at once."""
    order = draw.shuffled()
    for i, source in enumerate(order):
        if i % FAN_IN:
            yield f'0,{source},{order[i - i % FAN_IN]},{draw.amount},,'


def _jobs(kind: str) -> Callable[[Draw], Lines]:
    def jobs(draw: Draw) -> Lines:
        """Fills the fabric with jobs, each on random hosts."""
        layers, arity = draw.fabric.ranks
        one = [line.split(',') for line in draw.printed(
            'job', '-l', str(layers), '-d', str(arity), '--job', kind, '--data', str(draw.amount),
            '--place', 'label')]
        order, ranks = draw.shuffled(), 2 * arity ** layers
        for first in range(0, draw.fabric.hosts // ranks):
            host, behind = order[first * ranks:(first + 1) * ranks], first * len(one)
            for slot, source, to, packets, *after in one:
                places = [str(int(place) + behind) if place else '' for place in after]
                yield f'{slot},{host[int(source)]},{host[int(to)]},{packets},{",".join(places)}'
    return jobs


def web_search(draw: Draw) -> Lines:
    """Transfers between random hosts, which begin at random times."""
    layers, arity = draw.fabric.tree
    options = ['-l', str(layers), '-d', str(arity), '--load', str(LOAD), '--slots',
               str(draw.amount), '--warmup', '0', '--seed', str(draw.seed)]
    if not draw.fabric.small_sizes:
        return draw.printed('transfer', *options)
    with tempfile.NamedTemporaryFile('w', suffix='.csv') as sizes:
        sizes.write('\n'.join(['packets,share', *SMALL_SIZES, '']))
        sizes.flush()
        return draw.printed('transfer', *options, '--sizes', f'file:{sizes.name}')


@dataclass(frozen=True)
class Case:
    """A case of the study. amounts: by fabric, packets of a transfer, data of a rank, or slots in
    which transfers begin. random_times: only transfers of the middle third of these slots are
    measured. Half of all packets belong to transfers that are not larger than a third, so that the
    load is stationary."""

    name: str
    lines: Callable[[Draw], Lines]
    amounts: tuple[int, int, int]
    dead: bool = False
    gray: bool = False
    random_times: bool = False

    def faults(self, fabric: Fabric) -> dict[str, str]:
        """The options of the links that fail."""
        links = (fabric.tree[0] - 1) * fabric.hosts
        if self.gray:
            return {'gray': f'link:{round(GRAY * links)}:0'}
        return {'fail': f'link:{round(DEAD * links)}'} if self.dead else {}

    def write(self, path: str, draw: Draw) -> None:
        """Writes the list."""
        with open(path, 'w', encoding='ascii') as f:
            f.write(f'{LIST_HEADING}\n')
            f.writelines(f'{i},{line}\n' for i, line in enumerate(self.lines(draw)))


CASES = (
    Case('permutation', permutation, (100, 400, 60)),
    Case('one-way', one_way, (100, 400, 60)),
    Case('permutation, 5 % dead', permutation, (100, 400, 60), dead=True),
    Case('permutation, 0.5 % gray', permutation, (100, 400, 60), gray=True),
    Case('incast', incast, (10, 20, 20)),
    Case('all-reduce-ring', _jobs('all-reduce-ring'), (512, 1024, 32)),
    Case('all-reduce-halving', _jobs('all-reduce-halving'), (512, 1024, 32)),
    Case('web search', web_search, (840, 16800, 840), random_times=True),
)
