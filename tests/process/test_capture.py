#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbctl capture at drbswitch as processes: two switches and a memif link between them.

test_capture.py DRBSWITCH CONFIG_DIR DRBCTL DRB.LUA    TAP on standard output. See world.py."""
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import CAPTURE_VERSION, World, ask, capture, conserved, forwards, open_files, stop, take_memory  # noqa: E402

DRBCTL, DISSECTOR = sys.argv[3:5]
FRAMES = 1500
HELLO = bytes.fromhex('88b5')
SWITCHES = '''fabric: {{layers: 2, arity: 1}}
link: {{driver: vdev, hello: 100ms}}
process: {{memif_dir: {dir}/memif}}
switch: {{layer: {layer}, label: 0}}
ports:
'''


def options(data):
    """Returns the options of a block: {code: value}."""
    found, at = {}, 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from('<HH', data, at)
        if code == 0:
            break
        found[code] = data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return found


def read_pcapng(path):
    """Returns names of interfaces, packets and counts.

    ([name], [(interface, direction, comment, frame)], {interface: (matched, lost)})"""
    data, at = path.read_bytes(), 0
    names, packets, counts = [], [], {}
    while at < len(data):
        kind, length = struct.unpack_from('<II', data, at)
        assert struct.unpack_from('<I', data, at + length - 4)[0] == length
        block = data[at + 8:at + length - 4]
        if kind == 1:
            names.append(options(block[8:])[2].decode())
        elif kind == 5:
            o = options(block[12:])
            counts[names[struct.unpack_from('<I', block)[0]]] = (
                struct.unpack('<Q', o[4])[0], struct.unpack('<Q', o[5])[0])
        elif kind == 6:
            interface, _, _, captured, _ = struct.unpack_from('<IIIII', block)
            o = options(block[20 + (captured + 3) // 4 * 4:])
            packets.append((names[interface], struct.unpack('<I', o[2])[0], o.get(1, b'').decode(),
                            block[20:20 + captured]))
        at += length
    return names, packets, counts


def begin(w, *args, stdout=None):
    """Starts `drbctl capture`, and waits until the capture has begun."""
    p = subprocess.Popen([DRBCTL, 'capture', '--runtime', w.dir / 'run', *args], stdout=stdout,
                         stderr=subprocess.PIPE, text=True)
    w.processes.append(p)
    assert p.stderr
    line = p.stderr.readline()
    assert 'capturing at' in line, line
    return p


def end(p):
    """Ends a reader by SIGINT, and returns its messages."""
    p.send_signal(signal.SIGINT)
    said = p.stderr.read()
    assert p.wait(WITHIN) == 0, said
    return said


def wireshark(w):
    """Wireshark's programs read the capture without complaint, and find hellos of both switches."""
    info = subprocess.run(['capinfos', w.dir / 'c.pcapng'], capture_output=True, text=True, check=True)
    assert not info.stderr.replace('Running as user "root" and group "root". This could be dangerous.\n', ''), info
    assert 'Name = s1-0.u0' in info.stdout, info.stdout
    run = subprocess.run(['tshark', '-X', f'lua_script:{DISSECTOR}', '-r', w.dir / 'c.pcapng', '-Y', 'drb_hello',
                          '-T', 'fields', '-e', 'drb_hello.layer', '-e', 'drb_hello.up'],
                         capture_output=True, text=True, check=True)
    assert set(run.stdout.split('\n')) == {'1\t1', '2\t0', ''}, run


def low(w, source='net_null0', uplink='none'):
    """Switch s1-0, below, with this device for its host."""
    return w.start(SWITCHES.format(dir=w.dir, layer=1) + f'  - {{name: d0, device: "{source}"}}\n'
                   f'  - {{name: u0, driver: {uplink}}}\n', name='low.yaml')


def core(w, source, *args, **more):
    """Switch s2-0 with this device on its other side."""
    return w.start(SWITCHES.format(dir=w.dir, layer=2) + '  - {name: d0, driver: memif}\n'
                   f'  - {{name: d1, device: "{source}"}}\n', *args, name='core.yaml', **more)


