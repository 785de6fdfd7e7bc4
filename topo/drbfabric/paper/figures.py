# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the report: the paper's 4, 5 and 6, what goes beyond it, and the theory's."""

import math

from drbfabric.paper import compare, hosts
from drbfabric.paper.results import LINES, estimate, growth_of, name_of
from drbfabric.paper.study import COMPARED, Faults, places_of
from drbfabric.report.figure import Axis, Figure, Heat, Panel, Point
from drbfabric.report.sample import Sample

QUEUES_RHO, RATE = 0.9, 0.9
LEAST = 1e-8  # where axes of shares begin
SEEDS = 'Bars: 95 % intervals over seeds.'


def _suffix(tree):
    return f'F{tree[0]}-{tree[1]}'


def _mean(x, sample, growth='no'):
    return Point(x, sample.mean, sample.half, growth != 'no')


def flow(results, tree):
    f = Figure(f'flow-{_suffix(tree)}', 'lines', f'Busiest link in {name_of(tree)}',
               "Paper, Fig. 4: flows on the busiest link, c flows a host. Black: an optimum that was constructed; "
               "dashed: the paper's estimate of drb, its Table 1. paths: each flow takes the better of two whole "
               "paths. Bars: "
               '95 % intervals of the mean over the runs.', Axis('flows per host, c'), Axis('flows on the busiest '
                                                                                            'link'))
    for line in (*LINES, 'paths', 'optimal'):
        points = [point for point, in compare.flows(results, line, trees=[tree])]
        f.add(line, 'ink' if line == 'optimal' else line, (Point(p.flows, *compare.busiest(p)[:2]) for p in points))
    f.add('estimate of drb', 'drb', [Point(p.flows, estimate(p.flows, p.hosts, p.threshold)) for p, in
                                     compare.flows(results, 'drb', trees=[tree])], dashed=True)
    return f


def _by_load(results, tree, line, figure):
    """Means of a line at each load."""
    for rho in results.loads:
        runs = results.runs(tree, line, rho)
        if runs:
            yield _mean(rho, Sample(figure(run) for run in runs), growth_of(runs))


def latency(results, tree, tail=False):
    says = 'mean, over slots, of the longest latency born in the slot' if tail else 'mean latency'
    f = Figure(f"{'tail' if tail else 'latency'}-{_suffix(tree)}", 'lines',
               f"{'Tail' if tail else 'Mean'} latency in {name_of(tree)}", f'Paper, Fig. 6: {says}. {SEEDS}',
               Axis('load'), Axis('slots', log=True))
    for line in LINES:
        f.add(line, line, _by_load(results, tree, line, compare.tail if tail else compare.latency))
    return f


def links_of(tree):
    """Those of a path in its order: '1 up', '2 up', ..., and down again; what reads their queues."""
    ways = [('up', m) for m in range(1, tree[0])] + [('down', m) for m in range(tree[0], 0, -1)]
    return [(f'{m} {way}', lambda run, kind, way=way, m=m: getattr(run, f'{way}_{kind}')[m - 1]) for way, m in ways]


def queue(results, tree, kind):
    longest = kind == 'max'
    f = Figure(f'queue-{kind}-{_suffix(tree)}', 'bars',
               f"{'Longest' if longest else 'Mean'} queue in {name_of(tree)}, load {QUEUES_RHO:g}",
               'Paper, Fig. 5: queues by layer, in the order of a path, at load 0.9 (the paper does not name its own). '
               + SEEDS, Axis('links of a layer'), Axis('packets', log=longest, low=1 if longest else 0))
    for line in LINES:
        runs = results.runs(tree, line, QUEUES_RHO)
        f.add(line, line, [_mean(link, Sample(of(run, kind) for run in runs)) for link, of in links_of(tree) if runs])
    return f


def queue_load(results, tree):
    f = Figure(f'queue-load-{_suffix(tree)}', 'lines', f'Mean queues in {name_of(tree)} by load and layer',
               "As the paper's Fig. 5, at every load of its Fig. 6: mean queues of the links of each layer. " + SEEDS,
               Axis('load'), Axis('packets', log=True))
    for line in LINES:
        f.panels.append(Panel(line))
        for i, (link, of) in enumerate(links_of(tree), 1):
            f.add(link, str(i), _by_load(results, tree, line, lambda run, of=of: of(run, 'mean')),
                  dashed=i >= tree[0])
    return f


def study(places, traffic):
    tree = places[0].tree
    f = Figure(f'study-{traffic}', 'lines', f'{name_of(tree)}, traffic {traffic}',
               'Beyond the paper: mean latency under traffic that persists. ' + SEEDS,
               Axis('load'), Axis('mean latency, slots', log=True, low=5))
    for scheme in COMPARED:
        f.add(scheme, scheme, [_mean(place.rho, place.of[scheme].mean, place.of[scheme].growth) for place in places
                               if place.tree == tree and place.traffic == traffic and scheme in place.of
                               and place.of[scheme].mean.count])
    return f


def _fault_lines(f, of, switches, key, **more):
    for scheme in Faults.SCHEMES:
        f.add(scheme, scheme, [_mean(100 * fault.share, getattr(fault, key), 'no' if key == 'lost' else fault.growth)
                               for fault in of.line(scheme, switches) if fault.runs], **more)


