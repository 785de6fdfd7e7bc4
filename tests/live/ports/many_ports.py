#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a switch with more ports than one reply has room for says, word for word, and drbctl path asking a stats
socket that repeats it.

many_ports.py FABRIC PORTS DRBCTL    of a fabric with one switch; exit status 0, or a traceback."""
import json
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'topo'))

from drbfabric.fabric import telemetry  # noqa: E402
from drbfabric.machines import mirror  # noqa: E402

FABRIC, PORTS, DRBCTL = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SWITCH = f'{FABRIC}-s1-0'
ROUNDS = 200
READERS = 3  # besides


def ask_everything():
    with telemetry.Telemetry(SWITCH) as t:
        return {'greeting': t.greeting, **{key: reply for command in mirror.COMMANDS
                                           for key, reply in t.parts(command).items()}}


def pages(said):
    return [reply for command, reply in said.items() if command.startswith('/drb/all')]


def all_ports_are_repeated():
    said = ask_everything()
    names = [name for page in pages(said) for name in page['ports']['name']]
    assert len(pages(said)) > 1 and len(set(names)) == len(names) == PORTS, names
    with mirror.sockets({SWITCH: said}) as folder:
        path = ['path', 'h0', f'h{PORTS - 1}', '--fabric', FABRIC, '--json', '--runtime', folder]
        done = subprocess.run([DRBCTL, *path], check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    hops = [json.loads(line) for line in done.stdout.splitlines()]
    assert hops[0]['switch'] == 's1-0' and names[-1] in hops[0].values(), hops


def all_are_of_one_instant():
    """While other readers ask all the time: the switch keeps some snapshots, each for who asked for it."""
    ended, refused = threading.Event(), 0

    def disturb():
        with telemetry.Telemetry(SWITCH) as t:
            while not ended.is_set():
                t.ask('/drb/all')

    disturbers = [threading.Thread(target=disturb) for _ in range(READERS)]
    for disturber in disturbers:
        disturber.start()
    try:
        for _ in range(ROUNDS):
            try:
                times = {page['time_ns'] for page in pages(ask_everything())}
                assert len(times) == 1, times
            except OSError as e:
                assert 'other readers' in str(e), e
                refused += 1
    finally:
        ended.set()
        for disturber in disturbers:
            disturber.join()
    print(f'# {refused} of {ROUNDS} readers were told that many others ask, too')
    assert refused < ROUNDS / 10


all_ports_are_repeated()
all_are_of_one_instant()
