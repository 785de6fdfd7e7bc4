# SPDX-License-Identifier: BSD-3-Clause
"""The faults of chaos.py.

Each one breaks something, and notes what is dead and how it is mended. It returns a description,
and a function that tells later whether the fault has really happened."""

import os
import random
import signal
import socket
import time

from chaos_world import World, ends, name_of, routing, run, with_routing
from drbfabric.fabric import netns
from drbfabric.fabric.telemetry import instance_folder
from drbfabric.faults import faults

CLIENTS = 200
FLOOD_S = 1.0
SHARES = 'lossy-10', 'lossy-40'
FOUND_LOSSY = 5.0  # s; a share of little traffic takes longer to detect than a dead link
DOWN = 'down', 'gone'


class Impossible(Exception):
    """This fault cannot happen to anything that is left."""


def _pick(rng, things):
    if not things:
        raise Impossible
    return rng.choice(things)


def _free_link(world, rng, hosts=False, kinds=('veth',)):
    """Returns a link that no fault has touched yet, of a host or between switches."""
    links = [k for k in world.links if (k['lower'] not in world.switches) == hosts and k['kind'] in kinds]
    return _pick(rng, [k for k in world.free_links(links)
                       if not {k['lower'], k['upper']} & world.dead_switches])


def _all_say(world, wanted):
    """Returns a proof: the ends at running switches are in one of the wanted states."""
    def happened():
        return all(world.state(end) in states for end, states in wanted
                   if end[0] in world.switches and end[0] not in world.dead_switches)
    return happened


def _ip(world, node, *words):
    done = run('ip', '-n', world.namespaces[node], *words)
    if done.returncode != 0:
        raise AssertionError(f"ip {' '.join(words)} in {node}: {done.stderr.strip()}")


def cut(world: World, rng: random.Random):
    """Cuts a link at both ends."""
    link = _free_link(world, rng, hosts=rng.random() < 0.2, kinds=('veth', 'memif'))
    handle = faults.Link(world.plan, '.'.join(ends(link)[0]))
    handle.set('down')
    world.touch(link, dead=True)
    world.mends.append(lambda: handle.set('up'))
    return f'cut {name_of(link)}', _all_say(world, [(end, DOWN) for end in ends(link)])


def one_way(world, rng):
    """Drops all frames of a link in one direction, including hellos."""
    link = _free_link(world, rng)
    end = rng.choice(ends(link))
    _program(world, link, end, 'one-way')
    return f'one-way {name_of(link)} to {end[0]}', _all_say(world, [(e, DOWN) for e in ends(link)])


def lossy(world, rng):
    """Drops a share of the frames of a link in one direction."""
    link = _free_link(world, rng)
    end, share = rng.choice(ends(link)), rng.choice(SHARES)
    _program(world, link, end, share)
    world.settled = max(world.settled, FOUND_LOSSY)
    world.lossy = True
    return (f'{share} {name_of(link)} to {end[0]}',
            _all_say(world, [(e, ('lossy', 'lossy, still needed', 'flapping', 'down')) for e in ends(link)]))


def _program(world, link, end, program):
    _ip(world, end[0], 'link', 'set', 'dev', end[1], 'xdpgeneric', 'obj', f'{world.programs}/{program}.o', 'sec', 'xdp')
    world.touch(link, dead=True)
    world.mends.append(lambda: _ip(world, end[0], 'link', 'set', 'dev', end[1], 'xdpgeneric', 'off'))


def _carrier(world, link, end, state):
    if link['kind'] == 'memif':
        world.ctl(state, '.'.join(end))
    else:
        _ip(world, end[0], 'link', 'set', end[1], state)


