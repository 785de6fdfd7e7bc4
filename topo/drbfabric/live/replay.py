# SPDX-License-Identifier: BSD-3-Clause
"""Measures one run in a running fabric: drbgen replays traffic and reports what switches counted
meanwhile."""

import csv
import json
import statistics

from drbfabric import Failure
from drbfabric.common import children
from drbfabric.common.places import program
from drbfabric.fabric.plan_types import Plan
from drbfabric.live import timed_faults

# Slots of traffic after the last measured slot. Without them, packets of that slot would find fewer
# other packets than usual.
TAIL_SLOTS = 100


def forget(fabric):
    """Clears what the schemes of all switches remember. A simulated run begins without that, too.

    A reload leaves it unless the scheme changes, so switches have another scheme in between. Scheme
    ecmp remembers nothing, and suits every unit."""
    drbctl = program('drbctl', 'ctl')
    children.run([drbctl, 'set', '--all', 'scheme=ecmp', '--fabric', fabric])
    children.run([drbctl, 'reload', '--all', '--fabric', fabric])


def _show(fabric, view):
    text = children.run([program('drbctl', 'ctl'), 'show', '--all', view, '--fabric', fabric, '--json'])
    return [json.loads(line) for line in text.splitlines()]


def counted(fabric):
    """Returns what switches counted so far: packets that left a slot late, losses of link time,
    packets forwarded, and the longest queue."""
    workers, ports = _show(fabric, 'worker'), _show(fabric, 'ports')
    return {'late_slots': sum(w['late_slots'] for w in workers),
            'lost_credit_events': sum(w['lost_credit_events'] for w in workers),
            'forwarded': sum(p['out_packets'] for p in ports),
            'queue_max': max(p['queue_max_packets'] for p in ports)}


def replay(traffic, plan: Plan, setup):
    """Replays traffic and returns the figures of the run: {key: value}.

    setup must have: slots, warmup (in slots), stretched_ns (length of a slot), queues, faults."""
    percentiles, links = f'{traffic}.hgrm', f'{traffic}.links'
    faults, late = timed_faults.read(setup.faults), 0.0
    forget(plan['fabric'])
    begin = timed_faults.begin_of(setup.slot, setup.hosts)
    with children.Child([program('drbgen', 'gen'), 'replay', traffic, '--fabric', plan['fabric'], '--json',
                         '--warmup', str(setup.warmup), '--stats', str(setup.slots - setup.warmup),
                         '--slot', f'{setup.stretched_ns}ns', '--hgrm', percentiles, '--links', links,
                         *(['--begin', f'{begin:.6f}'] if faults else [])]) as child:
        try:
            late = timed_faults.cause(plan, faults, begin, setup, child)
            code, out, said = child.wait()
        finally:
            child.stop()
            timed_faults.mend(plan, faults)
    try:
        report = json.loads(out)
    except ValueError:
        line = said.strip().splitlines()
        raise Failure(line[-1] if line else 'drbgen failed', 2 if code == 2 else 1) from None
    with open(links, encoding='ascii') as f:
        result = result_of(report, list(csv.DictReader(f)), setup.queues)
    result['fault_late_slots'] = late
    with open(percentiles, encoding='ascii') as f:
        result['cdf'] = cdf_of(f, setup.stretched_ns)
    return result


def cdf_of(lines, slot_ns):
    """Returns [(latency in slots, share of packets that took no longer)] from a file of drbgen
    --hgrm. Latencies in the file begin after the host's own link, so a slot is added."""
    words = (line.split() for line in lines if line.strip() and not line.startswith('#'))
    points = [(float(w[0]) * 1e3 / slot_ns + 1, int(w[2])) for w in words if w[0] != 'Value']
    total = points[-1][1] if points else 0
    return [(latency, count / total) for latency, count in points]


def result_of(report, links, queues):
    """Returns the figures of a run from drbgen's report and its lines of links. queues: kinds of
    links that the fabric has."""
    missing = set(queues) - set(map(kind_of, links))
    if missing:
        raise Failure(f'no switch of layer {min(missing)[-1]} answered in time: use a less busy machine, or longer '
                      'slots (--slot)')
    result = {
        'latency': report['latency_mean_slots'], 'tail': report['tail_slots'],
        **{f'latency_{key}': report[f'latency_{key}_slots'] for key in ('p50', 'p99', 'p999', 'max')},
        **{key: report[key] for key in ('reordered_share', 'reorder_extent', 'reorder_buffer', 'sent', 'lost',
                                        'late_packets', 'late_max_us', 'lost_credit_events', 'switch_late_us',
                                        'forwarded', 'growing_links', 'slowest_link', 'machine_lost',
                                        'machine_late_us')},
        'redirected': report['redirected'] or 0.0,
        'growing': report['growing'] == 'yes', 'unclear': report['growing'] == 'unclear',
        'wrong': report['duplicated'] + report['misdelivered'] + report['receiver_dropped'],
        'late_departures': report['late_slots'], 'links': links,
    }
    for key in queues:
        mine = [link for link in links if kind_of(link) == key]
        use = [float(link['use']) for link in mine]
        result[f'queue_{key}_mean'] = statistics.fmean(float(link['queue_mean']) for link in mine)
        result[f'queue_{key}_max'] = max(int(link['queue_max']) for link in mine)
        result[f'use_{key}_mean'], result[f'use_{key}_max'] = statistics.fmean(use), max(use)
    return result


def kind_of(link):
    """Returns the direction and layer of a link, such as up1."""
    return f'{"up" if link["port"][0] == "u" else "down"}{link["layer"]}'
