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


class FakeSwitch(World):
    """A stats socket that replies with stored replies.

    told: as store_version.py stores it. The reply to /drb/all may be a list: one for each time that it is asked for,
    the last one from then on."""

    def __init__(self, told):
        super().__init__()
        self.told = told
        path = self.socket_of('drb-s1-0')
        path.parent.mkdir(parents=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        path.chmod(0o666)  # drbctl serve becomes the user of switches
        self.listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def __exit__(self, *_):
        self.listener.close()
        super().__exit__()

    def _accept(self):
        try:
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
        except OSError:
            pass

    def _serve(self, client):
        with client:
            client.send(json.dumps(self.told['greeting']).encode())
            while command := client.recv(1024).decode():
                client.send(json.dumps({command.split(',')[0]: self._reply(command)}).encode())

    def _reply(self, command):
        reply = self.told['replies'].get(command)
        if isinstance(reply, list) and command == '/drb/all':
            return reply.pop(0) if len(reply) > 1 else reply[0]
        return reply

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
