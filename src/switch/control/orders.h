// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Commands of the stats socket that change the switch. Their context is a struct drb_switch. The
// reply is one text: DRB_REPLY_OK or DRB_REPLY_ERROR, a colon, and one line. It is sent when the
// order has been carried out.

#include "switch/control/stats_socket.h"

void drb_order_reload(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_set(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_capture(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_drain(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_undrain(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_down(const char *parameter, struct drb_stats_request *request, void *context);
void drb_order_up(const char *parameter, struct drb_stats_request *request, void *context);
