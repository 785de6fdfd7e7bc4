# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a running fabric. Every check returns (row of the table, complaints).

The `notes` of a row are lines to print that are not complaints."""

import json
import random
import subprocess
import time

from drbfabric import Failure
from drbfabric.fabric import echo, link_states, neighbours, netns
from drbfabric.fabric.plan_types import Link, Plan, Switch, ends_of
from drbfabric.fabric.telemetry import Telemetry

# Up to this many hosts, all ordered pairs are pinged; above, a sample of SAMPLE_A_HOST per host.
ALL_PAIRS_HOSTS = 64
SAMPLE_A_HOST = 8
# All namespaces share the kernel's neighbour tables (net.ipv*.neigh.default.gc_thresh3 = 1024). An
# IPv6 ping makes up to four entries: at both ends one for the other host, and one for the multicast
# group of the request. After this many pairs, the tables are therefore flushed.
PAIRS_A_WAVE = 192
# Lower limit if hosts of other machines ping the hosts here at the same time. The entries that they
# cause are flushed only with a wave of this machine.
PAIRS_A_WAVE_MIN = 48
# Successive pings of one host in a wave: more pings of fewer hosts mean fewer tables to flush.
PINGS_A_HOST = 4
PING_FRAME_BITS = (98 + 24) * 8


def switch_view(switch: Switch, ports, plan: Plan):
    """Compares the reports of one switch about itself and its links with the plan.

    Returns (complaints, drained ports)."""
    name = switch['name']
    complaints, drained = [], []

    def expect(what, says, planned):
        if says != planned:
            complaints.append(f'{name}: {what} is {says!r}, must be {planned!r}')

    try:
        with Telemetry(switch['namespace']) as t:
            info = t.ask('/drb/info') or {}
            for key, value in (('name', name), ('fabric', plan['fabric']), ('layers', plan['layers']),
                               ('arity', plan['arity']), ('uplinks', plan['uplinks']),
                               ('layer', switch['layer']), ('label', switch['label']), ('code', switch['code']),
                               ('ready', 1), ('ports', len(ports))):
                says = info.get(key)
                # An empty code may arrive as an empty dictionary.
                if key in info or key == 'name':  # other versions may lack the other keys
                    expect(key, says if says or key != 'code' else [], value)
            all_say = link_states.wait_heard(t, ports, time.monotonic() + link_states.HELLO_SECONDS)
            for port, peer in ports.items():
                says = all_say.get(port, {})
                expect(f'peer of {port}', says.get('peer'), peer)
                if str(says.get('state')).startswith('drained'):
                    drained.append(f'{name}.{port}')  # a wrong cable would make it miswired
                else:
                    expect(f'state of {port}', says.get('state'), 'up')
                if says.get('hellos_out') and says.get('hellos_in'):
                    expect(f'neighbour of {port}', says.get('neighbour'), peer)
    except OSError as e:
        complaints.append(f'{name}: no answer from its stats socket ({e})')
    return complaints, drained


def peers(plan: Plan):
    """The planned peers: {switch: {port: peer}}."""
    result = {switch['name']: {} for switch in plan['switches']}
    for link in plan['links']:
        ends = ends_of(link)
        for own, other in (ends, ends[::-1]):
            if own.node in result:
                result[own.node][own.port] = other.name
    return result


def wiring(plan: Plan):
    wanted, complaints, drained, failed = peers(plan), [], [], 0
    for switch in plan['switches']:
        found, out_of_use = switch_view(switch, wanted[switch['name']], plan)
        failed += bool(found)
        complaints += found
        drained += out_of_use
    row = {'check': 'wiring', 'checked': len(plan['switches']), 'failed': failed}
    if drained:
        row['notes'] = [f"drained: {' '.join(drained)}"]
    return row, complaints


def pairs(count, seed, sample):
    """Ordered pairs of host labels: all, or `sample` of each host as source and as destination."""
    shifts = list(range(1, count))
    if sample < len(shifts):
        rng = random.Random(seed)
        order = rng.sample(range(count), count)
        shifts = rng.sample(shifts, sample)
    else:
        order = list(range(count))
    # Each host is the source of PINGS_A_HOST successive pairs. Otherwise, successive pairs share no
    # host.
    groups = [shifts[at:at + PINGS_A_HOST] for at in range(0, len(shifts), PINGS_A_HOST)]
    return [(order[i], order[(i + shift) % count]) for group in groups for i in range(count) for shift in group]


def _ping_timing(plan: Plan):
    """Timing of pings: (ms between two pings of a host, ms to wait for an answer)."""
    if not plan['rate_value']:
        return 1, 2000
    slot = 1000 / plan['rate_value'] * (1 if plan['rate_per_packet'] else PING_FRAME_BITS)
    # Requests and answers of all hosts share the links. Each host may use a quarter of a link, and
    # the timeout allows 4 queued packets at each of the 2l links in both directions.
    return max(1, round(4 * slot)), round(2000 + 16 * plan['layers'] * slot)


def _every_host(plan: Plan):
    """All hosts, including those of other machines: {label: host}."""
    return {host['label']: host for host in plan['hosts'] + plan.get('elsewhere', [])}


def _run_pings(plan: Plan, wave, family):
    """Pings the pairs of a wave, all sources at once: {(source, destination): ms or None}."""
    hosts = _every_host(plan)
    pings = [(a, b, hosts[b][f'ipv{family}']) for a, b in wave]
    return echo.run(family, pings, {a: hosts[a]['namespace'] for a, _ in wave}, *_ping_timing(plan))


def pairs_a_wave(plan: Plan):
    """The size of a wave such that the waves of all machines together are about PAIRS_A_WAVE."""
    machines = {host['machine'] for host in plan.get('elsewhere', [])}
    return max(PAIRS_A_WAVE_MIN, PAIRS_A_WAVE // (1 + len(machines)))


def _flush_neighbours(plan: Plan, labels):
    """Flushes the neighbour tables of these hosts, except of those on other machines.

    Entries that are being resolved stay: packets that wait for them would be lost, among them
    answers to hosts of other machines."""
    for host in plan['hosts']:
        if host['label'] in labels:
            with netns.inside(host['namespace']):
                neighbours.flush('eth0')


def ping_pairs(plan: Plan, family, chosen):
    """Pings ordered pairs of host labels: {(source, destination): ms or None}."""
    times, wave = {}, pairs_a_wave(plan)
    known = {host['label'] for host in plan['hosts']}  # hosts whose tables may have entries
    for start in range(0, len(chosen), wave):
        if len(chosen) > wave:
            _flush_neighbours(plan, known)
        now = chosen[start:start + wave]
        times.update(_run_pings(plan, now, family))
        # Hosts of another machine may have pinged any host.
        known = known if plan.get('elsewhere') else {label for pair in now for label in pair}
    return times


def ping(plan: Plan, family, seed, sample):
    hosts, own = _every_host(plan), {host['label'] for host in plan['hosts']}
    chosen = pairs(len(hosts), seed, sample or
                   (len(hosts) if len(hosts) <= ALL_PAIRS_HOSTS else SAMPLE_A_HOST))
    times = ping_pairs(plan, family, [pair for pair in chosen if pair[0] in own])
    answered = [t for t in times.values() if t is not None]
    complaints = [f"h{a} -> h{b} ({hosts[b][f'ipv{family}']}): no answer"
                  for (a, b), t in times.items() if t is None]
    row = {'check': f'ping IPv{family}', 'checked': len(times), 'failed': len(complaints)}
    if answered:
        row['rtt_mean_ms'] = sum(answered) / len(answered)
        row['rtt_max_ms'] = max(answered)
    return row, complaints


def snapshots(plan: Plan):
    """All counters of all ports, and each switch's start on the monotonic clock:
    {switch: {key: [value per port], 'started_ns': value}}."""
    result = {}
    for switch in plan['switches']:
        try:
            with Telemetry(switch['namespace']) as t:
                asked_ns = time.monotonic_ns()
                uptime_ns = (t.ask('/drb/info') or {}).get('uptime_ns') or 0
                result[switch['name']] = {**t.ports(), 'started_ns': asked_ns - uptime_ns}
        except OSError as e:
            raise Failure(f"{switch['name']}: no answer from its stats socket ({e})") from e
    return result


def link_balance(link: Link, views):
    """Complaints about a link whose receiver counts fewer packets than its sender, in either
    direction.

    views: the result of snapshots()."""
    complaints = []
    ends = ends_of(link)
    for a, b in (ends, ends[::-1]):
        sender, receiver = views[a.node], views[b.node]
        if 'out_packets' not in sender or 'in_packets' not in receiver:
            complaints.append(f'{a.node} and {b.node}: their versions do not report what they sent and received')
            continue
        sent = sender['out_packets'][sender['name'].index(a.port)]
        got = receiver['in_packets'][receiver['name'].index(b.port)]
        if got < sent:
            complaints.append(f'{a.name} sent {sent} packets, {b.name} received {got}')
    return complaints


def counters(plan: Plan, drbctl):
    """Checks that packets are conserved at every switch, which holds at any time."""
    names = [switch['name'] for switch in plan['switches']]
    done = subprocess.run([drbctl, 'check', '--json', '--fabric', plan['fabric'], *names],
                          capture_output=True, text=True, check=False)
    complaints = done.stderr.splitlines()
    for row in map(json.loads, done.stdout.splitlines()):
        if row['conserved'] is None and row['in_packets'] is None:
            complaints.append(f"{row['switch']} is {row['state']}")
        elif row['conserved'] is False:
            complaints.append(f"{row['switch']}: {row['missing_packets']:g} packets are missing: "
                              f"{row['in_packets']} came in")
    return {'check': 'counters', 'checked': len(names), 'failed': len(complaints)}, complaints


def links(plan: Plan, up_ns, settle_seconds=2.0):
    """Checks that packets are conserved on every link between switches, when none are in flight.

    A switch that was started after the fabric was up (at up_ns) counts from zero, but the switches
    at the other ends do not. Its links are therefore left out.

    If the fabric is in use, the check is repeated for a while. Differences that stay are packets
    lost below the switches: the kernel drops packets if a receiver without a rate limit gets no CPU
    time. """
    own = {switch['name'] for switch in plan['switches']}
    between = [link for link in plan['links'] if {link['lower'], link['upper']} <= own]
    end = time.monotonic() + settle_seconds
    while True:
        views, complaints = snapshots(plan), []
        restarted = {name for name, view in views.items() if view['started_ns'] > up_ns}
        chosen = [link for link in between if not restarted & {link['lower'], link['upper']}]
        for link in chosen:
            complaints += link_balance(link, views)
        if not complaints or time.monotonic() > end:
            break
        time.sleep(0.1)
    notes = [f'{name}: restarted, its links are not comparable' for name in sorted(restarted)]
    row = {'check': 'links', 'checked': 2 * len(chosen), 'failed': len(complaints), 'notes': notes}
    return row, complaints
