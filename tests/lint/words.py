#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Words that words.txt lists as not used do not come back.

words.py TABLE FILE...    exit status 1 and a line for each place that has one

The table has lines "PATTERN -> what to say instead"; a pattern is a Python regular expression, in which
a blank also stands for the end of a line. Upper and lower case are alike. Lines below "[markdown]" hold for
the prose of Markdown only: prose.py reads these."""

import re
import sys


EVERYWHERE, MARKDOWN = '', '[markdown]'


def read_table(path, section=EVERYWHERE):
    """[(pattern, what to say)] of a section"""
    rows, current = [], EVERYWHERE
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            parts = line.rstrip('\n').split(' -> ')
            if line.startswith('#') or not line.strip():
                continue
            if line.strip() == MARKDOWN:
                current = MARKDOWN
                continue
            if len(parts) != 2:
                sys.exit(f'{path}:{number}: must be "PATTERN -> what to say instead"')
            # A sentence goes on in the next line of a comment.
            pattern = parts[0].strip().replace(' ', r'(?:\s+(?://|#|\*)?\s*)')
            if current == section:
                rows.append((re.compile(rf'\b(?:{pattern})\b', re.IGNORECASE), parts[1].strip()))
    return rows


def main():
    rows, found = read_table(sys.argv[1]), False
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8', errors='replace') as f:
            text = f.read()
        for pattern, say in rows:
            for match in pattern.finditer(text):
                line = text.count('\n', 0, match.start()) + 1
                word = ' '.join(match[0].split())
                print(f'{path}:{line}: "{word}": say {say} (docs/reference/glossary.md)')
                found = True
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