def packets_are_captured():
    """The file has each forwarded packet once in and once out, and says how it was sent."""
    with World() as w:
        capture(w.dir / 'in.pcap', [bytes.fromhex('020000000000' '020000000001' '88b6') + bytes(46)] * FRAMES)
        capture(w.dir / 'none.pcap', [])
        below = low(w, f'net_pcap0,rx_pcap={w.dir}/none.pcap,tx_pcap={w.dir}/out.pcap', 'memif')
        w.notified('READY=1')
        at = w.socket_of('drb-s1-0')
        reader = begin(w, 's1-0', '-w', str(w.dir / 'c.pcapng'))
        # The core switch forwards the frames of the file once both switches are connected.
        above = core(w, f'net_pcap0,rx_pcap={w.dir}/in.pcap,tx_pcap={w.dir}/gone.pcap', '--hold',
                     stdin=subprocess.PIPE)
        until(lambda: ask(at, '/drb/port,u0')[0]['state'] in ('unknown', 'up'))
        above.stdin.close()
        w.notified('READY=1')
        until(lambda: ask(at, '/drb/ports')[0], good=lambda t: t['out_packets'][0] and not t['queue_packets'][0])
        time.sleep(0.3)
        counted = ask(at, '/drb/ports')[0]
        said = end(reader)
        names, packets, counts = read_pcapng(w.dir / 'c.pcapng')
        assert names == ['s1-0.d0', 's1-0.u0'], names
        assert ', 0 lost' in said and all(lost == 0 for _, lost in counts.values()), (said, counts)
        mine = [p for p in packets if p[3][12:14] != HELLO]
        for port, name in enumerate(names):
            for direction, key in ((1, 'in_packets'), (2, 'out_packets')):
                seen = sum(p[0] == name and p[1] == direction and 'dropped' not in p[2] for p in mine)
                assert seen == counted[key][port], (name, key, seen, counted)
        assert counted['in_packets'][1] > 0, counted
        queues = [int(p[2].removeprefix('down, queue ')) for p in mine if p[1] == 2]
        # A received burst leaves as one, and each of its packets leaves the queue one shorter.
        assert max(queues) > 1 == queues[-1] and all(b == a - 1 or a == 1 for a, b in zip(queues, queues[1:])), queues
        assert any(p[3][12:14] == HELLO and p[1] == 2 for p in packets), 'no hello'
        conserved(counted)
        if shutil.which('tshark'):
            wireshark(w)
        stop(above)
        stop(below)


def dropped_at(w, reason):
    """Returns the ports and directions (1 in, 2 out) of packets dropped for this reason."""
    reader = begin(w, 's1-0', '-c', '300', '-w', str(w.dir / 'd.pcapng'))
    assert reader.wait(WITHIN) == 0
    return {(q[0], q[1]) for q in read_pcapng(w.dir / 'd.pcapng')[1] if q[2].startswith(f'dropped: {reason}')}


def drops_say_why():
    """A dropped frame is captured once more, with the reason. Filters select the right frames."""
    with World() as w:
        capture(w.dir / 'in.pcap', [bytes.fromhex('0a0000000001' '020000000000' '88b6') + bytes(46),
                                    bytes.fromhex('020000000001' '020000000000' '88b6') + bytes(46)] * 8)
        p = w.start('fabric: {layers: 2, arity: 2}\nlink: {driver: none}\nswitch: {layer: 1, label: 0}\nports:\n'
                    f'  - {{name: d0, driver: vdev, device: "net_pcap0,rx_pcap={w.dir}/in.pcap,infinite_rx=1"}}\n'
                    '  - {name: d1, driver: vdev, device: net_null0, rate: 1000pps}\n')
        w.notified('READY=1')
        reader = begin(w, 's1-0.d0', '-c', '200', '-w', str(w.dir / 'c.pcapng'), 'ether', 'dst', '0a:00:00:00:00:01')
        assert reader.wait(WITHIN) == 0
        _, packets, _ = read_pcapng(w.dir / 'c.pcapng')
        assert len(packets) == 200 and all(q[3][:6] == bytes.fromhex('0a0000000001') for q in packets)
        dropped = [q for q in packets if q[2] == 'dropped: unknown_destination, queue 0']
        assert 90 <= len(dropped) <= 110 and all(q[0] == 's1-0.d0' and q[1] == 1 for q in dropped), packets[:4]
        # Messages do not get into the capture if standard error is closed.
        subprocess.run(['sh', '-c', '"$@" 2>&-', 'sh', DRBCTL, 'capture', '--runtime', w.dir / 'run', 's1-0', '-c',
                        '20', '-w', w.dir / 'e.pcapng'], timeout=WITHIN, check=True)
        assert len(read_pcapng(w.dir / 'e.pcapng')[1]) == 20
        reader = begin(w, 's1-0', 'icmp')
        assert 'pings by name are icmp6' in reader.stderr.readline()
        end(reader)
        # A port that is down drops incoming packets. A full queue drops outgoing packets.
        assert ask(w.socket_of('drb-s1-0'), '/drb/down,d0')[0].startswith('ok: ')
        assert dropped_at(w, 'port_down') == {('s1-0.d0', 1)}
        assert ask(w.socket_of('drb-s1-0'), '/drb/up,d0')[0].startswith('ok: ')
        assert dropped_at(w, 'queue_full') == {('s1-0.d1', 2)}
        stop(p)


