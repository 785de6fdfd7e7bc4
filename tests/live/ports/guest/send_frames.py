#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames for nobody, one after another: send_frames.py INTERFACE COUNT OCTETS."""

import socket
import sys


def main():
    interface, count, octets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # To and from no host of a fabric; an EtherType for experiments.
    frame = bytes.fromhex('06000000000106000000000288b5').ljust(octets, b'\0')
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((interface, 0))
        for _ in range(count):
            s.send(frame)


main()
