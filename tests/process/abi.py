# SPDX-License-Identifier: BSD-3-Clause
"""Describes the binary interface of a library, and compares two descriptions, with libabigail."""

import pathlib
import re
import subprocess
import tempfile

FILE = 'libdrb.abi'


def describe(library, headers):
    """Returns symbols and public types of a library with debug information, as XML."""
    options = ('--headers-dir', headers, '--drop-private-types', '--exported-interfaces-only', '--no-show-locs',
               '--no-corpus-path', '--no-comp-dir-path', '--no-elf-needed')
    return subprocess.run(['abidw', *options, library], capture_output=True, text=True, check=True).stdout


def attribute(abi, name):
    found = re.search(rf"^<abi-corpus .*\b{name}='([^']*)'", abi)
    assert found, name
    return found[1]


def opaque_types(headers):
    """Returns the structs that the headers only name. Programs do not depend on their members."""
    text = ''.join(path.read_text(encoding='utf-8') for path in pathlib.Path(headers).glob('*.h'))
    return set(re.findall(r'^struct (\w+);$', text, re.M)) - set(re.findall(r'^struct (\w+) {$', text, re.M))


def differences(old, new, headers):
    """Returns a report of differences between two interfaces, except for new symbols, or ''."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {'old': old, 'new': new,
                 'opaque': f'[suppress_type]\n  name_regexp = ^({"|".join(sorted(opaque_types(headers)))})$\n'}
        for name, text in texts.items():
            pathlib.Path(folder, name).write_text(text, encoding='utf-8')
        r = subprocess.run(['abidiff', '--no-added-syms', '--suppressions', 'opaque', 'old', 'new'], cwd=folder,
                           capture_output=True, text=True, check=False)
    return f'{r.stdout}{r.stderr}' if r.returncode else ''


def breaks(old, new, headers):
    """Returns a report of changes that programs linked with the old interface notice, or ''.

    A library with another soname may change."""
    if attribute(old, 'soname') != attribute(new, 'soname'):
        return ''
    report = differences(old, new, headers)
    return report and f'libdrb changed without a new soname\n{report}'