def full_speed_loses_by_count():
    """A reader that does not read loses packets, which are counted.

    The switch goes on forwarding. A reader that is killed leaves nothing behind."""
    with World() as w:
        capture(w.dir / 'in.pcap', [bytes.fromhex('020000000001' '020000000000' '88b6') + bytes(46)] * 64)
        p = low(w, f'net_pcap0,rx_pcap={w.dir}/in.pcap,tx_pcap={w.dir}/out.pcap,infinite_rx=1')
        w.notified('READY=1')
        at = w.socket_of('drb-s1-0')
        into, out = os.pipe()  # nobody reads
        reader = begin(w, 's1-0', '-w', '-', stdout=out)
        os.close(out)
        forwards(at, 100000)
        conserved(ask(at, '/drb/ports')[0])
        busy = subprocess.run([DRBCTL, 'capture', '--runtime', w.dir / 'run', 's1-0'], capture_output=True,
                              text=True, timeout=WITHIN, check=False)
        assert busy.returncode == 1 and 'another capture of this switch is running' in busy.stderr, busy
        reader.send_signal(signal.SIGINT)
        with open(into, 'rb') as f:
            (w.dir / 'c.pcapng').write_bytes(f.read())
        said = reader.stderr.read()
        assert reader.wait(WITHIN) == 0, said
        _, packets, counts = read_pcapng(w.dir / 'c.pcapng')
        matched, lost = (sum(c[i] for c in counts.values()) for i in (0, 1))
        assert lost > 50000 and matched == lost + len(packets), (matched, lost, len(packets))
        assert f'{len(packets)} packets captured, {lost} lost' in said, said
        reader = begin(w, 's1-0', '-w', str(w.dir / 'd.pcapng'))
        reader.kill()
        reader.wait()
        until(lambda: subprocess.run([DRBCTL, 'capture', '--runtime', w.dir / 'run', 's1-0', '-c', '1'],
                                     capture_output=True, timeout=WITHIN, check=False).returncode == 0)
        reader = begin(w, 's1-0', '-w', str(w.dir / 'd.pcapng'))
        stop(p)  # while a capture runs
        said = reader.stderr.read()
        assert reader.wait(WITHIN) == 1 and 's1-0: the switch has ended' in said, said


def a_second_signal_ends_it():
    """If nobody reads the output of a reader, it ends at the second SIGINT, not at the first."""
    with World() as w:
        capture(w.dir / 'in.pcap', [bytes.fromhex('020000000001' '020000000000' '88b6') + bytes(46)] * 64)
        p = low(w, f'net_pcap0,rx_pcap={w.dir}/in.pcap,tx_pcap={w.dir}/out.pcap,infinite_rx=1')
        w.notified('READY=1')
        into, out = os.pipe()  # nobody reads
        reader = begin(w, 's1-0', '-w', '-', stdout=out)
        os.close(out)
        wchan = pathlib.Path(f'/proc/{reader.pid}/wchan')
        until(lambda: wchan.read_text(encoding='ascii'), good=lambda where: 'pipe' in where)
        reader.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert reader.poll() is None, 'the first one is to keep what was captured'
        reader.send_signal(signal.SIGINT)
        assert reader.wait(WITHIN) == -signal.SIGINT
        os.close(into)
        stop(p)


