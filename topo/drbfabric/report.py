# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment leaves: CSV files, pictures, and one HTML file that needs nothing else."""

import base64
import csv
import html
import math
import os
import shutil

from . import children
from .experiment import DETAILS, DISTURBED_SHARE, TOLERANCES, deviations

STYLE = ('body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}'
         'table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;'
         'text-align:right}th{background:#eee}td:first-child,th:first-child{text-align:left}'
         'img{width:49%}img.wide{width:99%}.no{color:#a00;font-weight:bold;text-align:left;min-width:9em}'
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


# Pictures

def _figure(title, x, y, log=False):
    """The legend is below, where no curve or bar can be."""
    return ('reset\nset encoding utf8\nset terminal svg size 620,460 font "sans,12" '
            'background rgb "white"\n'
            f'set title "{title}"\nset xlabel "{x}"\nset ylabel "{y}"\n'
            'set key outside bottom center horizontal\n'
            'set grid\n' + ('set logscale y\n' if log else ''))


def _lines(rows, setup, key, title, y):
    """Live points with error bars on the simulator's lines."""
    figures = [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]
    log = bool(figures) and max(figures) > 8 * min(figures) > 0
    text, plots = _figure(title, 'load', y, log), []
    for i, scheme in enumerate(setup.schemes):
        mine = [row for row in rows if row['scheme'] == scheme]
        text += f'$live{i} << EOD\n'
        for row in mine:
            error = row[f'{key}_se']
            text += f"{row['load']:g} {row[key]} {0 if math.isnan(error) else error}\n"
        text += f'EOD\n$sim{i} << EOD\n'
        text += ''.join(f"{row['load']:g} {row[f'sim_{key}']}\n" for row in mine) + 'EOD\n'
        plots.append(f'$sim{i} using 1:2 with linespoints lc {i + 1} lw 2 ps 0.3 '
                     f'title "{scheme}, simulated"')
        plots.append(f'$live{i} using 1:2:3 with yerrorbars lc {i + 1} pt {5 + 2 * i} ps 0.9 '
                     f'title "{scheme}, live"')
    low, high = min(setup.loads), max(setup.loads)
    margin = 0.05 * (high - low) or 0.05
    return (text + f'set xrange [{low - margin}:{high + margin}]\n'
            'plot ' + ', '.join(plots) + '\nset output\n')


def bars(rows, key, title, y):
    """Of one load: live with its error beside simulated, a group for each scheme."""
    figures = [v for row in rows for v in (row[key], row[f'sim_{key}']) if not math.isnan(v)]
    log = bool(figures) and max(figures) > 8 * min(figures) > 0
    # Bars begin at zero, or, where their scale has none, a decade below the shortest.
    low = min(figures, default=1) / 10 if log else 0
    text = _figure(title, 'scheme', y, log) + f'set yrange [{low:g}:]\n$bars << EOD\n'
    for row in rows:
        error = row[f'{key}_se']
        text += (f'"{row["scheme"]}" {row[key]} {0 if math.isnan(error) else error} '
                 f'{row[f"sim_{key}"]} 0\n')
    return text + ('EOD\nset style data histograms\nset style histogram errorbars gap 1\n'
                   'set boxwidth 0.9\nset offsets 0,0,graph 0.05,0\n'
                   'plot $bars using 2:3:xtic(1) lc rgb "#0072b2" fs solid 0.9 title "live", '
                   '$bars using 4:5 lc rgb "#999999" fs solid 0.6 title "simulated"\nset output\n')


def _cdfs(runs, setup, load):
    """Latencies of the packets of each run that counts, at one load: a curve a run, a colour a scheme."""
    mine = [run for run in runs if run['counts'] and run['load'] == load and run.get('cdf')]
    if not mine:
        return None
    largest = max(run['cdf'][-1][0] for run in mine)
    text, plots = _figure(f'Latencies of packets, live, load {load:g}', 'slots',
                          'share of packets that took no longer'), []
    text += 'set yrange [0:1.02]\n' + ('set logscale x\n' if largest > 100 else '')
    for i, run in enumerate(mine):
        color = setup.schemes.index(run['scheme']) + 1
        first = all(other['scheme'] != run['scheme'] for other in mine[:i])
        text += f'$cdf{i} << EOD\n'
        text += ''.join(f'{latency:.6g} {share:.6g}\n' for latency, share in run['cdf']) + 'EOD\n'
        plots.append(f'$cdf{i} using 1:2 with steps lc {color} lw 2 '
                     + (f'title "{run["scheme"]}"' if first else 'notitle'))
    return text + 'plot ' + ', '.join(plots) + '\nset output\n'


def _queues(rows, setup, load):
    """Mean queues of one load by layer, live and simulated side by side."""
    mine = [row for row in rows if row['load'] == load]
    text = _figure(f'Mean queue, load {load:g}', 'links of a layer, in the order of a path', 'packets',
                   any(row['growing'] or row['sim_growing'] for row in mine))
    text = text.replace('size 620,460', 'size 1240,460')
    if 'logscale' not in text:
        text += 'set yrange [0:]\n'
    text += '$q << EOD\n'
    for queue in setup.queues:
        name = queue.replace('up', 'up ').replace('down', 'down ')
        figures = [row[f'{kind}queue_{queue}_mean'] for row in mine for kind in ('', 'sim_')]
        text += f'"{name}" ' + ' '.join(f'{max(v, 0.001):g}' for v in figures) + '\n'
    text += 'EOD\nset style data histograms\nset boxwidth 0.9\n'
    plots = []
    for i, row in enumerate(mine):
        for j, (kind, style) in enumerate((('live', 'solid 0.9'), ('simulated', 'solid 0.35'))):
            source = '$q' if not plots else '""'
            axis = ':xtic(1)' if not plots else ''
            plots.append(f'{source} using {2 + 2 * i + j}{axis} lc {i + 1} fs {style} '
                         f'title "{row["scheme"]}, {kind}"')
    return text + 'plot ' + ', '.join(plots) + '\nset output\n'


def svg(script):
    """What gnuplot makes of it; None if it fails."""
    with children.Child(['gnuplot'], script) as child:
        code, picture, _ = child.wait()
    return picture if code == 0 and picture else None


def draw(rows, setup, runs):
    """{name: SVG}; nothing without gnuplot."""
    if not shutil.which('gnuplot'):
        return {}
    scripts = {}
    for key, title in (('latency', 'Mean latency'), ('tail', 'Cohort tail')):
        scripts[key] = (_lines(rows, setup, key, title, 'slots') if len(setup.loads) > 1 else
                        bars(rows, key, f'{title}, load {setup.loads[0]:g}', 'slots'))
    for load in setup.loads:
        scripts[f'cdf-{load:g}'] = _cdfs(runs, setup, load)
    for load in setup.loads:
        scripts[f'queue-{load:g}'] = _queues(rows, setup, load)
    pictures = {}
    for name, script in scripts.items():
        picture = script and svg(script)
        if picture:
            pictures[name] = picture
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
    data = base64.b64encode(picture.encode()).decode()
    wide = ' class="wide"' if name.startswith('queue') else ''
    return f'<img{wide} alt="{name}" src="data:image/svg+xml;base64,{data}">\n'


def page(rows, setup, pictures):
    fabric = f'F({setup.layers},{setup.arity})'
    limits = ', '.join(f'{key} {share:.0%}' for key, share in TOLERANCES)
    grow = any(row['growing'] or row['sim_growing'] for row in rows)
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<title>{fabric}, live and simulated</title>\n<style>{STYLE}</style></head><body>\n'
        f'<h1>{fabric}, live and simulated</h1>\n'
        f'<p>{setup.hosts} hosts, traffic <i>{html.escape(setup.traffic)}</i>, threshold '
        f'{html.escape(setup.threshold)}; slots of {setup.slot * 1e3:g} ms, {setup.slots} a run, of '
        f'which the first {setup.warmup} are left out; {_runs_of(setup)}. One process per switch, links of '
        f'{setup.driver} that move one packet a slot. Simulator and fabric carry the same traffic, '
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
    pictures = draw(rows, experiment.setup, experiment.runs)
    for name, picture in pictures.items():
        with open(f'{folder}/{name}.svg', 'w', encoding='utf-8') as f:
            f.write(picture)
    path = f'{folder}/report.html'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(page(rows, experiment.setup, pictures))
    return path
