// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Commands of the stats socket that change the switch; their context is a struct drb_switch. The reply is one
// text: DRB_REPLY_OK or DRB_REPLY_ERROR, a colon, and one line.

#include <stddef.h>

#include <jansson.h>

struct drb_workers;

json_t *drb_order_reload(const char *parameter, void *context);
json_t *drb_order_set(const char *parameter, void *context);
json_t *drb_order_capture(const char *parameter, void *context);
json_t *drb_order_drain(const char *parameter, void *context);
json_t *drb_order_undrain(const char *parameter, void *context);
json_t *drb_order_down(const char *parameter, void *context);
json_t *drb_order_up(const char *parameter, void *context);

// What four of them do (links/drain_rules.h). port: the name of one, or NULL: every port of the switch. text becomes one
// line: what is drained or down now, or why nothing was changed. 0 or -errno.
enum drb_order_of_ports { DRB_DRAIN, DRB_UNDRAIN, DRB_DOWN, DRB_UP };
int drb_order_ports(struct drb_workers *all, enum drb_order_of_ports what, const char *port,
		    char *text, size_t size);
