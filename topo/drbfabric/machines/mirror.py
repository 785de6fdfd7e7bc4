# SPDX-License-Identifier: BSD-3-Clause
"""Stats sockets that repeat the replies of switches on other machines, for programs that ask all
switches of a fabric."""

import contextlib
import json
import os
import selectors
import socket
import threading
import typing

from drbfabric.fabric import keeper

# The commands that drbctl path sends.
COMMANDS = ('/drb/info', '/drb/all')


def _listen(folder, instance):
    os.makedirs(f'{folder}/dpdk/{instance}')
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.bind(f'{folder}/dpdk/{instance}/dpdk_telemetry.v2')
    s.listen()
    return s


def _take(connection, said):
    """Answers one request; False at the end of the connection."""
    command = connection.recv(4096).rstrip(b'\0').decode(errors='replace')
    if command:
        # The key is the command without its parameters.
        connection.sendall(json.dumps({command.partition(',')[0]: said.get(command)}).encode())
    return bool(command)


def _serve(choose, ended):
    """Accepts connections, greets and answers until `ended` becomes readable."""
    while True:
        for key, _ in choose.select():
            if key.fileobj is ended:
                return
            listener, said = key.data
            if listener:
                connection = key.fileobj.accept()[0]
                connection.sendall(json.dumps(said['greeting']).encode())
                choose.register(connection, selectors.EVENT_READ, (False, said))
                continue
            with contextlib.suppress(OSError):
                if _take(key.fileobj, said):
                    continue
            choose.unregister(key.fileobj)
            key.fileobj.close()


@contextlib.contextmanager
def sockets(switches):
    """A folder for drbctl --runtime with the stats sockets of these switches.

    switches: {instance: {'greeting': object, command: reply}}."""
    with keeper.kept('drb-mirror-') as folder, selectors.DefaultSelector() as choose:
        ended, end = socket.socketpair()
        choose.register(ended, selectors.EVENT_READ)
        for instance, said in switches.items():
            choose.register(_listen(folder, instance), selectors.EVENT_READ, (True, said))
        thread = threading.Thread(target=_serve, args=(choose, ended))
        thread.start()
        try:
            yield folder
        finally:
            end.close()
            thread.join()
            for key in list(choose.get_map().values()):
                typing.cast(socket.socket, key.fileobj).close()