def flap(world, rng):
    """Takes the carrier of a link: first long enough for every detector, then like a loose plug."""
    link = _free_link(world, rng, kinds=('veth', 'memif'))
    end = rng.choice(ends(link))
    before = [(world.ask(e[0], f'/drb/port,{e[1]}') or {}).get('since_ns') for e in ends(link)]
    world.touch(link, dead=False)
    for gone in 0.5, 0.1, 0.1, 0.1:
        _carrier(world, link, end, 'down')
        time.sleep(gone)
        _carrier(world, link, end, 'up')
        time.sleep(0.1)

    def happened():
        after = [(world.ask(e[0], f'/drb/port,{e[1]}') or {}).get('since_ns') for e in ends(link)]
        return all(a != b for a, b in zip(before, after))
    return f'flap {name_of(link)}', happened


def delete(world, rng):
    """Deletes an interface, and with it the other end of the link."""
    link = _free_link(world, rng, hosts=rng.random() < 0.4)
    (lower, lower_port), (upper, upper_port) = ends(link)
    _ip(world, upper, 'link', 'delete', upper_port)
    world.touch(link, dead=True)

    def again():
        words = f' {lower_port} ', f' {upper_port} ', *(f' netns {world.namespaces[n]} ' for n in (lower, upper))
        with open(world.fabric.path(world.plan['wires']), encoding='utf-8') as f:
            line = next(line for line in f if all(word in line for word in words))
        netns.batch([line.strip()])
        _ip(world, upper, 'link', 'set', upper_port, 'up')
        if lower in world.switches:
            _ip(world, lower, 'link', 'set', lower_port, 'up')
        else:
            host = next(h for h in world.hosts if h['name'] == lower)
            with netns.inside(host['namespace']):
                netns.batch(world.fabric.path(host['batch']))
    world.mends.append(again)
    return f'delete {name_of(link)}', _all_say(world, [(end, DOWN) for end in ends(link)])


def _free_switches(world, layers):
    return [n for n, s in world.switches.items() if s['layer'] in layers and n not in world.touched_switches]


def _neighbours(world, switch):
    return [end for k in world.between for end, other in (ends(k), ends(k)[::-1]) if other[0] == switch]


def kill(world, rng):
    name = _pick(rng, _free_switches(world, (1, 2, 2, 2, 3, 3)))
    pid = world.pid(name)
    list(faults.kill(world.fabric, [name]))
    world.expected[name] = None
    world.touch_switch(name, dead=True)
    world.mends.append(lambda: world.start(name))
    heard = _all_say(world, [(end, DOWN) for end in _neighbours(world, name)])
    return f'kill {name}', lambda: pid and not world.pid(name) and heard()


def pause(world, rng):
    """Stops a switch by SIGSTOP until the end of the round."""
    name = _pick(rng, _free_switches(world, (1, 2, 3)))
    list(faults.pause(world.fabric, [name]))
    world.touch_switch(name, dead=True)
    world.mends.append(lambda: list(faults.resume(world.fabric, [name])))
    return f'pause {name}', _all_say(world, [(end, DOWN) for end in _neighbours(world, name)])


def hiccup(world, rng):
    """Stops a switch by SIGSTOP for less than a second, several times."""
    name = _pick(rng, _free_switches(world, (1, 2, 3)))
    world.touch_switch(name, dead=False)
    states = []
    for _ in range(3):
        os.kill(world.pid(name), signal.SIGSTOP)
        time.sleep(rng.uniform(0.05, 0.5))
        with open(f'/proc/{world.pid(name)}/stat', encoding='ascii') as f:
            states.append(f.read().rpartition(')')[2].split()[0])
        os.kill(world.pid(name), signal.SIGCONT)
        time.sleep(0.05)
    return f'hiccup {name}', lambda: states == ['T'] * 3


