# SPDX-License-Identifier: BSD-3-Clause
"""Causes faults in a running fabric at given times, with or without a replay of traffic.

Shows faults and counters of the fabric on one time axis."""

import errno
import os
import re
import sys
import time
from concurrent import futures
from typing import NamedTuple

from drbfabric import Failure, usage
from drbfabric.common.children import Child
from drbfabric.common.cli import NS, need_root
from drbfabric.common.limits import at_once
from drbfabric.common.output import RowPrinter, counted
from drbfabric.common.places import program
from drbfabric.fabric import fabrics
from drbfabric.fabric.plan_types import Plan
from drbfabric.fabric.telemetry import Telemetry
from drbfabric.faults import faults

ASKED_AT_ONCE = 64
# Short, so that a paused switch does not delay events.
ANSWER_SECONDS = 0.2
LINE = re.compile(r'(\d+(?:\.\d+)?)(ms|s)\s+(\w+)\s+(.+)')
# Verbs that undo others
MENDING = 'start', 'resume', 'mend'
COLUMNS = [('time_s', 'time s'), ('delivered_pps', 'delivered/s'), ('dropped_pps', 'dropped/s'),
           ('detours_pps', 'detours/s'), ('queue_packets', 'queued'), ('silent', 'silent'), ('event', 'event')]


# Options of drbgen replay that a scenario takes, too, and their arguments.
REPLAY_OPTIONS = {'map': 'FILE', 'multiplier': 'X', 'pps': 'RATE', 'load': 'RHO', 'topspeed': None, 'max-gap': 'TIME',
                  'loop': 'COUNT', 'seed': 'NUMBER', 'to-stack': None, 'slot': 'TIME', 'flow-records': 'FILE',
                  'records': 'FILE', 'hgrm': 'FILE'}


class Event(NamedTuple):
    at: float  # seconds from the beginning
    verb: str
    names: list
    line: str  # FILE:LINE


def read(path):
    """Reads the events of a file, and sorts them by time."""
    events = []
    try:
        with open(0 if path == '-' else path, encoding='utf-8-sig', closefd=path != '-') as f:
            lines = f.read().splitlines()
    except OSError as e:
        raise usage(f'{path}: {os.strerror(e.errno)}') from e
    except UnicodeDecodeError as e:
        raise usage(f'{path}: is no text: {e}') from e
    for number, line in enumerate(lines, 1):
        text = line.partition('#')[0].strip()
        if not text:
            continue
        found = LINE.fullmatch(text)
        if not found or found[3] not in faults.HANDLES:
            raise usage(f"{path}:{number}: '{text}' is not TIME VERB ARGUMENT..., such as '2s kill s2-1'; verbs: "
                        f"{', '.join(faults.HANDLES)}")
        events.append(Event(float(found[1]) * NS[found[2]] / 1e9, found[3], found[4].split(), f'{path}:{number}'))
    return sorted(events, key=lambda event: event.at)


def need_some(events, args):
    """Refuses a scenario in which nothing happens. One without events may watch a fabric."""
    if not (events or args.replay or args.duration):
        raise usage(f"{args.file}: has no event, such as '2s kill s2-1': give one, --replay or --duration")


def need_all(fabric, events, replay):
    """Finds mistakes before the first event, because events are not undone."""
    for event in events:
        try:
            faults.need(fabric, event.verb, event.names)
        except Failure as e:
            raise usage(f'{event.line}: {event.verb}: {e}') from e
    for path in replay or []:
        if path != '-' and not os.path.exists(path):
            raise usage(f'--replay {path}: {os.strerror(errno.ENOENT)}')


class Watch:
    """Polls the counters of a fabric and sums them over its switches."""

    def __init__(self, plan: Plan):
        self.layer = {s['name']: s['layer'] for s in plan['switches']}
        self.instance = {s['name']: s['namespace'] for s in plan['switches']}
        self.last = {}
        self.pool = futures.ThreadPoolExecutor(max_workers=at_once(ASKED_AT_ONCE))

    def _read(self, name):
        """The sums of one switch; None if it does not answer in time."""
        try:
            with Telemetry(self.instance[name], ANSWER_SECONDS) as t:
                ports, drops, routing = (t.ask(f'/drb/{what}') or {} for what in ('ports', 'drops', 'routing'))
        except OSError:
            return None
        to_hosts = [i for i, port in enumerate(ports.get('name', [])) if self.layer[name] == 1 and port[0] == 'd']
        sent, queued = ports.get('out_packets'), ports.get('queue_packets')
        # A value is None if the switch, which has another version, does not report it.
        return {'delivered': sum(sent[i] for i in to_hosts) if sent else None,
                'dropped': sum(v for v in drops.values() if isinstance(v, int)) if drops else None,
                'detours': routing.get('detours_begun'),
                'queue': sum(queued) if queued else None}

    def look(self):
        """Returns (growth of counters since the last call, packets queued now, number of silent
        switches).

        Values that a switch does not report are None."""
        growth: dict[str, int | None] = {'delivered': 0, 'dropped': 0, 'detours': 0}
        queued: int | None = 0
        silent = 0
        # Ask all at once, so that any number of silent switches costs only one timeout.
        for name, now in zip(self.instance, self.pool.map(self._read, self.instance)):
            if not now:
                silent += 1
                continue
            before = self.last.get(name)
            for key in growth:
                if now[key] is None or growth[key] is None:
                    growth[key] = None
                # A switch that was started again counts from zero.
                elif before:
                    growth[key] += now[key] - (before[key] or 0) if now[key] >= (before[key] or 0) else now[key]
            queued = None if queued is None or now['queue'] is None else queued + now['queue']
            self.last[name] = now
        return growth, queued, silent


