# SPDX-License-Identifier: BSD-3-Clause
"""An engine that measures points in a live fabric."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from drblab.child import judge, rows_of
from drblab.engine import Row
from drblab.models import installed, models_of, program
from drblab.point import Point, PointError, Value
from drblab.sim import hash_of_file, with_contents

# Options that a fabric can follow. Points of the model packet leave all others of drbsim at their
# defaults.
OPTIONS = {
    'packet': ('layers', 'arity', 'uplinks', 'scheme', 'load', 'traffic', 'threshold', 'slow',
               'fail', 'faults', 'detect', 'delay', 'slots', 'stats', 'seed', 'detail'),
    'tcp': ('layers', 'arity', 'uplinks', 'scheme', 'unit', 'threshold', 'list', 'slots',
            'congestion', 'seed')}
HOSTS_MAX = 1024  # each host of a fabric is a network namespace
# Programs of a live run whose hashes are part of the version: {name: folder in the build}.
PROGRAMS = {'drbswitch': 'switch', 'drbgen': 'gen'}


def version_of_programs() -> str:
    """Version of the models that define the options of points, and hashes of the programs."""
    return '-'.join([models_of(program('drbsim')).version,
                     *(hash_of_file(program(name, folder)) for name, folder in PROGRAMS.items())])


def need_root() -> None:
    """Fails at once if this process is not root, before anything takes time."""
    if os.geteuid() != 0:
        raise PointError('a live fabric needs root; without, run it through drbrootless '
                         '(topo/rootless in a checkout)')


def need_small(layers: int, arity: int) -> None:
    """Refuses fabrics with no hosts or too many."""
    if layers < 1 or arity < 1:
        raise PointError(f'F({layers},{arity}): must have layers and an arity of at least 1')
    if layers > 16 or arity > 32 or 2 * arity ** layers > HOSTS_MAX:
        raise PointError(f'F({layers},{arity}): more than {HOSTS_MAX} hosts, each a namespace')


@dataclass(frozen=True)
class Live:
    """Measures points in a fabric on this machine, one after the other.

    Needs root. `drbfabric run` starts the switches, replays the traffic and takes the fabric down.
    Points of the model packet have the options of the simulator. Their rows have its columns, and
    these:

    - `disturbed`: the reasons why the run was disturbed, '' if it was not
    - `unexplained`: true if it was disturbed although a control process was not late
    - `control_late`: share of slots that the control process was late for
    - `sent`, `lost`: packets; `wrong`: packets that came twice or to the wrong host
    - `slot_ms`: length of a slot
    - `attempts`: runs until one counted; `discarded`: why the others did not count
    - with the option `detail`, `links`: a list of links with their figures; `cdf`: a list of
      latencies in slots with the share of packets that took no longer

    Points of the model tcp play the transfers of a `list`, which `drbsim transfer --list` prints,
    by TCP. The column `transfers` of their rows is a list of transfers with their times in slots.

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
    limit
        Seconds; runs are repeated only while all points can be measured in this time.
    fabric
        Name of the fabric.
    """

    slot: str | None = None
    links: str = 'veth'
    queue: int | None = None
    repeat: int = 3
    stretch: int = 3
    limit: int | None = None
    fabric: str = 'drblab'
    name: str = field(default='live', init=False)

    @property
    def version(self) -> str:
        """Versions of the models and of the programs."""
        return version_of_programs()

    def _options(self, point: Point) -> dict[str, Value]:
        """Returns the options for the fabric, with defaults for those that the point leaves out."""
        if point.model not in OPTIONS:
            raise PointError(f'{point.model}: a fabric runs the models {" and ".join(OPTIONS)}')
        told = OPTIONS[point.model]
        options, defaults = dict(point.options), dict[str, Value]()
        if point.model == 'packet':
            models = models_of(program('drbsim'))
            options, defaults = models.complete(point), models.complete(Point('packet'))
        for name, value in options.items():
            if name not in told and value != defaults.get(name):
                raise PointError(f'{point.model}: {name}: a fabric takes {", ".join(told)}')
        return {name: options[name] for name in told if name in options}

    def setup(self, point: Point) -> Mapping[str, Value]:
        """See Engine."""
        told = {name: with_contents(value) for name, value in self._options(point).items()}
        return {**told, 'slot': self.slot or '', 'links': self.links, 'queue': self.queue or 0,
                'repeat': self.repeat, 'stretch': self.stretch}

    def _command(self) -> list[str]:
        given = {'slot': self.slot, 'queue': self.queue, 'limit': self.limit}
        return [installed('drbfabric', 'topo/fabric'), 'run', f'--links={self.links}',
                f'--fabric={self.fabric}', f'--owner={os.getpid()}', f'--repeat={self.repeat}',
                f'--stretch={self.stretch}',
                *(f'--{name}={value}' for name, value in given.items() if value)]

    def rows(self, points: Sequence[Point]) -> Iterator[tuple[int, Row]]:
        """See Engine. Points of one shape run consecutively, because they share a fabric."""
        options = [self._options(point) for point in points]
        order = sorted(range(len(points)), key=lambda i: [
            str(options[i].get(name)) for name in ('layers', 'arity', 'uplinks')])
        with tempfile.TemporaryFile('w+') as lines, tempfile.TemporaryFile('w+') as said:
            for i in order:
                print(json.dumps({'id': i, 'model': points[i].model, **options[i]}), file=lines)
            lines.seek(0)
            with subprocess.Popen(self._command(), stdin=lines, stdout=subprocess.PIPE, stderr=said,
                                  text=True) as child:
                yield from rows_of(child)
            judge(child, said, [points[i] for i in order])
