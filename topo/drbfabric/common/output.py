# SPDX-License-Identifier: BSD-3-Clause
"""Prints rows of values as an aligned table, as CSV, or as JSON with one object a line."""

import argparse
import csv
import itertools
import json
import os
import shutil
import sys
import textwrap

_wide = False  # True: print all columns, even if the terminal is too narrow
_colour = 'auto'
# States that terminals print bold and red, as drbctl does (src/ctl/metrics/states.h). A host is
# "gone".
BAD_STATES = 'cut', 'slow', 'stuck', 'hung', 'dead', 'unknown', 'gone'
# Columns with values that may show something wrong.
_WRONG = {'state': BAD_STATES.__contains__, 'failed': lambda number: number > 0}


class _Wide(argparse.Action):
    def __call__(self, *_):
        global _wide
        _wide = True


class _Colour(argparse.Action):
    def __call__(self, _, __, when, *___):
        global _colour
        _colour = when


def add_format_options(parser):
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument('--csv', dest='format', action='store_const', const='csv', default='table',
                      help='print comma-separated values')
    kind.add_argument('--json', dest='format', action='store_const', const='json',
                      help='print one JSON object a line')
    parser.add_argument('--wide', action=_Wide, nargs=0, help='print all columns, also those that are wider than the '
                        'terminal')
    parser.add_argument('--color', action=_Colour, choices=('auto', 'always', 'never'), metavar='WHEN',
                        help='print what is wrong bold and red: auto (on terminals, unless NO_COLOR is set; default), '
                        'always or never')


class RowPrinter:
    """Prints each row as soon as it is there, and the headings before the first one.

    columns: [(key, title)]. A row is {key: value}, None where there is no value. Columns of a table
    are as wide as their titles and as `widest`; values of the last one may be longer. Columns that
    do not fit on the terminal are left out."""

    def __init__(self, columns, kind, widest=8):
        *first, (_, last) = columns
        self.columns, self.kind, self.begun = columns, kind, False
        widths = [max(len(title), widest) for _, title in first]
        self.shown, self.widths = _fitting([*widths, len(last)]), [*widths, 0]

    def _print_cells(self, cells):
        aligned = [cell.rjust(width) for cell, width in zip(cells, self.widths)][:self.shown]
        print('  '.join(aligned).rstrip())

    def head(self):
        """Prints the headings. JSON has them in each row."""
        self.begun = True
        if self.kind == 'csv':
            csv.writer(sys.stdout, lineterminator='\n').writerow([key for key, _ in self.columns])
        elif self.kind == 'table':
            self._print_cells([title for _, title in self.columns])

    def print(self, row):
        keys = [key for key, _ in self.columns]
        if not self.begun:
            self.head()
        if self.kind == 'json':
            print(json.dumps({key: row.get(key) for key in keys}))
        elif self.kind == 'csv':
            csv.writer(sys.stdout, lineterminator='\n').writerow(['' if row.get(k) is None else row[k] for k in keys])
        else:
            self._print_cells([_text(row.get(key)) for key in keys])
        sys.stdout.flush()


def print_rows(columns, rows, kind):
    """Prints rows as a RowPrinter does, but fits the columns of a table to all of them."""
    if kind == 'table':
        _print_table(columns, rows)
        return
    printer = RowPrinter(columns, kind)
    printer.head()
    for row in rows:
        printer.print(row)


def print_result(row, sentence, kind):
    """Prints the result of a command: a sentence for users, or a row for programs."""
    if kind == 'table':
        print(sentence)
    else:
        print_rows([(key, key) for key in row], [row], kind)


def counted(number, noun):
    """A number with its noun: "1 switch", "20 switches"."""
    return f"{number} {noun if number == 1 else noun + ('es' if noun.endswith('ch') else 's')}"


def _text(value):
    if value is None:
        return '-'
    return f'{value:.2f}' if isinstance(value, float) else str(value)


def _fitting(widths):
    """The number of columns that fit on the terminal, at least one."""
    if _wide or not sys.stdout.isatty():
        return len(widths)
    room = shutil.get_terminal_size().columns
    return max(1, sum(end - 2 <= room for end in itertools.accumulate(width + 2 for width in widths)))


def _coloured():
    if _colour == 'auto':
        return sys.stdout.isatty() and not os.environ.get('NO_COLOR') and os.environ.get('TERM') != 'dumb'
    return _colour == 'always'


def _wrong(row, columns):
    """For each column, whether the value of this row shows something wrong."""
    return [key in _WRONG and row.get(key) is not None and _WRONG[key](row[key]) for key, _ in columns]


def _padded(text, width, right, bad):
    shown = f'\033[1;31m{text}\033[0m' if bad else text
    blanks = ' ' * (width - len(text))
    return blanks + shown if right else shown + blanks


def _print_table(columns, rows):
    cells = [[title for _, title in columns]]
    cells += [[_text(row.get(key)) for key, _ in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    # Align numbers right and names left.
    right = [not any(isinstance(row.get(key), str) for row in rows) for key, _ in columns]
    count = _fitting(widths)
    coloured = _coloured()
    wrong = [[False] * len(columns), *(_wrong(row, columns) if coloured else [False] * len(columns) for row in rows)]
    for line, bad in zip(cells, wrong):
        print('  '.join(map(_padded, line[:count], widths, right, bad)).rstrip())
    if count < len(columns):
        print(textwrap.fill(f"Left out (--wide shows all): {', '.join(cells[0][count:])}",
                            shutil.get_terminal_size().columns))
