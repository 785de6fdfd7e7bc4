// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One switch, which is this process, and its modules. It belongs to the control thread, which runs the event
// loop; fields with another reader or writer say so.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "common/config/config.h"
#include "switch/control/capture_order.h"
#include "switch/control/cards.h"
#include "switch/control/heartbeat.h"
#include "switch/control/interfaces.h"
#include "switch/control/memif_peers.h"
#include "switch/control/reload.h"
#include "switch/control/snapshots.h"
#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

struct drb_stats_socket;

struct drb_switch {
	// Given by main().
	const char *config; // its path
	const struct drb_config_override *override;
	bool verbose;           // DPDK's own messages, too
	bool held;              // it does not forward before standard input ends, which clears it
	struct drb_setup setup; // in force
	// What runs.
	struct event_base *base;
	struct event *opening; // goes on opening modules
	uint32_t open;         // modules that are
	int code;              // of the process
	uint64_t started_ns;
	uint64_t wait_end_ns; // of the wait for interfaces; 0: they are not waited for
	atomic_bool ready;    // it forwards, or is about to. The watchdog reads
	struct drb_workers workers;
	struct drb_port_set ports;
	struct drb_port_users users; // of the ports
	// Of modules.
	struct event *signals, *link_rates;
	bool reload_wanted; // by SIGHUP, before it was ready
	struct drb_stats_socket *stats;
	struct drb_snapshots snapshots;
	struct drb_reload reload;
	struct drb_memif_peers memif;
	struct drb_cards cards;
	struct drb_interfaces interfaces;
	struct drb_capture_order capture;
	struct drb_heartbeat heartbeat;
};

// A part of a switch. Modules are opened in the order of a table, by the event loop, and closed in reverse.
struct drb_module {
	const char *name; // what is waited for, while open() says -EAGAIN or -EINPROGRESS
	// 0; -EAGAIN: to be called again in retry_us; -EINPROGRESS: when event `opening` is activated; another -errno, with a
	// message printed and nothing left open.
	int (*open)(struct drb_switch *s);
	void (*close)(struct drb_switch *s); // NULL: nothing is to be done
	uint32_t retry_us;                   // 0: -EAGAIN is an error, too
};

// A timer that calls every so often from now on, with the switch. NULL: no memory, with a message printed.
struct event *drb_switch_every(struct drb_switch *s, uint64_t us, event_callback_fn call);

// Runs a switch that is zeroed but for what main() gives, until it is told to end. The status of the process.
int drb_switch_run(struct drb_switch *s);
