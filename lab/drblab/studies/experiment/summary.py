# SPDX-License-Identifier: BSD-3-Clause
"""Summarises the runs of an experiment: means with standard errors, and deviations of live from
simulated figures."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from drblab.engine import Row
from drblab.studies.experiment.pairs import TOLERANCES, Result


def _mean(values: Iterable[float]) -> float:
    values = [v for v in values if not math.isnan(v)]
    return statistics.fmean(values) if values else math.nan


def _error(values: Sequence[float]) -> float:
    """Returns the standard error of the mean, NaN for fewer than two values."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def _most(words: Sequence[str], word: str) -> bool:
    return sum(one == word for one in words) > len(words) / 2


def failed(run: Row) -> bool:
    """True if a run lost a packet, or received one twice or at the wrong host. Packets that are
    sent into a link that faults cut are lost until switches notice."""
    return bool(run['wrong'] or (run['lost'] and not run.get('faults')))


def summarise(result: Result) -> list[Row]:
    """Returns a row per scheme and load: means over runs, and deviations of live from simulated."""
    return [_summary(result, scheme, load) for scheme in result.setup.schemes
            for load in result.setup.loads]


def _growth(runs: Sequence[Row], sims: Sequence[Row]) -> Row:
    words = {'': [r['growing'] for r in runs], 'sim_': [s['grows'] for s in sims]}
    row: Row = {}
    for kind, said in words.items():
        row[f'{kind}growing'], row[f'{kind}unclear'] = _most(said, 'yes'), _most(said, 'unclear')
    row['growth_differs'] = sum({r['growing'], s['growing']} == {'yes', 'no'}
                                for r, s in zip(runs, sims))
    return row


def _summary(result: Result, scheme: str, load: float) -> Row:
    runs = [r for r in result.runs if r['name'] == scheme and r['load'] == load]
    sims = [result.simulated[scheme, load, r['seed']] for r in runs]
    row: dict[str, Any] = {
        'scheme': scheme, 'load': load, 'runs': len(runs),
        'disturbed': sum(bool(r['disturbed']) and not r['unexplained'] for r in runs),
        'unexplained': sum(bool(r['unexplained']) for r in runs),
        'repeated': sum(r['attempts'] - 1 for r in runs),
        'lost': sum(r['lost'] + r['wrong'] for r in runs), **_growth(runs, sims)}
    for key, _ in TOLERANCES:
        row[key] = _mean([r[key] for r in runs])
        row[f'{key}_se'] = _error([r[key] for r in runs])
        row[f'sim_{key}'] = _mean([s[key] for s in sims])
        # Compared run by run, because both runs of a seed have the same traffic.
        off = [r[key] / s[key] - 1 for r, s in zip(runs, sims) if s[key]]
        row[f'{key}_off'] = _mean(off)
        row[f'{key}_off_se'] = _error(off)
    for key, largest in result.setup.figures:
        for kind, some in ('', runs), ('sim_', sims):
            values = [one[key] for one in some]
            row[f'{kind}{key}'] = max(values) if largest else _mean(values)
    for key in 'switch_late_us', 'late_max_us', 'machine_late_us', 'machine_lost', 'slowest_link':
        row[key] = _mean([r[key] for r in runs])
    row['within'] = not deviations(row) and not row['disturbed']
    return row


def deviations(row: Row) -> list[str]:
    """Returns remarks on the figures of a row that deviate by more than the tolerance and chance
    (two standard errors) allow."""
    found = []
    if row['unexplained']:
        found.append(f"{row['unexplained']} runs late while the machine had time")
    if row['growing'] or row['sim_growing']:
        # Without a steady state, only the growth itself can be compared.
        differ = row['growth_differs'] > row['runs'] / 2
        return [*found, 'only one of live and simulated grows'] if differ else found
    for key, share in TOLERANCES:
        off, error = row[f'{key}_off'], row[f'{key}_off_se']
        chance = 0 if math.isnan(error) else 2 * error
        if not math.isnan(off) and abs(off) > share + chance:
            found.append(f'{key} {off:+.1%}')
    return found


def remarks(row: Row) -> list[str]:
    """Returns what a reader must know of a row: deviations, losses, disturbances."""
    found = deviations(row)
    if row['lost']:
        found.append(f"{row['lost']} packets lost")
    if row['disturbed']:
        share = f"{row['slowest_link']:.0%}"
        found.append(f"{row['disturbed']} of {row['runs']} runs disturbed by the machine" +
                     (f': links ran at {share} to 100 % of their rate' if share != '100%' else ''))
    if row['repeated']:
        found.append(f"{row['repeated']} runs repeated")
    return found


def _best(rows: Sequence[Row]) -> str:
    """Returns the schemes whose live latency is lowest, or within 1 % of it."""
    steady = [row for row in rows if not row['growing'] and not row['sim_growing']]
    if not steady:
        return 'none: queues of every scheme grow'
    least = min(row['latency'] for row in steady)
    return ', '.join(row['scheme'] for row in steady if row['latency'] <= 1.01 * least)


def verdict(rows: Sequence[Row]) -> list[str]:
    """Returns sentences: who is fastest at each load, and whether live and simulated agree."""
    best: dict[str, list[str]] = {}
    for load in dict.fromkeys(row['load'] for row in rows):
        best.setdefault(_best([row for row in rows if row['load'] == load]), []).append(f'{load:g}')
    lines = [f'Lowest mean latency at load {", ".join(loads)}: {names}.'
             for names, loads in best.items()]
    differ = [f"{row['scheme']} at {row['load']:g}" for row in rows if deviations(row)]
    lines.append(f'Fabric and simulator agree at {len(rows) - len(differ)} of {len(rows)} points'
                 f'{": not " + ", ".join(differ) if differ else ""}.')
    repeated = sum(row['repeated'] for row in rows)
    disturbed = sum(row['disturbed'] for row in rows)
    if repeated or disturbed:
        lines.append(f'The machine disturbed runs: {repeated} were repeated, {disturbed} stayed '
                     'disturbed.')
    return lines
