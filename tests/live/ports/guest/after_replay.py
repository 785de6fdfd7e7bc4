#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a replay over a fabric with one switch in a guest shows, next to the simulator's, as a line of JSON.

    after_replay.py FOLDER SLOT-NS HOST...    the hosts of the guest's switch; FOLDER as replay.bash fills it

The guest's slots begin in the middle of the others'. What it forwards leaves half a slot early, so that a packet to its
hosts has taken half a slot less than with one clock. A packet from its hosts is at the next switch within the slot in
which it came to the guest: a whole slot less. That is made up for."""

import csv
import json
import sys


def missing(row, hosts):
    """Slots that this packet's latency lacks."""
    return 0.5 if row['destination'] in hosts else 1 if row['source'] in hosts else 0


def latency(folder, slot_ns, hosts):
    """Mean in slots."""
    with open(f'{folder}/records', encoding='ascii') as f:
        # The host's own link takes a slot.
        slots = [int(row['latency_ns']) / slot_ns + 1 + missing(row, hosts)
                 for row in csv.DictReader(f) if row['latency_ns']]
    return sum(slots) / len(slots)


def decisions(folder, when):
    with open(f'{folder}/{when}', encoding='ascii') as f:
        return {row['switch']: (row['up_default'], row['up_redirected']) for row in map(json.loads, f)}


def redirected(folder):
    """Shares of the packets up that were redirected: of all switches, and of the guest."""
    before, after = decisions(folder, 'before'), decisions(folder, 'after')
    counts = {switch: [b - a for a, b in zip(before[switch], now)] for switch, now in after.items()}
    default, moved = map(sum, zip(*counts.values()))
    return moved / (default + moved), counts['s1-0'][1] / sum(counts['s1-0'])


def main():
    folder, slot_ns, hosts = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with open(f'{folder}/report', encoding='ascii') as f:
        report = json.load(f)
    with open(f'{folder}/simulated', encoding='ascii') as f:
        simulated = json.load(f)
    share, of_guest = redirected(folder)
    print(json.dumps({'lost': report['lost'], 'latency': latency(folder, slot_ns, hosts), 'redirected': share,
                      'redirected_guest': of_guest, 'sim_latency': simulated['latency'],
                      'sim_redirected': simulated['redirected']}))


main()
