// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_commands.h"

#include <stdio.h>

#include <rte_common.h>

#include "common/telemetry/telemetry_client.h"
#include "switch/control/orders.h"
#include "switch/control/replies.h"
#include "switch/control/snapshots.h"
#include "switch/control/stats_socket.h"
#include "switch/control/switch.h"

static const struct drb_stats_command commands[] = {
	{DRB_CMD_INFO, "Identity and state of this switch", .reply = drb_reply_info,
	 .ready = drb_snapshots_serve},
	{DRB_CMD_ALL, "All of one instant", .reply = drb_reply_all, .ready = drb_snapshots_serve},
	{DRB_CMD_PORTS, "Counters of all ports, as lists", .reply = drb_reply_ports,
	 .ready = drb_snapshots_serve},
	{DRB_CMD_PORT, "One port: peer, device, link model, counters. Parameter: its name",
	 .reply = drb_reply_port, .ready = drb_snapshots_serve},
	{DRB_CMD_ROUTING, "Scheme, threshold and counters of decisions", .reply = drb_reply_routing,
	 .ready = drb_snapshots_serve},
	{DRB_CMD_DIFFERENCES, "Histogram of load(default) - load(candidate), sampled",
	 .reply = drb_reply_differences, .ready = drb_snapshots_serve},
	{DRB_CMD_DROPS, "Dropped packets by reason", .reply = drb_reply_drops,
	 .ready = drb_snapshots_serve},
	{DRB_CMD_WORKER, "The forwarding threads: bursts, sleeps, lateness",
	 .reply = drb_reply_worker, .ready = drb_snapshots_serve},
	{DRB_CMD_MEMORY, "Memory of the process, by what it is for", .reply = drb_reply_memory},
	{DRB_CMD_RELOAD, "Reads and applies the config again. Orders reply ok: or error: and why",
	 .begin = drb_order_reload},
	{DRB_CMD_SET,
	 "Other values for keys of routing until the next reload. Parameter: threshold=3 "
	 "scheme=walk",
	 .begin = drb_order_set},
	{DRB_CMD_CAPTURE,
	 "Copies packets to a reader, which then connects to `capture` beside this socket",
	 .begin = drb_order_capture},
	{DRB_CMD_DRAIN, "Takes ports out of use. Parameter: port name, or none for every port",
	 .begin = drb_order_drain},
	{DRB_CMD_UNDRAIN, "Puts ports back into use. Parameter: likewise",
	 .begin = drb_order_undrain},
	{DRB_CMD_DOWN, "Takes ports down, as if cables were cut. Parameter: likewise",
	 .begin = drb_order_down},
	{DRB_CMD_UP, "Ends that. Parameter: likewise", .begin = drb_order_up},
	{"/ethdev/list", "Numbers of all ports, in the order of /drb/ports",
	 .reply = drb_reply_ethdev_list},
	{"/ethdev/info", "/drb/port by number. Parameter: it", .reply = drb_reply_ethdev_info,
	 .ready = drb_snapshots_serve},
	{"/ethdev/stats", "Packets and bytes under DPDK's names. Parameter: number of a port",
	 .reply = drb_reply_ethdev_stats, .ready = drb_snapshots_serve},
	{"/ethdev/xstats", "All counters of a port. Parameter: its number",
	 .reply = drb_reply_ethdev_xstats, .ready = drb_snapshots_serve},
	{"/ethdev/link_status", "UP or DOWN. Parameter: number of a port",
	 .reply = drb_reply_ethdev_link_status, .ready = drb_snapshots_serve},
};

int drb_stats_open(struct drb_switch *s)
{
	const struct drb_stats_service service = {
		.commands = commands,
		.count = RTE_DIM(commands),
		.context = s,
		.operators = &s->operators,
	};
	char path[128];

	drb_interface_losses_begin(&s->losses, &s->setup);
	snprintf(path, sizeof(path), "%s/dpdk/%s/" DRB_TELEMETRY_SOCKET, drb_telemetry_runtime(),
		 s->setup.instance);
	s->stats = drb_stats_socket_open(s->base, path, &service);
	return s->stats ? 0 : -EIO;
}

void drb_stats_close(struct drb_switch *s)
{
	drb_stats_socket_close(s->stats);
}
