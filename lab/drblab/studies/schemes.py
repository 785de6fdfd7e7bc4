# SPDX-License-Identifier: BSD-3-Clause
"""schemes side by side under the same traffic

Mean latency and tail of each scheme at each load, and how far they are from those of the first
scheme, seed by seed. DIR gets rows.jsonl, schemes.csv, paired.csv and pictures.

examples:
  drblab schemes -o schemes
  drblab schemes -d 8 --load 0.5:0.9:0.1 --scheme drb,walk --traffic fixed -o fixed
"""

from __future__ import annotations

import argparse

import drblab
from drblab import plots
from drblab.studies import options


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    options.add_fabric_options(parser, '0.6,0.8,0.9,0.95')
    parser.add_argument('--scheme', type=options.some_schemes, default='drb,dmodk,micro',
                        metavar='LIST', help='schemes; all are compared with the first')
    parser.add_argument('--traffic', default='permutation', metavar='NAME',
                        help='who sends to whom: see drbsim packet --help')
    parser.add_argument('--threshold', default='paper', metavar='T',
                        help='T of schemes that have one')
    options.add_run_options(parser)


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    folder = options.folder_of(args)
    points = drblab.sweep('packet', layers=args.layers, arity=args.arity, load=args.load,
                          traffic=args.traffic, threshold=args.threshold, slots=args.slots,
                          stats=args.slots // 2, scheme=args.scheme,
                          seed=range(1, args.runs + 1))
    frame = drblab.run(points, options.engine_of(args), journal=f'{folder}/rows.jsonl')
    means = drblab.mean(frame, by=['load', 'scheme'], of=['latency', 'tail'])
    means.to_csv(f'{folder}/schemes.csv', index=False)
    options.show(means)
    if len(args.scheme) > 1:
        pairs = drblab.paired(frame, 'scheme', args.scheme[0], 'tail', by='load', relative=True)
        pairs.to_csv(f'{folder}/paired.csv', index=False)
        print(f'\nTails next to {args.scheme[0]}, as shares, seed by seed:')
        options.show(pairs)
    for figure in ('latency', 'tail'):
        plots.lines(means, 'load', figure, 'scheme', unit='slots', log=True,
                    path=f'{folder}/{figure}.svg')
    return 0
