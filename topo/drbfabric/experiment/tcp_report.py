# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment with TCP leaves: CSV, JSON, pictures and one HTML file, in the style of the other's."""

import html
import json
import math
import os
import re

from drbfabric.experiment import report
from drbfabric.experiment.experiment import name_of
from drbfabric.experiment.tcp_experiment import FLOWLET_GAP, TOLERANCE
from drbfabric.experiment.tcp_player import ACK_BYTES, ACKS_PER_PACKET, PAYLOAD, WIRE_BYTES

HEAD = ('workload', 'unit', 'scheme', 'mean time, live', 'simulated', 'off', 'slowdown, live', 'simulated',
        'makespan, live', 'simulated', 'runs', 'within 15 %', 'remarks')
WHY_HEAD = ('workload', 'unit', 'scheme', 'handshake, live', 'simulated', 'off after it', 'shortest round trip',
            'sent again', 'acks per packet', 'longest queue', 'simulated, open', 'simulated, other window',
            'simulated, acks without room', 'simulated, no handshake', 'control late', 'CPU stolen, s')


def _with_interval(value, half, unit=''):
    return f'{value:.4g}{unit}' + ('' if math.isnan(half) else f' ± {half:.2g}{unit}')


def remarks(row):
    found = []
    if row['unfinished']:
        found.append(f"{row['unfinished']} transfers did not arrive")
    if row['disturbed']:
        found.append(f"{row['disturbed']} of {row['runs']} runs disturbed, {row['unexplained']} of them while a "
                     'control was not')
    return found


def table(rows):
    """Head and lines of the comparison."""
    return HEAD, [[row['workload'], row['unit'], row['scheme'], _with_interval(row['time'], row['time_se']),
                   f"{row['sim_time']:.4g}",
                   _with_interval(100 * row['time_off'], 100 * row['time_off_interval'], ' %'),
                   f"{row['slowdown']:.3f}", f"{row['sim_slowdown']:.3f}", f"{row['makespan']:.4g}",
                   f"{row['sim_makespan']:.4g}", str(row['runs']), row['verdict'], ', '.join(remarks(row))]
                  for row in rows]


def why(rows):
    """Head and lines of what may part live from simulated."""
    return WHY_HEAD, [[row['workload'], row['unit'], row['scheme'], f"{row['handshake']:.3g}",
                       f"{row['sim_handshake']:.3g}", f"{row['connected_off']:+.1%}",
                       f"{row['min_rtt']:.3g}", f"{row['resent']:.2%}", f"{row['acks']:.2f}",
                       f"{row['queue_max']:.0f}", f"{row['sim_open']:.4g}", f"{row['sim_other']:.4g}",
                       f"{row['sim_no_room']:.4g}", f"{row['sim_no_handshake']:.4g}",
                       f"{row['control_late']:.2%}", f"{row['stolen_s']:.2f}"]
                      for row in rows]


def page(rows, setup, pictures):
    fabric = name_of(setup)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<title>{fabric}, transfers by TCP and simulated</title>\n<style>{report.STYLE}</style></head><body>\n'
        f'<h1>{fabric}, transfers by TCP and simulated</h1>\n'
        f'<p>The same transfers live, by TCP ({html.escape(setup.congestion)}) between hosts, and in drbsim. '
        f'A slot is {setup.slot * 1e3:g} ms, in which a full frame of {WIRE_BYTES} bytes on the wire ({PAYLOAD} of '
        f'them payload) crosses a link of {setup.rate / 1e6:.4g} Mbit/s; links to hosts have that rate, too. Queues '
        f'hold {setup.queue} packets, flowlets end after {FLOWLET_GAP} slots. The simulator has windows without '
        f'ECN, and an acknowledgement for each packet, which takes {ACK_BYTES}/{WIRE_BYTES} of a slot for a link, '
        f'{ACKS_PER_PACKET} of that in room, and waits in queues. Its transfers begin with a handshake, as live ones '
        'do: a SYN and its answer, which cross links as acknowledgements do.</p>\n'
        '<p>Times are in slots, from the call of connect to the last byte. <i>Off</i>: live over simulated, run by '
        'run. Behind ± is half of the 95 % interval over the runs (Student). <i>within</i>: all of the interval of the '
        f'mean time is within {TOLERANCE:.0%} of simulated; <i>outside</i>: none of it is.</p>\n')
    text += report.table_html(table(rows), ' class="no"')
    text += ('<p>What may part them: the <i>handshake</i>, and how far live is off from then on; the <i>shortest round '
             'trip</i> that connections saw, in slots; the share of packets that TCP <i>sent again</i>; '
             'acknowledgements per packet; the mean time that the simulator has with sources '
             'that send as fast as they can (<i>open</i>), with the <i>other window</i> (spray for window, and window '
             'for spray), with acknowledgements that take no room and do not wait, and without '
             'handshakes; the share of slots for which a process that only sleeps was late.</p>\n')
    text += report.table_html(why(rows))
    text += ''.join(report.image(name, picture) for name, picture in pictures.items())
    return text + ('<p>Every figure is in summary.csv, summary.json and runs.csv, every transfer in transfers.csv.'
                   '</p>\n</body></html>\n')


def figures_of(rows, setup):
    """Of each workload, mean times."""
    text = ''
    for workload in setup.workloads:
        mine = [{**row, 'scheme': f"{row['scheme']}, {row['unit']}"} for row in rows if row['workload'] == workload]
        name = re.sub(r'[^\w.-]', '-', f'time-{workload}')
        text += report.bars(mine, 'time', name, f'Mean completion time, {workload}')
    return text


def write(folder, experiment, rows):
    """All files of the experiment; returns the path of the page."""
    os.makedirs(folder, exist_ok=True)
    report.write_csv(f'{folder}/summary.csv', rows)
    report.write_csv(f'{folder}/runs.csv', experiment.runs)
    report.write_csv(f'{folder}/transfers.csv', experiment.transfers)
    with open(f'{folder}/summary.json', 'w', encoding='utf-8') as f:
        json.dump([{k: None if v != v else v for k, v in row.items()} for row in rows], f, indent=1)
    pictures = report.draw(folder, figures_of(rows, experiment.setup))
    path = f'{folder}/report.html'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(page(rows, experiment.setup, pictures))
    return path
