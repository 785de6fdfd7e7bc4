#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files for a forge: CONTRIBUTING.md has each command of the workflow, MAINTAINERS has a role for
each folder of sources, and the forms of issues can be filled in.

check_forge.py REPOSITORY    TAP on standard output."""
import importlib
import pathlib
import re
import sys

sys.dont_write_bytecode = True
REPOSITORY = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(REPOSITORY / 'tests/process'), str(REPOSITORY / 'tests/lint')]

import prose  # noqa: E402
import tap  # noqa: E402

# Something of the matrix, such as a compiler: CONTRIBUTING.md has one example.
EXPRESSION = re.compile(r'\\\$\\{\\{.*?\\}\\}')


def load(path):
    try:
        yaml = importlib.import_module('yaml')
    except ImportError as e:
        raise tap.Skip('python3-yaml is not installed') from e
    return yaml.safe_load(path.read_text(encoding='utf-8'))


def documented():
    """Returns the commands of CONTRIBUTING.md, without sudo and comments."""
    lines = (REPOSITORY / 'CONTRIBUTING.md').read_text(encoding='utf-8').splitlines()
    code = [line.split(' #')[0].strip() for _, kind, line in prose.kinds(lines) if kind == 'code']
    return [line.removeprefix('sudo ') for line in code]


def undocumented(steps, known):
    """Returns commands of steps after the checkout that are not among the known ones."""
    after, found = False, []
    for step in steps:
        after = after or step.get('uses', '').startswith('actions/checkout@')
        for command in step.get('run', '').splitlines() if after else []:
            pattern = re.compile(EXPRESSION.sub(lambda _: r'\S+', re.escape(command).replace(r'\ ', ' ')))
            if not any(pattern.fullmatch(line) for line in known):
                found.append(command)
    assert after, 'nothing is checked out'
    return found


def the_workflow_runs_what_contributing_has():
    jobs = load(REPOSITORY / '.github/workflows/check.yml')['jobs']
    found = [command for job in jobs.values() for command in undocumented(job['steps'], documented())]
    assert not found, found


def a_command_of_its_own_is_found():
    steps = [{'run': 'apt-get update'}, {'uses': 'actions/checkout@v4'}, {'run': 'CC=${{ matrix.cc }} make -C build'},
             {'run': 'ninja'}]
    assert undocumented(steps, ['CC=gcc-14 make -C build', 'ninja -C build']) == ['ninja']
    assert undocumented(steps, ['CC=gcc-14 -m32 make -C build', 'ninja']) == ['CC=${{ matrix.cc }} make -C build']


def roles():
    """Returns the roles in MAINTAINERS as {folder: role}. '/' stands for files in no folder."""
    text = (REPOSITORY / 'MAINTAINERS').read_text(encoding='utf-8')
    rows = [line.split() for line in text.partition('\nROLE ')[2].splitlines()[1:]]
    return {folder: role for role, _, *folders in rows for folder in folders}


def every_folder_has_a_role():
    found = roles()
    folders = {f'{path.parent.relative_to(REPOSITORY)}/' for place in ('*', 'src/*')
               for path in REPOSITORY.glob(f'{place}/meson.build') if not path.parent.name.startswith('build')}
    assert len(folders) > 10 and not folders - set(found), folders - set(found)
    gone = {folder for folder in found if not (REPOSITORY / folder.strip('/')).is_dir()}
    assert '/' in found and not gone, gone


def forms_can_be_filled_in():
    forms = sorted((REPOSITORY / '.github/ISSUE_TEMPLATE').glob('*.yml'))
    for form in forms:
        if form.name == 'config.yml':
            continue
        issue = load(form)
        assert issue['name'] and issue['description'], form
        fields = [field for field in issue['body'] if field['type'] != 'markdown']
        names = [field['id'] for field in fields]
        assert len(set(names)) == len(names) >= 3, (form, names)
        assert all(field['type'] in ('textarea', 'input') and field['attributes']['label'] for field in fields), form
    assert len(forms) >= 3, forms


tap.run((the_workflow_runs_what_contributing_has, a_command_of_its_own_is_found, every_folder_has_a_role,
         forms_can_be_filled_in))
