#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens all kinds of hostile HTTP clients at once, until standard input ends.

hostile_http.py HOST PORT

Prints one line with the connections of each kind once all have had their turn; then they go on.
Kinds: silent (connects and requests nothing), half (half a request), slow (a byte each 100 ms),
huge (endless headers), greedy (requests all pages and never reads), viewers (event streams that
nobody reads), foreign (another Host), broken (no HTTP)."""
import selectors
import socket
import sys
import threading

KINDS = {
    'silent': (400, b''),
    'half': (200, b'GET /metrics HTTP/1.1\r\nHost: 127.0'),
    'slow': (50, b'GET /metrics HTTP/1.1\r\n'),
    'huge': (50, b'GET / HTTP/1.1\r\nX: ' + b'x' * 40000),
    'greedy': (50, b'GET /metrics HTTP/1.1\r\nHost: %(host)s\r\n\r\n' * 200),
    'viewers': (100, b'GET /events HTTP/1.1\r\nHost: %(host)s\r\n\r\n'),
    'foreign': (100, b'GET /api/state HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
    'broken': (100, b'\0\xff\r\n\r\n' * 100),
}


def connect(address, request):
    """Returns a client that has sent as much as was accepted, or None if it could not connect."""
    try:
        client = socket.create_connection(address, 5)
        client.settimeout(0.05)
        client.sendall(request)
    except (BlockingIOError, TimeoutError):
        pass
    except OSError:
        return None
    return client


def drip(clients, ended):
    """Has each slow client send a byte every 100 ms."""
    while not ended.wait(0.1):
        for client in clients:
            try:
                client.send(b'x')
            except OSError:
                pass


def main():
    """Runs all clients."""
    address = sys.argv[1], int(sys.argv[2])
    host = b'%s:%d' % (address[0].encode(), address[1])
    clients = {kind: [connect(address, text.replace(b'%(host)s', host)) for _ in range(count)]
               for kind, (count, text) in KINDS.items()}
    print(', '.join(f'{sum(c is not None for c in group)} {kind}' for kind, group in clients.items()), flush=True)
    ended = threading.Event()
    slow = threading.Thread(target=drip, args=([c for c in clients['slow'] if c], ended))
    slow.start()
    # New clients connect all the time, until the end of standard input.
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        while not (selector.select(0.02) and not sys.stdin.read(1)):
            client = connect(address, b'GET / HTTP/1.1\r\n')
            if client:
                client.close()
    ended.set()
    slow.join()


if __name__ == '__main__':
    main()
