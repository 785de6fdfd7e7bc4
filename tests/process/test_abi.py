#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests that libdrb keeps the interface of each stored release with the same soname.

test_abi.py LIBDRB HEADERS    TAP on standard output."""
import re
import shutil
import sys

sys.dont_write_bytecode = True

import abi  # noqa: E402
import tap  # noqa: E402
from store_version import STORED  # noqa: E402

LIBRARY, HEADERS = sys.argv[1:3]
FUNCTION = r"<function-decl name='drb_version'.*?</function-decl>|<elf-symbol name='drb_version'[^>]*>"


def today():
    """Returns the interface of the library as it was built."""
    if not shutil.which('abidiff'):
        raise tap.Skip('abidiff is not installed (abigail-tools)')
    described = abi.describe(LIBRARY, HEADERS)
    if '<function-decl ' not in described:
        raise tap.Skip('libdrb has no debug information')
    return described


def releases_of_this_soname_run_on():
    new = today()
    stored = {path.parent.name: path.read_text(encoding='utf-8') for path in STORED.glob(f'*/{abi.FILE}')}
    assert stored, f'no release in {STORED} has {abi.FILE}'
    for version, old in stored.items():
        if abi.attribute(old, 'architecture') != abi.attribute(new, 'architecture'):
            raise tap.Skip(f'{version} is stored as another architecture has it')
        broken = abi.breaks(old, new, HEADERS)
        assert not broken, f'since {version}: {broken}'


def replaced(text, pattern, by):
    """Returns the text with one more change, which must be one."""
    other = re.sub(pattern, by, text, flags=re.S)
    assert other != text, pattern
    return other


def what_programs_notice_is_refused():
    now = today()
    bits = r"(<class-decl name='drb_decision' size-in-bits=')\d+"
    for pattern, by, named in ((bits, r'\g<1>8', 'drb_decision'), ('drb_version', 'drb_gone', 'drb_gone'),
                               ("(version='LIBDRB_)", r'\1OLD_', 'drb_tree_new')):
        old = replaced(now, pattern, by)
        broken = abi.breaks(old, now, HEADERS)
        assert broken.startswith('libdrb changed without a new soname') and named in broken, (named, broken)
        assert not abi.breaks(replaced(old, r"soname='\S+'", "soname='libdrb.so.old'"), now, HEADERS), named


def what_they_do_not_notice_is_accepted():
    now = today()
    hidden = r"(<class-decl name='drb_tree' size-in-bits=')\d+"
    for old in now, replaced(now, FUNCTION, ''), replaced(now, hidden, r'\g<1>8'):
        assert not abi.breaks(old, now, HEADERS), abi.breaks(old, now, HEADERS)


tap.run((releases_of_this_soname_run_on, what_programs_notice_is_refused, what_they_do_not_notice_is_accepted))
