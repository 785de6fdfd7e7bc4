#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws sets of two or three dead links and switches above layer 1 that leave every pair of hosts connected.

random_faults.py PLAN COUNT SEED ROOT BUILD: for each set two lines, the command that breaks it, and the one that
mends it, of a fabric that is up with this plan (plan.json)."""

import json
import random
import sys


def connected(links, dead):
    """Whether every host is reached from the first one without what is dead."""
    beside = {}
    for link in links:
        if link['name'] not in dead and not {link['lower'], link['upper']} & dead:
            beside.setdefault(link['lower'], []).append(link['upper'])
            beside.setdefault(link['upper'], []).append(link['lower'])
    seen, ahead = {'h0'}, ['h0']
    while ahead:
        for name in beside.get(ahead.pop(), []):
            if name not in seen:
                seen.add(name)
                ahead.append(name)
    return all(link['lower'] in seen for link in links if link['lower'].startswith('h'))


def sets(plan, count, rng):
    links = [{**link, 'name': f'{link["lower"]}.{link["lower_port"]}'} for link in plan['links']]
    parts = [link['name'] for link in links if not link['lower'].startswith('h')]
    parts += [switch['name'] for switch in plan['switches'] if switch['layer'] > 1]
    while count:
        drawn = rng.sample(parts, rng.choice((2, 3)))
        if connected(links, set(drawn)):
            count -= 1
            yield drawn


def main():
    path, count, seed, root, build = sys.argv[1:]
    with open(path, encoding='utf-8') as f:
        plan = json.load(f)
    fabric = plan['fabric']
    for drawn in sets(plan, int(count), random.Random(int(seed))):
        breaks, mends = [], []
        for part in drawn:
            if '.' in part:
                switch, port = part.split('.')
                breaks.append(f'ip -n {fabric}-{switch} link set {port} down')
                mends.append(f'ip -n {fabric}-{switch} link set {port} up')
            else:
                breaks.append(f'ip netns pids {fabric}-{part} | xargs kill -KILL')
                mends.append(f"'{root}/topo/fabric' exec {part} -- '{build}/src/switch/drbswitch' "
                             f'-c /run/drbswitch/{fabric}/{part}.yaml &')
        print('; '.join(breaks))
        # A command in the background is not followed by a semicolon.
        print(' '.join(sorted((f'{m}' if m.endswith('&') else f'{m};' for m in mends), key=lambda m: m.endswith('&'))))


if __name__ == '__main__':
    main()
