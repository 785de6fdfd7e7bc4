// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_commands.h"

#include <stdio.h>

#include <rte_common.h>

#include "common/telemetry/telemetry_client.h"
#include "core/counters.h"
#include "switch/control/interface_losses.h"
#include "switch/control/orders.h"
#include "switch/control/replies.h"
#include "switch/control/snapshots.h"
#include "switch/control/stats_socket.h"
#include "switch/control/switch.h"

static const struct drb_stats_command commands[] = {
	{DRB_CMD_INFO, "Identity and state of this switch", drb_reply_info, drb_snapshots_serve},
	{DRB_CMD_ALL, "All of one instant", drb_reply_all, drb_snapshots_serve},
	{DRB_CMD_PORTS, "Counters of all ports, as lists", drb_reply_ports, drb_snapshots_serve},
	{DRB_CMD_PORT, "One port: peer, device, link model, counters. Parameter: its name",
	 drb_reply_port, drb_snapshots_serve},
	{DRB_CMD_ROUTING, "Scheme, threshold and counters of decisions", drb_reply_routing,
	 drb_snapshots_serve},
	{DRB_CMD_DIFFERENCES, "Histogram of load(default) - load(candidate), sampled",
	 drb_reply_differences, drb_snapshots_serve},
	{DRB_CMD_DROPS, "Dropped packets by reason", drb_reply_drops, drb_snapshots_serve},
	{DRB_CMD_WORKER, "The forwarding threads: bursts, sleeps, lateness", drb_reply_worker,
	 drb_snapshots_serve},
	{DRB_CMD_MEMORY, "Memory of the process, by what it is for", drb_reply_memory, NULL},
	{DRB_CMD_RELOAD, "Reads and applies the config again. Orders reply ok: or error: and why",
	 drb_order_reload, drb_snapshots_serve},
	{DRB_CMD_SET,
	 "Other values for keys of routing until the next reload. Parameter: threshold=3 "
	 "scheme=walk",
	 drb_order_set, drb_snapshots_serve},
	{DRB_CMD_CAPTURE,
	 "Copies packets to a reader, which then connects to `capture` beside this socket",
	 drb_order_capture, NULL},
	{DRB_CMD_DRAIN, "Takes ports out of use. Parameter: port name, or none for every port",
	 drb_order_drain, drb_snapshots_serve},
	{DRB_CMD_UNDRAIN, "Puts ports back into use. Parameter: likewise", drb_order_undrain,
	 drb_snapshots_serve},
	{DRB_CMD_DOWN, "Takes ports down, as if cables were cut. Parameter: likewise",
	 drb_order_down, drb_snapshots_serve},
	{DRB_CMD_UP, "Ends that. Parameter: likewise", drb_order_up, drb_snapshots_serve},
	{"/ethdev/list", "Numbers of all ports, in the order of /drb/ports", drb_reply_ethdev_list,
	 NULL},
	{"/ethdev/info", "/drb/port by number. Parameter: it", drb_reply_ethdev_info,
	 drb_snapshots_serve},
	{"/ethdev/stats", "Packets and bytes under DPDK's names. Parameter: number of a port",
	 drb_reply_ethdev_stats, drb_snapshots_serve},
	{"/ethdev/xstats", "All counters of a port. Parameter: its number", drb_reply_ethdev_xstats,
	 drb_snapshots_serve},
	{"/ethdev/link_status", "UP or DOWN. Parameter: number of a port",
	 drb_reply_ethdev_link_status, drb_snapshots_serve},
};

int drb_stats_open(struct drb_switch *s)
{
	char path[128];

	drb_interface_losses_begin(&s->setup);
	snprintf(path, sizeof(path), "%s/dpdk/%s/" DRB_TELEMETRY_SOCKET, drb_telemetry_runtime(),
		 s->setup.instance);
	s->stats = drb_stats_socket_open(s->base, path, commands, RTE_DIM(commands), s);
	return s->stats ? 0 : -EIO;
}

void drb_stats_close(struct drb_switch *s)
{
	drb_stats_socket_close(s->stats);
}
