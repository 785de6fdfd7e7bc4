#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Uplinks that each scheme takes at one switch of a fat-tree, by libdrb through ctypes.

route.py LAYERS ARITY LAYER LABEL HOST [LOAD...]      such as: route.py 3 2 1 0 10 5 0"""

import ctypes
import os
import sys

drb = ctypes.CDLL(os.environ.get('LIBDRB', 'libdrb.so'), use_errno=True)
u8, u32, u64, pointer = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


class Setup(ctypes.Structure):  # struct drb_chooser_setup
    _fields_ = [('tree', pointer), ('layer', u32), ('label', u32), ('threshold', ctypes.c_double), ('choices', u32),
                ('seed', u64), ('packet_time', u32)]


class Decision(ctypes.Structure):  # struct drb_decision
    _fields_ = [('dest', u32), ('port', u32), ('flow', u64), ('draw', u64), ('size', u32), ('default', u32),
                ('mark', u8), ('detour', u8), ('walks', ctypes.c_bool), ('detoured', ctypes.c_bool)]


class Ops(ctypes.Structure):  # the head of struct drb_scheme_ops
    _fields_ = [('abi', u32), ('name', ctypes.c_char_p), ('help', ctypes.c_char_p)]


def declare(name, result, *arguments):
    function = getattr(drb, name)
    function.restype, function.argtypes = result, arguments
    return function


tree_new = declare('drb_tree_new', pointer, u32, u32, u32)
up_ports = declare('drb_tree_up_ports', u32, pointer, u32)
scheme_at = declare('drb_scheme_at', ctypes.POINTER(Ops), u32)
chooser_new = declare('drb_chooser_new', pointer, ctypes.POINTER(Ops), ctypes.POINTER(Setup))
choose = declare('drb_chooser_choose', u32, pointer, ctypes.POINTER(u32), ctypes.POINTER(Decision))


def main(layers, arity, layer, label, host, *loads):
    tree = tree_new(layers, arity, arity)
    if not tree or not 1 <= layer < layers:
        sys.exit(f'route.py: no switch {layer}-{label} with uplinks in F({layers},{arity})')
    load = (u32 * up_ports(tree, layer))(*loads)
    i = 0
    while ops := scheme_at(i):
        chooser = chooser_new(ops, Setup(tree, layer, label, 2, 2, 1, 1))
        packet = Decision(dest=host, flow=host, size=1)
        uplink = choose(chooser, load, packet)
        print(f'{ops[0].name.decode():8} u{uplink} (default u{packet.default})')
        i += 1


if __name__ == '__main__':
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*map(int, sys.argv[1:]))
