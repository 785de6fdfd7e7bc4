# SPDX-License-Identifier: BSD-3-Clause
"""Finds programs in the build folder of a checkout, or where `meson install` has put them."""

import os
import shutil

from drbfabric import usage

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# A file written by meson install: the path of the programs' folder, relative to this one.
INSTALLED = f'{HERE}/programs'
REPOSITORY = os.path.dirname(os.path.dirname(HERE))


def _installed_folder():
    try:
        with open(INSTALLED, encoding='utf-8') as f:
            return os.path.normpath(os.path.join(HERE, f.read().strip()))
    except FileNotFoundError:
        return None


PROGRAMS = _installed_folder()


def program(name, folder):
    """The path of a program of this project: in the build folder, or else installed."""
    if 'DRB_BUILD' in os.environ or not PROGRAMS:
        built = f"{os.environ.get('DRB_BUILD', f'{REPOSITORY}/build')}/src/{folder}/{name}"
    else:
        built = f'{PROGRAMS}/{name}'
    found = built if os.access(built, os.X_OK) else shutil.which(name)
    if not found:
        raise usage(f'{name} is neither at {built} nor installed: build it (topo/demo.sh does, or meson setup build && '
                    'ninja -C build), or point DRB_BUILD at the build folder')
    return found


def gray_program():
    """The path of the XDP program that makes a link gray."""
    built = f"{os.environ.get('DRB_BUILD', f'{REPOSITORY}/build')}/topo"
    path = f"{built if 'DRB_BUILD' in os.environ or not PROGRAMS else HERE}/gray_link.bpf.o"
    if not os.path.exists(path):
        raise usage(f'{path} is missing: build with clang and libbpf (meson setup -Dbpf=enabled)')
    return path


def harness(name):
    """The path of a command of this harness: 'fabric', 'experiment' or 'rootless'."""
    return f'{PROGRAMS}/drb{name}' if PROGRAMS else f'{REPOSITORY}/topo/{name}'


def called(name):
    """The name by which a user calls a command of this harness."""
    return f'drb{name}' if PROGRAMS else f'topo/{name}'


def called_program(name, folder):
    """The name by which a user calls a program of this project."""
    return name if PROGRAMS else f'build/src/{folder}/{name}'
