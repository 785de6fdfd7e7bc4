# SPDX-License-Identifier: BSD-3-Clause
"""Prints rows of values as an aligned table, as CSV, or as JSON with one object a line."""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that set the form of the output."""
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument('--csv', dest='format', action='store_const', const='csv', default='table',
                      help='print comma-separated values')
    kind.add_argument('--json', dest='format', action='store_const', const='json',
                      help='print one JSON object a line')
    parser.add_argument('--wide', action='store_true',
                        help='print all columns, also those that are wider than the terminal')


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def show(rows: Rows, args: argparse.Namespace, columns: Mapping[str, str] | None = None) -> None:
    """Prints rows in the form that the options set.

    columns: {key: title} of the table, in this order; CSV and JSON have all keys of the rows."""
    if args.format == 'json':
        for row in rows:
            print(json.dumps({key: _plain(value) for key, value in row.items()}))
    elif args.format == 'csv':
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator='\n')
        writer.writeheader()
        writer.writerows([{key: _plain(value) for key, value in row.items()} for row in rows])
    else:
        titles = columns or {key: key for key in rows[0]}
        lines([list(titles.values()), *([row.get(key) for key in titles] for row in rows)],
              args.wide)


def _text(value: Any) -> str:
    if value is None or isinstance(value, float) and math.isnan(value):
        return '-'
    return f'{value:.2f}' if isinstance(value, float) else str(value)


def lines(cells: Sequence[Sequence[Any]], wide: bool) -> None:
    """Prints a table, whose first line has the titles. A narrow terminal leaves out columns on the
    right, unless `wide` is true."""
    texts = [[_text(value) for value in line] for line in cells]
    widths = [max(map(len, column)) for column in zip(*texts)]
    # Align numbers right and names left.
    right = [not any(isinstance(value, str) for value in column[1:]) for column in zip(*cells)]
    count = len(widths)
    if not wide and sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        count = max(1, sum(end - 2 <= room for end in itertools.accumulate(w + 2 for w in widths)))
    for line in texts:
        padded = [text.rjust(width) if to_right else text.ljust(width)
                  for text, width, to_right in zip(line[:count], widths, right)]
        print('  '.join(padded).rstrip())
    if count < len(widths):
        print(f"Left out (--wide shows all): {', '.join(texts[0][count:])}")
