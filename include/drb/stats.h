// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counters of a running switch, from its stats socket. Keys are strings: drbswitch-stats(7) lists them.
// Functions that return an int return 0, or a negative errno:
//   -ENOENT, -ECONNREFUSED  no such switch runs
//   -ETIMEDOUT              it does not answer in time
//   -EMSGSIZE, -EPROTO      the data are too long, or no reply
//   -ECONNRESET             it ended; the handle cannot be used any more
//   -EOPNOTSUPP             it has no such command
// One thread at a time may use a handle.

#include <stdint.h>

#include "drb/api.h"

DRB_BEGIN

struct drb_stats;

// instance: a name such as "drb-s1-0", or the path of a socket. On failure NULL, with errno as above or ENOMEM.
DRB_API struct drb_stats *drb_stats_open(const char *instance, uint32_t timeout_ms);
DRB_API void drb_stats_close(struct drb_stats *s);

// Sends a command, such as "/drb/routing" or "/drb/port,u0". Its reply replaces the last one.
DRB_API int drb_stats_ask(struct drb_stats *s, const char *command);
// Number of values of a key in the reply: the length of a list, 1 for any other value, 0 if there is no such key.
DRB_API uint32_t drb_stats_count(const struct drb_stats *s, const char *key);
// Value i of a key, from 0. -ENOENT if there is none, -EINVAL if it is not a number or below 0.
DRB_API int drb_stats_number(const struct drb_stats *s, const char *key, uint32_t i,
			     uint64_t *value);
// The same for a text, which is valid until the next drb_stats_ask(); NULL if there is none.
DRB_API const char *drb_stats_text(const struct drb_stats *s, const char *key, uint32_t i);

DRB_END
