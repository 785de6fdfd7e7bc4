#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks a running F(3,2) at random, in rounds, and checks invariants after each fault.

chaos.py settings SEED                         prints the arguments of `fabric up` for this seed
chaos.py run FABRIC SEED SECONDS PROGRAMS [SECRET]
                                               runs rounds for so many seconds

PROGRAMS is a folder with `attack` and, where XDP programs can be loaded, one-way.o, lossy-10.o and
lossy-40.o. SECRET names a further fault in each round that the checks do not know of: see SECRETS.
This shows that the checks find faults.

Prints a line for each round. Ends with 0; with 1 if an invariant did not hold; or with 75 if the
machine was too busy to decide more than half of the rounds."""

import os
import random
import signal
import sys
import time

sys.dont_write_bytecode = True

import chaos_checks as checks  # noqa: E402
import chaos_faults  # noqa: E402
from chaos_streams import Streams  # noqa: E402
from chaos_world import ROOT, World, ends, name_of, run, settings  # noqa: E402
from machine_samples import Sampler  # noqa: E402
from drbfabric.faults import faults  # noqa: E402

FAULTS = 2, 4     # per round: least, most
TRIES = 20        # attempts to find a fault that is possible
APART = 0.5       # s; the longest pause between two faults
OBSERVED = 1.0    # s without losses, while the fabric is broken and after it is mended
HAPPENED = 8.0    # s within which a fault must show
LOOK = 0.05
STALL = 0.1       # s without a CPU; after longer stalls, losses are blamed on the machine
CANNOT_TELL = 75


def _end_switch(world):
    os.kill(world.pid('s3-0'), signal.SIGKILL)


def _cut_host(world):
    faults.Link(world.plan, 'h3').set('down')


SECRETS = {'': lambda _: None, 'kill': _end_switch, 'cut': _cut_host}


class Finding(Exception):
    """Invariants that did not hold; the arguments are complaints."""


class Round:
    """One round: break, observe, mend, observe."""

    def __init__(self, chaos):
        self.chaos, self.world, self.streams = chaos, chaos.world, chaos.streams
        self.world.new_round()
        self.faults, self.proofs, self.undecided = [], [], []

    def whole(self):
        before = self.world.states()
        self.spare = {name_of(k) for k in self.world.links
                      if any(before.get(end) in checks.HELD_BACK for end in ends(k))}
        begin = time.monotonic()
        self.breaks()
        broken = time.monotonic()
        self.happened()
        harmless = set(self.kinds) <= set(chaos_faults.HARMLESS)
        self.observe(begin if harmless else broken + self.world.settled, 'after it was broken')
        self.answers()
        for mend in reversed(self.world.mends):
            mend()
        mended = time.monotonic()
        self.world.mended()
        self.need(checks.processes(self.world.expected, self.world.pids()))
        healed = self.heals(mended)
        self.observe(mended if harmless else mended + self.world.settled, 'after it was mended')
        self.answers()
        lost = sum(self.streams.span(begin, time.monotonic()).lost.values())
        self.rests()
        return f"{'; '.join(self.faults)}: {lost} packets lost, healed after {healed:.1f} s"

    def need(self, complaints):
        if complaints:
            raise Finding(*complaints)

    def breaks(self):
        self.chaos.secret(self.world)
        rng, self.kinds = self.chaos.rng, []
        possible = chaos_faults.of(self.world)
        wanted, tries = rng.randint(*FAULTS), 0
        while len(self.kinds) < wanted and tries < TRIES:
            kind, tries = rng.choice(possible), tries + 1
            try:
                text, proof = kind(self.world, rng)
            except chaos_faults.Impossible:
                continue
            self.kinds.append(kind)
            self.faults.append(text)
            self.proofs.append((text, proof))
            time.sleep(rng.uniform(0, APART))

    def happened(self):
        end, left = time.monotonic() + HAPPENED, self.proofs
        while left := [(text, proof) for text, proof in left if not proof()]:
            if time.monotonic() > end:
                raise Finding(*(f'nothing shows of: {text}' for text, _ in left))
            time.sleep(LOOK)

    def observe(self, begin, when):
        """Complains about packets that connected pairs lose within a while after `begin`."""
        end = max(begin, time.monotonic()) + OBSERVED
        span = self.streams.span(begin, end)
        connected = self.world.connected(self.spare if self.world.lossy else ())
        complaints = checks.losses(span.lost, connected, self.chaos.names, when)
        if complaints and max(self.chaos.machine.longest(begin - STALL, end)) > STALL:
            self.undecided += complaints
        else:
            self.need(complaints)
        self.need(checks.wrong_arrivals(span.doubled, span.strayed))

    def answers(self):
        """Every connected pair must answer, over IPv4 and IPv6."""
        connected = self.world.connected(self.spare if self.world.lossy else ())
        self.need(self.world.pings(connected, self.chaos.names))

    def heals(self, mended):
        """Waits until all ports are in use again; returns the seconds since the mending."""
        while complaints := checks.states(self.world.states()):
            if time.monotonic() > mended + checks.HEALED:
                raise Finding(*(f'{text} {checks.HEALED:g} s after all was mended' for text in complaints))
            time.sleep(LOOK)
        return time.monotonic() - mended

    def rests(self):
        """Checks what must hold for a fabric at rest: processes, logs, counters, memory, files."""
        self.streams.pause()
        self.world.read_logs()
        self.need(checks.processes(self.world.expected, self.world.pids()) + checks.said(self.world.said))
        found = self.world.conserved()
        counters = self.world.counters()
        # Skipped after a flood, which overflows the sockets of a switch.
        if chaos_faults.flood not in self.kinds and self.chaos.counters:
            links = self.world.free_links(self.world.between)
            found += checks.balance(links, self.chaos.counters, counters)
        self.need(found + self.keeps_nothing())
        self.chaos.counters = counters
        self.streams.forget()
        self.chaos.machine.forget()
        self.streams.go_on()

    def keeps_nothing(self):
        """Checks that switches have freed what they used; they notice a closed client late."""
        end = time.monotonic() + checks.FREED
        while True:
            memory = {name: self.world.memory(name) for name in self.world.expected}
            time.sleep(LOOK)
            found = []
            for name, pid in self.world.expected.items():
                now = checks.Level.of(pid, *memory[name])
                found += checks.level(name, self.chaos.levels.setdefault((name, pid), now), now)
            if not found or time.monotonic() > end:
                return found


class Chaos:
    def __init__(self, fabric, seed, programs, secret=''):
        self.rng, self.secret = random.Random(seed), SECRETS[secret]
        self.world = World(fabric, settings(seed), programs)
        self.names = [host['name'] for host in self.world.hosts]
        self.machine = Sampler()
        self.streams = Streams(self.world.hosts, '46')
        self.counters: dict = {}
        self.levels: dict = {}

    def rounds(self, seconds):
        """Runs rounds; returns the exit status."""
        time.sleep(1)  # hosts learn each other's addresses
        end, number, undecided = time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            number += 1
            this = Round(self)
            try:
                said = this.whole()
            except Finding as e:
                print(f"round {number}: {'; '.join(this.faults)}")
                print(*(f'  {text}' for text in e.args), sep='\n')
                self.tell_logs()
                return 1
            print(f'round {number}: {said}', flush=True)
            if this.undecided:
                undecided += 1
                print('  a switch had no CPU meanwhile:', *this.undecided[:5], sep='\n    ')
        if complaints := self.ends():
            print(*complaints, sep='\n')
            return 1
        print(f'{number} rounds, {undecided} undecided on this machine')
        return CANNOT_TELL if 2 * undecided > number else 0

    def ends(self):
        """Stops all switches; returns complaints, as a sanitizer may report when a switch ends."""
        self.streams.end()
        self.machine.end()
        done = run(f'{ROOT}/topo/fabric', 'stop', *self.world.switches, '--fabric', self.world.fabric.name)
        self.world.read_logs()
        return ([] if done.returncode == 0 else [done.stderr]) + checks.said(self.world.said)

    def tell_logs(self):
        self.world.read_logs()
        for name, lines in self.world.said.items():
            for line in [line for line in lines if ' reloaded: ' not in line][-20:]:
                print(f'    {name}: {line}')


def main():
    if sys.argv[1] == 'settings':
        for key, value in settings(int(sys.argv[2])).items():
            print(f'--{key}={value}')
        return 0
    fabric, seed, seconds, *rest = sys.argv[2:]
    return Chaos(fabric, int(seed), *rest).rounds(float(seconds))


if __name__ == '__main__':
    sys.exit(main())
