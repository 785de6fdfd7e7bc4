#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a file as a C array: embed.py INPUT OUTPUT NAME."""
import sys

source, target, name = sys.argv[1:]
with open(source, 'rb') as f:
    data = f.read()
rows = [', '.join(str(b) for b in data[i:i + 24]) for i in range(0, len(data), 24)]
with open(target, 'w') as f:
    # libbpf reads the object in place: align it like ELF headers.
    f.write(f'static const unsigned char {name}[] __attribute__((aligned(8))) = {{\n')
    f.write(',\n'.join(rows) + '};\n')
