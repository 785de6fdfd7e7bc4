# SPDX-License-Identifier: BSD-3-Clause
"""The models of the simulator, which `drbsim run --models` describes."""

from __future__ import annotations

import difflib
import functools
import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drblab.engine import EngineError
from drblab.point import Point, PointError, Value


@dataclass(frozen=True)
class Option:
    """An option of a model; type: text, word, integer, real or boolean."""

    name: str
    type: str
    default: Value | None = None
    unit: str | None = None
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    help: str | None = None

    def check(self, value: Value) -> str | None:
        """A text about the error in a value; None if it is valid."""
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if self.type == 'boolean' and not isinstance(value, bool):
            return 'must be True or False'
        if self.type == 'integer' and not (number and float(value) == int(value)):
            return 'must be a whole number'
        if self.type == 'real' and not number:
            return 'must be a number'
        if self.type == 'word' and value not in self.values:
            return f'must be one of {", ".join(self.values)}'
        if number and self.type != 'text' and self.min is not None and self.max is not None \
                and not self.min <= value <= self.max:  # type: ignore[operator]
            return f'must be from {self.min:g} to {self.max:g}'
        return None


@dataclass(frozen=True)
class Model:
    """A model: its options, and the names and units of its columns."""

    name: str
    help: str
    options: dict[str, Option]
    units: dict[str, str | None]

    def complete(self, point: Point) -> dict[str, Value]:
        """The options of a point with all defaults; raises PointError if an option is wrong."""
        for name, value in point.options:
            if name not in self.options:
                raise PointError(f'{self.name}: no option {name}' + _meant(name, self.options))
            wrong = self.options[name].check(value)
            if wrong:
                raise PointError(f'{self.name}: {name}: {wrong}, not {value!r}')
        defaults = {name: option.default for name, option in self.options.items()
                    if option.default is not None}
        return {**defaults, **dict(point.options)}


@dataclass(frozen=True)
class Models:
    """All models of a program, and the version of its code."""

    version: str
    model: dict[str, Model]

    def complete(self, point: Point) -> dict[str, Value]:
        """Like Model.complete()."""
        if point.model not in self.model:
            raise PointError(f'no model {point.model}' + _meant(point.model, self.model))
        return self.model[point.model].complete(point)


def _meant(name: str, known: Iterable[str]) -> str:
    known = list(known)
    near = difflib.get_close_matches(name, known, 1)
    return f' (is it {near[0]}?)' if near else f': there are {", ".join(known)}'


def _option_of(row: dict[str, Any]) -> Option:
    row = {**row, 'values': tuple(row.get('values') or ())}
    return Option(**{key: row[key] for key in Option.__dataclass_fields__ if key in row})


def _model_of(row: dict[str, Any]) -> Model:
    options = [_option_of(option) for option in row['options']]
    return Model(row['name'], row.get('help') or '', {option.name: option for option in options},
                 {column['name']: column.get('unit') for column in row['columns']})


@functools.lru_cache
def _models_of(program: str, _changed: int) -> Models:
    try:
        told = subprocess.run([program, 'run', '--models'], capture_output=True, text=True,
                              check=True)
        rows = json.loads(told.stdout)
        version = rows['version'] + (f"-{rows['code']}" if 'code' in rows else '')
        return Models(version, {row['name']: _model_of(row) for row in rows['models']})
    except subprocess.CalledProcessError as e:
        said = e.stderr.strip().splitlines()
        raise EngineError(f'{program}: {said[-1] if said else "run --models failed"}: is it older '
                          'than this laboratory?') from e
    except (OSError, ValueError, KeyError) as e:
        raise EngineError(f'{program}: cannot tell its models: {e}') from e


def models_of(program: str) -> Models:
    """The models of a drbsim; cached as long as the program does not change."""
    try:
        return _models_of(program, os.stat(program).st_mtime_ns)
    except FileNotFoundError as e:
        raise EngineError(f'{program}: there is no such program') from e


def program(name: str, folder: str = 'sim') -> str:
    """The path of a program of this project.

    If the environment variable DRB_BUILD is set, the program is looked for in that build folder.
    Otherwise it is looked for in the folder `bin` of the prefix that has this package. In a
    checkout, the checkout's build folder comes first. The last resort is PATH.
    """
    if 'DRB_BUILD' in os.environ:
        return _first(name, [Path(os.environ['DRB_BUILD']) / 'src' / folder / name])
    return installed(name, f'build/src/{folder}/{name}')


def installed(name: str, in_checkout: str) -> str:
    """The path of a program: in this package's checkout, its prefix, or PATH, in this order."""
    checkout = Path(__file__).resolve().parents[2]
    # PREFIX/bin, from PREFIX/lib/python3.11/site-packages/drblab/models.py
    beside = os.path.normpath(f'{os.path.dirname(os.path.realpath(__file__))}/../../../../bin')
    places = [Path(beside, name), checkout / in_checkout]
    if (checkout / 'meson.build').exists():
        places.reverse()
    return _first(name, places)


def _first(name: str, places: Iterable[Path]) -> str:
    places = list(places)
    for place in places:
        if os.access(place, os.X_OK):
            return str(place)
    found = shutil.which(name)
    if not found:
        what = 'drblab by pip' if name == 'drbsim' else 'drbswitch'
        raise EngineError(f'{name} is not installed, nor at {places[0]}: install {what}, build the '
                          'checkout, or point DRB_BUILD at its build folder')
    return found
