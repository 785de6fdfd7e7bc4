// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replies to the commands of the stats socket that change nothing. The table in stats_commands.c
// lists these functions. Their context is a struct drb_switch.

#include <jansson.h>

#include "switch/ports/port.h"
#include "switch/datapath/worker/snapshot.h"

struct drb_switch;

json_t *drb_reply_info(const char *parameter, void *context);
json_t *drb_reply_routing(const char *parameter, void *context);
json_t *drb_reply_drops(const char *parameter, void *context);
json_t *drb_reply_differences(const char *parameter, void *context);
json_t *drb_reply_worker(const char *parameter, void *context);
json_t *drb_reply_all(const char *parameter, void *context);
json_t *drb_reply_memory(const char *parameter, void *context); // memory_reply.c
// port_reply.c: a port by its name; counters of all ports, as lists.
json_t *drb_reply_port(const char *parameter, void *context);
json_t *drb_reply_ports(const char *parameter, void *context);
// ethdev_reply.c: ports by their number, for exporters that know DPDK's own commands.
json_t *drb_reply_ethdev_list(const char *parameter, void *context);
json_t *drb_reply_ethdev_info(const char *parameter, void *context);
json_t *drb_reply_ethdev_stats(const char *parameter, void *context);
json_t *drb_reply_ethdev_xstats(const char *parameter, void *context);
json_t *drb_reply_ethdev_link_status(const char *parameter, void *context);

// Parts of replies.

// The snapshot of drb_snapshots_serve(). NULL: it has none.
const struct drb_snapshot *drb_reply_snapshot(const struct drb_switch *self);
uint32_t drb_reply_ports_count(const struct drb_switch *self);
// Everything about a port; its counters alone.
json_t *drb_port_json(const struct drb_switch *self, const struct drb_snapshot *s, uint32_t i);
json_t *drb_port_counters_json(const struct drb_switch *self, const struct drb_snapshot *s,
			       uint32_t i);
// NULL: the port has no device.
const struct drb_port *drb_port_device_of(const struct drb_switch *self, uint32_t i);
// JSON needs valid UTF-8. A text that is not, for instance cut within a character, is changed in
// place: bytes outside printable ASCII become '?'.
json_t *drb_text_json(char *text);
void drb_json_add_count(json_t *object, const char *key, uint64_t count);
