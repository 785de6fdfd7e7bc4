# SPDX-License-Identifier: BSD-3-Clause
"""Writes the results of an experiment: CSV files, pictures, and one self-contained HTML file."""

import math
import os

from drbfabric.common import files
from drbfabric.experiment import link_tree
from drbfabric.experiment.experiment import DETAILS, DISTURBED_SHARE, TOLERANCES, name_of
from drbfabric.experiment.summary import deviations
from drbfabric.report import write_page
from drbfabric.report.figure import Axis, Figure, Point
from drbfabric.report.files import write_csv

TEMPLATE = os.path.join(os.path.dirname(__file__), 'templates/experiment.html')


def _is_wide(figures):
    """True if the figures need a logarithmic scale."""
    return bool(figures) and max(figures) > 8 * min(figures) > 0


def _known(rows, key):
    return [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]


def _lines(rows, setup, key, title):
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


def bars(rows, key, name, title):
    """Draws a figure at one load, with bars for each scheme: live with its error, and simulated."""
    figures = _known(rows, key)
    # Bars begin at zero, or on a logarithmic scale a decade below the shortest bar.
    slots = Axis('slots', log=True, low=min(figures) / 10) if _is_wide(figures) else Axis('slots', low=0)
    f = Figure(name, 'bars', title, 'Live with standard errors over the runs, and simulated.', Axis('scheme'), slots)
    f.add('live', '1', [Point(row['scheme'], row[key], row[f'{key}_se']) for row in rows])
    f.add('simulated', '1', [Point(row['scheme'], row[f'sim_{key}']) for row in rows], dashed=True)
    return f


def _cdfs(runs, load):
    """Draws the latencies of packets at one load. Each run that counts has a curve, each scheme a
    colour."""
    mine = [run for run in runs if run['counts'] and run['load'] == load and run.get('cdf')]
    if not mine:
        return []
    f = Figure(f'cdf-{load:g}', 'steps', f'Latencies of packets, live, load {load:g}',
               'The share of packets that took no longer, a line for each run.',
               Axis('slots', log=max(run['cdf'][-1][0] for run in mine) > 100), Axis('share of packets', low=0))
    for run in mine:
        f.add(run['scheme'], run['scheme'], [Point(*pair) for pair in run['cdf']])
    return [f]


def _queues(rows, setup, load):
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


def figures_of(rows, setup, runs):
    """Returns all figures of an experiment."""
    figures = [_lines(rows, setup, key, title) if len(setup.loads) > 1 else
               bars(rows, key, key, f'{title}, load {setup.loads[0]:g}')
               for key, title in (('latency', 'Mean latency'), ('tail', 'Cohort tail'))]
    figures += [f for load in setup.loads for f in _cdfs(runs, load)]
    return figures + [_queues(rows, setup, load) for load in setup.loads]


# The page

def _figures(row, key, factor=1, unit=''):
    """Returns texts of live with its standard error, simulated, and the deviation in percent."""
    error = row[f'{key}_se']
    live = f'{factor * row[key]:.2f}' + ('' if math.isnan(error) else f' ± {factor * error:.2f}') + unit
    simulated = f"{factor * row[f'sim_{key}']:.2f}{unit}"
    off, off_error = row[f'{key}_off'], row[f'{key}_off_se']
    if math.isnan(off):
        return live, simulated, '-'
    more = '' if math.isnan(off_error) else f' ± {100 * off_error:.1f}'
    return live, simulated, f'{100 * off:+.1f}{more} %'


def table(rows):
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


def detail(rows, queues):
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


def remarks(row):
    found = deviations(row)
    if row['lost']:
        found.append(f"{row['lost']} packets lost")
    if row['disturbed']:
        found.append(f"{row['disturbed']} of {row['runs']} runs disturbed by the machine: links ran at "
                     f"{row['slowest_link']:.0%} to 100 % of their rate")
    if row['repeated']:
        found.append(f"{row['repeated']} runs repeated")
    return found


def write(folder, experiment, rows):
    """Writes all files of the experiment. Returns the path of the page, or None if a package for it
    is missing."""
    setup = experiment.setup
    os.makedirs(folder, exist_ok=True)
    write_csv(f'{folder}/runs.csv', [{k: v for k, v in run.items() if k not in ('cdf', 'links')}
                                     for run in experiment.runs])
    write_csv(f'{folder}/links.csv', [{**{k: run[k] for k in ('scheme', 'load', 'seed')}, **link}
                                      for run in experiment.runs if run['counts'] for link in run['links']])
    write_csv(f'{folder}/summary.csv', rows)
    write_csv(f'{folder}/cdf.csv', [{**{k: run[k] for k in ('scheme', 'load', 'seed')},
                                     'latency_slots': latency, 'share': share}
                                    for run in experiment.runs if run['counts']
                                    for latency, share in run.get('cdf', ())])
    trees = link_tree.pictures(experiment.runs, max(setup.loads))
    for name, (picture, *_) in trees.items():
        files.write(f'{folder}/{name}.svg', picture)
    return write_page(folder, figures_of(rows, setup, experiment.runs), TEMPLATE, drawn=trees, fabric=name_of(setup),
                      setup=setup, table=table(rows), detail=detail(rows, setup.queues),
                      disturbed_share=DISTURBED_SHARE, tolerances=TOLERANCES,
                      grow=any(row['growing'] or row['sim_growing'] for row in rows))
