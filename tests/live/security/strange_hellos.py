#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An intruder on both uplinks of s1-0 of a running fabric, who hears all hellos there.

  strange_hellos.py FABRIC KIND SECONDS

KIND "play": plays each hello at every end of both links where it does not belong, with an earlier
and a changed one. KIND "flood": sends 20,000 changed hellos a second to s1-0.u0. Prints one line of
JSON:
  frames   number of frames sent
  counted  how many of them were dropped as forged_hello or replayed_hello
  changed  ends of links between switches whose state has changed, even if it has changed back"""
import collections
import json
import os
import random
import selectors
import socket
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'topo'))
from drbfabric.fabric import netns  # noqa: E402
from drbfabric.fabric.telemetry import Telemetry  # noqa: E402

ETHERTYPE = 0x88b5
TAG, INSTANCE, NUMBER = slice(22, 38), slice(59, 67), slice(67, 75)
OLD_S = 0.5
FLOOD_RATE = 20000


def ask(fabric, switch, what):
    with Telemetry(f'{fabric}-{switch}') as telemetry:
        return telemetry.ask(what)


def switches(fabric):
    return sorted(name[len(fabric) + 1:] for name in os.listdir(netns.FOLDER) if name.startswith(f'{fabric}-s'))


def states(fabric):
    """Returns {end: [state, since when]} of links between switches."""
    found = {}
    for switch in switches(fabric):
        for name in ask(fabric, switch, '/drb/ports')['name']:
            port = ask(fabric, switch, f'/drb/port,{name}')
            if '.' in port['peer']:
                found[f'{switch}.{name}'] = [port['state'], port['since_ns']]
    return found


def refused(fabric):
    drops = [ask(fabric, switch, '/drb/drops') for switch in switches(fabric)]
    return sum(d['forged_hello'] + d['replayed_hello'] for d in drops)


def open_at(fabric, switch, port):
    with netns.inside(f'{fabric}-{switch}'):
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
        s.bind((port, ETHERTYPE))
    return s


def ends(fabric):
    """Returns {end: the other end}, with a socket for each end of both links.

    A socket receives frames that come to its end and sends to the other end."""
    across = {}
    for up in ('u0', 'u1'):
        upper, down = ask(fabric, 's1-0', f'/drb/port,{up}')['peer'].split('.')
        low, high = open_at(fabric, 's1-0', up), open_at(fabric, upper, down)
        across |= {low: high, high: low}
    return across


def changed(frame, draw):
    """Returns a hello of another process, or a later one of the same process.

    Without a key, which proves the number, the latter is an earlier one."""
    other = bytearray(frame)
    if draw.random() < 0.5:
        other[INSTANCE] = draw.randbytes(8)
    else:
        later = int.from_bytes(frame[NUMBER], 'big') + 1000 if any(frame[TAG]) else 0
        other[NUMBER] = later.to_bytes(8, 'big')
    return bytes(other)


def play(across, seconds):
    draw, heard, mine, sent = random.Random(1), collections.deque(maxlen=1000), collections.Counter(), 0
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as wait:
        for s in across:
            wait.register(s, selectors.EVENT_READ, s)
        while time.monotonic() < end:
            for at in [key.data for key, _ in wait.select(0.1)]:
                frame = at.recv(10000)
                if mine[at, frame] > 0:
                    mine[at, frame] -= 1
                    continue
                heard.append((time.monotonic(), frame))
                strange = [(to, frame) for to in across if to != at] + [(at, changed(frame, draw))]
                then, old = draw.choice(heard)
                if then < time.monotonic() - OLD_S:
                    strange.append((draw.choice(list(across)), old))
                for to, other in strange:
                    mine[to, other] += 1
                    across[to].send(other)
                    sent += 1
    return sent


def flood(across, seconds):
    draw, sent = random.Random(1), 0
    low, high = list(across.items())[0]
    frame = low.recv(10000)
    frames = [changed(frame, draw) for _ in range(64)]
    begun = time.monotonic()
    while time.monotonic() < begun + seconds:
        for other in frames:
            high.send(other)
        sent += len(frames)
        time.sleep(max(0, begun + sent / FLOOD_RATE - time.monotonic()))
    return sent


def main():
    fabric, kind, seconds = sys.argv[1:]
    across = ends(fabric)
    before, counted = states(fabric), refused(fabric)
    sent = {'play': play, 'flood': flood}[kind](across, float(seconds))
    time.sleep(0.5)
    after = states(fabric)
    differ = {end: [before[end][0], after[end][0]] for end in before if before[end] != after[end]}
    print(json.dumps({'frames': sent, 'counted': refused(fabric) - counted, 'changed': differ}))


main()
