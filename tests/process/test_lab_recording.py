#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of drbctl record, summed up by the laboratory.

test_lab_recording.py LAB_DIR    TAP on standard output."""
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drblab import recording  # noqa: E402


def recorded(polls, cut=''):
    """Writes a recording of one switch with two ports; returns its path.

    polls: (pid, seconds, [packets, octets, queue_ns, dropped, queue] of each port)"""
    keys = ['out_packets', 'out_octets', 'queue_ns', 'out_discards', 'queue_packets']
    with tempfile.NamedTemporaryFile('w', delete=False) as f:
        for pid, seconds, ports in polls:
            names = [('d0', '100pps'), ('u0', '8kbit')]
            switch = {'fabric': 'drb', 'name': 's1-0', 'pid': pid, 'time_ns': int(seconds * 1e9),
                      'ports': [{'name': name, 'peer': f'x.{name}', 'rate': rate, 'count': count}
                                for (name, rate), count in zip(names, ports)]}
            silent = {'fabric': 'drb', 'name': 's1-1', 'up': False}
            f.write(json.dumps({'format': 1, 'port_counters': keys, 'switches': [switch, silent]}) + '\n')
        f.write(cut)
    return f.name


def refusal(path):
    """Returns why a file is refused."""
    try:
        recording.links(path)
    except recording.RecordingError as e:
        return str(e)
    raise AssertionError('it was read')


def a_recording_tells_each_link():
    """A switch that was started again begins at 0; the last line may be cut."""
    path = recorded([(7, 10, [[5, 50, 0, 1, 9], [0, 0, 0, 0, 0]]),
                     (7, 12, [[105, 5050, 4e9, 1, 2], [10, 1000, 0, 0, 1]]),
                     (8, 15, [[3, 30, 0, 0, 0], [4, 40, 0, 0, 1]]),
                     (8, 17, [[103, 3030, 2e9, 4, 0], [14, 1040, 0, 0, 1]])], cut='{"format": 1, "sw')
    frame = recording.links(path)
    assert list(frame['port']) == ['d0', 'u0'] and list(frame['packets']) == [200, 20], frame
    assert list(frame['seconds']) == [4, 4] and list(frame['dropped']) == [4, 0], frame
    assert list(frame['queue_max']) == [9, 1] and math.isclose(frame['queue_mean'][0], 1.5), frame
    # 200 packets of 10 ms each, and 2000 bytes at 1000 bytes a second, in 4 s
    assert math.isclose(frame['use'][0], 0.5) and math.isclose(frame['use'][1], 0.5), frame
    said = subprocess.run([sys.executable, '-B', f'{sys.argv[1]}/run', 'links', path, '--top', '1'],
                          text=True, capture_output=True, check=True).stdout
    assert 's1-0   d0' in said and 'and 1 more (--csv has all)' in said, said
    rows = subprocess.run([sys.executable, '-B', f'{sys.argv[1]}/run', 'links', path, '--csv'],
                          text=True, capture_output=True, check=True).stdout.splitlines()
    assert len(rows) == 3 and rows[1].startswith('drb,s1-0,d0,x.d0,200,0.5,1.5,9,4,4'), rows
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{"format": 2, "version": "9.1"}\n')
    said = refusal(path)
    assert said.endswith(':1: format 2 of version 9.1: this version reads format 1'), said
    said = refusal(__file__)
    assert 'test_lab_recording.py:1: no poll: give a file of drbctl record' in said, said
    assert '/dev/null:1: no poll' in refusal('/dev/null')
    os.unlink(path)


if __name__ == '__main__':
    tap.run([a_recording_tells_each_link])
