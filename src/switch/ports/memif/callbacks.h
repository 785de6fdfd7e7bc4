// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DPDK's memif driver handles its control channels in DPDK's interrupt thread, while the control thread starts and
// stops the same devices. Nothing in the driver keeps the two apart. This does: its callbacks run on the control
// thread, and not at all once ports are stopped. While a worker is stuck they wait: it may be using the memory that
// they would unmap.

struct drb_memif_link;
struct drb_port_users;

// Around every call that may enter the driver: rte_vdev_init(), rte_eth_dev_start(), rte_eth_dev_stop() and
// rte_eth_dev_close(). Callbacks registered in between are ours; they are of this port.
void drb_memif_enter(struct drb_memif_link *link);
void drb_memif_leave(void);

struct drb_memif_control {
	const struct drb_port_users *users;
	// Has the control thread call this, and waits until it has. Negative: it calls nothing any more.
	int (*run)(void (*call)(void *context), void *context);
};

// From now on callbacks run there; `control` stays the caller's. NULL, as before it: in DPDK's thread, which is for
// times when the control thread waits for nobody and no worker runs.
void drb_memif_set_control(const struct drb_memif_control *control);
// From now on, and for good, no callback runs any more. Before a port is stopped, for the driver
// frees what its listening sockets' callbacks use.
void drb_memif_close(void);
// Unregisters what the driver has left registered and waits until its thread is through with the
// rest. After ports are stopped, before EAL's memory goes.
void drb_memif_forget(void);
