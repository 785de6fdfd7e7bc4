#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests examples with a switch: schemes route its packets, and counters prints its counters.

test_examples.py DRBSWITCH CONFIG_DIR COUNTERS SCHEME...    TAP on standard output. See world.py."""
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from store_version import PORTS, config  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import World, ask, stop  # noqa: E402

COUNTERS, SCHEMES = sys.argv[3], [pathlib.Path(scheme) for scheme in sys.argv[4:]]


def counted(w):
    """Returns {(name, key): value} as the example prints them.

    The scheme has no key: {('scheme',): value}."""
    done = subprocess.run([COUNTERS, 'drb-s1-0'], env=w.environment(), capture_output=True, text=True, timeout=WITHIN,
                          check=False)
    assert done.returncode == 0 and not done.stderr, done
    return {(words[0], *words[2:]): words[1] for words in map(str.split, done.stdout.splitlines())}


def check_scheme(w, scheme):
    text = config(w.dir) + f'routing: {{scheme: {scheme}}}\n'
    p = w.ready(text)
    path = w.socket_of('drb-s1-0')
    until(lambda: int(counted(w)['decisions', 'up_default']))
    before, found, after = ask(path, '/drb/routing')[0], counted(w), ask(path, '/drb/routing')[0]
    assert found.pop(('scheme',)) == scheme, found
    assert sorted(found) == sorted([('decisions', key) for key in ('up_default', 'up_redirected', 'up_walked', 'down')]
                                   + [(port, 'queue_packets') for port in PORTS]), found
    for (name, key), value in found.items():
        if name == 'decisions':
            assert before[key] <= int(value) <= after[key], (key, value)
    assert int(found['decisions', 'down']) and any(int(found[port, 'queue_packets']) for port in PORTS), found
    stop(p)
    w.drain()


def counters_are_those_of_the_switch():
    with World() as w:
        check_scheme(w, 'drb')


def schemes_route_packets():
    for scheme in SCHEMES:
        with World() as w:
            shutil.copy(scheme, w.dir)
            (w.dir / scheme.name).chmod(0o755)
            check_scheme(w, f'{w.dir}/{scheme.name}')


def without_a_switch_it_says_so():
    with World() as w:
        done = subprocess.run([COUNTERS, 'drb-nosuch'], env=w.environment(), capture_output=True, text=True,
                              timeout=WITHIN, check=False)
        assert done.returncode == 1 and done.stderr == 'drb-nosuch: No such file or directory\n', done


tap.run((counters_are_those_of_the_switch, schemes_route_packets, without_a_switch_it_says_so))
