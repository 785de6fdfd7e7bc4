#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends one command to the QEMU of a guest.

qmp.py SOCKET COMMAND [NAME=VALUE...]    the values true and false are booleans, others strings"""

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
        lines.readline()  # the greeting
        for order in ({'execute': 'qmp_capabilities'}, {'execute': sys.argv[2], 'arguments': arguments}):
            lines.write(json.dumps(order) + '\n')
            lines.flush()
            reply = json.loads(lines.readline())
            while 'event' in reply:
                reply = json.loads(lines.readline())
            if 'error' in reply:
                sys.exit(f'{sys.argv[2]}: {reply["error"]["desc"]}')


main()
