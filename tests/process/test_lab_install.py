#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds what needs no DPDK where there is none: the laboratory by pip install, which then runs a
study, and drbctl and libdrb by meson.

test_lab_install.py SOURCES    TAP on standard output."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

sys.dont_write_bytecode = True

import tap  # noqa: E402

STUDY = """
import drblab
points = drblab.sweep('packet', load=[0.5, 0.9], scheme=['drb', 'dmodk'], slots=400, stats=200,
                      seed=range(2))
frame = drblab.run(points, journal='rows.jsonl')
assert len(frame) == 8 and (frame['latency'] > 5).all(), frame
assert drblab.Sim().path.startswith({venv!r}), drblab.Sim().path
"""


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def environment_of(folder, wanted):
    """Returns an environment with the system's compiler and a pkg-config that knows only libraries
    for which `wanted` of their name holds."""
    known = f'{folder}/pkgconfig'
    os.mkdir(known)
    for path in run('pkg-config', '--variable', 'pc_path', 'pkg-config').strip().split(':'):
        for file in os.listdir(path) if os.path.isdir(path) else ():
            if wanted(file.removesuffix('.pc')) and not os.path.lexists(f'{known}/{file}'):
                os.symlink(f'{path}/{file}', f'{known}/{file}')
    environment = {name: value for name, value in os.environ.items()
                   if name not in ('DRB_BUILD', 'PYTHONPATH')}
    # With CC set, meson uses no compiler cache, which may belong to another user.
    return {**environment, 'CC': 'cc', 'HOME': folder, 'PKG_CONFIG_LIBDIR': known, 'PIP_CONFIG_FILE': '/dev/null'}


def copy_sources(folder):
    """Copies files that are tracked or may be added; of an unpacked release all but builds."""
    if os.path.exists(f'{sys.argv[1]}/.git'):
        names = run('git', '-C', sys.argv[1], '-c', 'safe.directory=*', 'ls-files', '-z', '--cached',
                    '--others', '--exclude-standard').split('\0')
    else:
        names = [str(path.relative_to(sys.argv[1])) for path in pathlib.Path(sys.argv[1]).rglob('*')]
        names = [name for name in names if not name.startswith('build')]
    for name in sorted(name for name in names if os.path.isfile(f'{sys.argv[1]}/{name}')):
        os.makedirs(os.path.dirname(f'{folder}/{name}'), exist_ok=True)
        shutil.copy(f'{sys.argv[1]}/{name}', f'{folder}/{name}')


def a_wheel_of_the_laboratory_runs_a_study():
    """Installs offline, into a clean environment that sees the system's packages."""
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(folder, {'jansson', 'yaml-0.1', 'zlib'}.__contains__)
        venv.create(f'{folder}/venv', system_site_packages=True, with_pip=True)
        copy_sources(f'{folder}/sources')
        run(f'{folder}/venv/bin/pip', 'install', '--quiet', '--no-build-isolation', '--no-deps',
            '--no-index', f'{folder}/sources', env=environment)
        installed = f'{folder}/venv/bin'
        assert {'drbsim', 'drbtopo', 'drblab'} <= set(os.listdir(installed))
        assert 'drbswitch' not in os.listdir(installed)
        run(f'{installed}/python3', '-c', STUDY.format(venv=f'{folder}/venv'), cwd=folder,
            env=environment)
        of_wheel = run(f'{folder}/venv/bin/pip', 'show', 'drblab', env=environment)
        of_meson = run(f'{installed}/drbsim', '--version').split()[1]
        assert run(f'{installed}/drblab', '--version', env=environment) == f'drblab {of_meson}\n'
        assert f"\nVersion: {of_meson.replace('-dev', '.dev0')}\n" in of_wheel, of_wheel
        told = run(f'{installed}/drblab', 'schemes', '-d', '2', '--load', '0.9', '--runs', '2',
                   '--slots', '400', '--out', 'study', cwd=folder, env=environment)
        assert 'dmodk' in told and os.path.exists(f'{folder}/study/schemes.csv'), told


def drbctl_and_libdrb_need_no_dpdk():
    """Builds them with warnings as errors, and asks for switches where there are none."""
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(folder, lambda name: 'dpdk' not in name)
        copy_sources(f'{folder}/sources')
        build = f'{folder}/build'
        run('meson', 'setup', '--werror', '-Dswitch=disabled', '-Dctl=enabled', '-Dtests=disabled', build,
            f'{folder}/sources', env=environment)
        run('meson', 'compile', '-C', build, 'drbctl', 'drb:shared_library', env=environment)
        assert 'drb_chooser_choose' in run('nm', '-D', '--defined-only', f'{build}/src/lib/libdrb.so')
        asked = subprocess.run([f'{build}/src/ctl/drbctl', '--runtime', folder, 'list'], capture_output=True, text=True)
        assert (asked.returncode, asked.stderr) == (1, 'drbctl: no switch is running\n'), asked


if __name__ == '__main__':
    tap.run([a_wheel_of_the_laboratory_runs_a_study, drbctl_and_libdrb_need_no_dpdk])
