# SPDX-License-Identifier: BSD-3-Clause
"""Whole fabrics: brings them up, gives them another plan, and takes them down."""

import collections
import contextlib
import os
import shutil
import signal
import time

from drbfabric import Failure, usage
from drbfabric.common.cli import need_root, say
from drbfabric.common.interrupts import on_signals
from drbfabric.common.output import counted, print_result
from drbfabric.common.places import called, program
from drbfabric.common.progress import Progress
from drbfabric.fabric import fabrics, given_plan, interfaces, link_states, netns, nodes, processes
from drbfabric.fabric.plan_types import Plan


def kernel_ports(plan: Plan):
    """The interfaces that are made for each node: {node: [port]}."""
    ports = collections.defaultdict(list)
    for link in plan['links']:
        if link['kind'] not in ('memif', 'cable'):  # cables are given back as they were
            ports[link['upper']].append(link['upper_port'])
            ports[link['lower']].append(link['lower_port'])
    return ports


# Approximate cost of one namespace, link, node and switch during `up`, in ms of CPU time.
NAMESPACE, WIRE, NODE, SWITCH = 3, 2, 1, 60


def work_of(plan: Plan):
    nodes = len(plan['switches']) + len(plan['hosts'])
    return nodes * (NAMESPACE + NODE) + len(plan['links']) * WIRE + len(plan['switches']) * SWITCH


def prepare_namespaces(fabric, plan: Plan, offloads, progress):
    """Makes and configures the namespaces and links of a plan; offloads: 'on' or 'off'."""
    switches, hosts = plan['switches'], plan['hosts']
    netns.batch(fabric.path(plan['namespaces']), told=lambda lines: progress.add(lines * NAMESPACE))
    fabric.save_made()
    for namespace, settings in [*((switch['namespace'], netns.SWITCH_SETTINGS) for switch in switches),
                                *((host['namespace'], netns.HOST_SETTINGS) for host in hosts)]:
        with netns.inside(namespace):
            netns.sysctl(settings)
    netns.batch(fabric.path(plan['wires']), told=lambda lines: progress.add(lines * WIRE))
    # Do this before switches start. An XDP program at one end of a veth forbids changes of the
    # other end's offloads, and a switch considers a port without carrier down until its next check.
    ports = kernel_ports(plan)
    for node in switches + hosts:
        with netns.inside(node['namespace']):
            for port in ports[node['name']] if offloads == 'off' else ():
                netns.offloads_off(port)
            interfaces.configure(fabric.path(node['batch']))
        progress.add(NODE)


def start_switches(fabric, plan: Plan, drbswitch, seconds, progress):
    """Starts the switches, waits until they forward, and then until they hear each other.

    Returns the ports that do not hear a neighbour."""
    switches = processes.Switches(fabric, drbswitch)
    fabric.record_stops(node['name'] for node in plan['switches'])
    for node in plan['switches']:
        switches.start(node)
    switches.wait_ready(plan['switches'], seconds, lambda count: progress.add(count * SWITCH))
    return link_states.wait_up(plan)


def mark_up(fabric):
    """Marks the fabric as up. A later signal no longer makes undone_on_failure() take it down."""
    fabric.save_state(phase=fabrics.UP, up_ns=time.monotonic_ns())
    on_signals(signal.SIG_IGN)


@contextlib.contextmanager
def undone_on_failure(fabric):
    """Takes the fabric down if the code in the context fails or is interrupted."""
    try:
        yield
    except BaseException:
        on_signals(signal.SIG_IGN)
        fabric.tear_down()
        raise


def clear_remains(fabric, replace):
    """Removes an existing fabric of this name, if it may be replaced."""
    fabric.need_own()
    if not fabric.exists():
        return
    if not replace:
        fabric.need_free('give --replace')
    say(f'clearing what an earlier fabric {fabric.name} left')
    fabric.tear_down()


def size_of(plan: Plan, began):
    """The row that up and replan print for programs."""
    return {'fabric': plan['fabric'], 'layers': plan['layers'], 'arity': plan['arity'],
            'switches': len(plan['switches']), 'hosts': len(plan['hosts']), 'links': len(plan['links']),
            'seconds': round(time.monotonic() - began, 3)}


def _take_plan(fabric, args):
    """Puts the plan of an up into the fabric's folder: a given plan, or a new one."""
    if not args.plan:
        return fabric.make_plan(program('drbtopo', 'plan'), args.plan_options)
    given_plan.unpack(args.plan, fabric.folder)
    plan = fabric.plan()
    given_plan.check_underlay(plan)
    return plan


def _kept(options, plan: Plan):
    """The options of a plan, to be saved for replan. The path of a scheme becomes absolute."""
    return [*options, '--scheme', plan['scheme']] if '/' in plan['scheme'] else options


def _start_dead(fabric, args):
    """Starts the switches of a fabric that should run but do not. Returns their names."""
    plan, alive, stopped = fabric.need_plan(), fabric.alive(), fabric.stopped()
    dead = [node for node in plan['switches'] if node['name'] not in alive and node['name'] not in stopped]
    switches = processes.Switches(fabric, program('drbswitch', 'switch'))
    for node in dead:
        fabric.stop_switch(node)
        switches.start(node)
    switches.wait_ready(dead, args.timeout)
    return [node['name'] for node in dead]


