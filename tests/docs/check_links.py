#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every relative link, anchor and path of this repository in the documentation exists.

    tests/docs/check_links.py REPOSITORY
"""

import os
import re
import sys

LINK = re.compile(r'\]\(([^)\s]+)\)')
# Paths in backquotes, such as `src/core/counters.h`, except those with the placeholder NAME
PATH = re.compile(r'`((?:config|deploy|docs|examples|src|tests|topo)/[\w./+-]*)`')


def anchors(file):
    """Returns the anchors that GitHub makes from the headings of a page."""
    with open(file, encoding='utf-8') as f:
        text = re.sub(r'^```.*?^```', '', f.read(), flags=re.M | re.S)
    return {re.sub(r'[^\w\- ]', '', heading.lower().replace('`', '')).strip().replace(' ', '-')
            for heading in re.findall(r'^#+ +(.*)$', text, re.M)}


def complaints(root, page):
    with open(f'{root}/{page}', encoding='utf-8') as f:
        text = f.read()
    for link in LINK.findall(text):
        if re.match(r'[a-z]+:', link):
            continue
        file, _, anchor = link.partition('#')
        target = os.path.normpath(os.path.join(root, os.path.dirname(page), file)) if file \
            else f'{root}/{page}'
        if not os.path.exists(target):
            yield f'{page}: no file {link}'
        elif anchor and anchor not in anchors(target):
            yield f'{page}: no heading {link}'
    for path in PATH.findall(text):
        if 'NAME' not in path and not os.path.exists(f'{root}/{path}'):
            yield f'{page}: no file {path}'


def markdown(root):
    """Yields the pages below root, relative to it, except those of build folders."""
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(('.', 'build'))]
        for name in names:
            if name.endswith('.md'):
                yield os.path.relpath(f'{folder}/{name}', root)


def main():
    root = sys.argv[1]
    pages = sorted(markdown(root))
    found = [text for page in pages for text in complaints(root, page)]
    print('\n'.join(f'# {text}' for text in found))
    print(f"1..1\n{'not ' if found else ''}ok 1 - links and paths of {len(pages)} pages")
    return 1 if found or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
