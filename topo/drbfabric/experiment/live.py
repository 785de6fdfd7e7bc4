# SPDX-License-Identifier: BSD-3-Clause
"""One measured run in a fabric that is up: traffic replayed, counters read at chosen slots."""

import contextlib
import json
import math
import time

from drbfabric import Failure
from drbfabric.common.children import Child
from drbfabric.fabric.telemetry import Telemetry

LOOK_SECONDS = 0.01
# Opening the hosts of a large fabric takes a while.
BEGIN_SECONDS = 30
# Traffic goes on behind the last slot that is measured, so that its packets do not find a fabric
# that runs empty.
TAIL_SLOTS = 100
# The host's own link takes a slot: packets reach the first switches in slot 1.
FIRST_SLOT = 1


class Counters:
    """Connections to all switches of a plan, to read counters quickly."""

    def __init__(self, plan):
        self.layers, self.links = plan['layers'], {}
        with contextlib.ExitStack() as stack:
            for switch in plan['switches']:
                try:
                    self.links[switch['name']] = \
                        (switch['layer'], stack.enter_context(Telemetry(switch['namespace'])))
                except OSError as e:
                    raise Failure(f"{switch['name']}: no answer from its telemetry socket "
                                  f'({e})') from e
            self.stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _ask(self, name, command):
        try:
            return self.links[name][1].ask(command) or {}
        except OSError as e:
            raise Failure(f'{name}: no answer from its telemetry socket ({e})') from e

    def decided(self, name):
        """Packets of hosts that this switch has forwarded."""
        routing = self._ask(name, '/drb/routing')
        return routing['up_default'] + routing['up_redirected'] + routing['down']

    def forget(self):
        """Switches decide as if they had just started: what a scheme has learnt is gone, as it is in the
        simulator before the first slot."""
        for name in self.links:
            self._ask(name, '/drb/reload')

    def read(self):
        """Sums over the switches; queues by direction and layer, such as up1; the queue of each link.
        Queues are (ns that packets were queued, times of the readings, added up; links; longest;
        packets; of each link the packets that left, time of the reading), that of a link (ns that
        packets were queued, time of the reading, packets now)."""
        sums, queues, links = {'default': 0, 'redirected': 0, 'queued': 0}, {}, {}
        for name, (layer, link) in self.links.items():
            routing, worker = self._ask(name, '/drb/routing'), self._ask(name, '/drb/worker')
            sums['default'] += routing['up_default']
            sums['redirected'] += routing['up_redirected']
            for key in ('late_ns', 'late_slots', 'lost_credit_events', 'lost_credit_ns'):
                sums[key] = sums.get(key, 0) + worker[key]
            ports = self._ask(name, '/drb/ports')
            for i, port in enumerate(ports['name']):
                key = f'{"up" if port[0] == "u" else "down"}{layer}'
                q = queues.setdefault(key, {'ns': 0, 'times': 0, 'links': 0, 'max': 0, 'out': 0, 'left': {}})
                q['ns'] += ports['queue_ns'][i]
                q['times'] += ports['time_ns']
                q['links'] += 1
                q['max'] = max(q['max'], ports['queue_max_packets'][i])
                q['out'] += ports['out_packets'][i]
                q['left'][name, port] = ports['out_packets'][i], ports['time_ns']
                sums['queued'] += ports['queue_packets'][i]
                links[name, port] = ports['queue_ns'][i], ports['time_ns'], ports['queue_packets'][i]
        return sums, queues, links


def _queue_mean(before, after):
    """Mean length over the links between two readings."""
    ns = after['times'] - before['times']
    return (after['ns'] - before['ns']) / ns if ns else 0.0


def _use(before, after, slot_ns, paces):
    """Of the links of one kind, the shares of the slots between two readings in which they carried a packet."""
    shares = []
    for link, (left, time_ns) in after['left'].items():
        left_before, time_before = before['left'][link]
        slots = (time_ns - time_before) / slot_ns
        shares.append(paces.get(link, 1) * (left - left_before) / slots if slots > 0 else 0.0)
    return shares


def _inside(before, after):
    """Mean number of packets in all queues between two readings."""
    return sum(_queue_mean(before[1][key], q) * q['links'] for key, q in after[1].items())


