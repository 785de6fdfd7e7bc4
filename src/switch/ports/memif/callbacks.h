// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DPDK's memif driver handles its control channels in DPDK's interrupt thread: there it maps and
// unmaps the rings that workers poll, and does so while main() starts and stops the same devices.
// Nothing in the driver keeps the two apart. This does: its callbacks run one at a time, with the
// workers parked, never while main() is inside the driver, and not at all once ports are stopped. While a
// worker is stuck they wait: it may be using the memory that they would unmap.

struct drb_memif_link;

struct drb_port_parking;

// Around every call of main() that may enter the driver: rte_vdev_init(), rte_eth_dev_start(),
// rte_eth_dev_stop() and rte_eth_dev_close(). Callbacks registered in between are ours; they are
// of this port.
void drb_memif_enter(struct drb_memif_link *link);
void drb_memif_leave(void);

// From now on callbacks park workers by these functions. `parking` stays the caller's. Before, there
// are no workers to park.
void drb_memif_set_parking(const struct drb_port_parking *parking);
// Between drb_memif_enter() and drb_memif_leave(). 0, or -ETIMEDOUT: a worker is stuck and none is parked, which is
// said once until it goes on.
int drb_memif_park(void);
void drb_memif_unpark(void);
// From now on, and for good, no callback runs any more. Before a port is stopped, for the driver
// frees what its listening sockets' callbacks use.
void drb_memif_close(void);
// Unregisters what the driver has left registered and waits until its thread is through with the
// rest. After ports are stopped, before EAL's memory goes.
void drb_memif_forget(void);