def memory_keeps_its_size():
    """A reader cannot change the size of the memory that workers write to. Its end closes all."""
    with World() as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        capture(w.dir / 'in.pcap', [bytes.fromhex('020000000001' '020000000000' '88b6') + bytes(46)] * 64)
        p = low(w, f'net_pcap0,rx_pcap={w.dir}/in.pcap,tx_pcap={w.dir}/out.pcap,infinite_rx=1')
        w.notified('READY=1')
        at = w.socket_of('drb-s1-0')
        files = open_files(p.pid)
        memory = take_memory(connection, at)
        size = os.fstat(memory).st_size
        for wrong in (0, size - 4096, size + 4096):
            try:
                os.ftruncate(memory, wrong)
                raise AssertionError(f'{size} bytes became {wrong}')
            except PermissionError:
                pass
        sealed = fcntl.fcntl(memory, fcntl.F_GET_SEALS)
        assert sealed == fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL, sealed
        forwards(at, 100000)
        os.close(memory)
        connection.close()
        until(lambda: open_files(p.pid), good=lambda now: now == files)
        stop(p)


def answer_as_switch(listener, true, give):
    """Serves one client in place of a switch.

    Requests go to the true switch, except for a capture, for which the client gets the memory
    `give`."""
    client, _ = listener.accept()
    with client, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
        other.connect(str(true))
        client.send(other.recv(1 << 16))
        while request := client.recv(1024):
            if request == b'/drb/capture':
                waits = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                at = pathlib.Path(listener.getsockname()).parent / 'capture'
                waits.bind(str(at))
                waits.listen(1)
                client.send(b'{"/drb/capture":"ok: waits"}')
                reader, _ = waits.accept()
                waits.close()
                at.unlink()
                reader.recv(1 << 16)
                socket.send_fds(reader, [struct.pack('<II', CAPTURE_VERSION, 1)], [give])
                client.recv(1)  # until it ends
                reader.close()
                return
            other.send(request)
            client.send(other.recv(1 << 20))


def memory_must_be_sealed():
    """drbctl refuses memory that its owner could still cut."""
    with World() as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        p = low(w)
        w.notified('READY=1')
        folder = w.dir / 'false/dpdk/drb-s1-0'
        folder.mkdir(parents=True)
        listener.bind(str(folder / 'dpdk_telemetry.v2'))
        listener.listen(1)
        for seals, begins in ((0, False), (fcntl.F_SEAL_GROW, False), (fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK, True)):
            give = os.memfd_create('rings', os.MFD_ALLOW_SEALING)
            os.ftruncate(give, 16 << 20)
            fcntl.fcntl(give, fcntl.F_ADD_SEALS, seals)
            with subprocess.Popen([DRBCTL, 'capture', '--runtime', w.dir / 'false', 's1-0', '-w', w.dir / 'c.pcapng'],
                                  stderr=subprocess.PIPE, text=True) as reader:
                answer_as_switch(listener, w.socket_of('drb-s1-0'), give)
                said = reader.communicate(timeout=WITHIN)[1]
            assert ('capturing at' in said) == begins, (seals, said)
            assert begins or (reader.returncode == 1 and 'cannot begin to capture' in said), said
            os.close(give)
        stop(p)


def nobody_connects():
    """A client may request a capture and never connect to it.

    Until its end, other captures are refused. It leaves no file behind."""
    with World() as w:
        p = low(w)
        w.notified('READY=1')
        at = w.socket_of('drb-s1-0')
        assert ask(at, '/drb/capture')[0] == 'ok: waits'
        assert ask(at, '/drb/capture')[0].startswith('error: another capture of this switch is running')
        stop(p)
        assert w.left() == [], w.left()


tap.run((packets_are_captured, drops_say_why, full_speed_loses_by_count, a_second_signal_ends_it,
         memory_keeps_its_size, memory_must_be_sealed, nobody_connects))
