#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A switch with known faults, to compare the generator's report with.

relay.py PORTS

Forwards measured packets by destination MAC between interfaces p0, p1, ... of its network
namespace, and drops, doubles, misdirects and delays some. Prints "ready", and on SIGTERM a JSON
object of its own counts.
"""

import json
import select
import signal
import socket
import struct
import sys

ETH_P_IP = 0x0800
PROBE_PORT = 7471
SO_RCVBUFFORCE = 33  # asm-generic/socket.h; Python does not name it
# Bytes of a socket's buffer. It must lose nothing while the relay waits for a CPU.
ROOM = 64 << 20
IDLE = 0.3  # seconds after which a delayed packet without a successor is forwarded


class Relay:
    def __init__(self, ports):
        self.sockets = []
        for port in range(ports):
            s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
            s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
            s.bind((f'p{port}', ETH_P_IP))
            self.sockets.append(s)
        self.count = 0
        self.held = {}  # destination and source MAC -> frame
        self.did = dict.fromkeys(('seen', 'dropped', 'doubled', 'misdirected', 'overtaken'), 0)

    def send(self, frame, port=None):
        if port is None:
            port = struct.unpack('!I', frame[2:6])[0]
        self.sockets[port % len(self.sockets)].send(frame)

    def release(self, stream):
        frame = self.held.pop(stream, None)
        if frame:
            self.send(frame)
        return frame is not None

    def forward(self, frame):
        if frame[23] != 17 or struct.unpack('!H', frame[36:38])[0] != PROBE_PORT:
            return
        self.count += 1
        self.did['seen'] += 1
        stream = frame[:12]
        if self.count % 50 == 0:
            self.did['dropped'] += 1
        elif self.count % 90 == 2:
            self.did['misdirected'] += 1
            self.send(frame, struct.unpack('!I', frame[2:6])[0] + 1)
        elif self.count % 40 == 3 and stream not in self.held:
            self.held[stream] = frame
        else:
            self.send(frame)
            if self.count % 70 == 1:
                self.did['doubled'] += 1
                self.send(frame)
            self.did['overtaken'] += self.release(stream)

    def run(self):
        while True:
            readable = select.select(self.sockets, [], [], IDLE)[0]
            if not readable:
                for stream in list(self.held):
                    self.release(stream)
            for s in readable:
                frame, address = s.recvfrom(65535)
                if address[2] != socket.PACKET_OUTGOING:
                    self.forward(frame)


def stop(_signal, _frame):
    raise SystemExit


signal.signal(signal.SIGTERM, stop)
relay = Relay(int(sys.argv[1]))
print('ready', flush=True)
try:
    relay.run()
finally:
    print(json.dumps(relay.did), flush=True)
