# SPDX-License-Identifier: BSD-3-Clause
"""Writes the results of an experiment: CSV files, pictures, and one self-contained HTML file."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from drblab.common import files
from drblab.engine import Row
from drblab.report import write_page
from drblab.report.figure import Axis, Figure, Point
from drblab.report.files import write_csv
from drblab.studies.experiment import link_tree
from drblab.studies.experiment.pairs import DETAILS, TOLERANCES, Result, Setup
from drblab.studies.experiment.summary import remarks, verdict

TEMPLATE = os.path.join(os.path.dirname(__file__), 'templates/experiment.html')


def _is_wide(figures: Sequence[float]) -> bool:
    """True if the figures need a logarithmic scale."""
    return bool(figures) and max(figures) > 8 * min(figures) > 0


def _known(rows: Sequence[Row], key: str) -> list[float]:
    return [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]


def _lines(rows: Sequence[Row], setup: Setup, key: str, title: str) -> Figure:
    """Draws a figure over the load: live with standard errors, and the simulator's lines."""
    f = Figure(key, 'lines', title, 'Live (dashed) with standard errors over the runs, and simulated (solid).',
               Axis('load'), Axis('slots', log=_is_wide(_known(rows, key))))
    for scheme in setup.schemes:
        mine = [row for row in rows if row['scheme'] == scheme]
        f.add(f'{scheme}, simulated', scheme,
              [Point(row['load'], row[f'sim_{key}'], grows=row['sim_growing']) for row in mine])
        f.add(f'{scheme}, live', scheme,
              [Point(row['load'], row[key], row[f'{key}_se'], row['growing']) for row in mine], dashed=True)
    return f


def bars(rows: Sequence[Row], key: str, name: str, title: str) -> Figure:
    """Draws a figure at one load, with bars for each scheme: live with its error, and simulated."""
    figures = _known(rows, key)
    # Bars begin at zero, or on a logarithmic scale a decade below the shortest bar.
    slots = Axis('slots', log=True, low=min(figures) / 10) if _is_wide(figures) else Axis('slots', low=0)
    f = Figure(name, 'bars', title, 'Live with standard errors over the runs, and simulated.', Axis('scheme'), slots)
    f.add('live', '1', [Point(row['scheme'], row[key], row[f'{key}_se']) for row in rows])
    f.add('simulated', '1', [Point(row['scheme'], row[f'sim_{key}']) for row in rows], dashed=True)
    return f


def _cdfs(runs: Sequence[Row], load: float) -> list[Figure]:
    """Draws the latencies of packets at one load. Each run has a curve, each scheme a colour."""
    mine = [run for run in runs if run['load'] == load and run.get('cdf')]
    if not mine:
        return []
    f = Figure(f'cdf-{load:g}', 'steps', f'Latencies of packets, live, load {load:g}',
               'The share of packets that took no longer, a line for each run.',
               Axis('slots', log=max(run['cdf'][-1][0] for run in mine) > 100), Axis('share of packets', low=0))
    for run in mine:
        f.add(run['name'], run['name'], [Point(*pair) for pair in run['cdf']])
    return [f]


def _queues(rows: Sequence[Row], setup: Setup, load: float) -> Figure:
    """Draws the mean queues by layer at one load, live and simulated side by side."""
    mine = [row for row in rows if row['load'] == load]
    log = any(row['growing'] or row['sim_growing'] for row in mine)
    f = Figure(f'queue-{load:g}', 'bars', f'Mean queue, load {load:g}',
               'Links of a layer in the order of a path; live, and simulated (pale).', Axis('links of a layer'),
               Axis('packets', log=log, low=0.001 if log else 0), wide=True)
    for row in mine:
        for kind, name in (('', 'live'), ('sim_', 'simulated')):
            f.add(f"{row['scheme']}, {name}", row['scheme'],
                  [Point(queue.replace('up', 'up ').replace('down', 'down '),
                         max(row[f'{kind}queue_{queue}_mean'], 0.001)) for queue in setup.queues], dashed=bool(kind))
    return f


def figures_of(rows: Sequence[Row], setup: Setup, runs: Sequence[Row]) -> list[Figure]:
    """Returns all figures of an experiment."""
    figures = [_lines(rows, setup, key, title) if len(setup.loads) > 1 else
               bars(rows, key, key, f'{title}, load {setup.loads[0]:g}')
               for key, title in (('latency', 'Mean latency'), ('tail', 'Cohort tail'))]
    figures += [f for load in setup.loads for f in _cdfs(runs, load)]
    return figures + [_queues(rows, setup, load) for load in setup.loads]


