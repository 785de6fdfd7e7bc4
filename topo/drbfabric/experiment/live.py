# SPDX-License-Identifier: BSD-3-Clause
"""One measured run in a fabric that is up: drbgen replays traffic and says what switches counted meanwhile."""

import csv
import json
import statistics

from drbfabric import Failure
from drbfabric.common import children
from drbfabric.common.places import program

# Traffic goes on behind the last slot that is measured, so that its packets do not find a fabric
# that runs empty.
TAIL_SLOTS = 100


def forget(fabric):
    """Switches decide as if they had just started: what a scheme has learnt is gone, as it is in the
    simulator before the first slot."""
    children.run([program('drbctl', 'ctl'), 'reload', '--all', '--fabric', fabric])


def _show(fabric, view):
    text = children.run([program('drbctl', 'ctl'), 'show', '--all', view, '--fabric', fabric, '--json'])
    return [json.loads(line) for line in text.splitlines()]


def counted(fabric):
    """What switches counted so far: packets that left a slot late, times they lost link time, packets forwarded, and
    the longest queue."""
    workers, ports = _show(fabric, 'worker'), _show(fabric, 'ports')
    return {'late_slots': sum(w['late_slots'] for w in workers),
            'lost_credit_events': sum(w['lost_credit_events'] for w in workers),
            'forwarded': sum(p['out_packets'] for p in ports),
            'queue_max': max(p['queue_max_packets'] for p in ports)}


def replay(traffic, plan, setup):
    """Replays traffic and returns what a run in the fabric shows: {key: value}.

    setup: slots, warmup (slots), stretched_ns (of a slot), queues."""
    percentiles, links = f'{traffic}.hgrm', f'{traffic}.links'
    forget(plan['fabric'])
    with children.Child([program('drbgen', 'gen'), 'replay', traffic, '--fabric', plan['fabric'], '--json',
                         '--warmup', str(setup.warmup), '--stats', str(setup.slots - setup.warmup),
                         '--slot', f'{setup.stretched_ns}ns', '--hgrm', percentiles, '--links', links]) as child:
        code, out, said = child.wait()
    try:
        report = json.loads(out)
    except ValueError:
        line = said.strip().splitlines()
        raise Failure(line[-1] if line else 'drbgen failed', 2 if code == 2 else 1) from None
    with open(links, encoding='ascii') as f:
        result = result_of(report, list(csv.DictReader(f)), setup.queues)
    with open(percentiles, encoding='ascii') as f:
        result['cdf'] = cdf_of(f, setup.stretched_ns)
    return result


def cdf_of(lines, slot_ns):
    """[(latency in slots, share of the packets that took no longer)] of what drbgen --hgrm wrote, whose
    latencies begin when a packet has crossed the host's own link."""
    words = (line.split() for line in lines if line.strip() and not line.startswith('#'))
    points = [(float(w[0]) * 1e3 / slot_ns + 1, int(w[2])) for w in words if w[0] != 'Value']
    total = points[-1][1] if points else 0
    return [(latency, count / total) for latency, count in points]


def result_of(report, links, queues):
    """Figures of a run, of what drbgen reports and of its lines of links. queues: the kinds of links that there are."""
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
    """Direction and layer, such as up1."""
    return f'{"up" if link["port"][0] == "u" else "down"}{link["layer"]}'
