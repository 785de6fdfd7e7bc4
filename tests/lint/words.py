#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that forbidden words, which words.txt lists, do not come back.

words.py TABLE FILE...    exit status 1 and a line for each occurrence

The table has lines "PATTERN -> what to say instead". A pattern is a Python regular expression, in
which a blank also matches the end of a line; case does not matter. Lines below "[markdown]" apply
only to the prose of Markdown, and are read by prose.py."""

import re
import sys


EVERYWHERE, MARKDOWN = '', '[markdown]'


def read_table(path, section=EVERYWHERE):
    """Returns [(pattern, what to say instead)] of a section."""
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
            # A sentence may continue in the next line of a comment.
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
