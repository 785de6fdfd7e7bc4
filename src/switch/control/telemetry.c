// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/telemetry.h"

#include <rte_common.h>

#include "core/counters.h"
#include "switch/control/interface_losses.h"
#include "switch/control/orders.h"
#include "switch/control/replies.h"
#include "switch/control/stats_socket.h"
#include "switch/control/switch.h"

static const struct drb_stats_command commands[] = {
	{DRB_CMD_INFO, drb_reply_info, "Identity and state of this switch"},
	{DRB_CMD_PORTS, drb_reply_ports,
	 "Counters of all ports, one snapshot. Parameter: first port number"},
	{DRB_CMD_PORT, drb_reply_port,
	 "One port: peer, device, link model, counters. Parameter: port name"},
	{DRB_CMD_ROUTING, drb_reply_routing, "Scheme, threshold and what decisions did"},
	{DRB_CMD_DROPS, drb_reply_drops, "Dropped packets by reason"},
	{DRB_CMD_DIFFERENCES, drb_reply_differences,
	 "Histogram of load(default) - load(candidate), sampled"},
	{DRB_CMD_RELOAD, drb_command_run,
	 "Reads and applies the config again. Replies ok: or error: and a message"},
	{DRB_CMD_SET, drb_command_run,
	 "Other values for keys of routing until the next reload: ok or error: why. Parameter: "
	 "threshold=3 scheme=walk"},
	{DRB_CMD_SAVE, drb_command_run,
	 "Writes what was set into the config. Replies ok: or error: and a message"},
	{DRB_CMD_CAPTURE, drb_command_run,
	 "Copies packets to a reader, which then connects to `capture` beside this socket"},
	{DRB_CMD_DRAIN, drb_command_run,
	 "Takes ports out of use. Parameter: port name, or none for every port"},
	{DRB_CMD_UNDRAIN, drb_command_run,
	 "Puts ports back into use. Parameter: port name, or none for every port"},
	{DRB_CMD_DOWN, drb_command_run,
	 "Takes ports down, as if cables were cut. Parameter: port name, or none for every "
	 "port"},
	{DRB_CMD_UP, drb_command_run, "Ends that. Parameter: port name, or none for every port"},
	{DRB_CMD_ALL, drb_reply_all,
	 "All of one instant. Parameter: PORT,TIME_NS for further ports, of the instant of a reply "
	 "before"},
	{DRB_CMD_WORKER, drb_reply_worker, "The forwarding thread: bursts, sleeps, lateness"},
};

int drb_stats_open(struct drb_switch *s)
{
	drb_reply_context = (struct drb_reply_context){s, &s->workers, &s->setup, s->started_ns};
	drb_interface_losses_begin(&s->setup);
	return drb_stats_socket_init(commands, RTE_DIM(commands));
}
