# SPDX-License-Identifier: BSD-3-Clause
"""Finds whether the switches of a plan receive each other's hellos."""

import time

from drbfabric.fabric.plan_types import Plan, ends_of
from drbfabric.fabric.telemetry import Telemetry

# Time within which a port should hear its neighbour.
HELLO_SECONDS = 2
POLL_SECONDS = 0.02
NOT_HEARD = ('unknown', 'down')


def ports_between_switches(plan: Plan):
    """The ports whose other end is a switch of this plan, too: {switch: [port]}."""
    result = {switch['name']: [] for switch in plan['switches']}
    for link in plan['links']:
        ends = ends_of(link)
        if all(end.node in result for end in ends):
            for end in ends:
                result[end.node].append(end.port)
    return result


def wait_heard(telemetry, ports, end):
    """Waits until a switch hears its neighbours at these ports, or until `end` on the monotonic
    clock.

    Returns its report about all ports: {port: row}."""
    while True:
        says = {row['name']: row for row in (telemetry.ask('/drb/all') or {}).get('ports', [])}
        if not any(says.get(port, {}).get('state') in NOT_HEARD for port in ports) or time.monotonic() >= end:
            return says
        time.sleep(POLL_SECONDS)


def wait_up(plan: Plan, seconds=HELLO_SECONDS):
    """Waits until switches hear each other on all links of this plan, at most these seconds.

    Returns the ends that hear no neighbour, as SWITCH.PORT. Switches that do not answer are
    ignored."""
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
