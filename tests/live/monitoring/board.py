#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a Grafana board and rules of Prometheus against the metrics that are exposed.

board.py BOARD RULES EXPOSITION TO [SCHEMA]

The board must be valid by the schema that Grafana publishes, if one is given. Every metric that the
board or the rules name must be in EXPOSITION (the output of drbctl metrics), or be recorded by the
rules. The board's queries are written to TO as rules, which promtool can parse."""
import importlib
import json
import re
import sys

COLUMNS = 24


def queries(board):
    """Yields (where, expression) for each query of the board."""
    for panel in board['panels']:
        for target in panel['targets']:
            yield panel['title'], target['expr']
    for note in board['annotations']['list']:
        yield note['name'], note['expr']


def misplaced(panels):
    """Yields complaints about the positions of panels."""
    taken = {}
    for panel in panels:
        at = panel['gridPos']
        if at['x'] + at['w'] > COLUMNS:
            yield f"{panel['title']} is wider than the board"
        for x in range(at['x'], at['x'] + at['w']):
            for y in range(at['y'], at['y'] + at['h']):
                other = taken.setdefault((x, y), panel['title'])
                if other != panel['title']:
                    yield f"{panel['title']} lies on {other}"
                    return


def against_schema(board, path):
    """Returns the board's violations of the schema in this file."""
    jsonschema = importlib.import_module('jsonschema')
    with open(path, encoding='utf-8') as f:
        schema = json.load(f)
    return [f"{'.'.join(map(str, e.absolute_path))}: {e.message}"
            for e in jsonschema.Draft7Validator(schema).iter_errors(board)]


def main():
    """Runs the checks; returns the exit status."""
    with open(sys.argv[1], encoding='utf-8') as f:
        board = json.load(f)
    with open(sys.argv[2], encoding='utf-8') as f:
        rules = f.read()
    with open(sys.argv[3], encoding='utf-8') as f:
        exposed = set(re.findall(r'^(drb_\w+)\{', f.read(), re.M))
    recorded = set(re.findall(r'record: (drb:[\w:]+)', rules))
    wrong = list(misplaced(board['panels']))
    wrong += against_schema(board, sys.argv[5]) if len(sys.argv) > 5 else []
    ids = [p['id'] for p in board['panels']]
    if len(set(ids)) < len(ids) or not board['uid'] or board['schemaVersion'] < 36:
        wrong.append('numbers of panels, uid or schemaVersion')
    variables = {v['name'] for v in board['templating']['list']} | {'__rate_interval'}
    texts = list(queries(board))
    for where, text in [*texts, ('rules', rules)]:
        for name in re.findall(r'(?<![\w.-])drb[_:][a-zA-Z_:0-9]+', text):
            if name not in exposed | recorded:
                wrong.append(f'{where}: there is no {name}')
        if where != 'rules':
            wrong += [f'{where}: ${v} is no variable' for v in re.findall(r'\$(\w+)', text) if v not in variables]
    plain = [re.sub(r'\[\$\w+\]', '[1m]', text).replace('$', '') for _, text in texts]
    with open(sys.argv[4], 'w', encoding='utf-8') as f:
        json.dump({'groups': [{'name': 'board', 'rules': [
            {'record': f'board:query{i}', 'expr': text} for i, text in enumerate(plain)]}]}, f)
    print('\n'.join(wrong) or f'{len(texts)} queries of {len(exposed)} metrics')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
