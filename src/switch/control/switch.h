// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The switch of this process, and its modules. The control thread, which runs the event loop, owns
// it. Comments name other readers or writers of a field.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "common/config/config.h"
#include "switch/control/background.h"
#include "switch/control/capture_order.h"
#include "switch/control/cards.h"
#include "switch/control/heartbeat.h"
#include "switch/control/interface_losses.h"
#include "switch/control/interfaces.h"
#include "switch/control/memif_peers.h"
#include "switch/control/reload.h"
#include "switch/control/snapshots.h"
#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

struct drb_stats_socket;

struct drb_switch {
	// Given by main().
	const char *config; // path of the config
	const struct drb_config_override *override;
	bool verbose;           // DPDK's own messages, too
	bool held;              // do not forward before standard input ends; cleared then
	struct drb_setup setup; // in force
	// The running switch.
	struct event_base *base;
	struct event *opening; // opens the next modules
	uint32_t open;         // number of open modules
	int code;              // exit status of the process
	uint64_t started_ns;
	uint64_t wait_end_ns; // deadline of the wait for interfaces; 0: the wait has not begun
	atomic_bool ready;    // forwards, or is about to; the heartbeat thread reads it
	struct drb_workers workers;
	struct drb_port_set ports;
	struct drb_port_users users; // callbacks for the ports
	// Modules.
	struct event *signals, *link_rates;
	bool reload_wanted; // SIGHUP came before the switch was ready
	struct drb_background background;
	struct drb_stats_socket *stats;
	struct drb_interface_losses losses;
	struct drb_snapshots snapshots;
	struct drb_reload reload;
	struct drb_memif_peers memif;
	struct drb_cards cards;
	struct drb_interfaces interfaces;
	struct drb_capture_order capture;
	struct drb_operators operators; // constant: who may give orders
	struct drb_heartbeat heartbeat;
};

// A part of a switch. Modules are opened in the order of a table, by the event loop, and closed in
// reverse.
struct drb_module {
	const char *name; // what the switch waits for while open() returns -EAGAIN or -EINPROGRESS
	// Returns 0 if the module is open. -EAGAIN: call again in retry_us. -EINPROGRESS: call
	// again when the event `opening` is activated. Another -errno: failed, with a message
	// printed and nothing left open.
	int (*open)(struct drb_switch *s);
	void (*close)(struct drb_switch *s); // NULL: nothing to close
	uint32_t retry_us;                   // 0: -EAGAIN is an error, too
};

// Makes a timer that calls call(), with the switch as context, every us microseconds from now on.
// NULL: no memory, with a message printed.
struct event *drb_switch_every(struct drb_switch *s, uint64_t us, event_callback_fn call);

// Runs a switch until a signal ends it. All fields must be zero except those given by main().
// Returns the exit status of the process.
int drb_switch_run(struct drb_switch *s);
