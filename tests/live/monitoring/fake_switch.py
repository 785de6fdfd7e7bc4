#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replies to requests for telemetry like a switch whose counters do not add up.

fake_switch.py SOCKET INSTANCE LOST UNNAMED

LOST packets are in no counter, and UNNAMED drops have no reason. With INSTANCE "other" it replies
like a DPDK process that is no switch. Serves until it is killed.
"""
import json
import os
import re
import socket
import sys
import threading

HEADER = os.path.join(os.path.dirname(__file__), "../../../src/core/counters.h")


def keys(macro):
    """Returns the names that this macro of src/core/counters.h lists."""
    with open(HEADER, encoding="utf-8") as header:
        listing = re.search(rf"#define {macro}\(X\)(.*?[^\\])\n", header.read(), re.DOTALL)
    assert listing, f"{HEADER} has no {macro}"
    return re.findall(r"X\((\w+),", listing[1])


def some(texts, numbers, macro):
    """Returns an object with these keys and those that a macro lists."""
    return {**dict.fromkeys(texts.split(), ""), **dict.fromkeys([*numbers.split(), *keys(macro)], 0)}


def replies(instance, lost, unnamed):
    parts = re.fullmatch(r"(.+)-s(\d+)-(\d+)", instance)
    assert parts, f"{instance} is no switch of a fabric"
    fabric, layer, label = parts.groups()
    name = f"s{layer}-{label}"
    # 100 packets came in at d0, and 10 are queued at u0.
    counts = {"d0": {"in_packets": 100, "in_discards": unnamed},
              "u0": {"out_packets": 90 - lost - unnamed, "queue_packets": 10}}
    info = {"name": name, "fabric": fabric, "version": "0", "layers": 2, "arity": 2, "uplinks": 2,
            "layer": int(layer), "label": int(label), "code": [0], "pid": os.getpid(), "ready": 1, "stuck": 0,
            "uptime_ns": 1, "reloads": 0, "ports": 2, "ports_usable": 2, "trouble": ""}
    return {"/drb/info": info, "/drb/all": {
        "time_ns": 1,
        "info": info,
        "routing": some("scheme unit threshold threshold_mode utilisation flows_per_uplink",
                        "flows choices seed", "DRB_ROUTING_COUNTERS"),
        "drops": some("", "", "DRB_DROP_REASONS"),
        "worker": some("idle", "time_ns cycles_hz buffers buffers_free", "DRB_WORKER_COUNTERS"),
        "differences": {"every": 61, "count": [0] * 65},
        "samples": {"burst_size": [0] * 16, "queue_length": [0] * 16},
        "ports": [{**some("peer neighbour state driver device rate occupancy",
                          "usable queue overhead loss_in_ppm loss_out_ppm", "DRB_PORT_COUNTERS"),
                   "name": port, **count} for port, count in counts.items()],
    }}


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
    os.rename(path + '.new', path)  # the socket listens before it can be found
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, answers), daemon=True).start()


if __name__ == "__main__":
    main()
