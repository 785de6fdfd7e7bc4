#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Includes go one way: from a folder of src/ to itself and to folders further down in a table, and
nowhere in a circle. What comments name is there.

includes.py TABLE [ROOT]    exit status 1 and a line for each include that does not

The table names one folder a line, from the top of the house to its ground; folders inside it that have
no line of their own belong to it. "a/b -> c/d  why" lets a/b, a folder or one file, include headers of c/d all
the same.
Includes in quotes are meant, from ROOT (default src) or from the file's own folder; generated headers
are not there to be looked at. Of a Python package, imports of its own modules by their full names; its top folder
is the line "."."""

import collections
import os
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# from package.folder import module, module or from package.folder.module import name
IMPORT = re.compile(r'^ *from (\w+)((?:\.\w+)*) import (\([^)]*\)|.*)', re.MULTILINE)
# In a comment: core/links/hello.h, or what ends such a path.
NAMED = re.compile(r'(?<![\w./-])((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:c|h|def))\b')


def imports(root, text):
    """Files of a package that a module of it imports."""
    for package, module, names in IMPORT.findall(text):
        if package == os.path.basename(root):
            folder = module[1:].replace('.', '/')
            yield f'{folder}.py'
            yield from (os.path.join(folder, f'{name}.py') for name in re.findall(r'\w+', names))


def includes(root):
    """{file: files that it includes}, all relative to root."""
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
    """A line for each comment that names a file of src/ by its folder, and there is none."""
    for file in sorted(found):
        with open(os.path.join(root, file), encoding='utf-8') as f:
            for number, line in enumerate(f, 1):
                for name in NAMED.findall(line.partition('//')[2]):
                    known = any(f'/{path}'.endswith(f'/{name}') for path in found)
                    if not known and not os.path.isfile(os.path.join(root, name)) and \
                            not os.path.isfile(name):
                        yield f'{file}:{number}: names {name}, and there is no such file'


def read_table(path):
    """(folders from top to ground, {(from, to): why})"""
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
    """The folder of the table that a file belongs to, None if there is none."""
    folder = os.path.dirname(file)
    while folder:
        if folder in order:
            return folder
        folder = os.path.dirname(folder)
    return '.' if '.' in order else None


def upwards(found, order, allowed):
    """A line for each include that the table does not let pass, or entry that lets nothing pass."""
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
    """A line for each set of files that include one another in a circle (Tarjan's algorithm)."""
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
