#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that includes go only downwards and never in a circle, and that named files exist.

includes.py TABLE [ROOT]    exit status 1 and a line for each violation

The table names one folder per line, from top to bottom. A folder of ROOT (default src) may include
itself and folders below it in the table. A folder without a line belongs to the nearest parent that
has one. "a/b -> c/d  why" permits a/b, a folder or one file, to include headers of c/d although it
is above.

In C, only includes in quotes count, from ROOT or from the file's own folder. Generated headers are
ignored. In a Python package, imports of its own modules by their full names count, and its top
folder is the line "."."""

import collections
import os
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# The forms "from package.folder import module, module" and "from package.folder.module import name"
IMPORT = re.compile(r'^ *from (\w+)((?:\.\w+)*) import (\([^)]*\)|.*)', re.MULTILINE)
# A file named in a comment, such as core/links/hello.h, or the end of such a path
NAMED = re.compile(r'(?<![\w./-])((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:c|h|def))\b')


def imports(root, text):
    """Yields the files of a package that a module of it imports."""
    for package, module, names in IMPORT.findall(text):
        if package == os.path.basename(root):
            folder = module[1:].replace('.', '/')
            yield f'{folder}.py'
            yield from (os.path.join(folder, f'{name}.py') for name in re.findall(r'\w+', names))


def includes(root):
    """Returns {file: files that it includes}, all relative to root."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(('.c', '.h', '.py')):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding='utf-8') as f:
                text = f.read()
            if name.endswith('.py'):
                places = [os.path.join(root, w) for w in imports(root, text)]
            else:
                places = [os.path.join(at, w) for w in INCLUDE.findall(text) for at in (root, folder)]
            found[os.path.relpath(path, root)] = sorted(
                {os.path.relpath(place, root) for place in places if os.path.isfile(place)})
    return found


def stale(root, found):
    """Yields a line for each comment that names a file of src/ that does not exist."""
    for file in sorted(found):
        with open(os.path.join(root, file), encoding='utf-8') as f:
            for number, line in enumerate(f, 1):
                for name in NAMED.findall(line.partition('//')[2]):
                    known = any(f'/{path}'.endswith(f'/{name}') for path in found)
                    if not known and not os.path.isfile(os.path.join(root, name)) and \
                            not os.path.isfile(name):
                        yield f'{file}:{number}: names {name}, and there is no such file'


def read_table(path):
    """Returns (folders from top to bottom, {(from, to): why})."""
    order, allowed = [], {}
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            words = line.split('#')[0].split()
            if not words:
                continue
            if len(words) > 3 and words[1] == '->':
                allowed[words[0], words[2]] = ' '.join(words[3:])
            elif len(words) == 1:
                order.append(words[0])
            else:
                sys.exit(f'{path}:{number}: must be "FOLDER" or "FOLDER -> FOLDER why"')
    return order, allowed


def listed(file, order):
    """Returns the folder of the table to which a file belongs, or None."""
    folder = os.path.dirname(file)
    while folder:
        if folder in order:
            return folder
        folder = os.path.dirname(folder)
    return '.' if '.' in order else None


def upwards(found, order, allowed):
    """Yields a line for each include that the table forbids, and for each unneeded exception."""
    used = set()
    for file, wanted in sorted(found.items()):
        mine = listed(file, order)
        if mine is None:
            yield f'{file}: its folder is not in the table'
            continue
        for header in wanted:
            other = listed(header, order)
            if other is None or order.index(mine) <= order.index(other):
                continue
            let = {(mine, other), (file, other)} & set(allowed)
            used |= let
            if not let:
                yield f'{file}: includes {header}, but {other} is above {mine}'
    for pair in sorted(set(allowed) - used):
        yield f'{pair[0]} -> {pair[1]}: nothing needs it, take it out of the table'


def circles(found):
    """Yields a line for each set of files that include each other in a circle (Tarjan)."""
    index, low, stack, counter = {}, {}, [], 0

    def visit(file):
        nonlocal counter
        index[file] = low[file] = counter
        counter += 1
        stack.append(file)
        for header in found.get(file, []):
            if header not in index:
                yield from visit(header)
                low[file] = min(low[file], low[header])
            elif header in stack:
                low[file] = min(low[file], index[header])
        if low[file] == index[file]:
            circle = [stack.pop()]
            while circle[-1] != file:
                circle.append(stack.pop())
            if len(circle) > 1 or file in found.get(file, []):
                yield f'include one another: {", ".join(sorted(circle))}'

    for file in sorted(found):
        if file not in index:
            yield from visit(file)


def main():
    root = sys.argv[2] if len(sys.argv) > 2 else 'src'
    found = includes(root)
    order, allowed = read_table(sys.argv[1])
    twice = [name for name, times in collections.Counter(order).items() if times > 1]
    wrong = [f'{name}: twice in the table' for name in twice]
    wrong += [*upwards(found, order, allowed), *circles(found), *stale(root, found)]
    for line in wrong:
        print(line)
    if not found:
        sys.exit('no sources')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
