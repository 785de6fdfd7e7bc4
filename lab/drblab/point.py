# SPDX-License-Identifier: BSD-3-Clause
"""Points, which describe single runs of an engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = str | int | float | bool


class PointError(ValueError):
    """Raised for a point that no engine can run; the text names model, option and cure."""


def _plain(name: str, value: Any) -> Value:
    """A value that JSON can represent: scalars of numpy become numbers of Python."""
    if hasattr(value, 'item') and not isinstance(value, (str, bytes)):
        value = value.item()
    if not isinstance(value, (str, int, float, bool)):
        raise PointError(f'{name}: must be a number, a text or a truth value, not {value!r}')
    return value


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, Value], ...]:
    return tuple((name, _plain(name, value)) for name, value in values.items()
                 if value is not None)


@dataclass(frozen=True)
class Point:
    """One run: a model of an engine, and the options that differ from its defaults.

    Parameters
    ----------
    model
        Name of a model, such as ``packet``; ``drbsim run --models`` lists them.
    options
        (name, value) pairs, in the order of the columns of a frame.
    tags
        (name, value) pairs that become further columns of a frame. The engine does not see them.
        Two points that differ only in tags share one row of a journal.
    """

    model: str
    options: tuple[tuple[str, Value], ...] = ()
    tags: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, model: str, tags: Mapping[str, Any] | None = None, /, **options: Any) -> Point:
        """A point from keywords; an option that is None keeps its default."""
        return cls(model, _pairs(options), _pairs(tags or {}))

    def but(self, **options: Any) -> Point:
        """This point with some options changed."""
        return Point(self.model, _pairs({**dict(self.options), **options}), self.tags)

    def tagged(self, **tags: Any) -> Point:
        """This point with more tags."""
        return Point(self.model, self.options, _pairs({**dict(self.tags), **tags}))

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option."""
        return dict(self.options).get(name, default)

    def __str__(self) -> str:
        return ' '.join([self.model, *(f'{name}={value}' for name, value in self.options)])


def sweep(model: str, tags: Mapping[str, Any] | None = None, /, **options: Any) -> list[Point]:
    """All points of the Cartesian product of options.

    Parameters
    ----------
    model
        Name of a model of the engine.
    tags
        Tags of all these points.
    **options
        A value, or an iterable of values (list, range, array, series; a text is one value). A seed
        is an ordinary option: ``seed=range(1, 6)`` makes five runs of each point.

    Returns
    -------
    list of Point
        All combinations; the last option varies fastest.
    """
    lists = [[value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
             for value in options.values()]
    return [Point.of(model, tags, **dict(zip(options, values)))
            for values in itertools.product(*lists)]
