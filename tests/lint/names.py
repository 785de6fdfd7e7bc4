#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a back trace can tell static functions apart.

names.py FILE...    exit status 1 and a line for each name that too many files define

At most three files define static functions of the same one-word name. Others name the thing, too:
burst_begin() instead of begin(). C must be as clang-format leaves it."""

import collections
import re
import sys

FILES_MAX = 3

ATTRIBUTE = re.compile(r'__attribute__\(\(\w+(?:\([^()]*\))?\)\)')
# The head of a static function, up to the brace on a line of its own
STATIC = re.compile(r'^static\b[^;{}=#]*?\b(\w+)\([^;{}]*\)\n\{$', re.MULTILINE)


def main():
    files = collections.defaultdict(set)
    for path in sys.argv[1:]:
        with open(path, encoding='utf-8') as f:
            for name in STATIC.findall(ATTRIBUTE.sub('', f.read())):
                files[name].add(path)
    wrong = [f'{name}() is static in {len(paths)} files, at most {FILES_MAX}: {", ".join(sorted(paths))}'
             for name, paths in sorted(files.items()) if '_' not in name and len(paths) > FILES_MAX]
    print('\n'.join(wrong), end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
