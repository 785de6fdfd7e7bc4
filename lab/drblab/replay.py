# SPDX-License-Identifier: BSD-3-Clause
"""An engine that replays captures in a live fabric."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drblab.engine import EngineError, Row
from drblab.live import version_of_programs
from drblab.models import installed, program
from drblab.point import Point, PointError, Value
from drblab.sim import hash_of_file

# Options of a point that `fabric up` takes, and those that `drbgen replay` takes.
FABRIC = ('layers', 'arity', 'rate', 'scheme', 'unit', 'threshold')
SPEED = ('load', 'multiplier', 'pps')
FIGURES = ('sent', 'lost', 'duplicated', 'misdelivered', 'skipped', 'seconds', 'latency_mean_us',
           'latency_p50_us', 'latency_p99_us', 'late')
LINKS = 64  # busiest links in a row


@dataclass(frozen=True)
class Replay:
    """Replays captures in a fabric on this machine, one point after the other.

    Needs root. Each point gets a fabric of its own, which is taken down afterwards. Options of a
    point: `capture` (paths, one per line), those of `fabric up` (`layers`, `arity`, `rate`,
    `scheme`, `unit`, `threshold`), one of `load`, `multiplier` and `pps`, `map`, and `seed`, which
    numbers equal runs. Rows have figures of `drbgen replay`, and these:

    - `reordered`: packets that a later packet of their flow overtook
    - `late`: true if the machine disturbed each attempt
    - `attempts`: runs until one was undisturbed
    - `links`: the busiest links of the run as JSON text

    Parameters
    ----------
    repeat
        Maximum number of repetitions of a disturbed run.
    fabric
        Name of the fabric.
    """

    repeat: int = 2
    fabric: str = 'drblab'
    name: str = field(default='replay', init=False)

    @property
    def version(self) -> str:
        """Versions of the programs."""
        return version_of_programs()

    def setup(self, point: Point) -> Mapping[str, Value]:
        """See Engine."""
        told = dict(point.options)
        if not told.get('capture'):
            raise PointError('capture: a replay needs a capture')
        for name in told:
            if name not in (*FABRIC, *SPEED, 'capture', 'map', 'seed'):
                raise PointError(f'{name}: no option of a replay')
        for name in ('capture', 'map'):
            if name in told:
                told[name] = '-'.join(hash_of_file(path) for path in str(told[name]).split('\n'))
        return {**told, 'repeat': self.repeat}

    def rows(self, points: Sequence[Point]) -> Iterator[tuple[int, Row]]:
        """See Engine."""
        for i, point in enumerate(points):
            attempts = 0
            while True:
                attempts += 1
                row = self._measured(point)
                if not row['late'] or attempts > self.repeat:
                    break
            yield i, {**row, 'attempts': attempts}

    def _measured(self, point: Point) -> Row:
        """Starts a fabric, replays the captures, and takes the fabric down."""
        fabric = installed('drbfabric', 'topo/fabric')
        words = [f'--{name}={point.get(name)}' for name in FABRIC if point.get(name) is not None]
        _run([fabric, 'up', '--fabric', self.fabric, *words])
        try:
            with tempfile.TemporaryDirectory() as folder:
                return self._replayed(point, folder)
        finally:
            _run([fabric, 'down', '--fabric', self.fabric])

    def _replayed(self, point: Point, folder: str) -> Row:
        links, flows = f'{folder}/links', f'{folder}/flows'
        words = [f'--{name}={point.get(name)}' for name in (*SPEED, 'map')
                 if point.get(name) is not None]
        told = _run([program('drbgen', 'gen'), 'replay', *str(point.get('capture')).split('\n'),
                     '--fabric', self.fabric, '--json', '--links', links, '--flow-records', flows,
                     *words], allowed=(0, 1))
        report = [json.loads(line) for line in told.splitlines() if line.startswith('{')]
        total = next(row for row in report if row['host'] == 'all')
        with open(flows, encoding='utf-8') as f:
            reordered = sum(int(flow['reordered']) for flow in csv.DictReader(f))
        with open(links, encoding='utf-8') as f:
            busiest = [_link(link) for link, _ in zip(csv.DictReader(f), range(LINKS))]
        return {**{name: total[name] for name in FIGURES}, 'reordered': reordered,
                'links': json.dumps(busiest)}


def _link(link: Mapping[str, str]) -> dict[str, Any]:
    numbers = ('packets', 'use', 'queue_mean', 'queue_max', 'dropped')
    return {**{name: link[name] for name in ('switch', 'port', 'peer')},
            **{name: float(link[name]) if link[name] else None for name in numbers}}


def _run(command: Sequence[str], allowed: Sequence[int] = (0,)) -> str:
    """Runs a program and returns its output. An interruption ends it before this returns."""
    with tempfile.TemporaryFile('w+') as said:
        # The program gets no Ctrl-C of the terminal: this process ends it.
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=said, text=True, start_new_session=True) as child:
            try:
                told = child.communicate()[0]
            except KeyboardInterrupt:
                child.send_signal(signal.SIGTERM)
                child.communicate()
                raise
        if child.returncode not in allowed:
            said.seek(0)
            lines = said.read().strip().splitlines()
            raise EngineError(lines[-1] if lines else
                              f'{os.path.basename(command[0])} ended with {child.returncode}')
        return told
