# SPDX-License-Identifier: BSD-3-Clause
"""each link over the whole time of a recording, the busiest first

FILE is what drbctl record wrote. Of each port: packets sent, the share of its rate, the mean
queue, the longest queue that a poll saw, and packets dropped there.

examples:
  drblab links run.ndjson
  drblab links run.ndjson --csv >links.csv
"""

from __future__ import annotations

import argparse
import sys

from drblab import recording
from drblab.studies import options


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument('recording', metavar='FILE', help='recording of drbctl record')
    parser.add_argument('--top', type=options.count, default=16, metavar='COUNT',
                        help='links to show; --csv has all')
    parser.add_argument('--csv', action='store_true', help='print all links as CSV')


def main(args: argparse.Namespace) -> int:
    """Prints the table."""
    try:
        frame = recording.links(args.recording)
    except recording.RecordingError as e:
        print(f'drblab: {e}', file=sys.stderr)
        return 2
    if args.csv:
        frame.to_csv(sys.stdout, index=False)
        return 0
    options.show(frame.head(args.top))
    if len(frame) > args.top:
        print(f'and {len(frame) - args.top} more (--csv has all)')
    return 0
