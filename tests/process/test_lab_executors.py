#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the laboratory on workers of MPI and of Dask.

test_lab_executors.py LAB_DIR    TAP on standard output; DRB_BUILD is the build folder."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import drblab  # noqa: E402
import tap  # noqa: E402

POINTS = drblab.sweep('packet', load=[0.5, 0.9], scheme=['drb', 'dmodk'], slots=400, stats=200,
                      seed=range(3))
# All ranks except the first are workers.
RANKS = """
import sys
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor
import drblab

class Told(drblab.Sim):
    '''Also tells which rank ran a point.'''
    def rows(self, points):
        for i, row in super().rows(points):
            yield i, {**row, 'rank': MPI.COMM_WORLD.Get_rank()}

if __name__ == '__main__':
    points = [drblab.Point.of('packet', load=load, scheme=scheme, slots=400, stats=200, seed=seed)
              for load in (0.5, 0.9) for scheme in ('drb', 'dmodk') for seed in range(3)]
    with MPIPoolExecutor() as pool:
        drblab.run(points, Told(threads=1), executor=pool).to_csv(sys.argv[2])
"""


def three_ranks_of_mpi_give_the_same_rows():
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/ranks.py', 'w', encoding='utf-8') as f:
            f.write(RANKS)
        environment = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1',
                       'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'HOME': folder, 'TMPDIR': folder,
                       'PYTHONPATH': sys.argv[1]}
        done = subprocess.run(['mpiexec', '--oversubscribe', '-n', '3', sys.executable, '-B', '-m',
                               'mpi4py.futures', f'{folder}/ranks.py', sys.argv[1],
                               f'{folder}/frame.csv'],
                              env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        import pandas
        frame = pandas.read_csv(f'{folder}/frame.csv', index_col=0)
    assert set(frame.pop('rank')) == {1, 2}
    pandas.testing.assert_frame_equal(frame, drblab.run(POINTS), check_dtype=False)


def workers_of_dask_give_the_same_rows():
    from distributed import Client, LocalCluster
    with tempfile.TemporaryDirectory() as folder:
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                          local_directory=folder) as cluster, Client(cluster) as client:
            frame = drblab.run(POINTS, drblab.Sim(threads=1), executor=client,
                               journal=f'{folder}/rows.jsonl')
            again = drblab.run(POINTS, drblab.Sim(threads=1), executor=client,
                               journal=f'{folder}/rows.jsonl')
    whole = drblab.run(POINTS)
    assert frame.equals(whole) and again.equals(whole)


def a_worker_of_another_version_is_refused():
    from drblab import running
    try:
        running._work(drblab.Sim(), 'another version', POINTS[:1])
    except drblab.EngineError as e:
        assert 'another version' in str(e) and drblab.Sim().version in str(e), e
        return
    raise AssertionError('it ran')


if __name__ == '__main__':
    tap.run([three_ranks_of_mpi_give_the_same_rows, workers_of_dask_give_the_same_rows,
             a_worker_of_another_version_is_refused])
