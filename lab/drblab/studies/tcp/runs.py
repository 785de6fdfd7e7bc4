# SPDX-License-Identifier: BSD-3-Clause
"""Runs the transfers that drbsim draws, live by TCP and simulated.

Every combination of workload, unit and scheme gets the same lists of transfers. Live and simulated
results are compared run by run."""

from __future__ import annotations

import csv
import io
import math
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import drblab
from drblab.child import output_of
from drblab.common import files, schemes
from drblab.engine import EngineError, Row
from drblab.live import Live
from drblab.models import program
from drblab.point import Point, PointError

QUEUE = 512  # default limit of egress queues in packets
FLOWLET_GAP = 20  # slots
# Bytes of a full frame with IPv4 and TCP time stamps: its payload, and its size on the wire (with
# headers and 24 bytes of Ethernet overhead). ACK_BYTES: an acknowledgement on the wire.
PAYLOAD, WIRE_BYTES, ACK_BYTES = 1448, 1514 + 24, 66 + 24
# Acknowledgements per packet that Linux sends in transfers of tens of packets (`acks` in the
# figures of the study). The simulator sends one for each packet, smaller by this factor.
ACKS_PER_PACKET = 0.72
# A live run may take this many times the simulated makespan.
LONGEST = 10


@dataclass(frozen=True)
class Setup:
    """The compared lists. schemes: {name: text}. workloads: {name: arguments of drbsim}."""

    layers: int
    arity: int
    schemes: Mapping[str, str]
    units: Sequence[str]
    workloads: Mapping[str, list[str]]
    runs: int = 3
    seed: int = 1
    uplinks: int = 0
    queue: int = QUEUE
    congestion: str = 'reno'

    @property
    def size(self) -> list[str]:
        """Options for the shape of the fabric."""
        size = ['-l', str(self.layers), '-d', str(self.arity)]
        return [*size, '--uplinks', str(self.uplinks)] if self.uplinks else size

    def combinations(self) -> list[tuple[str, str, str]]:
        """Returns [(workload, unit, scheme)]. Schemes that cannot route flows occur only with the
        unit packet."""
        return [(workload, unit, scheme) for unit in self.units for scheme in self.schemes
                for workload in self.workloads
                if unit == 'packet' or schemes.row_of(scheme)['flows']]


@dataclass
class Result:
    """Rows of runs, and rows of their transfers."""

    runs: list[Row]
    transfers: list[Row]


def draw(setup: Setup, workload: str, seed: int) -> str:
    """Returns a list of transfers as CSV."""
    return output_of([program('drbsim'), *setup.workloads[workload], *setup.size, '--seed', str(seed), '--list'])


def source_of(unit: str, scheme: str) -> str:
    """Returns the simulator's source that is nearest to TCP. Linux takes overtaken packets for
    lost, but only until it has seen such packets arrive late. With one path for each flow, no
    packet overtakes another."""
    return 'spray' if unit == 'packet' and scheme not in ('ecmp', 'dmodk') else 'window'


def simulate(setup: Setup, path: str, unit: str, scheme: str,
             more: Sequence[str]) -> tuple[list[Row], str]:
    """Returns the rows of drbsim replay, with their times as numbers, and the threshold."""
    text = output_of([
        program('drbsim'), 'replay', path, *setup.size, '--scheme', setup.schemes[scheme], '--unit',
        unit, '--queue', str(setup.queue), '--gap', str(FLOWLET_GAP), '--mark', '100000000', *more,
        '--csv'])
    rows: list[Row] = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        for key in ('start', 'handshake', 'time'):
            row[key] = float(row[key]) if row[key] else None
        row['alone'] = float(row['alone'])
    return rows, str(rows[0]['threshold'])


def makespan(rows: Sequence[Row]) -> float:
    """Returns the end of the last transfer in slots, or NaN if a transfer did not arrive."""
    ends: list[float] = [row['start'] + row['time'] for row in rows if row['time'] is not None]
    return max(ends) if len(ends) == len(rows) else math.nan


def mean_of(rows: Sequence[Row], value: Callable[[Row], Any]) -> float:
    """Returns the mean over the transfers that arrived."""
    values = [value(row) for row in rows if row['time'] is not None]
    return statistics.fmean(values) if values else math.nan


@dataclass
class Case:
    """A list of transfers with its simulated results."""

    point: Point
    source: str
    simulated: list[Row]
    others: dict[str, list[Row]]  # simulated otherwise


