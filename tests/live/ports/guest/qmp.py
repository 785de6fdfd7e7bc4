#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives a guest's QEMU one command: qmp.py SOCKET COMMAND [NAME=VALUE...]; true and false are no strings."""

import json
import socket
import sys


def main():
    words = {'true': True, 'false': False}
    pairs = (argument.partition('=') for argument in sys.argv[3:])
    arguments = {name: words.get(value, value) for name, _, value in pairs}
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(30)
        s.connect(sys.argv[1])
        lines = s.makefile('rw')
        lines.readline()  # who it is
        for order in ({'execute': 'qmp_capabilities'}, {'execute': sys.argv[2], 'arguments': arguments}):
            lines.write(json.dumps(order) + '\n')
            lines.flush()
            reply = json.loads(lines.readline())
            while 'event' in reply:
                reply = json.loads(lines.readline())
            if 'error' in reply:
                sys.exit(f'{sys.argv[2]}: {reply["error"]["desc"]}')


main()
