#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a header with a name for the code that computes figures.

Usage: code_of.py HEADER DEPFILE FOLDER...

The name is a hash of all .c and .h files in these folders and below. Any change there changes the
name, so that a journal does not take rows of older code for rows of this code. The folders hold all
that a run of a model uses, and nothing that only prints. DEPFILE names these files, so that the
build notices changes."""
import hashlib
import os
import sys


def files_of(folders):
    for folder in folders:
        for path, _, names in os.walk(folder):
            for name in names:
                if name.endswith(('.c', '.h')):
                    yield os.path.join(path, name), os.path.relpath(os.path.join(path, name), os.path.dirname(folder))


def code_of(folders):
    """Returns 16 hexadecimal digits: a hash of names and contents of the files in the folders."""
    code = hashlib.sha256()
    for path, name in sorted(files_of(folders), key=lambda pair: pair[1]):
        with open(path, 'rb') as f:
            contents = f.read()
        code.update(f'{name} {len(contents)}\n'.encode() + contents)
    return code.hexdigest()[:16]


def main():
    header, depfile, *folders = sys.argv[1:]
    with open(header, 'w', encoding='utf-8') as f:
        f.write(f'#define SIM_CODE "{code_of(folders)}"\n')
    with open(depfile, 'w', encoding='utf-8') as f:
        f.write(f'{header}: ' + ' '.join(sorted(path for path, _ in files_of(folders))) + '\n')


if __name__ == '__main__':
    main()
