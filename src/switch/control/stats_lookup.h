// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds commands of a stats socket by name: the service's commands, and three that every socket
// has.

#include "switch/control/stats_socket.h"

// Finds the command of a request "PATH[,PARAMETER]". NULL: there is no such command.
const struct drb_stats_command *drb_stats_find(const struct drb_stats_service *service,
					       const char *request);
// Makes the reply to a command that has reply(), owned by the caller. A NULL result stands for
// JSON's null; the result is also NULL if the command is NULL.
json_t *drb_stats_value(const struct drb_stats_service *service,
			const struct drb_stats_command *command, const char *parameter);
// Makes the first message to a client: versions, process, longest reply. Owned by the caller.
json_t *drb_stats_greeting(void);
