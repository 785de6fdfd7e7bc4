# SPDX-License-Identifier: BSD-3-Clause
"""The laboratory of drbswitch: experiments as points, rows and data frames.

>>> import drblab
>>> points = drblab.sweep('packet', arity=4, load=[0.7, 0.9], scheme=['drb', 'dmodk'],
...                       seed=range(5))
>>> frame = drblab.run(points, journal='rows.jsonl')
>>> means = drblab.mean(frame, by=['load', 'scheme'], of='latency')
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drblab import recording, traffic
    from drblab.engine import Engine, EngineError
    from drblab.live import Live
    from drblab.point import Point, PointError, sweep
    from drblab.replay import Replay
    from drblab.running import run
    from drblab.sim import Sim
    from drblab.statistics import holm, mean, paired

__all__ = ['Engine', 'EngineError', 'Live', 'Point', 'PointError', 'Replay', 'Sim', 'holm', 'mean',
           'paired', 'recording', 'run', 'sweep', 'traffic']

# Names that are imported on first use: pandas takes a second, which would delay `drblab --help`.
_HOMES = {'engine': ('Engine', 'EngineError'), 'live': ('Live',),
          'point': ('Point', 'PointError', 'sweep'), 'replay': ('Replay',), 'running': ('run',), 'sim': ('Sim',),
          'statistics': ('holm', 'mean', 'paired')}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home:
        return getattr(importlib.import_module(f'drblab.{home}'), name)
    if name in __all__:
        return importlib.import_module(f'drblab.{name}')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    return __all__
