# SPDX-License-Identifier: BSD-3-Clause
"""A client of the stats socket of a running switch.

The switch may have another version: a reply may lack keys, and may have unknown keys."""

import json
import os
import socket

REPLY_MAX = 1 << 20
FORMAT = 1  # DRB_STATS_FORMAT of src/core/counters.h


def runtime_folder():
    """The folder in which DPDK processes of this user have their sockets (by the rule of EAL)."""
    base = os.environ.get('RUNTIME_DIRECTORY')
    if not base:
        base = '/var/run' if os.geteuid() == 0 else os.environ.get('XDG_RUNTIME_DIR', '/tmp')
    return os.path.join(base, 'dpdk')


def instance_folder(instance):
    return os.path.join(runtime_folder(), instance)


class Telemetry:
    """A connection to one switch. Raises OSError if the switch does not run."""

    def __init__(self, instance, timeout=5.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.socket.settimeout(timeout)
            self.socket.connect(f'{instance_folder(instance)}/dpdk_telemetry.v2')
            self.greeting = self._receive()
            self._check_format()
        except BaseException:
            self.socket.close()
            raise

    def _check_format(self):
        says = self.greeting.get('format', FORMAT)
        if not isinstance(says, int) or says > FORMAT:
            raise OSError(f"version {self.greeting.get('drbswitch')} of drbswitch sends replies of format {says}, "
                          f'these programs read format {FORMAT}: upgrade them')

    def _receive(self):
        data = self.socket.recv(REPLY_MAX)
        if not data:
            raise ConnectionResetError('the switch closed its stats socket')
        try:
            reply = json.loads(data)
        except ValueError as e:
            raise OSError(f'no JSON from the stats socket: {e}') from e
        if not isinstance(reply, dict):
            raise OSError('the stats socket sends no JSON object')
        return reply

    def ask(self, command):
        """The reply to a command such as '/drb/info'; None if the switch has no such reply."""
        self.socket.send(command.encode())
        # The key is the command without its parameters.
        return self._receive().get(command.split(',')[0])

    def ports(self):
        """All counters of all ports: {key: [value per port]}."""
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