def growing_links(readings, slots, load):
    """How many links have a queue that grows from one quarter of the run to the next, between three
    readings, by the rule of drbsim (src/sim/models/growth.h). There it was never seen empty in both
    quarters; here it is looked at in three moments."""
    quarter = slots / 4
    rise = max(3.5 * math.sqrt(quarter) - (1 - load) * quarter, 0.75 * math.sqrt(quarter))

    def mean(link, before, after):
        ns = after[link][1] - before[link][1]
        return (after[link][0] - before[link][0]) / ns if ns else 0.0

    at = [links for _, _, links in readings]
    return sum(all(look[link][2] for look in at) and
               mean(link, at[1], at[2]) > mean(link, at[0], at[1]) + rise for link in at[0])


def _await_traffic(child, counters):
    """The time at which the first packet was seen."""
    switches = [name for name, (layer, _) in counters.links.items() if layer == 1]
    before = {name: counters.decided(name) for name in switches[:4]}
    end = time.monotonic() + BEGIN_SECONDS
    while child.runs():
        for name, count in before.items():
            if counters.decided(name) != count:
                return time.monotonic()
        if time.monotonic() > end:
            raise Failure(f'no traffic came within {BEGIN_SECONDS} s')
        time.sleep(LOOK_SECONDS)
    return None


def replay(drbgen, traffic, plan, setup):
    """Replays traffic and returns what a run in the fabric shows: {key: value}.

    setup: slots, warmup (slots), stretched_ns and slot (of a slot, in ns and seconds), hosts, load, paces."""
    percentiles = f'{traffic}.hgrm'
    command = [drbgen, 'replay', traffic, '--fabric', plan['fabric'], '--json', '--warmup',
               str(setup.warmup), '--stats', str(setup.slots - setup.warmup),
               '--slot', f'{setup.stretched_ns}ns', '--hgrm', percentiles]
    with Counters(plan) as counters:
        counters.forget()
        result = _replay(counters, command, setup)
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


def _replay(counters, command, setup):
    with Child(command) as child:
        began, readings = _await_traffic(child, counters), []
        if began is not None:
            # The beginning of what is measured, and the quarters that tell whether queues grow.
            for slot in (setup.warmup, setup.slots / 2, 3 * setup.slots / 4, setup.slots):
                at = began + (slot - FIRST_SLOT) * setup.slot
                while child.runs() and time.monotonic() < at:
                    time.sleep(min(0.05, max(0, at - time.monotonic())))
                readings.append(counters.read())
        code, out, said = child.wait()
        try:
            report = json.loads(out)
        except ValueError:
            line = said.strip().splitlines()
            raise Failure(line[-1] if line else 'drbgen failed', 2 if code == 2 else 1) from None
        if len(readings) < 4:
            raise Failure('drbgen ended before any packet was seen')
        return result_of(report, readings, setup)


def result_of(report, readings, setup):
    (first, begin, _), _, _, (last, end, _) = readings
    quarter = setup.slots / 4
    before, after = _inside(readings[1], readings[2]), _inside(readings[2], readings[3])
    offered = setup.load * setup.hosts
    decided = last['default'] + last['redirected'] - first['default'] - first['redirected']
    out = sum(q['out'] - begin[key]['out'] for key, q in end.items())
    links = growing_links(readings[1:], setup.slots, setup.load)
    result = {
        'latency': report['latency_mean_slots'], 'tail': report['tail_slots'],
        **{f'latency_{key}': report[f'latency_{key}_slots'] for key in ('p50', 'p99', 'p999', 'max')},
        **{key: report[key] for key in ('reordered_share', 'reorder_extent', 'reorder_buffer')},
        'redirected': (last['redirected'] - first['redirected']) / decided if decided else 0.0,
        # As drbsim defines it.
        'growing': links > 0 or (after > 1.1 * before and
                                 after - before > 0.002 * offered * quarter),
        'growing_links': links,
        'sent': report['sent'], 'lost': report['lost'],
        'wrong': report['duplicated'] + report['misdelivered'] + report['receiver_dropped'],
        'late_packets': report['late_packets'], 'late_max_us': report['late_max_us'],
        'late_departures': last['late_slots'] - first['late_slots'],
        'lost_credit_events': last['lost_credit_events'] - first['lost_credit_events'],
        'lost_credit_ms': (last['lost_credit_ns'] - first['lost_credit_ns']) / 1e6,
        'switch_late_us': (last['late_ns'] - first['late_ns']) / out / 1e3 if out else 0.0,
        'forwarded': out,
    }
    for key, q in end.items():
        result[f'queue_{key}_mean'] = _queue_mean(begin[key], q)
        result[f'queue_{key}_max'] = q['max']
        use = _use(begin[key], q, setup.stretched_ns, setup.paces)
        result[f'use_{key}_mean'], result[f'use_{key}_max'] = sum(use) / len(use), max(use)
    return result
