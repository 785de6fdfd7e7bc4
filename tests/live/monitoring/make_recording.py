#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a recording in the format of drbctl record, of a fabric that is too large for a machine.

drbtopo list links --json ... | make_recording.py LAYERS ARITY LOOKS >FILE

Writes a state for each of LOOKS seconds. Every link carries its own load."""
import json
import random
import sys

RATE = 500
KEYS = ('in_packets in_octets in_discards in_missed out_packets out_octets out_discards queue_packets '
        'queue_octets queue_max_packets queue_ns ring_packets lost_credit_ns').split()


def main():
    """Prints the recording."""
    layers, arity, looks = (int(a) for a in sys.argv[1:])
    links = [[f"{r[end]}.{r[f'{end}_port']}" for end in ('lower', 'upper')] for r in map(json.loads, sys.stdin)]
    rng = random.Random(1)
    switches = [(m, s) for m in range(1, layers + 1)
                for s in range((1 if m == layers else 2) * arity ** (layers - 1))]
    sent = {(w, p): 0 for w in switches for p in range(2 * arity)}
    load = {key: rng.uniform(0.2, 0.95) for key in sent}
    for look in range(looks):
        rows: list[dict] = []
        state = {'time_ns': look * 10 ** 9, 'unix_ms': 1700000000000 + look * 1000, 'port_counters': KEYS,
                 'fabrics': [{'fabric': 'drb', 'layers': layers, 'arity': arity, 'uplinks': arity, 'links': links}],
                 'switches': rows}
        for m, s in switches:
            down = 2 * arity if m == layers else arity
            ports = []
            for p in range(2 * arity):
                sent[(m, s), p] += round(RATE * load[(m, s), p] * rng.uniform(0.8, 1.05))
                n = sent[(m, s), p]
                ports.append({'name': f'd{p}' if p < down else f'u{p - down}', 'peer': '', 'neighbour': '',
                              'state': 'up', 'usable': True, 'rate': f'{RATE}pps', 'queue': 512,
                              'count': [n, n * 60, 0, 0, n, n * 60, 0, int(rng.expovariate(0.4)), 0, 0, 0, 0, 0]})
            up = m < layers
            rows.append({
                'fabric': 'drb', 'name': f's{m}-{s}', 'layer': m, 'label': s, 'up': True,
                'pid': 1, 'time_ns': look * 10 ** 9, 'scheme': 'drb', 'unit': 'packet',
                'threshold': '2', 'utilisation': '0.8', 'trouble': '', 'version': '', 'drops': {},
                'routing': {'up_default': up * look * 700, 'up_redirected': up * look * 200}, 'ports': ports})
        print(json.dumps(state, separators=(',', ':')))


if __name__ == '__main__':
    main()
