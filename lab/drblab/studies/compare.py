# SPDX-License-Identifier: BSD-3-Clause
"""schemes side by side under a capture, replayed live

Each scheme gets the same packets at the same times, in turns, in a fabric of its own. Needs root.
A replay is open loop: senders do not slow down. DIR gets rows.jsonl, compare.csv, links.csv and
compare.svg.

examples:
  drblab compare rack.pcapng --scheme ecmp,drb -o rack
  drblab compare rack.pcapng --scheme ecmp,drb,walk -d 4 --load 0.6 --map map -o rack
"""

from __future__ import annotations

import argparse
import json
import os

import pandas

import drblab
from drblab import plots
from drblab.replay import Replay
from drblab.studies import options

FIGURES = {'latency_mean_us': 'mean', 'latency_p50_us': 'median', 'latency_p99_us': '99 %'}
SHOWN = 3  # links of each scheme


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument('capture', nargs='+', metavar='FILE', help='captures: pcap or pcapng')
    parser.add_argument('--scheme', type=options.some_schemes, default='ecmp,drb', metavar='LIST',
                        help='schemes; all are compared with the first')
    options.add_size_options(parser)
    parser.add_argument('--rate', default='500pps', help='rate of each link')
    parser.add_argument('--unit', default='packet', choices=('packet', 'flow'),
                        help='what schemes decide about')
    speed = parser.add_mutually_exclusive_group()
    speed.add_argument('--load', type=float, metavar='RHO',
                       help='use of the busiest host link, which sets the speed (default 0.8)')
    speed.add_argument('--multiplier', type=float, metavar='X',
                       help='speed as a multiple of that of the capture')
    parser.add_argument('--map', metavar='FILE', help='hosts of addresses: see drbgen replay')
    parser.add_argument('--runs', type=options.count, default=3, metavar='COUNT',
                        help='runs of each scheme')
    options.add_out_option(parser)


def points(args: argparse.Namespace) -> list[drblab.Point]:
    """All runs. Schemes take turns, so that a busy minute of the machine meets all of them."""
    fabric = {name: getattr(args, name) for name in ('layers', 'arity', 'rate', 'unit')}
    load = 0.8 if args.load is None and args.multiplier is None else args.load
    given = {'load': load, 'multiplier': args.multiplier,
             'map': os.path.abspath(args.map) if args.map else None}
    captures = '\n'.join(os.path.abspath(path) for path in args.capture)
    return drblab.sweep('capture', capture=captures, **fabric, seed=range(1, args.runs + 1),
                        scheme=args.scheme, **{k: v for k, v in given.items() if v is not None})


def links_of(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Links of each scheme over all its runs, the busiest first: means of packets, use and mean
    queue, the longest queue, and the sum of drops."""
    each = pandas.DataFrame([{'scheme': scheme, **link}
                             for scheme, links in zip(frame['scheme'], frame['links'])
                             for link in json.loads(links)])
    merged = each.groupby(['scheme', 'switch', 'port', 'peer'], as_index=False, sort=False).agg(
        {'packets': 'mean', 'use': 'mean', 'queue_mean': 'mean', 'queue_max': 'max', 'dropped': 'sum'})
    merged['place'] = merged['scheme'].map({name: i for i, name in enumerate(frame['scheme'].unique())})
    return merged.sort_values(['place', 'use', 'packets'], ascending=[True, False, False]).drop(columns='place')


def table(means: pandas.DataFrame) -> pandas.DataFrame:
    """The means as printed: latencies in ms with half of their 95 % intervals."""
    rows = pandas.DataFrame({'scheme': means['scheme'], 'runs': means['runs'],
                             'lost %': 100 * means['lost_share'], 'reordered': means['reordered']})
    for name, word in FIGURES.items():
        rows[f'{word} ms'] = [f'{value / 1e3:.2f}' + (f' ± {half / 1e3:.2f}' if half == half else '')
                              for value, half in zip(means[name], means[f'{name}_half'])]
    return rows


def picture(means: pandas.DataFrame, path: str) -> None:
    """Draws mean, median and 99 % of each scheme."""
    rows = [{'figure': word, 'scheme': row['scheme'], 'latency': row[name] / 1e3,
             'latency_half': row[f'{name}_half'] / 1e3}
            for _, row in means.iterrows() for name, word in FIGURES.items()]
    plots.lines(pandas.DataFrame(rows), 'figure', 'latency', 'scheme', unit='ms', path=path)


def verdict(frame: pandas.DataFrame, base: str) -> list[str]:
    """A line for each other scheme: how its 99th percentile differs, run by run."""
    lines = []
    pairs = drblab.paired(frame, 'scheme', base, 'latency_p99_us', relative=True)
    for _, row in pairs.iterrows():
        low, high = row['difference'] - row['half'], row['difference'] + row['half']
        clear = 'lower' if high < 0 else 'higher' if low > 0 else 'not clearly different'
        lines.append(f"{row['scheme']}: 99 % of the latencies {row['difference']:+.1%} next to "
                     f'{base} ({low:+.1%} to {high:+.1%}): {clear}')
    late = int(frame['late'].sum())
    if late:
        lines.append(f'{late} of {len(frame)} runs were disturbed by the machine: take a lower --rate')
    return lines


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    folder = options.folder_of(args)
    frame = drblab.run(points(args), Replay(), journal=f'{folder}/rows.jsonl')
    frame['lost_share'] = frame['lost'] / frame['sent']
    means = drblab.mean(frame, by='scheme', of=[*FIGURES, 'lost_share', 'reordered'])
    means.to_csv(f'{folder}/compare.csv', index=False)
    links = links_of(frame)
    links.to_csv(f'{folder}/links.csv', index=False)
    options.show(table(means))
    print(f'\nThe {SHOWN} busiest links of each scheme:')
    options.show(links.groupby('scheme', sort=False).head(SHOWN))
    print()
    print('\n'.join(verdict(frame, args.scheme[0])))
    picture(means, f'{folder}/compare.svg')
    return 0
