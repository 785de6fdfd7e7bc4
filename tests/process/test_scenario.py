#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests a scenario without a fabric: rates on made-up counters, the order of events, orders to
memif links, and the line of an early end."""

import argparse
import contextlib
import functools
import io
import os
import random
import sys
import tempfile
from typing import Any
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'topo'))

from drbfabric import Failure  # noqa: E402
from drbfabric.fabric import fabrics  # noqa: E402
from drbfabric.faults import faults, scenario  # noqa: E402
from drbfabric.faults.scenario import Watch  # noqa: E402

import tap  # noqa: E402

KEYS = 'delivered', 'dropped', 'detours'
NAMES = 's1-0', 's1-1', 's2-0'


class Told(Watch):
    """Each switch replies with its entry in `answers`; a switch without an entry does not reply."""

    def __init__(self, answers):
        plan: Any = {'switches': [{'name': name, 'layer': int(name[1]), 'namespace': name} for name in NAMES]}
        super().__init__(plan)
        self.answers = answers

    def _read(self, name):
        return self.answers.get(name)


def growth_is_never_negative():
    rng = random.Random(5)
    counts = {name: dict.fromkeys(KEYS, 0) for name in NAMES}
    answers = {}
    watch = Told(answers)
    seen, restarts = set(), 0
    # A restarted switch is polled before its counters reach their values at the last poll.
    waiting = {name: dict.fromkeys(KEYS, 0) for name in NAMES}  # growth since the last reply
    for _ in range(500):
        grown = dict.fromkeys(KEYS, 0)
        answers.clear()
        for name, count in counts.items():
            restarts += (again := rng.random() < 0.1 and all(count.values()) and not any(waiting[name].values()))
            for key in KEYS:
                more = rng.randrange(count[key]) if again else rng.randrange(1000)
                count[key] = more if again else count[key] + more
                waiting[name][key] = more if again else waiting[name][key] + more
            if rng.random() < 0.2 and not again:
                continue
            if name in seen:
                grown = {key: grown[key] + waiting[name][key] for key in KEYS}
            seen.add(name)
            waiting[name] = dict.fromkeys(KEYS, 0)
            answers[name] = {**count, 'queue': rng.randrange(50)}
        want = grown, sum(a['queue'] for a in answers.values()), len(NAMES) - len(answers)
        assert (got := watch.look()) == want, (got, want)
    assert restarts > 50


def unknown_stays_unknown():
    answers: dict[str, dict[str, int | None]] = {name: {**dict.fromkeys(KEYS, 1), 'queue': 2} for name in NAMES}
    watch = Told(answers)
    watch.look()
    answers['s1-1'] = {'delivered': 5, 'dropped': 1, 'detours': None, 'queue': None}
    assert watch.look() == ({'delivered': 4, 'dropped': 0, 'detours': None}, None, 0)


class Made:
    """A fabric whose faults are only noted; the event of the name end ends as a signal does."""

    def __init__(self):
        self.cut, self.rates = set(), set()

    def need_plan(self):
        return {'switches': []}

    def do(self, names, verb):
        for name in names:
            if name == 'end':
                raise Failure('ended by SIGINT')
            kind = {'kill': 'kill', 'start': 'kill', 'pause': 'pause', 'resume': 'pause'}.get(verb, 'cut')
            if verb == 'rate':
                self.rates.add(name)
            else:
                (self.cut.discard if verb in ('start', 'resume', 'mend') else self.cut.add)((kind, name))
            yield name, f'{verb}ed'


def an_early_end_tells_what_is_left():
    """One line names the events that are missing and what stays broken."""
    verbs = {'kill': ('start', 's1-'), 'pause': ('resume', 's2-'), 'cut': ('mend', 'u'), 'gray': ('mend', 'u'),
             'rate': ('rate', 'u')}
    setattr(fabrics, 'lock', contextlib.nullcontext)
    for verb in [*verbs, *(ends for ends, _ in verbs.values())]:
        faults.HANDLES[verb] = functools.partial(Made.do, verb=verb), '', '', ''
    for seed in range(20):
        rng, made, events = random.Random(seed), Made(), []
        for number in range(rng.randrange(1, 12)):
            begins, (ends, name) = rng.choice(list(verbs.items()))
            events.append(scenario.Event(number / 1000, rng.choice((begins, ends)), [f'{name}{rng.randrange(2)}'],
                                         f'file:{number + 1}'))
        end = rng.randrange(len(events) + 1)
        events.insert(end, scenario.Event(end / 1000, 'kill', ['end'], 'file:end'))
        said = ''
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                scenario.follow(events, made, None, argparse.Namespace(duration=0, interval=0.001, format='csv'))
            except Failure as e:
                said = str(e)
        first, missing, *left = said.split('; ')
        assert first == 'file:end: kill: ended by SIGINT' and len(said.splitlines()) == 1, said
        count = len(events) - end
        assert missing == f"{count} event{'s' if count > 1 else ''} not done, from file:end on", said
        named = {text.split()[0] for text in left[0].removeprefix('not undone: ').split(', ')} if left else set()
        assert named == {name for _, name in made.cut} | made.rates, (said, made.cut, made.rates)


def a_program_that_was_not_built_is_named():
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, DRB_BUILD=folder):
        try:
            faults.gray_program()
        except Failure as e:
            assert ' is missing: build with clang and libbpf (meson setup -Dbpf=enabled)' in str(e) and e.code == 2, e
        else:
            raise AssertionError('found')


def events_come_by_time():
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as f:
        f.write('2s kill s2-1 s2-0\n\n# mended early\n1999ms mend s1-0.u0  # in ms\n0.5s cut s1-0.u0\n2s start s2-1\n')
        f.flush()
        events = [(event.at, event.verb, event.names, event.line) for event in scenario.read(f.name)]
    assert events == [(0.5, 'cut', ['s1-0.u0'], f'{f.name}:5'), (1.999, 'mend', ['s1-0.u0'], f'{f.name}:4'),
                      (2, 'kill', ['s2-1', 's2-0'], f'{f.name}:1'), (2, 'start', ['s2-1'], f'{f.name}:6')], events


# The replies of both switches of a memif link, and whether an order fails, for down and for up.
OK, NO, STARTS, DEAD, STUCK = 'ok: done', 'error: no', None, ConnectionRefusedError(), TimeoutError()
ORDERS: tuple[tuple[Any, Any, bool, bool], ...] = (
    (OK, OK, False, False), (OK, NO, False, True), (NO, OK, False, True), (NO, NO, True, True),
    (OK, STARTS, False, False), (OK, DEAD, False, False), (OK, STUCK, False, True), (DEAD, STUCK, True, True),
    (STARTS, DEAD, True, False), (DEAD, DEAD, True, False))


def one_switch_cuts_a_link_and_both_mend_it():
    nodes = [{'name': name, 'namespace': name} for name in ('s1-0', 's2-0')]
    plan: Any = {'fabric': 'x', 'switches': nodes, 'hosts': [],
                 'links': [{'kind': 'memif', 'lower': 's1-0', 'lower_port': 'u0', 'upper': 's2-0', 'upper_port': 'd0'}]}
    for lower, upper, *want in ORDERS:
        for state, fails in zip(('down', 'up'), want):
            with mock.patch.object(faults, 'Telemetry') as telemetry:
                ask = telemetry.return_value.__enter__.return_value.ask
                ask.side_effect = lower, upper
                try:
                    faults.Link(plan, 's1-0.u0').set(state)
                    said = ''
                except Failure as e:
                    said = str(e)
            assert bool(said) == fails, (lower, upper, state, said)
            assert [call.args[0] for call in ask.mock_calls] == [f'/drb/{state},u0', f'/drb/{state},d0']


class LogFolder:
    """A fabric with one log, in place of a real one."""

    def __init__(self, folder):
        self.folder = folder

    def log(self, name):
        return f'{self.folder}/{name}.log'


def a_followed_log_misses_no_line():
    """Lines are written, logs renamed and cut off at random. The writer opens a new file later."""
    rng = random.Random(6)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as files:
        fabric, written, seen = LogFolder(folder), [], []
        path = fabric.log('s1-0')
        writer = files.enter_context(open(path, 'ab', buffering=0))
        reader = faults.Logs(fabric, ['s1-0'])
        for number in range(2000):
            what = rng.randrange(10)
            if what == 0:  # as logrotate does, with and without `create`, once between two looks
                seen += reader.news()
                os.rename(path, f'{path}.{number}')
                if rng.randrange(2):
                    with open(path, 'ab'):
                        pass
            elif what == 1:  # the writer is told
                writer = files.enter_context(open(path, 'ab', buffering=0))
            elif what == 2:  # as copytruncate does, between two looks
                seen += reader.news()
                os.truncate(writer.fileno(), 0)
                seen += reader.news()
            elif what < 6:
                seen += reader.news()
            else:
                line = f'line {number} \xe4\r of more\n'
                written.append(line)
                half = rng.randrange(len(line) - 3)
                writer.write(line[:half].encode())
                if rng.randrange(4) == 0:
                    seen += reader.news()
                writer.write(line[half:].encode())
            if not os.path.exists(path):
                writer = files.enter_context(open(path, 'ab', buffering=0))
        writer.write(b'end\n')
        seen += reader.news()
        seen += reader.news()
        assert [line for line in seen if line != 'end\n'] == written


def an_empty_file_may_only_watch():
    events = scenario.read('/dev/null')
    for replay, duration, want in ((None, None, True), (['x'], None, False), (None, 0.3, False)):
        try:
            scenario.need_some(events, argparse.Namespace(file='/dev/null', replay=replay, duration=duration))
            said = ''
        except Failure as e:
            said = str(e)
        assert ('/dev/null: has no event' in said) == want, (said, replay, duration)


tap.run((growth_is_never_negative, unknown_stays_unknown, an_early_end_tells_what_is_left,
         a_program_that_was_not_built_is_named, events_come_by_time, one_switch_cuts_a_link_and_both_mend_it,
         a_followed_log_misses_no_line, an_empty_file_may_only_watch))
