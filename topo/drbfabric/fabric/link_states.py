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


def wait_heard(telemetry, port, end):
    """What the switch says of a port once it hears its neighbour, or at `end` of the monotonic clock."""
    says = telemetry.ask(f'/drb/port,{port}') or {}
    while says.get('state') in NOT_HEARD and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
        says = telemetry.ask(f'/drb/port,{port}') or {}
    return says


def wait_up(plan, seconds=HELLO_SECONDS):
    """Returns once switches hear each other on all links of this plan, or have had these seconds: the ends that
    hear nobody, as SWITCH.PORT. A switch that does not answer has none."""
    end, silent, between = time.monotonic() + seconds, [], ports_between_switches(plan)
    for switch in plan['switches']:
        try:
            with Telemetry(switch['namespace']) as t:
                silent += [f"{switch['name']}.{port}" for port in between[switch['name']]
                           if wait_heard(t, port, end).get('state') in NOT_HEARD]
        except OSError:
            pass
    return silent


def say_silent(silent, say):
    if silent:
        say(f'switches do not hear each other on all links yet, {len(silent)} of their ports wait, {silent[0]} among '
            f"them: drbctl show {silent[0].partition('.')[0]} links")
