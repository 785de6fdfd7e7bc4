#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the notebook and the guide of the laboratory as they are written.

test_lab_pages.py REPOSITORY    TAP on standard output; DRB_BUILD is the build folder."""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
REPOSITORY = os.path.realpath(sys.argv[1])
os.environ['PYTHONPATH'] = f'{REPOSITORY}/lab'
sys.path.insert(0, f'{REPOSITORY}/lab')
# Jupyter starts its kernel as "python3".
os.environ['PATH'] = f'{os.path.dirname(sys.executable)}:{os.environ["PATH"]}'

import nbclient  # noqa: E402
import nbformat  # noqa: E402
import pandas  # noqa: E402
import tap  # noqa: E402


def the_notebook_runs():
    with tempfile.TemporaryDirectory() as folder:
        os.environ['HOME'] = os.environ['JUPYTER_RUNTIME_DIR'] = folder
        notebook = nbformat.read(f'{REPOSITORY}/examples/first-study.ipynb', as_version=4)
        nbformat.validate(notebook)
        assert not any(cell.get('outputs') for cell in notebook.cells), 'clear its outputs'
        nbclient.NotebookClient(notebook, timeout=600, resources={'metadata': {'path': folder}}).execute()
        kinds = {kind for cell in notebook.cells for output in cell.get('outputs', ())
                 for kind in output.get('data', ())}
        assert {'image/svg+xml', 'text/html'} <= kinds, kinds
        last = notebook.cells[-1].outputs[0]['data']['text/plain']
        assert 'NaN' in last and 'link:1' in last, last


def the_study_of_the_guide_runs():
    """The guide's first block runs; the runs are shortened here."""
    with open(f'{REPOSITORY}/docs/guide/study.md', encoding='utf-8') as f:
        block = re.findall(r'```python\n(.*?)```', f.read(), re.S)[0]
    assert len(block.splitlines()) <= 20
    block = block.replace('slots=4000, stats=2000', 'slots=600, stats=300')
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            names: dict[str, pandas.DataFrame] = {}
            exec(block, names)  # the text is from our own page
            assert os.path.exists('tail.svg') and os.path.getsize('rows.jsonl')
        finally:
            os.chdir(here)
    gain = names['gain']
    assert len(gain) == 10 and len(names['frame']) == 100
    assert (gain[gain['load'] == 0.9]['difference'] < 0).all(), gain


if __name__ == '__main__':
    tap.run([the_notebook_runs, the_study_of_the_guide_runs])
