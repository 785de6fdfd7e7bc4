# SPDX-License-Identifier: BSD-3-Clause
"""The simulator, drbsim, as an engine."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from drblab.child import judge, rows_of
from drblab.engine import EngineError, Row
from drblab.models import Model, models_of, program
from drblab.point import Point, PointError, Value

# Options that do not change the traffic: for consecutive points that differ only in these, drbsim
# draws the traffic once.
SHARE_TRAFFIC = ('scheme', 'threshold', 'choices')
BLOCK = 1 << 20  # bytes of a file that are read at a time


@functools.lru_cache
def _hash_of(path: str, _changed: int, _size: int) -> str:
    digest = hashlib.sha256()
    with open(path, 'rb') as f:
        while block := f.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()[:16]


def hash_of_file(path: str) -> str:
    """A hash of the content of a file; cached as long as the file does not change."""
    try:
        now = os.stat(path)
        return _hash_of(path, now.st_mtime_ns, now.st_size)
    except OSError as e:
        raise PointError(f'{path}: {e.strerror}') from e


def with_contents(value: Value) -> Value:
    """Replaces a path in a value by a hash of the file's content."""
    if not isinstance(value, str):
        return value
    path = value.removeprefix('file:')
    shared = re.match(r'(.*?\.so)(:|$)', path)
    path = shared[1] if shared else path
    named = value.startswith('file:') or shared is not None or os.path.isfile(path)
    return value.replace(path, hash_of_file(path), 1) if named else value


@dataclass(frozen=True)
class Sim:
    """Runs points by `drbsim run`, several at once.

    Parameters
    ----------
    threads
        Number of runs at once; None: one for each CPU. Figures do not depend on it.
    memory
        Limit on the memory of all runs together, in GiB; None: three quarters of the free memory.
    program
        Path of drbsim; None: that of this installation or checkout.
    """

    threads: int | None = None
    memory: float | None = None
    program: str | None = None
    name: str = field(default='sim', init=False)

    @property
    def path(self) -> str:
        """The program that runs points."""
        return self.program or program('drbsim')

    @property
    def version(self) -> str:
        """Version and hash of the sources of the models."""
        return models_of(self.path).version

    def model(self, name: str) -> Model:
        """The options and columns of a model."""
        return models_of(self.path).model[name]

    def setup(self, point: Point) -> Mapping[str, Value]:
        """See Engine."""
        options = models_of(self.path).complete(point)
        return {name: with_contents(value) for name, value in options.items()}

    def rows(self, points: Sequence[Point]) -> Iterator[tuple[int, Row]]:
        """See Engine."""
        order = _together(points)
        with tempfile.TemporaryFile('w+') as lines, tempfile.TemporaryFile('w+') as said:
            for i in order:
                point = points[i]
                print(json.dumps({'id': i, 'model': point.model, **dict(point.options)}),
                      file=lines)
            lines.seek(0)
            with self._start(lines, said) as child:
                yield from rows_of(child)
            judge(child, said, [points[i] for i in order])

    def _start(self, lines: IO[str], said: IO[str]) -> subprocess.Popen[str]:
        command = [self.path, 'run']
        command += [f'--threads={self.threads}'] if self.threads else []
        command += [f'--memory={self.memory}'] if self.memory else []
        try:
            return subprocess.Popen(command, stdin=lines, stdout=subprocess.PIPE, stderr=said,
                                    text=True)
        except OSError as e:
            raise EngineError(f'{self.path}: {e.strerror}') from e


def _together(points: Sequence[Point]) -> list[int]:
    """The indices of points, reordered such that points with the same traffic are consecutive."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i, point in enumerate(points):
        alike = tuple(pair for pair in point.options if pair[0] not in SHARE_TRAFFIC)
        groups.setdefault((point.model, *alike), []).append(i)
    return [i for group in groups.values() for i in group]
