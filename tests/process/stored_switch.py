# SPDX-License-Identifier: BSD-3-Clause
"""A stats socket with the replies of a test, for drbctl to read."""
import json
import socket
import subprocess
import sys
import threading

from store_version import STORED
from until import WITHIN
from world import World

DRBCTL = sys.argv[3]


def stored():
    """Returns [(version, stored replies)] for each release."""
    folders = sorted(STORED.iterdir())
    assert folders, f'{STORED} is empty'
    return [(f.name, json.loads((f / 'replies.json').read_text(encoding='utf-8'))) for f in folders]


class StoredSwitch(World):
    """Stats sockets that reply with stored replies.

    told: the replies of s1-0, as store_version.py stores them. others: those of other switches, by
    names such as s2_1. The reply to /drb/all may be a list: one for each time that it is asked for,
    the last one from then on."""

    def __init__(self, told, **others):
        super().__init__()
        self.listeners = [self._listen('drb-' + name.replace('_', '-'), replies)
                          for name, replies in {'s1_0': told, **others}.items()]

    def _listen(self, instance, told):
        path = self.socket_of(instance)
        path.parent.mkdir(parents=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(str(path))
        path.chmod(0o666)  # drbctl serve becomes the user of switches
        listener.listen(16)
        threading.Thread(target=self._accept, args=(listener, told), daemon=True).start()
        return listener

    def __exit__(self, *_):
        for listener in self.listeners:
            listener.close()
        super().__exit__()

    def _accept(self, listener, told):
        try:
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self._serve, args=(client, told), daemon=True).start()
        except OSError:
            pass

    @staticmethod
    def _serve(client, told):
        def reply(command):
            found = told['replies'].get(command)
            if isinstance(found, list) and command == '/drb/all':
                return found.pop(0) if len(found) > 1 else found[0]
            return found
        with client:
            client.send(json.dumps(told['greeting']).encode())
            while command := client.recv(1024).decode():
                client.send(json.dumps({command.split(',')[0]: reply(command)}).encode())

    def run(self, *args):
        return subprocess.run([DRBCTL, *args, '--runtime', self.dir / 'run'], capture_output=True, text=True,
                              timeout=WITHIN, check=False)

    def ask(self, *args):
        """Returns the output of drbctl."""
        done = self.run(*args)
        assert done.returncode == 0 and not done.stderr, f'drbctl {" ".join(args)}: {done.stderr}'
        return done.stdout

    def rows(self, *args):
        return [json.loads(line) for line in self.ask(*args, '--json').splitlines()]