# The page

def _figures(row: Row, key: str, factor: float = 1, unit: str = '') -> tuple[str, str, str]:
    """Returns texts of live with its standard error, simulated, and the deviation in percent."""
    error = row[f'{key}_se']
    live = f'{factor * row[key]:.2f}' + ('' if math.isnan(error) else f' ± {factor * error:.2f}') + unit
    simulated = f"{factor * row[f'sim_{key}']:.2f}{unit}"
    off, off_error = row[f'{key}_off'], row[f'{key}_off_se']
    if math.isnan(off):
        return live, simulated, '-'
    more = '' if math.isnan(off_error) else f' ± {100 * off_error:.1f}'
    return live, simulated, f'{100 * off:+.1f}{more} %'


def table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Returns the head and the lines of the comparison."""
    head = ['scheme', 'load', 'mean latency, live', 'simulated', 'off', 'cohort tail, live',
            'simulated', 'off', 'redirected, live', 'simulated', 'off', 'queues grow', 'runs',
            'remarks']
    lines = []
    for row in rows:
        line = [row['scheme'], f"{row['load']:g}", *_figures(row, 'latency'),
                *_figures(row, 'tail'), *_figures(row, 'redirected', 100, ' %')]
        words = ['yes' if row[f'{kind}growing'] else 'unclear' if row[f'{kind}unclear'] else 'no'
                 for kind in ('', 'sim_')]
        grows = words[0] if words[0] == words[1] else f'live {words[0]}, simulated {words[1]}'
        lines.append(line + [grows, str(row['runs']), ', '.join(remarks(row))])
    return head, lines


def detail(rows: Sequence[Row], queues: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Returns the head and the lines of the further figures. Each cell has live, then simulated."""
    titles = {'latency_p50': 'median latency', 'latency_p99': '99 %', 'latency_p999': '99.9 %',
              'latency_max': 'largest', 'reordered_share': 'reordered', 'reorder_extent': 'extent',
              'reorder_buffer': 'buffer'}
    head = ['scheme', 'load', *titles.values(), 'busiest link']
    lines = []
    for row in rows:
        line = [row['scheme'], f"{row['load']:g}"]
        for key, _ in DETAILS:
            shown = '{:.3%}' if key == 'reordered_share' else '{:.4g}'
            line.append(shown.format(row[key]) + ', ' + shown.format(row[f'sim_{key}']))
        busiest = [max(row[f'{kind}use_{queue}_max'] for queue in queues) for kind in ('', 'sim_')]
        lines.append(line + ['{:.1%}, {:.1%}'.format(*busiest)])
    return head, lines


def _page(folder: str, result: Result, rows: Sequence[Row]) -> str | None:
    setup, runs = result.setup, result.runs
    trees = link_tree.pictures(runs, max(setup.loads))
    for name, (picture, *_) in trees.items():
        files.write(f'{folder}/{name}.svg', picture)
    return write_page(folder, figures_of(rows, setup, runs), TEMPLATE, drawn=trees, setup=setup,
                      verdict=verdict(rows), table=table(rows), detail=detail(rows, setup.queues),
                      tolerances=TOLERANCES,
                      slots=sorted({run['slot_ms'] for run in runs}),
                      grow=any(row['growing'] or row['sim_growing'] for row in rows))


def write(folder: str, result: Result, rows: Sequence[Row]) -> str | None:
    """Writes all files of the experiment. Returns the path of the page, or None if a package for it
    is missing."""
    places = [{'scheme': run['name'], 'load': run['load'], 'seed': run['seed']}
              for run in result.runs]
    left_out = 'cdf', 'links', 'name', 'scheme', 'engine', 'model'
    write_csv(f'{folder}/runs.csv', [
        {**place, **{k: v for k, v in run.items() if k not in left_out and k not in place},
         'discarded': '; '.join(run['discarded'])} for place, run in zip(places, result.runs)])
    write_csv(f'{folder}/links.csv', [{**place, **link} for place, run in zip(places, result.runs)
                                      for link in run['links']])
    write_csv(f'{folder}/summary.csv', rows)
    write_csv(f'{folder}/cdf.csv', [{**place, 'latency_slots': latency, 'share': share}
                                    for place, run in zip(places, result.runs)
                                    for latency, share in run['cdf']])
    return _page(folder, result, rows)
