# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment leaves: CSV files, pictures, and one HTML file that needs nothing else."""

import base64
import csv
import html
import math
import os
import re
import shutil

from drbfabric.common import children
from drbfabric.common.places import program
from drbfabric.experiment.experiment import DETAILS, DISTURBED_SHARE, TOLERANCES, name_of
from drbfabric.experiment.summary import deviations

STYLE = (':root{color-scheme:light dark;--line:#bbb;--head:#eee;--no:#a00}'
         '@media(prefers-color-scheme:dark){:root{--line:#444;--head:#222;--no:#f77}'
         'body{background:#15181c;color:#dfe3e8}}'
         'body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}'
         'table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid var(--line);padding:.2em .6em;'
         'text-align:right}th{background:var(--head)}td:first-child,th:first-child{text-align:left}'
         'figure{display:inline-block;width:48%;margin:0 1% 1em 0;vertical-align:top}figure.wide{width:98%}'
         'img{width:100%}figcaption{font-size:.85em}'
         '.no{color:var(--no);font-weight:bold;text-align:left;min-width:9em}'
         'div.table{overflow-x:auto}')


def write_csv(path, rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    with open(path, 'w', encoding='utf-8', newline='') as f:
        writer = csv.writer(f, lineterminator='\n')
        writer.writerow(keys)
        for row in rows:
            writer.writerow([_cell(row.get(key)) for key in keys])


def _cell(value):
    if value is None or isinstance(value, float) and math.isnan(value):
        return ''
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    return f'{value:.6g}' if isinstance(value, float) else value


# Pictures: told as text, which drbsim draws, so that they look as those of its own report.

def figure(name, kind, title, caption, axes):
    """axes: what stands at x and y, with what follows a title there ('slots\tlog')."""
    return (f'figure\t{name}\t{kind}\ntitle\t{title}\ncaption\t{caption}\nx\t{axes[0]}\ny\t{axes[1]}\n')


def _point(x, y, half=math.nan, grows=False):
    return f'point\t{x}\t{y:g}\t{0 if math.isnan(half) else half:g}' + ('\tgrows\n' if grows else '\n')


def _is_wide(figures):
    """Whether they need a logarithmic scale."""
    return bool(figures) and max(figures) > 8 * min(figures) > 0


def _lines(rows, setup, key, title):
    """Live with its standard errors beside the simulator's lines."""
    figures = [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]
    text = figure(key, 'lines', title, 'Live (dashed) with standard errors over the runs, and simulated (solid).',
                  ('load', 'slots' + ('\tlog' if _is_wide(figures) else '')))
    for scheme in setup.schemes:
        mine = [row for row in rows if row['scheme'] == scheme]
        text += f'series\t{scheme}, simulated\t{scheme}\n'
        text += ''.join(_point(f"{row['load']:g}", row[f'sim_{key}'], grows=row['sim_growing']) for row in mine)
        text += f'series\t{scheme}, live\t{scheme}\tdashed\n'
        text += ''.join(_point(f"{row['load']:g}", row[key], row[f'{key}_se'], row['growing']) for row in mine)
    return text


def bars(rows, key, name, title):
    """Of one load: live with its error beside simulated, a group for each scheme."""
    figures = [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]
    # Bars begin at zero, or, where their scale has none, a decade below the shortest.
    low = f'\tlog\t{min(figures) / 10:g}' if _is_wide(figures) else '\t0'
    text = figure(name, 'bars', title, 'Live with standard errors over the runs, and simulated.',
                  ('scheme', f'slots{low}'))
    text += 'series\tlive\t1\n' + ''.join(_point(row['scheme'], row[key], row[f'{key}_se']) for row in rows)
    text += 'series\tsimulated\t1\tdashed\n'
    return text + ''.join(_point(row['scheme'], row[f'sim_{key}']) for row in rows)


def _cdfs(runs, load):
    """Latencies of the packets of each run that counts, at one load: a curve a run, a colour a scheme."""
    mine = [run for run in runs if run['counts'] and run['load'] == load and run.get('cdf')]
    if not mine:
        return ''
    wide = max(run['cdf'][-1][0] for run in mine) > 100
    text, seen = figure(f'cdf-{load:g}', 'steps', f'Latencies of packets, live, load {load:g}',
                        'The share of packets that took no longer, a line for each run.',
                        ('slots' + ('\tlog' if wide else ''), 'share of packets\t0')), set()
    for run in mine:
        more = '\tuntitled' if run['scheme'] in seen else ''
        seen.add(run['scheme'])
        text += f"series\t{run['scheme']}\t{run['scheme']}{more}\n"
        text += ''.join(_point(f'{latency:.6g}', share) for latency, share in run['cdf'])
    return text


def _queues(rows, setup, load):
    """Mean queues of one load by layer, live and simulated side by side."""
    mine = [row for row in rows if row['load'] == load]
    log = any(row['growing'] or row['sim_growing'] for row in mine)
    text = figure(f'queue-{load:g}', 'bars', f'Mean queue, load {load:g}',
                  'Links of a layer in the order of a path; live, and simulated (pale).',
                  ('links of a layer', 'packets' + ('\tlog\t0.001' if log else '\t0')))
    for row in mine:
        for kind, name, more in (('', 'live', ''), ('sim_', 'simulated', '\tdashed')):
            text += f"series\t{row['scheme']}, {name}\t{row['scheme']}{more}\n"
            for queue in setup.queues:
                link = queue.replace('up', 'up ').replace('down', 'down ')
                text += _point(link, max(row[f'{kind}queue_{queue}_mean'], 0.001))
    return text


def figures_of(rows, setup, runs):
    """All figures of an experiment, as text."""
    text = ''
    for key, title in (('latency', 'Mean latency'), ('tail', 'Cohort tail')):
        text += (_lines(rows, setup, key, title) if len(setup.loads) > 1 else
                 bars(rows, key, key, f'{title}, load {setup.loads[0]:g}'))
    text += ''.join(_cdfs(runs, load) for load in setup.loads)
    return text + ''.join(_queues(rows, setup, load) for load in setup.loads)


def draw(folder, text):
    """Draws figures into the folder, as SVG and PDF; {name: (SVG, caption)}, nothing without gnuplot."""
    if not shutil.which('gnuplot'):
        return {}
    with open(f'{folder}/figures.txt', 'w', encoding='utf-8') as f:
        f.write(text)
    children.run([program('drbsim', 'sim'), 'draw', f'{folder}/figures.txt', '--out', folder])
    pictures = {}
    for name, caption in re.findall(r'^figure\t([^\t]+)\t.*\ntitle\t.*\ncaption\t(.*)$', text, re.MULTILINE):
        with open(f'{folder}/{name}.svg', encoding='utf-8') as f:
            pictures[name] = f.read(), caption
    return pictures


# The page

def _figures(row, key, factor=1, unit=''):
    """Live with its standard error, simulated, and how far the one is off the other."""
    error = row[f'{key}_se']
    live = f'{factor * row[key]:.2f}' + ('' if math.isnan(error) else f' ± {factor * error:.2f}') + unit
    simulated = f"{factor * row[f'sim_{key}']:.2f}{unit}"
    off, off_error = row[f'{key}_off'], row[f'{key}_off_se']
    if math.isnan(off):
        return live, simulated, '-'
    more = '' if math.isnan(off_error) else f' ± {100 * off_error:.1f}'
    return live, simulated, f'{100 * off:+.1f}{more} %'


def table(rows):
    """Head and lines of the comparison."""
    head = ['scheme', 'load', 'mean latency, live', 'simulated', 'off', 'cohort tail, live',
            'simulated', 'off', 'redirected, live', 'simulated', 'off', 'queues grow', 'runs',
            'remarks']
    lines = []
    for row in rows:
        line = [row['scheme'], f"{row['load']:g}", *_figures(row, 'latency'),
                *_figures(row, 'tail'), *_figures(row, 'redirected', 100, ' %')]
        grows = {(False, False): 'no', (True, True): 'live, simulated', (True, False): 'live only',
                 (False, True): 'simulated only'}[row['growing'], row['sim_growing']]
        lines.append(line + [grows, str(row['runs']), ', '.join(remarks(row))])
    return head, lines


def detail(rows, queues):
    """Head and lines of what is compared beside that: live, simulated."""
    titles = {'latency_p50': 'median latency', 'latency_p99': '99 %', 'latency_p999': '99.9 %',
              'latency_max': 'largest', 'reordered_share': 'reordered', 'reorder_extent': 'extent',
              'reorder_buffer': 'buffer'}
    head = ['scheme', 'load', *titles.values(), 'busiest link']
    lines = []
    for row in rows:
        line = [row['scheme'], f"{row['load']:g}"]
        for key, _ in DETAILS:
            shown = '{:.3%}' if key == 'reordered_share' else '{:.4g}'
            line.append(shown.format(row[key]) + ', ' + shown.format(row[f'sim_{key}']))
        busiest = [max(row[f'{kind}use_{queue}_max'] for queue in queues) for kind in ('', 'sim_')]
        lines.append(line + ['{:.1%}, {:.1%}'.format(*busiest)])
    return head, lines


def remarks(row):
    found = deviations(row)
    if row['lost']:
        found.append(f"{row['lost']} packets lost")
    if row['disturbed']:
        found.append(f"{row['disturbed']} of {row['runs']} runs disturbed by the machine")
    if row['repeated']:
        found.append(f"{row['repeated']} runs repeated")
    return found


def table_html(contents, last=''):
    """Of a head and lines; last: attributes of the cells of the last column."""
    head, lines = contents
    text = '<div class="table"><table><tr>' + ''.join(f'<th>{html.escape(h)}</th>' for h in head) + '</tr>\n'
    for line in lines:
        cells = ''.join(f'<td>{html.escape(c)}</td>' for c in line[:-1])
        text += f'<tr>{cells}<td{last}>{html.escape(line[-1])}</td></tr>\n'
    return text + '</table></div>\n'


def _runs_of(setup):
    last = setup.seed + setup.runs - 1
    if setup.runs == 1:
        return f'one run of each, with seed {last}'
    return f'{setup.runs} runs of each, with seeds {setup.seed} to {last}'


def image(name, picture):
    data = base64.b64encode(picture[0].encode()).decode()
    wide = ' class="wide"' if name.startswith('queue') else ''
    return (f'<figure{wide}><img alt="{name}" src="data:image/svg+xml;base64,{data}">'
            f'<figcaption>{html.escape(picture[1])}</figcaption></figure>\n')


def page(rows, setup, pictures):
    fabric = name_of(setup)
    limits = ', '.join(f'{key} {share:.0%}' for key, share in TOLERANCES)
    grow = any(row['growing'] or row['sim_growing'] for row in rows)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<title>{fabric}, live and simulated</title>\n<style>{STYLE}</style></head><body>\n'
        f'<h1>{fabric}, live and simulated</h1>\n'
        f'<p>{setup.hosts} hosts, traffic <i>{html.escape(setup.traffic)}</i>, threshold '
        f'{html.escape(setup.threshold)}; slots of {setup.slot * 1e3:g} ms, {setup.slots} a run, of '
        f'which the first {setup.warmup} are left out; {_runs_of(setup)}. One process per switch, '
        f'{setup.links} links that move one packet a slot. Simulator and fabric carry the same traffic, '
        'drawn from the same seed.</p>\n'
        '<p>Latencies count in slots from the slot a packet is born in. <i>Cohort tail</i>: mean '
        'over slots of the largest latency of the packets born in the slot. <i>Redirected</i>: of '
        'the decisions on the way up, those that left the default. <i>Off</i>: live over simulated, run '
        'by run. Figures behind ± are standard errors over the runs. A run that the machine disturbed '
        f'(more than {DISTURBED_SHARE:.1%} of its packets sent more than half a slot late, or of its '
        'departures a slot or more late) is repeated, with longer slots if need be; what still is '
        'disturbed then is marked, and so is what was late while a control process on each CPU was not. '
        f'Further off than {limits} and two standard errors is marked, too.</p>\n')
    text += table_html(table(rows), ' class="no"')
    text += ('<p>Live, simulated: the share of latencies is of packets; <i>reordered</i> packets were '
             'overtaken by a later one of their source and destination; <i>extent</i>: so many packets came '
             'between one of them and the first that overtook it, at most; <i>buffer</i>: so many '
             'packets of one source a receiver holds at once to put them in order, at most; '
             '<i>busiest link</i>: the share of slots in which it carried a packet.</p>\n')
    text += table_html(detail(rows, setup.queues))
    if grow:
        text += ('<p>Where queues grow there is no mean: the figures are those of this many slots '
                 'after an empty start.</p>\n')
    text += ''.join(image(name, picture) for name, picture in pictures.items())
    if not pictures:
        text += '<p>No pictures: gnuplot is not installed.</p>\n'
    text += ('<p>Every figure is in summary.csv (a line per scheme and load) and runs.csv (a line per '
             'live run, those that were repeated as well), latencies of packets in cdf.csv.</p>\n')
    return text + '</body></html>\n'


def write(folder, experiment, rows):
    """All files of the experiment; returns the path of the page."""
    os.makedirs(folder, exist_ok=True)
    write_csv(f'{folder}/runs.csv', [{k: v for k, v in run.items() if k != 'cdf'}
                                     for run in experiment.runs])
    write_csv(f'{folder}/summary.csv', rows)
    write_csv(f'{folder}/cdf.csv', [{**{k: run[k] for k in ('scheme', 'load', 'seed')},
                                     'latency_slots': latency, 'share': share}
                                    for run in experiment.runs if run['counts']
                                    for latency, share in run.get('cdf', ())])
    pictures = draw(folder, figures_of(rows, experiment.setup, experiment.runs))
    path = f'{folder}/report.html'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(page(rows, experiment.setup, pictures))
    return path
