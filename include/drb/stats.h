// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counters of a running switch, read from its stats socket. Keys are strings: drbswitch-stats(7)
// lists them. A switch of another version may lack some keys (-ENOENT) and have others.
// Functions that return an int return 0, or a negative errno:
//   -ENOENT, -ECONNREFUSED  no such switch runs
//   -ETIMEDOUT              the switch does not answer in time
//   -EMSGSIZE, -EPROTO      the data are too long, or are no reply
//   -EPROTONOSUPPORT        the format of the reply is newer than this library
//   -ECONNRESET             the switch ended; the handle cannot be used any more
//   -EOPNOTSUPP             the switch has no such command
// One thread at a time may use a handle.

#include <stdint.h>

#include "drb/api.h"

DRB_BEGIN

struct drb_stats;

// instance: a name such as "drb-s1-0", or the path of a socket. NULL and errno on failure: one of
// the above, or ENOMEM.
DRB_API struct drb_stats *drb_stats_open(const char *instance, uint32_t timeout_ms);
// Closes the socket and frees the handle, or does nothing with NULL.
DRB_API void drb_stats_close(struct drb_stats *s);
// The version of the switch, such as "0.4.0"; "" before 0.4.0. The string is valid as long as the
// handle.
DRB_API const char *drb_stats_version(const struct drb_stats *s);

// Sends a command, such as "/drb/routing" or "/drb/port,u0". The reply replaces that of the last
// command.
DRB_API int drb_stats_ask(struct drb_stats *s, const char *command);
// Number of values of a key in the reply: the length of a list, 1 for any other value, 0 if there
// is no such key.
DRB_API uint32_t drb_stats_count(const struct drb_stats *s, const char *key);
// Value i of a key, from 0. -ENOENT if there is no such value, -EINVAL if it is not a number or is
// below 0.
DRB_API int drb_stats_number(const struct drb_stats *s, const char *key, uint32_t i,
			     uint64_t *value);
// Value i of a key as text, valid until the next drb_stats_ask(). NULL if there is no such value.
DRB_API const char *drb_stats_text(const struct drb_stats *s, const char *key, uint32_t i);

DRB_END
