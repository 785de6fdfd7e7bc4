# SPDX-License-Identifier: BSD-3-Clause
"""The stats socket of a running switch."""

import json
import os
import socket

REPLY_MAX = 1 << 20


def runtime_folder():
    """Where DPDK processes of this user keep their sockets (the rule of its EAL)."""
    base = os.environ.get('RUNTIME_DIRECTORY')
    if not base:
        base = '/var/run' if os.geteuid() == 0 else os.environ.get('XDG_RUNTIME_DIR', '/tmp')
    return os.path.join(base, 'dpdk')


def instance_folder(instance):
    return os.path.join(runtime_folder(), instance)


class Telemetry:
    """One connection. Raises OSError when the switch is not there (any more)."""

    def __init__(self, instance, timeout=5.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.socket.settimeout(timeout)
            self.socket.connect(f'{instance_folder(instance)}/dpdk_telemetry.v2')
            self.greeting = self._receive()
        except BaseException:
            self.socket.close()
            raise

    def _receive(self):
        data = self.socket.recv(REPLY_MAX)
        if not data:
            raise ConnectionResetError('the switch closed its stats socket')
        try:
            return json.loads(data)
        except ValueError as e:
            raise OSError(f'no JSON from the stats socket: {e}') from e

    def ask(self, command):
        """The reply to a command such as '/drb/info'; None if the switch has none."""
        self.socket.send(command.encode())
        # The key is the command without its parameters.
        return self._receive().get(command.split(',')[0])

    def ports(self):
        """Every counter of every port, {key: [value per port]}."""
        reply = self.ask('/drb/ports')
        if reply is None:
            raise OSError('a worker does not answer')
        return {key: value for key, value in reply.items() if isinstance(value, list)}

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
