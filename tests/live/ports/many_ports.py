#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the replies of a switch with many ports, and drbctl path with a socket that repeats them.

many_ports.py FABRIC PORTS DRBCTL

FABRIC has one switch. Exit status 0, or a traceback."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'topo'))

from drbfabric.fabric import telemetry  # noqa: E402
from drbfabric.machines import mirror  # noqa: E402

FABRIC, PORTS, DRBCTL = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SWITCH = f'{FABRIC}-s1-0'

with telemetry.Telemetry(SWITCH) as t:
    said = {'greeting': t.greeting, **{command: t.ask(command) for command in mirror.COMMANDS}}
names = [port['name'] for port in said['/drb/all']['ports']]
assert len(set(names)) == len(names) == PORTS, names
with mirror.sockets({SWITCH: said}) as folder:
    path = ['path', 'h0', f'h{PORTS - 1}', '--fabric', FABRIC, '--json', '--runtime', folder]
    done = subprocess.run([DRBCTL, *path], check=False, capture_output=True, text=True, timeout=30)
assert done.returncode == 0, done.stderr
hops = [json.loads(line) for line in done.stdout.splitlines()]
assert hops[0]['switch'] == 's1-0' and names[-1] in hops[0].values(), hops
