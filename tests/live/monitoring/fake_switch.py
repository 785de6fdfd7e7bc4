#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that answers telemetry as a switch would whose counters do not add up.

fake_switch.py SOCKET INSTANCE LOST UNNAMED: LOST packets are in no counter, UNNAMED drops have no
reason. With INSTANCE "other" it answers as a DPDK process that is no switch. Serves until killed.
"""
import json
import os
import re
import socket
import sys
import threading

HEADER = os.path.join(os.path.dirname(__file__), "../../../src/core/counters.h")


def keys(macro):
    """The names that src/core/counters.h lists in this macro."""
    with open(HEADER, encoding="utf-8") as header:
        listing = re.search(rf"#define {macro}\(X\)(.*?[^\\])\n", header.read(), re.DOTALL)
    assert listing, f"{HEADER} has no {macro}"
    return re.findall(r"X\((\w+),", listing[1])


def replies(instance, lost, unnamed):
    parts = re.fullmatch(r"(.+)-s(\d+)-(\d+)", instance)
    assert parts, f"{instance} is no switch of a fabric"
    fabric, layer, label = parts.groups()
    name = f"s{layer}-{label}"
    # 100 packets came in by d0, 10 wait in u0.
    out = [0, 90 - lost - unnamed]
    drops = [unnamed, 0]
    ports = {key: [0, 0] for key in keys("DRB_PORT_COUNTERS")}
    ports |= {"in_packets": [100, 0], "in_discards": drops, "out_packets": out,
              "queue_packets": [0, 10]}
    return {
        "/drb/info": {"name": name, "fabric": fabric, "version": "0", "layers": 2, "arity": 2,
                      "layer": int(layer), "label": int(label), "code": [0], "pid": os.getpid(),
                      "ready": 1, "uptime_ns": 1, "reloads": 0, "ports": 2, "ports_usable": 2, "trouble": ""},
        "/drb/ports": {"switch": name, "time_ns": 1, "name": ["d0", "u0"], **ports},
        "/drb/routing": {**{key: "" for key in ("scheme", "unit", "threshold", "threshold_mode", "utilisation",
                                                "flows_per_uplink")},
                         **{key: 0 for key in ("flows", "choices", "seed", *keys("DRB_ROUTING_COUNTERS"))}},
        "/drb/drops": {reason: 0 for reason in keys("DRB_DROP_REASONS")},
    }


def serve(client, answers):
    greeting = {"version": "DPDK 0.0", "pid": os.getpid(), "max_output_len": 16384}
    client.send(json.dumps(greeting).encode())
    while command := client.recv(1024).decode():
        name = command.split(",")[0]
        client.send(json.dumps({name: answers.get(name)}).encode())


def main():
    path, instance, lost, unnamed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    answers = {} if instance == "other" else replies(instance, lost, unnamed)
    os.makedirs(os.path.dirname(path))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path + '.new')
    listener.listen(4)
    os.rename(path + '.new', path)  # who finds it is served
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, answers), daemon=True).start()


if __name__ == "__main__":
    main()
