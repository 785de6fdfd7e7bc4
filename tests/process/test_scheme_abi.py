#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a change of what loaded schemes see comes with another DRB_SCHEME_ABI.

test_scheme_abi.py SCHEME HEADERS            TAP on standard output
test_scheme_abi.py SCHEME HEADERS --store    stores the interface of a new DRB_SCHEME_ABI
SCHEME is tests/fixtures/scheme_interface.c as a shared object. Hosts refuse schemes of another
number. With the same number and another interface, schemes would read wrong members."""
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True

import abi  # noqa: E402
import tap  # noqa: E402

SCHEME, HEADERS = sys.argv[1:3]
STORED = pathlib.Path(__file__).parents[1] / 'fixtures/scheme_abi'
STORE = f'tests/process/test_scheme_abi.py {" ".join(sys.argv[1:3])} --store'


def number(text):
    """Returns DRB_SCHEME_ABI of a header."""
    found = re.search(r'^#define DRB_SCHEME_ABI (\d+)$', text, re.M)
    assert found, 'drb/scheme.h does not define DRB_SCHEME_ABI'
    return int(found[1])


def now():
    """Returns the number and its stored interface, and the interface as it was built."""
    if not shutil.which('abidiff'):
        raise tap.Skip('abidiff is not installed (abigail-tools)')
    described = abi.describe(SCHEME, HEADERS)
    if "name='drb_scheme_ops'" not in described:
        raise tap.Skip('the scheme has no debug information')
    n = number(pathlib.Path(HEADERS, 'drb/scheme.h').read_text(encoding='utf-8'))
    return n, STORED / f'{n}.abi', described


def changes(old, new):
    """Returns a report of all differences of two interfaces, or ''."""
    if abi.attribute(old, 'architecture') != abi.attribute(new, 'architecture'):
        raise tap.Skip('the interface is stored as another architecture has it')
    return abi.differences(old, new, HEADERS)


def interface_is_that_of_its_number():
    n, path, new = now()
    assert path.exists(), f'DRB_SCHEME_ABI {n} has no stored interface: {STORE}'
    report = changes(path.read_text(encoding='utf-8'), new)
    assert not report, f'raise DRB_SCHEME_ABI (drb/scheme.h), because schemes see another interface; then {STORE}:' \
                       f'\n{report}'


def number_never_falls():
    n = now()[0]
    stored = max(int(path.stem) for path in STORED.glob('*.abi'))
    assert n >= stored, f'DRB_SCHEME_ABI fell from {stored} to {n}'


def what_schemes_notice_is_refused():
    new = now()[2]
    member = r"(layout-offset-in-bits=')\d+('>\s*<var-decl name='{}')"
    for pattern, by in ((r"(<class-decl name='drb_decision' size-in-bits=')\d+", r'\g<1>8'),
                        (member.format('mark'), r'\g<1>8\2'), (member.format('choose_among'), r'\g<1>8\2'),
                        (r"(<enumerator name='DRB_DRAW_TWO' value=')\d+", r'\g<1>9'),
                        (r"(<enumerator name='DRB_TAKES_TURNS' value=')\d+", r'\g<1>9'),
                        (r"(<array-type-def dimensions='1' type-id='[^']*' size-in-bits=')128", r'\g<1>256')):
        other = re.sub(pattern, by, new)
        assert other != new, pattern
        assert changes(other, new), pattern


def store():
    n, path, new = now()
    if path.exists():
        sys.exit(f'{path} exists: raise DRB_SCHEME_ABI above {n}')
    path.parent.mkdir(exist_ok=True)
    path.write_text(new, encoding='utf-8')


if sys.argv[3:] == ['--store']:
    store()
else:
    tap.run((interface_is_that_of_its_number, number_never_falls, what_schemes_notice_is_refused))
