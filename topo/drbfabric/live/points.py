# SPDX-License-Identifier: BSD-3-Clause
"""Points and rows of `drbfabric run`.

A point is a JSON object, one per line. Its model is `packet`, with options of drbsim by their
names, or `tcp`, whose options are those of tcp.Setup. A row has the point's id, columns of drbsim,
and columns that only a fabric has, which the laboratory's engine Live explains."""

import json

from drbfabric import usage
from drbfabric.live import setup, tcp
from drbfabric.live.runner import least_disturbed, unexplained

OPTIONS = {'packet': setup.OPTIONS, 'tcp': tcp.OPTIONS}
# Figures of a run that have the names of drbsim's columns.
SAME = ('latency', 'tail', 'redirected', 'latency_p50', 'latency_p99', 'latency_p999', 'latency_max',
        'reordered_share', 'reorder_extent', 'reorder_buffer', 'growing_links')
# Figures that only a fabric has.
LIVE = ('disturbed', 'control_late', 'sent', 'lost', 'wrong', 'slot_ms', 'late_packets', 'late_max_us',
        'late_departures', 'lost_credit_events', 'forwarded', 'switch_late_us', 'slowest_link', 'machine_lost',
        'machine_late_us', 'fault_late_slots')


def read(lines):
    """Returns [(line number, id, model, options)]. An error names the number of the first wrong
    line."""
    points = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            point = json.loads(line)
            if not isinstance(point, dict):
                raise ValueError
        except ValueError:
            raise usage(f'standard input:{number}: must be a JSON object, such as {{"scheme": "drb"}}') from None
        key, model = point.pop('id', number), point.pop('model', 'packet')
        if model not in OPTIONS:
            raise usage(f'standard input:{number}: model {model}: a fabric runs the models {" and ".join(OPTIONS)}')
        for name in point:
            if name not in OPTIONS[model]:
                raise usage(f'standard input:{number}: {name}: a fabric takes {", ".join(OPTIONS[model])}')
        points.append((number, key, model, point))
    return points


def row_of(runs, queues, detail):
    """Makes a row of all runs of a point. queues: kinds of links. detail: also figures of links,
    and the distribution of latencies."""
    run = least_disturbed(runs)
    row = {key: run[key] for key in (*SAME, *LIVE)}
    row['growing'] = 'yes' if run['growing'] else 'unclear' if run['unclear'] else 'no'
    row.update(unexplained=unexplained(run), attempts=len(runs),
               discarded=[f"slots of {one['slot_ms']:g} ms: {one['disturbed']}" for one in runs if one is not run])
    if detail:
        row.update({f'{figure}_{queue}_{kind}': run[f'{figure}_{queue}_{kind}'] for queue in queues
                    for figure in ('queue', 'use') for kind in ('mean', 'max')})
        row.update(links=run['links'], cdf=run['cdf'])
    return row


def failed(row, faults):
    """True if a run lost a packet, or received one twice or at the wrong host. Packets that are
    sent into a link that faults cut are lost until switches notice."""
    return bool(row['wrong'] or (row['lost'] and not faults))
