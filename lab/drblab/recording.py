# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of `drbctl record`, summed up over their whole time.

`links()` has a row for each port of each switch. A switch that was started again counts from 0.
Packets that it sent between the last poll before that start and the first poll after it are unknown
and left out.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pandas

File: TypeAlias = str | os.PathLike[str]
FORMAT = 1  # SERVE_STATE_FORMAT of src/ctl/serve/state.h
COLUMNS = ('fabric', 'switch', 'port', 'peer', 'packets', 'use', 'queue_mean', 'queue_max',
           'dropped', 'seconds')
_RATE = re.compile(r'([0-9.]+)([kMG]?)(pps|bit)')
_FACTORS = {'': 1.0, 'k': 1e3, 'M': 1e6, 'G': 1e9}


class RecordingError(ValueError):
    """Raised for a file that is no recording; the text names file, line and the error."""


def _polls(path: File) -> Iterator[dict[str, Any]]:
    """Yields the polls. Ignores a last line that was cut off."""
    lines = Path(path).read_text(encoding='utf-8', errors='replace').splitlines()
    for number, line in enumerate(lines or [''], 1):
        try:
            poll = json.loads(line)
            if poll['format'] != FORMAT:
                raise RecordingError(f'{path}:{number}: format {poll["format"]} of version '
                                     f'{poll.get("version")}: this version reads format {FORMAT}')
        except (ValueError, KeyError, TypeError) as e:
            if isinstance(e, RecordingError):
                raise
            if number == len(lines) > 1:
                return
            raise RecordingError(f'{path}:{number}: no poll: give a file of drbctl record, '
                                 'without --html') from e
        yield poll


def _packet_seconds(rate: str | None, packets: float, octets: float) -> float:
    """The time that a packet of mean size takes; NaN without a rate or packets."""
    found = _RATE.match(rate or '')
    if not found or not packets or not float(found[1]):
        return math.nan
    size = 1.0 if found[3] == 'pps' else 8 * octets / packets
    return size / (float(found[1]) * _FACTORS[found[2]])


class _Link:
    """The sums of one port."""

    def __init__(self, peer: str | None) -> None:
        self.peer, self.rate = peer, ''
        self.before: tuple[int, int, dict[str, float]] | None = None  # pid, time, counters
        self.sums = dict.fromkeys(('out_packets', 'out_octets', 'queue_ns', 'out_discards'), 0.0)
        self.seconds, self.longest = 0.0, 0.0

    def add(self, pid: int, time_ns: int, port: dict[str, Any], count: dict[str, Any]) -> None:
        """Adds what happened since the previous poll."""
        now = {name: count.get(name) or 0.0 for name in self.sums}
        self.rate = port.get('rate') or self.rate
        self.longest = max(self.longest, count.get('queue_packets') or 0.0)
        if self.before and self.before[0] == pid:
            self.seconds += (time_ns - self.before[1]) / 1e9
            for name, value in now.items():
                self.sums[name] += value - self.before[2][name]
        self.before = pid, time_ns, now

    def figures(self) -> dict[str, Any]:
        """The figures of a row."""
        packets, seconds = self.sums['out_packets'], self.seconds or math.nan
        each = _packet_seconds(self.rate, packets, self.sums['out_octets'])
        return {'peer': self.peer, 'packets': int(packets), 'use': packets * each / seconds,
                'queue_mean': self.sums['queue_ns'] / 1e9 / seconds, 'queue_max': int(self.longest),
                'dropped': int(self.sums['out_discards']), 'seconds': self.seconds}


def links(path: File) -> pandas.DataFrame:
    """Sums up each port of each switch over a recording, the busiest first.

    Parameters
    ----------
    path
        A file of `drbctl record`, one poll of all switches in a line.

    Returns
    -------
    pandas.DataFrame
        Columns: fabric, switch, port, peer; packets sent; use, the share of the rate, NaN without a
        rate; queue_mean in packets over time; queue_max, the longest queue that a poll saw, in
        packets; dropped, packets dropped at the egress queue; seconds between the first and the
        last poll.
    """
    found: dict[tuple[str, str, str], _Link] = {}
    for poll in _polls(path):
        for switch in poll['switches']:
            for port in switch.get('ports', ()):
                key = switch['fabric'], switch['name'], port['name']
                link = found.setdefault(key, _Link(port.get('peer')))
                count = dict(zip(poll['port_counters'], port['count']))
                link.add(switch['pid'], switch['time_ns'], port, count)
    rows = [dict(zip(COLUMNS, key)) | link.figures() for key, link in found.items()]
    frame = pandas.DataFrame(rows, columns=list(COLUMNS))
    return frame.sort_values(['use', 'packets'], ascending=False, ignore_index=True, kind='stable')
