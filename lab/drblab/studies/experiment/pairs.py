# SPDX-License-Identifier: BSD-3-Clause
"""Points that are measured live and simulated on the same traffic.

drbgen and drbsim draw the same traffic from the same seed. A live run and its simulated run
therefore differ by the fabric and not by chance, and are compared pair by pair."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import drblab
from drblab.engine import EngineError, Row
from drblab.live import Live
from drblab.point import Point, Value

# Queues that grow do so for traffic of any length. The simulator detects growth in a run of this
# many times the slots.
LONGER = 20
SLOTS_MAX = 1000000  # drbsim's limit
# Largest deviations of live figures from simulated ones: (key, share).
TOLERANCES = ('latency', 0.05), ('tail', 0.10), ('redirected', 0.10)
# Further figures: (key, flag). The flag is true if the result of several runs is the largest value,
# and false if it is the mean. Setup.figures adds the queues and the use of each kind of link.
DETAILS = (('latency_p50', False), ('latency_p99', False), ('latency_p999', False),
           ('latency_max', True), ('reordered_share', False), ('reorder_extent', True),
           ('reorder_buffer', True))


@dataclass(frozen=True)
class Setup:
    """The compared points: every scheme at every load, with `runs` seeds.

    schemes: {name: text}. more: further options of the points."""

    layers: int
    arity: int
    schemes: Mapping[str, str]
    loads: Sequence[float]
    slots: int
    warmup: int
    uplinks: int = 0
    traffic: str = 'permutation'
    threshold: str = 'paper'
    runs: int = 1
    seed: int = 1
    more: Mapping[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the fat-tree in texts."""
        fewer = f', {self.uplinks} of {self.arity} uplinks in layer 1' if self.uplinks else ''
        return f'F({self.layers},{self.arity}){fewer}'

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return int(2 * self.arity ** self.layers)

    @property
    def queues(self) -> list[str]:
        """Kinds of switch links, in the order in which a packet crosses them."""
        return [f'up{m}' for m in range(1, self.layers)] + \
               [f'down{m}' for m in range(self.layers, 0, -1)]

    @property
    def figures(self) -> list[tuple[str, bool]]:
        """DETAILS, and the queues and the use of every kind of link, in the same form."""
        return [*DETAILS, *((f'{figure}_{queue}_{kind}', kind == 'max') for queue in self.queues
                            for figure in ('queue', 'use') for kind in ('mean', 'max'))]

    def points(self) -> list[Point]:
        """All points, with the tag `name`: the scheme."""
        uplinks = {'uplinks': self.uplinks} if self.uplinks else {}
        return [Point.of('packet', {'name': name}, layers=self.layers, arity=self.arity, **uplinks,
                         scheme=text, load=load, traffic=self.traffic, threshold=self.threshold,
                         slots=self.slots, stats=self.slots - self.warmup, seed=seed, detail=True,
                         **self.more)
                for name, text in self.schemes.items() for load in self.loads
                for seed in range(self.seed, self.seed + self.runs)]


@dataclass
class Result:
    """Live runs, and simulated ones by (scheme, load, seed). A simulated row has `grows`: the word
    for growth in a run of LONGER times the slots."""

    setup: Setup
    runs: list[Row]
    simulated: dict[tuple[str, float, int], Row]


def _rows(frame: Any) -> list[Row]:
    if 'error' in frame:
        raise EngineError(str(frame['error'].dropna().iloc[0]))
    return list(frame.to_dict('records'))


def _key(row: Mapping[str, Any]) -> tuple[str, float, int]:
    return str(row['name']), float(row['load']), int(row['seed'])


def simulate(setup: Setup, journal: str | os.PathLike[str] | None = None) \
        -> dict[tuple[str, float, int], Row]:
    """Simulates all points: the rows of Result.simulated."""
    points = setup.points()
    slots = min(LONGER * setup.slots, SLOTS_MAX)
    longer = [point.but(slots=slots, detail=False) for point in points]
    rows = _rows(drblab.run([*points, *longer], journal=journal))
    return {_key(row): {**row, 'grows': other['growing']}
            for row, other in zip(rows[:len(points)], rows[len(points):])}


def measure(setups: Sequence[Setup], live: Live,
            journal: str | os.PathLike[str] | None = None) -> list[Result]:
    """Simulates and measures all points of setups that have the same schemes.

    The switches start once for each scheme and load, if nothing else differs."""
    results = [Result(setup, [], simulate(setup, journal)) for setup in setups]
    places = {name: i for i, name in enumerate(setups[0].schemes)}
    points = sorted(((point, part) for part, setup in enumerate(setups) for point in setup.points()),
                    key=lambda one: places[str(dict(one[0].tags)['name'])])
    rows = _rows(drblab.run([point for point, _ in points], live, journal=journal))
    for row, (_, part) in zip(rows, points):
        results[part].runs.append(row)
    return results