def drain(world, rng):
    """Drains a link, or a switch above layer 1, until the end of the round."""
    if rng.random() < 0.5:
        link = _free_link(world, rng, kinds=('veth', 'memif'))
        name, mine = '.'.join(ends(link)[0]), list(ends(link))
        world.touch(link, dead=False)
    else:
        name = _pick(rng, _free_switches(world, (2, 3)))
        mine = _neighbours(world, name)
        world.touch_switch(name, dead=False)
    done = world.ctl('drain', name)
    if done.returncode != 0:
        # Other faults leave no other path to some host, so the switch refuses.
        return f'drain {name} (refused)', lambda: 'drain' in done.stderr or 'isolat' in done.stderr
    world.mends.append(lambda: world.ctl('undrain', name))
    states = ('drained', 'drained by neighbour', 'drained, still needed', 'drained by neighbour, still needed', *DOWN)
    return f'drain {name}', _all_say(world, [(end, states) for end in mine])


def reload(world, rng):
    """Reloads another scheme and unit into every switch that runs, by their configs."""
    scheme, unit = routing(rng)
    names = [n for n in world.switches if n not in world.dead_switches]
    before = {n: (world.ask(n, '/drb/info') or {}).get('reloads', 0) for n in names}
    for name, switch in world.switches.items():
        path = world.fabric.path(switch['config'])
        with open(path, encoding='utf-8') as f:
            text = with_routing(f.read(), scheme, unit)
        with open(f'{path}.new', 'w', encoding='utf-8') as f:
            f.write(text)
        os.replace(f'{path}.new', path)
    done = world.ctl('reload', *names)

    took = done.returncode == 0 and all(
        (world.ask(n, '/drb/info') or {}).get('reloads') == before[n] + 1
        and (world.ask(n, '/drb/routing') or {}).get('scheme') == scheme for n in names)
    refused = [line for line in done.stderr.splitlines() if ' reloaded: ' not in line]
    return '; '.join([f'reload {scheme}/{unit}', *refused]), lambda: took


def clients(world, rng):
    """Opens clients of a stats socket: half send commands and never read, half are silent."""
    name = _pick(rng, [n for n in world.switches if n not in world.dead_switches])
    path = f"{instance_folder(world.namespaces[name])}/dpdk_telemetry.v2"
    stuck = []
    for n in range(CLIENTS):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.setblocking(False)
        try:
            s.connect(path)
            stuck.append(s)
            for _ in range(20 if n % 2 else 0):
                s.send(b'/drb/all')
        except (BlockingIOError, ConnectionError):
            pass
    world.mends += [s.close for s in stuck]
    return f'{len(stuck)} stuck clients of {name}', lambda: (
        len(stuck) > 100 and (name in world.dead_switches or world.ask(name, '/drb/info') is not None))


def flood(world, rng):
    """Has a host send as fast as the machine can, for a second."""
    kind = rng.choice(('one', 'flows', 'sources', 'neighbours', 'control'))
    done = run('ip', 'netns', 'exec', world.namespaces['h0'], f'{world.programs}/attack', 'send', 'eth0', kind,
               str(round(FLOOD_S)), timeout=20)
    rate = (done.stdout.split() or ['0'])[0]
    gone = any(name_of(k) in world.touched_links for k in world.links if k['lower'] == 'h0')
    return f'flood of {kind}, {rate}/s', lambda: gone or int(rate) > 1000


# Faults depend on the fabric. Only interfaces with packet sockets can have another XDP program, and
# only packet sockets take a new interface after one was deleted.
EVERYWHERE = cut, flap, kill, pause, hiccup, drain, reload, clients, flood
OF_PACKET_SOCKETS = one_way, delete
# These faults lose no packet.
HARMLESS = drain, reload, clients


def of(world):
    """Returns the faults for these settings on this machine, which may load XDP programs."""
    kinds = list(EVERYWHERE)
    if world.settings.get('driver') == 'af_packet':
        kinds += [f for f in OF_PACKET_SOCKETS if f is not one_way or world.loads_programs]
        # With several workers, switches do not count the frames of links, and so miss losses.
        if world.settings['workers'] == 1 and world.loads_programs:
            kinds.append(lossy)
    return kinds
