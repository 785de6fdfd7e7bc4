# SPDX-License-Identifier: BSD-3-Clause
"""The demo with --one: starts a fabric, runs one scheme, and prints the counters of every port."""

import os

from drbfabric import usage
from drbfabric.common import children, interrupts, schemes
from drbfabric.common.cli import need_root
from drbfabric.common.places import harness, program
from drbfabric.experiment.experiment import default_slot, threshold_at
from drbfabric.fabric import fabrics, keeper

SLOTS = 2000


def _shown(command):
    """Runs a program that shares the standard output of this one. Returns its exit status."""
    with children.Child(command, shown=True) as child:
        return child.wait()[0]


def check_options(args):
    if args.scheme and len(args.scheme) > 1:
        raise usage('--scheme: one scheme with --one')


def run(args, say):
    fabrics.Fabric(args.name).need_free('take another --fabric')
    scheme, pattern = schemes.named(args.scheme or ['drb'])[0], args.traffic or 'permutation'
    slot_ns = args.slot or default_slot(2 * args.arity ** args.layers, args.layers)
    size = ['-l', str(args.layers), '-d', str(args.arity)]
    options = [*size, '--fabric', args.name, '--scheme', schemes.text(scheme), '--rate', f'{1e9 / slot_ns:.15g}pps']
    threshold = threshold_at(args.load, args.threshold or 'paper')
    options += ['--threshold', threshold] if schemes.has_threshold(scheme) else []
    fabric = harness('fabric')
    # drbtopo refuses wrong options here, before any file is written.
    children.run([program('drbtopo', 'topo'), 'plan', *options])
    up = children.Held()
    with keeper.kept('drb-demo-') as folder:
        traffic = f'{folder}/traffic'
        children.run([program('drbgen', 'gen'), 'write', *size, '--traffic', pattern,
                      '--load', f'{args.load:g}', '--slots', str(args.slots or SLOTS),
                      '--slot', f'{slot_ns}ns', '--seed', str(args.seed), '--out', traffic])
        t = f', T = {float(threshold):.3g}' if schemes.has_threshold(scheme) else ''
        need_root()
        say(f'F({args.layers},{args.arity}), scheme {scheme}{t}, links of {1e9 / slot_ns:.4g} packets/s; '
            f'{pattern}, load {args.load:g}, {args.slots or SLOTS} slots of {slot_ns / 1e6:g} ms')
        try:
            # If `up` fails or is interrupted, it undoes its work. If it refuses because such a
            # fabric exists, that fabric is not ours to take down.
            up.get([fabric, 'up', '--owner', str(os.getpid()), *options])
            say('replaying')
            kind = [f'--{args.format}'] if args.format != 'table' else []
            status = _shown([program('drbgen', 'gen'), 'replay', traffic, '--fabric', args.name, *kind])
            say('counters of every port')
            _shown([program('drbctl', 'ctl'), 'show', '--all', '--fabric', args.name, *kind])
            say('checking that no packet was lost between counters')
            status |= _shown([fabric, 'check', 'counters', 'links', '--fabric', args.name, *kind])
        finally:
            with interrupts.ignored():
                if up.held:
                    say('taking everything down')
                    children.run([fabric, 'down', '--fabric', args.name])
    return 1 if status else 0
