# SPDX-License-Identifier: BSD-3-Clause
"""Whether the switches of a plan hear each other."""

import time

from drbfabric.fabric.telemetry import Telemetry

# How long a port may take to hear its neighbour.
HELLO_SECONDS = 2
POLL_SECONDS = 0.02
NOT_HEARD = ('unknown', 'down')


def ports_between_switches(plan):
    """{switch: [port]}: those whose other end is a switch of this plan, too."""
    result = {switch['name']: [] for switch in plan['switches']}
    for link in plan['links']:
        if link['lower'] in result and link['upper'] in result:
            for end in ('lower', 'upper'):
                result[link[end]].append(link[f'{end}_port'])
    return result


def wait_heard(telemetry, ports, end):
    """What the switch says of its ports, by their names, once it hears its neighbours at these, or at `end` of the
    monotonic clock."""
    while True:
        says = {row['name']: row for row in (telemetry.ask('/drb/all') or {}).get('ports', [])}
        if not any(says.get(port, {}).get('state') in NOT_HEARD for port in ports) or time.monotonic() >= end:
            return says
        time.sleep(POLL_SECONDS)


def wait_up(plan, seconds=HELLO_SECONDS):
    """Returns once switches hear each other on all links of this plan, or have had these seconds: the ends that
    hear nobody, as SWITCH.PORT. A switch that does not answer has none."""
    end, silent, between = time.monotonic() + seconds, [], ports_between_switches(plan)
    for switch in plan['switches']:
        ports = between[switch['name']]
        try:
            with Telemetry(switch['namespace']) as t:
                says = wait_heard(t, ports, end)
                silent += [f"{switch['name']}.{port}" for port in ports if says.get(port, {}).get('state') in NOT_HEARD]
        except OSError:
            pass
    return silent


def say_silent(silent, say):
    if silent:
        say(f'switches do not hear each other on all links yet, {len(silent)} of their ports wait, {silent[0]} among '
            f"them: drbctl show {silent[0].partition('.')[0]} links")
