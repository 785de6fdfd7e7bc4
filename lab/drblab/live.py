# SPDX-License-Identifier: BSD-3-Clause
"""An engine that measures points in a live fabric."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from drblab.child import judge, rows_of
from drblab.engine import Row
from drblab.models import installed, models_of, program
from drblab.point import Point, PointError, Value
from drblab.sim import hash_of_file, with_contents

# Options of the model packet that a fabric can follow. All others must be left at their defaults.
OPTIONS = ('layers', 'arity', 'uplinks', 'scheme', 'load', 'traffic', 'threshold', 'slow', 'fail',
           'faults', 'detect', 'delay', 'slots', 'stats', 'seed')


# Programs of a live run whose hashes are part of the version: {name: folder in the build}.
PROGRAMS = {'drbswitch': 'switch', 'drbgen': 'gen'}


def version_of_programs() -> str:
    """Version of the models that define the options of points, and hashes of the programs."""
    return '-'.join([models_of(program('drbsim')).version,
                     *(hash_of_file(program(name, folder)) for name, folder in PROGRAMS.items())])


@dataclass(frozen=True)
class Live:
    """Measures points of the model packet in a fabric on this machine, one after the other.

    Needs root. drbexperiment starts the switches, replays the traffic and takes the fabric down.
    Rows have columns of the simulator, and these:

    - `disturbed`: the reasons why the run was disturbed, '' if it was not
    - `unexplained`: true if it was disturbed although a control process was not late
    - `sent`, `lost`: packets
    - `slot_ms`: length of a slot
    - `attempts`: runs until one counted

    Parameters
    ----------
    slot
        Length of a slot, such as '2ms'. If None, the CPUs determine it.
    links
        Links between switches: 'veth' or 'memif'.
    queue
        Limit of each egress queue in packets. If None, it is 512, or 4096 for persistent traffic.
    repeat
        Maximum number of repetitions of a disturbed run.
    stretch
        Maximum number of times that slots are doubled, each after all repetitions were disturbed.
    fabric
        Name of the fabric.
    """

    slot: str | None = None
    links: str = 'veth'
    queue: int | None = None
    repeat: int = 3
    stretch: int = 3
    fabric: str = 'drblab'
    name: str = field(default='live', init=False)

    @property
    def version(self) -> str:
        """Versions of the models and of the programs."""
        return version_of_programs()

    def _options(self, point: Point) -> dict[str, Value]:
        """Returns the options for the fabric, with defaults for those that the point leaves out."""
        if point.model != 'packet':
            raise PointError(f'{point.model}: a fabric runs the model packet')
        models = models_of(program('drbsim'))
        options = models.complete(point)
        defaults = models.complete(Point('packet'))
        for name, value in options.items():
            if name not in OPTIONS and value != defaults.get(name):
                raise PointError(f'packet: {name}: a fabric takes {", ".join(OPTIONS)}')
        return {name: options[name] for name in OPTIONS if name in options}

    def setup(self, point: Point) -> Mapping[str, Value]:
        """See Engine."""
        told = {name: with_contents(value) for name, value in self._options(point).items()}
        return {**told, 'slot': self.slot or '', 'links': self.links, 'queue': self.queue or 0,
                'repeat': self.repeat, 'stretch': self.stretch}

    def rows(self, points: Sequence[Point]) -> Iterator[tuple[int, Row]]:
        """See Engine. Points of one shape run consecutively, because they share a fabric."""
        options = [self._options(point) for point in points]
        order = sorted(range(len(points)), key=lambda i: [
            str(options[i].get(name)) for name in ('layers', 'arity', 'uplinks')])
        with tempfile.TemporaryFile('w+') as lines, tempfile.TemporaryFile('w+') as said:
            for i in order:
                print(json.dumps({'id': i, 'model': 'packet', **options[i]}), file=lines)
            lines.seek(0)
            command = [installed('drbexperiment', 'topo/experiment'), '--points',
                       f'--links={self.links}', f'--fabric={self.fabric}',
                       f'--repeat={self.repeat}', f'--stretch={self.stretch}']
            command += [f'--slot={self.slot}'] if self.slot else []
            command += [f'--queue={self.queue}'] if self.queue else []
            with subprocess.Popen(command, stdin=lines, stdout=subprocess.PIPE, stderr=said,
                                  text=True) as child:
                yield from rows_of(child)
            judge(child, said, [points[i] for i in order])
