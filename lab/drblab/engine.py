# SPDX-License-Identifier: BSD-3-Clause
"""The interface of engines, which run points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from drblab.point import Point, Value

Row = dict[str, Any]


class EngineError(RuntimeError):
    """Raised if an engine cannot run, or if it ends before its points are done."""


class Engine(Protocol):
    """Runs points. Engines must be picklable: they are sent to other processes and machines."""

    @property
    def name(self) -> str:
        """The text in the column `engine` of a frame, such as ``sim``."""
        ...

    @property
    def version(self) -> str:
        """A text that identifies the code: it differs whenever figures may differ."""
        ...

    def setup(self, point: Point) -> Mapping[str, Value]:
        """Everything that determines the figures of a point, besides model and version.

        This includes defaults and the contents of files. Raises PointError if the point is wrong.
        """
        ...

    def rows(self, points: Sequence[Point]) -> Iterator[tuple[int, Row]]:
        """Runs points and yields (index in `points`, figures) as soon as each is done.

        A point that could not be run has the figure ``error``, a text. A KeyboardInterrupt, raised
        or thrown into the generator, ends the runs. The generator still yields rows that are done
        by then, and raises it again. Raises EngineError if nothing can run.
        """
        ...