def _case(setup: Setup, folder: str, place: tuple[str, str, str], seed: int) -> Case:
    workload, unit, scheme = place
    path = f'{folder}/{workload}-{seed}.csv'
    text = draw(setup, workload, seed)
    if text.count('\n') < 2:
        raise PointError(f'{workload}: no transfer begins in these --slots')
    files.write(path, text)
    source, share = source_of(unit, scheme), ACK_BYTES / WIRE_BYTES
    no_room = ['--seed', str(seed), '--ack', f'{share:.4f}']
    quick_acks = [*no_room, '--ack-room', f'{share * ACKS_PER_PACKET:.4f}']
    like_live = [*quick_acks, '--handshake']
    simulated, threshold = simulate(setup, path, unit, scheme, ['--source', source, *like_live])
    others = {name: simulate(setup, path, unit, scheme, more)[0] for name, more in (
        ('sim_open', ['--source', 'open', *like_live]),
        ('sim_other', ['--source', 'spray' if source == 'window' else 'window', *like_live]),
        ('sim_no_room', ['--source', source, *no_room, '--handshake']),
        ('sim_no_handshake', ['--source', source, *quick_acks]))}
    point = Point.of('tcp', {'workload': workload, 'name': scheme}, layers=setup.layers,
                     arity=setup.arity, uplinks=setup.uplinks or None, scheme=setup.schemes[scheme],
                     unit=unit, threshold=threshold or None, list=os.path.abspath(path),
                     slots=int(LONGEST * max(row['start'] + (row['time'] or 0) for row in simulated)) + 1,
                     congestion=setup.congestion, seed=seed)
    return Case(point, source, simulated, others)


def _figures(prefix: str, rows: Sequence[Row], simulated: Sequence[Row]) -> Row:
    alone = {int(q['transfer']): q['alone'] for q in simulated}
    return {f'{prefix}time': mean_of(rows, lambda row: row['time']),
            f'{prefix}slowdown': mean_of(rows, lambda row: row['time'] / alone[int(row['transfer'])])}


def compared(case: Case, row: Row) -> Row:
    """Returns the figures of a live run beside those of its simulations."""
    played, simulated = row['transfers'], case.simulated
    place = dict(case.point.tags)
    run: dict[str, Any] = {
        'workload': place['workload'], 'unit': row['unit'], 'scheme': place['name'],
        'seed': row['seed'], 'source': case.source, 'threshold': case.point.get('threshold'),
        'transfers': len(played), **{key: row[key] for key in (
            'unfinished', 'late_packets', 'sent', 'late_departures', 'lost_credit_events',
            'forwarded', 'queue_max', 'control_late', 'stolen_s', 'slot_ms', 'disturbed',
            'unexplained', 'attempts')}}
    # Only transfers that arrived both live and simulated are compared.
    both = [(p, q) for p, q in zip(played, simulated)
            if p['time'] is not None and q['time'] is not None]
    run.update(_figures('', [p for p, _ in both], simulated),
               **_figures('sim_', [q for _, q in both], simulated))
    run.update({name: mean_of(rows, lambda one: one['time']) for name, rows in case.others.items()})
    for key in 'handshake', 'min_rtt':
        run[key] = mean_of(played, lambda one, key=key: one[key])  # type: ignore[misc]
    sent = max(1, sum(p['sent'] for p, _ in both))
    for key in 'resent', 'acks':
        run[key] = sum(p[key] for p, _ in both) / sent
    run['sim_handshake'] = mean_of([q for _, q in both], lambda one: one['handshake'])
    run['connected_off'] = \
        (run['time'] - run['handshake']) / (run['sim_time'] - run['sim_handshake']) - 1
    run['makespan'], run['sim_makespan'] = makespan(played), makespan(simulated)
    return run


def measure(setup: Setup, live: Live, folder: str) -> Result:
    """Simulates all lists, then plays them in a fabric."""
    lists = f'{folder}/lists'
    os.makedirs(lists, exist_ok=True)
    cases = [_case(setup, lists, place, seed) for place in setup.combinations()
             for seed in range(setup.seed, setup.seed + setup.runs)]
    frame = drblab.run([case.point for case in cases], live, journal=f'{folder}/rows.jsonl')
    if 'error' in frame:
        raise EngineError(str(frame['error'].dropna().iloc[0]))
    result = Result([], [])
    for case, row in zip(cases, frame.to_dict('records')):
        run = compared(case, row)
        result.runs.append(run)
        place = {key: run[key] for key in ('workload', 'unit', 'scheme', 'seed')}
        for p, q in zip(row['transfers'], case.simulated):
            result.transfers.append({
                **place, **p, 'slowdown': p['time'] and p['time'] / q['alone'],
                'sim_time': q['time'], 'sim_slowdown': q['time'] and q['time'] / q['alone']})
    return result
