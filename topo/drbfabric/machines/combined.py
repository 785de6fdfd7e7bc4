# SPDX-License-Identifier: BSD-3-Clause
"""What the machines of a fabric report, put together."""

import json
import sys

from drbfabric import usage
from drbfabric.common.cli import say
from drbfabric.common.output import print_rows
from drbfabric.machines.export import load

COUNTS = ('sent', 'received', 'lost', 'duplicated', 'misdelivered', 'reordered', 'not_sent', 'receiver_dropped')
CLEAN = ('lost', 'duplicated', 'misdelivered', 'not_sent', 'receiver_dropped')

# By how much the rates of two machines' clocks may differ, at most: those of quartzes by 100 ppm.
CLOCK_RATES = 1e-4


def _reports(plan, texts):
    """{machine: what it reports}; the others are named."""
    reports, gone = {}, []
    for machine in plan['machines']:
        name = machine['name']
        try:
            reports[name] = json.loads(texts.get(name) or '')
        except ValueError:
            gone.append(name)
            say(f"{name} ({machine['address']}) does not answer: its part of the fabric is left out")
    return reports, gone


def links(plan, reports):
    """What one end of a link between machines has sent, the other must have received: (links, complaints)."""
    ends, checked, complaints = {}, 0, []
    for report in reports.values():
        ends.update(report['ends'])
    for link in plan['links']:
        names = [f"{link[side]}.{link[f'{side}_port']}" for side in ('lower', 'upper')]
        if 'id' not in link or not all(name in ends and not ends[name]['restarted'] for name in names):
            continue
        checked += 1
        for sender, receiver in (names, names[::-1]):
            sent, got = ends[sender]['out'], ends[receiver]['in']
            if got < sent:
                complaints.append(f'{sender} sent {sent} packets, {receiver} received {got}')
    return checked, complaints


def print_links(plan, reports, kind):
    """What links() finds, as a row and complaints; True if there are none."""
    checked, complaints = links(plan, reports)
    print_rows([('check', 'check'), ('checked', 'checked'), ('failed', 'failed')],
               [{'check': 'links between machines', 'checked': 2 * checked, 'failed': len(complaints)}], kind)
    for text in complaints:
        say(text)
    return not complaints


def _apart(came, back):
    """How far the clock of the machine where packets came is ahead of the other one, and what is not known of that,
    in ns; None if no clock of such a rate says this."""
    offset = (came['min_ns'] - back['min_ns']) / 2
    error = (came['min_ns'] + back['min_ns']) / 2
    drift = CLOCK_RATES * (max(came['span_ns'], back['span_ns']) + abs(offset))
    return (offset, error + drift) if error + drift >= 0 else None


def one_way(reports):
    """One-way latencies from machine to machine, from packets in both directions: no packet takes less than no
    time, so the least of each direction bound how far two clocks are apart. Half of their sum is what is not
    known, and by how much the clocks may drift apart meanwhile. A row without a mean: packets in one direction only,
    or clocks that were set."""
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
    """Names the machines between which one-way latencies are not known."""
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
    """Texts of machines come by standard input, as {machine: text}."""
    plan = load(args.plan)
    try:
        texts = json.load(sys.stdin)
    except ValueError as e:
        raise usage(f'standard input: {e}') from e
    reports, gone = _reports(plan, texts)
    good = KINDS[args.kind](plan, reports, args.format)
    return 0 if good and not gone else 1