def faults(of, switches):
    what = 'switches' if switches else 'links'
    f = Figure(f'faults-{what}', 'lines', f'Dead {what}, {name_of(of.tree)}, load {of.loads[-1]:g}',
               'Beyond the paper: latencies beside what is dead. Bars: 95 % intervals over draws of what is dead.',
               Axis(f'dead {what}, %'), Axis('slots', log=True, low=5))
    f.panels.append(Panel('mean latency'))
    _fault_lines(f, of, switches, 'latency')
    f.panels.append(Panel('tail latency'))
    _fault_lines(f, of, switches, 'tail', dashed=True, in_key=False)
    return f


def lost(of):
    f = Figure('faults-lost', 'lines', f'Lost packets, {name_of(of.tree)}, load {of.loads[-1]:g}',
               'Beyond the paper: packets that find no way past what is dead. Bars: 95 % intervals over draws of what '
               'is dead.', Axis('dead, %'), Axis('lost packets, %'))
    for switches in (False, True):
        f.panels.append(Panel('dead switches' if switches else 'dead links'))
        _fault_lines(f, of, switches, 'lost')
    return f


def _fixed_point(shares):
    return [Point(i, share) for i, share in enumerate(shares[:21]) if share >= LEAST]


def theory(results):
    f = Figure('theory', 'lines', f'Queues with at least i packets, λ = {RATE:g}',
               'Paper, sections 5.2 and 5.3: the fixed point s_i (solid) and its bound z_i (dashed), Theorem 5.2.',
               Axis('i'), Axis('share of queues', log=True, low=LEAST))
    for i, threshold in enumerate((0, 1, 3, 5)):
        of = results.theory[RATE, threshold]
        f.add(f'T = {threshold:g}', str(2 * i + 1), _fixed_point(of.s))
        f.add('', str(2 * i + 1), _fixed_point(of.z), dashed=True)
    return f


def theory_chain(results):
    """What chains do at the T next to the paper's, beside the fixed point."""
    threshold = math.floor(results.theory[RATE, 0].paper_threshold)
    f = Figure('theory-chain', 'lines', f'Queues with at least i packets, λ = {RATE:g}, T = {threshold:g}',
               'Paper, section 5.2: the limit of many queues. ' + SEEDS, Axis('i'),
               Axis('share of queues, s_i', log=True, low=LEAST))
    f.add('fixed point', 'ink', _fixed_point(results.theory[RATE, threshold].s), dashed=True)
    chains = [chain for chain in results.chains if (chain.rate, chain.threshold) == (RATE, threshold)]
    for i, chain in enumerate(chains):
        f.add(f'n = {chain.queues}', str(2 * i + 1), [_mean(k, s) for k, s in enumerate(chain.s) if s.mean >= LEAST])
    return f


def kurtz(results):
    f = Figure('kurtz', 'lines', 'How far chains are from their equations',
               'Paper, section 5.2 and appendix D: the largest distance of s_i on [0, 10] from the solution of the '
               'equations; λ = 0.9. A line of slope -1/2 is dashed. ' + SEEDS, Axis('queues', log=True),
               Axis('distance', log=True, low=LEAST * 1e5))
    for i, start in enumerate(results.starts):
        samples = [(n, Sample(runs)) for n, runs in results.transients[start].items()]
        f.add(f'from {start} packets in each queue' if start else 'from empty', str(3 * i + 1),
              [Point(n, sample.mean, sample.half) for n, sample in samples])
    ends = [n for n in results.transients[results.starts[0]]]
    f.add('', 'ink', [Point(n, 0.7 / math.sqrt(n)) for n in (ends[0], ends[-1])], dashed=True)
    return f


def bins(results):
    """Against ln ln n a growth as ln ln n is a straight line."""
    f = Figure('bins', 'lines', 'Fullest of n bins, n balls', 'Paper, section 1: balls thrown into random bins, each '
               'into the least loaded of some. Bars: 95 % intervals over 20 runs.', Axis('ln ln n'), Axis('balls',
                                                                                                          low=0))
    for choices in (1, 2, 3):
        f.add(f'{choices} choices' if choices > 1 else '1 choice', str(2 * choices - 1),
              [_mean(math.log(math.log(n)), Sample(runs)) for n, runs in results.throws(choices)])
    return f


def heat(results, traffic):
    rows = [row for row in results.of('heat') if row.traffic == traffic]
    f = Figure(f'heat-{traffic}', 'heat', f'Queues of all links of F(3,4), traffic {traffic}, load {rows[0].rho:g}',
               'Beyond the paper: the queue of every link over time, one run. From below, in the order of a path: '
               'links up of layer 1, up of layer 2, down of layers 3, 2 and 1.', Axis('slot'), Axis('links'))
    for scheme in dict.fromkeys(row.scheme for row in rows):
        mine = [row for row in rows if row.scheme == scheme]
        f.panels.append(Heat(scheme, [row.slot for row in mine], [row.queues for row in mine]))
    return f


def all_of(results):
    """In the order of the report."""
    figures = [flow(results, tree) for tree in results.trees]
    for tree in results.trees:
        figures += [latency(results, tree), latency(results, tree, tail=True), queue(results, tree, 'mean'),
                    queue(results, tree, 'max'), queue_load(results, tree)]
    places, of = places_of(results), Faults(results)
    figures += [study(places, traffic) for traffic in ('permutation', 'fixed', 'mixed', 'reversal')]
    figures += [faults(of, False), faults(of, True), lost(of), bins(results), theory(results), theory_chain(results),
                kurtz(results)]
    compared = hosts.places_of(results)
    figures += [hosts.figure(compared, tree) for tree in hosts.trees_of(compared)]
    return figures + [heat(results, traffic) for traffic in ('permutation', 'fixed')]
