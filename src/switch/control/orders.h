// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Commands of the stats socket that change the switch; their context is a struct drb_switch. The reply is one
// text: DRB_REPLY_OK or DRB_REPLY_ERROR, a colon, and one line.

#include <jansson.h>

json_t *drb_order_reload(const char *parameter, void *context);
json_t *drb_order_set(const char *parameter, void *context);
json_t *drb_order_save(const char *parameter, void *context);
json_t *drb_order_capture(const char *parameter, void *context);
json_t *drb_order_drain(const char *parameter, void *context);
json_t *drb_order_undrain(const char *parameter, void *context);
json_t *drb_order_down(const char *parameter, void *context);
json_t *drb_order_up(const char *parameter, void *context);