def _plan_of(fabric, args):
    """Makes the fabric's folder and plan. Fails if a namespace of the plan already exists."""
    fabric.create(args.owner)
    plan = _take_plan(fabric, args)
    netns.need_free([node['namespace'] for node in plan['switches'] + plan['hosts']], 'take another --fabric')
    fabric.save_names(plan, **({} if args.plan else {'options': _kept(args.plan_options, plan)}))
    fabric.write_hosts(plan)
    return plan


def up(args):
    need_root()
    if args.plan and args.plan_options:
        raise usage(f"'{args.plan_options[0]}': the plan is made, drbtopo plan takes its options")
    fabric = fabrics.Fabric(given_plan.load(args.plan)['fabric'] if args.plan else args.name)
    drbswitch = program('drbswitch', 'switch')
    began = time.monotonic()
    with fabrics.lock():
        if args.plan and not args.replace and given_plan.is_up(fabric, args.plan):
            started = _start_dead(fabric, args)
            print_result({'fabric': fabric.name, 'started': ' '.join(started)}, f'{fabric.name}: is up already, '
                         + (f"started {' '.join(started)}" if started else 'all switches run'), args.format)
            return 0
        clear_remains(fabric, args.replace)
        with undone_on_failure(fabric):
            plan = _plan_of(fabric, args)
            with Progress('up', work_of(plan)) as progress:
                with given_plan.explained(plan):
                    prepare_namespaces(fabric, plan, args.offloads, progress)
                silent = start_switches(fabric, plan, drbswitch, args.timeout, progress)
            mark_up(fabric)
    row = size_of(plan, began)
    print_result(row, f"{fabric.name}: F({plan['layers']},{plan['arity']}) is up in {row['seconds']:.1f} s: "
                 f"{counted(row['switches'], 'switch')}, {counted(row['hosts'], 'host')}, "
                 f"{counted(row['links'], 'link')}", args.format)
    link_states.say_silent(silent, say)
    nodes.warn_without_rate(plan, say)
    nodes.warn_of_neighbours(plan, say)
    nodes.tell_of_memif(plan, say)
    return 0


def restart_switches(fabric, plan: Plan, folder, options, timeout):
    """Restarts switches with the configs in `folder`. Returns ports that hear no neighbour."""
    drbswitch = program('drbswitch', 'switch')
    try:
        with undone_on_failure(fabric):
            fabric.save_state(phase=fabrics.STARTING, options=options)
            fabric.stop_switches()
            for name in os.listdir(folder):
                os.replace(f'{folder}/{name}', fabric.path(name))
            with Progress('replan', len(plan['switches']) * SWITCH) as progress:
                silent = start_switches(fabric, plan, drbswitch, timeout, progress)
            mark_up(fabric)
    except Failure as e:
        raise Failure(f'{e}; fabric {fabric.name} is taken down: up makes it again', e.code) from None
    return silent


def replan(args):
    """Restarts the switches of a running fabric with new settings. Namespaces and links stay."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    drbtopo = program('drbtopo', 'plan')
    began = time.monotonic()
    with fabrics.lock():
        old, state = fabric.need_plan(), fabric.state()
        if 'maker' in state:
            raise usage(f"fabric {fabric.name} is made by {state['maker']}: end it there and begin with "
                        'other options')
        if 'options' not in state:
            raise usage(f"fabric {fabric.name} has a plan that was given: make another with drbtopo plan --machines, "
                        f"and {called('fabric')} up --replace --plan")
        options = state['options'] + args.plan_options
        folder = fabric.path('next')
        shutil.rmtree(folder, ignore_errors=True)
        try:
            plan = fabric.make_plan(drbtopo, options, folder)
            for part in ('switches', 'hosts', 'links', 'mtu'):
                if plan[part] != old[part]:
                    raise usage(f'this changes the {part} of the fabric: take it down and up again')
            silent = restart_switches(fabric, plan, folder, _kept(options, plan), args.timeout)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    row = size_of(plan, began)
    print_result(row, f"{fabric.name}: {counted(row['switches'], 'switch')} "
                 f"{'runs' if row['switches'] == 1 else 'run'} the new plan after "
                 f"{row['seconds']:.1f} s", args.format)
    link_states.say_silent(silent, say)
    nodes.warn_without_rate(plan, say)
    return 0


def down(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    with fabrics.lock():
        if not fabric.exists():
            say(f'no fabric {fabric.name}: nothing to take down')
            return 0
        fabric.need_own()
        lodgers = processes.inside(fabric.state().get('namespaces') or {})
        removed = fabric.tear_down()
    for namespace, pid, command in lodgers:
        if processes.start_time(pid):
            say(f'{command} (process {pid}) still runs in {namespace}, which stays until it ends')
    print_result({'fabric': fabric.name, 'namespaces_removed': removed},
                 f'{fabric.name}: down, {removed} namespaces removed', args.format)
    return 0
