# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks are programs without .py; some use what another one has."""

import importlib.machinery
import importlib.util
import os

HERE = os.path.dirname(os.path.realpath(__file__))


def load_program(name):
    """tests/bench/NAME as a module."""
    loader = importlib.machinery.SourceFileLoader(name, f'{HERE}/{name}')
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
