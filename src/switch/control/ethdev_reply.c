// SPDX-License-Identifier: BSD-3-Clause
// DPDK's own commands about devices, for exporters that know no others. Every port of any kind is a
// device here, numbered by its position in `/drb/ports`.
#include <string.h>

#include "common/cli/quantity.h"
#include "switch/control/replies.h"

json_t *drb_reply_ethdev_list(const char *parameter, void *context)
{
	json_t *list = json_array();

	(void)parameter;
	for (uint32_t i = 0; i < drb_reply_ports_count(context); i++)
		json_array_append_new(list, json_integer(i));
	return list;
}

// Finds a port's counters by its number. NULL: there is no such port, or no snapshot.
static const struct drb_port_counters *port_find(const char *parameter,
						 const struct drb_switch *self, uint32_t *i)
{
	const struct drb_snapshot *s = drb_reply_snapshot(self);

	return s && parameter &&
			       drb_parse_u32(parameter, 0, drb_reply_ports_count(self) - 1, i) == 0
		       ? &s->port[*i]
		       : NULL;
}

json_t *drb_reply_ethdev_info(const char *parameter, void *context)
{
	uint32_t i;

	return port_find(parameter, context, &i)
		       ? drb_port_json(context, drb_reply_snapshot(context), i)
		       : NULL;
}

json_t *drb_reply_ethdev_xstats(const char *parameter, void *context)
{
	uint32_t i;

	return port_find(parameter, context, &i)
		       ? drb_port_counters_json(context, drb_reply_snapshot(context), i)
		       : NULL;
}

// Reports dropped packets as DPDK's errors, in and out.
json_t *drb_reply_ethdev_stats(const char *parameter, void *context)
{
	uint32_t i;
	const struct drb_port_counters *p = port_find(parameter, context, &i);

	if (!p)
		return NULL;
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i}", "ipackets",
			 (json_int_t)p->in_packets, "opackets", (json_int_t)p->out_packets,
			 "ibytes", (json_int_t)p->in_octets, "obytes", (json_int_t)p->out_octets,
			 "imissed", (json_int_t)p->in_missed, "ierrors", (json_int_t)p->in_discards,
			 "oerrors", (json_int_t)p->out_discards, "rx_nombuf", 0);
}

json_t *drb_reply_ethdev_link_status(const char *parameter, void *context)
{
	uint32_t i;

	if (!port_find(parameter, context, &i))
		return NULL;
	const struct drb_port *port = drb_port_device_of(context, i);
	const bool up = port && strcmp(drb_port_state(port), "up") == 0;
	return json_pack("{s:s}", "status", up ? "UP" : "DOWN");
}
