# SPDX-License-Identifier: BSD-3-Clause
"""dead links and switches on F(3,8), a growing share of them

Draws of what is dead, the same ones for all schemes. DIR gets rows.jsonl, faults.csv and pictures
of latency by share.

examples:
  drblab faults --quick -o faults
"""

from __future__ import annotations

import argparse

import pandas

import drblab
from drblab import plots
from drblab.studies import options

LAYERS, ARITY = 3, 8
HOSTS = 2 * ARITY ** LAYERS
# Between switches: one for each host and layer boundary. Above layer 1: full layers, and half one.
LINKS, SWITCHES = (LAYERS - 1) * HOSTS, (LAYERS - 2) * HOSTS // ARITY + HOSTS // ARITY // 2
SHARES = (0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1)
SCHEMES = ('drb', 'micro', 'dmodk', 'walk')
SLOTS = 1200


def points(quick: bool, seeds: int) -> list[drblab.Point]:
    """All draws: nothing dead, links, and switches."""
    slots = SLOTS // 3 if quick else SLOTS
    dead: list[tuple[str, float, str | None]] = [('nothing', 0, None)]
    for share in SHARES[::2] if quick else SHARES:
        dead += [('links', share, f'link:{round(share * LINKS)}'),
                 ('switches', share, f'switch:{round(share * SWITCHES)}')]
    return [point.tagged(dead=what, share=share)
            for what, share, fail in dead
            for point in drblab.sweep(
                'packet', layers=LAYERS, arity=ARITY, load=[0.5] if quick else [0.3, 0.5],
                fail=fail, slots=slots, stats=slots // 2, most_slots=2 * slots,
                seed=range(1, seeds + 1), scheme=SCHEMES)]


def by_share(frame: pandas.DataFrame, what: str) -> pandas.DataFrame:
    """Means at each share of dead links or switches; `lost` is in %."""
    mine = frame[frame['dead'].isin(['nothing', what])].assign(lost=100 * frame['lost'].fillna(0))
    return drblab.mean(mine, by=['load', 'scheme', 'share'], of=['latency', 'tail', 'lost'])


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument('--quick', action='store_true', help='one load, and short runs')
    parser.add_argument('--seeds', type=options.count, default=5, metavar='COUNT', help='draws of each share')
    options.add_run_options(parser)


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    folder = options.folder_of(args)
    frame = drblab.run(points(args.quick, args.seeds), options.engine_of(args),
                       journal=f'{folder}/rows.jsonl')
    tables = []
    for what in ('links', 'switches'):
        table = by_share(frame, what)
        tables.append(table.assign(dead=what))
        most = table[table['load'] == table['load'].max()]
        plots.lines(most, 'share', 'latency', 'scheme', unit='slots', log=True,
                    title=f'dead {what}', path=f'{folder}/faults-{what}.svg')
    result = pandas.concat(tables)
    result.to_csv(f'{folder}/faults.csv', index=False, float_format='%.10g')
    options.show(result)
    return 0
