#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends frames to an address without a host, one after another.

send_frames.py INTERFACE COUNT BYTES    sends COUNT frames of so many bytes"""

import socket
import sys


def main():
    interface, count, octets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # Neither address is of a host of a fabric, and the EtherType is for experiments.
    frame = bytes.fromhex('06000000000106000000000288b5').ljust(octets, b'\0')
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((interface, 0))
        for _ in range(count):
            s.send(frame)


main()
