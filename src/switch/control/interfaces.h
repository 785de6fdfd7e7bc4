// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces that are deleted and created again while the switch runs: their ports are bound again, or a
// message says that they are gone. A port without its interface has no carrier, so its link is down within a
// second; packets to it are dropped and counted (not_sent).

#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "switch/ports/port_set.h"

struct drb_switch;

struct drb_interfaces {
	struct event *changed;    // NULL: the kernel does not tell
	struct event *look_again; // while a port is without its interface
	uint64_t settled_ns;      // when the last interface that was taken again is as it will be
	bool lost[DRB_PORTS_MAX];
	int why[DRB_PORTS_MAX]; // said last: why a port has not taken its interface again
};

int drb_interfaces_open(struct drb_switch *s);
void drb_interfaces_close(struct drb_switch *s);
