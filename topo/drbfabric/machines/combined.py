# SPDX-License-Identifier: BSD-3-Clause
"""Combines the reports of the machines of a fabric."""

import json
import sys

from drbfabric import usage
from drbfabric.common.cli import say
from drbfabric.common.output import print_rows
from drbfabric.fabric.plan_types import Plan, ends_of
from drbfabric.machines.export import load

COUNTS = ('sent', 'received', 'lost', 'duplicated', 'misdelivered', 'reordered', 'not_sent', 'receiver_dropped')
CLEAN = ('lost', 'duplicated', 'misdelivered', 'not_sent', 'receiver_dropped')

# Largest difference between the rates of two machines' clocks: 100 ppm, as for quartz oscillators.
CLOCK_RATES = 1e-4


def _reports(plan: Plan, texts):
    """Parses the reports: ({machine: report}, machines without one). The latter are printed."""
    reports, gone = {}, []
    for machine in plan['machines']:
        name = machine['name']
        try:
            reports[name] = json.loads(texts.get(name) or '')
        except ValueError:
            gone.append(name)
            say(f"{name} ({machine['address']}) does not answer: its part of the fabric is left out")
    return reports, gone


def links(plan: Plan, reports):
    """Compares the two ends of links between machines: (number of links, complaints).

    There is a complaint if one end received fewer packets than the other one sent."""
    ends, checked, complaints = {}, 0, []
    for report in reports.values():
        ends.update(report['ends'])
    for link in plan['links']:
        names = [end.name for end in ends_of(link)]
        if 'id' not in link or not all(name in ends and not ends[name]['restarted'] for name in names):
            continue
        checked += 1
        for sender, receiver in (names, names[::-1]):
            sent, got = ends[sender]['out'], ends[receiver]['in']
            if got < sent:
                complaints.append(f'{sender} sent {sent} packets, {receiver} received {got}')
    return checked, complaints


def print_links(plan: Plan, reports, kind):
    """Prints the results of links() as a row and complaints. True if there are no complaints."""
    checked, complaints = links(plan, reports)
    print_rows([('check', 'check'), ('checked', 'checked'), ('failed', 'failed')],
               [{'check': 'links between machines', 'checked': 2 * checked, 'failed': len(complaints)}], kind)
    for text in complaints:
        say(text)
    return not complaints


def _apart(came, back):
    """Returns how far the receiver's clock is ahead of the other machine's, and the error bound.

    came, back: packets of both directions. Times are in ns. None: no clocks within CLOCK_RATES
    fit."""
    offset = (came['min_ns'] - back['min_ns']) / 2
    error = (came['min_ns'] + back['min_ns']) / 2
    drift = CLOCK_RATES * (max(came['span_ns'], back['span_ns']) + abs(offset))
    return (offset, error + drift) if error + drift >= 0 else None


def one_way(reports):
    """One-way latencies between machines, computed from packets in both directions.

    A packet's true latency is at least 0, so the smallest measured latency of each direction bounds
    the offset of the two clocks. The error is half the sum of both, plus the possible drift of the
    clocks meanwhile. A row has no mean if packets came in one direction only, or a clock was
    set."""
    rows = []
    for to, report in reports.items():
        for source, came in report.get('from', {}).items():
            back = reports.get(source, {}).get('from', {}).get(to)
            row = {'from': source, 'to': to, 'packets': came['packets'], 'offset_us': None, 'error_us': None}
            apart = (0.0, 0.0) if source == to else _apart(came, back) if back else None
            if apart:
                row['offset_us'], row['error_us'] = (ns / 1e3 for ns in apart)
                row['mean_us'] = came['sum_ns'] / came['packets'] / 1e3 - row['offset_us']
            rows.append(row)
    return rows


def say_unknown(ways):
    """Reports the machines between which one-way latencies are unknown."""
    for way in ways:
        if 'mean_us' not in way:
            other = any((back['from'], back['to']) == (way['to'], way['from']) for back in ways)
            say(f"{way['from']} to {way['to']}: one-way latencies are not known: "
                + ('a clock was set or ran wrong meanwhile: replay again' if other else
                   'no packets came the other way, by which clocks are compared'))


def total(reports):
    return {key: sum(report.get(key, 0) for report in reports.values()) for key in COUNTS}


def _replay(_, reports, kind):
    rows = [{'machine': name, **{key: report.get(key, 0) for key in COUNTS}} for name, report in reports.items()]
    whole = {'machine': 'all', **total(reports)}
    print_rows([('machine', 'machine')] + [(key, key.replace('_', ' ')) for key in COUNTS], rows + [whole], kind)
    if kind == 'table':
        print()
    ways = one_way(reports)
    print_rows([('from', 'from'), ('to', 'to'), ('packets', 'packets'), ('mean_us', 'one-way mean us'),
                ('error_us', 'not known, +- us'), ('offset_us', 'clocks apart us')], ways, kind)
    say_unknown(ways)
    return not any(whole[key] for key in CLEAN)


KINDS = {'links': print_links, 'replay': _replay}


def run(args):
    """Reads the outputs of machines from standard input, as {machine: text}, and combines them."""
    plan = load(args.plan)
    try:
        texts = json.load(sys.stdin)
    except ValueError as e:
        raise usage(f'standard input: {e}') from e
    reports, gone = _reports(plan, texts)
    good = KINDS[args.kind](plan, reports, args.format)
    return 0 if good and not gone else 1