class Course:
    """The course of a scenario: the events to come, and what earlier events have left broken."""

    def __init__(self, events):
        self.ahead, self.broken = list(events), {}

    def happen(self, fabric, now):
        """Causes the events that are due, and returns a text about them."""
        done = []
        while self.ahead and self.ahead[0].at <= now:
            event = self.ahead[0]
            try:
                with fabrics.lock():
                    for what, result in faults.HANDLES[event.verb][0](fabric, event.names):
                        done.append(f'{what} {result}')
                        self._keep(what, event.verb, result)
            except Failure as e:
                raise Failure(f'{event.line}: {event.verb}: {e}', e.code) from e
            self.ahead.pop(0)
        return ', '.join(done)

    def _keep(self, what, verb, result):
        if verb in MENDING:
            self.broken.pop((what, False), None)
        else:
            self.broken[what, verb == 'rate'] = result

    def left(self):
        """Returns what an early end leaves, for its message."""
        texts = ['']
        if self.ahead:
            texts.append(f"{counted(len(self.ahead), 'event')} not done, from {self.ahead[0].line} on")
        if self.broken:
            texts.append('not undone: ' + ', '.join(f'{what} {how}' for (what, _), how in self.broken.items()))
        return '; '.join(texts)


def observe(course, fabric, replay, args):
    """Causes the events and yields the rows of the time axis.

    Ends after the last event, args.duration, and the end of the replay, whichever is last."""
    watch, began = Watch(fabric.need_plan()), time.monotonic()
    watch.look()
    last = began
    end = max([args.duration or 0] + [event.at for event in course.ahead])
    while True:
        now = time.monotonic()
        event = course.happen(fabric, now - began)
        wait = min([args.interval] + [max(0.0, e.at - (time.monotonic() - began)) for e in course.ahead[:1]])
        time.sleep(max(0.001, wait))
        growth, queued, silent = watch.look()
        now = time.monotonic()
        row = {f'{key}_pps': None if value is None else round(value / (now - last)) for key, value in growth.items()}
        yield {'time_s': round(now - began, 3), **row, 'queue_packets': queued, 'silent': silent, 'event': event}
        last = now
        if not course.ahead and now - began >= end and not (replay and replay.runs()):
            return


def replay_options(args):
    """The options of drbgen replay that were given, as drbgen takes them."""
    given = []
    for name, metavar in REPLAY_OPTIONS.items():
        value = getattr(args, name.replace('-', '_'))
        if value not in (None, False):
            given += [f'--{name}', value] if metavar else [f'--{name}']
    if given and not args.replay:
        raise usage(f'{given[0]}: goes with --replay TRAFFIC')
    return given


def begin(child):
    """Waits until drbgen is about to send; false if it ended before."""
    while child.runs() and '\ndrbgen: sends ' not in f'\n{child.said()}':
        time.sleep(0.02)
    return child.runs()


def follow(events, fabric, replay, args):
    """Prints the time axis, each row as soon as it is there."""
    course, printer = Course(events), RowPrinter(COLUMNS, args.format)
    try:
        # If drbgen failed, cause no events.
        if not replay or begin(replay):
            for row in observe(course, fabric, replay, args):
                printer.print(row)
    except Failure as e:
        raise Failure(f'{e}{course.left()}', e.code) from e


def run(args):
    need_root()
    if args.file == '-' and '-' in (args.replay or []):
        raise usage('-: standard input is the scenario or the traffic, not both')
    events = read(args.file)
    need_some(events, args)
    fabric = fabrics.Fabric(args.name)
    fabric.need_plan()
    need_all(fabric, events, args.replay)
    options = replay_options(args)
    if not args.replay:
        follow(events, fabric, None, args)
        return 0
    command = [program('drbgen', 'gen'), 'replay', *args.replay, *options, '--fabric', fabric.name]
    command += ['--json'] if args.format != 'table' else []
    with Child(command, None if '-' in args.replay else '') as child:
        try:
            follow(events, fabric, child, args)
        finally:
            child.end()
            code, out, said = child.wait()
            sys.stderr.write(out + said)
    return code
