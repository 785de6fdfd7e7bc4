// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Commands of the stats socket that change the switch: reload, set, save, capture, drain, undrain, down, up.

struct rte_tel_data;

// The reply is one string, DRB_REPLY_OK or DRB_REPLY_ERROR, a colon and one line of text.
int drb_command_run(const char *cmd, const char *params, struct rte_tel_data *d);
