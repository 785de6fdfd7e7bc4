// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages about a key of the config that was loaded last, for code that rejects the value of the
// key: "program: file:line: key: text".

#include <stddef.h>

struct drb_port_setup;

// For the key at a path such as "routing.threshold" or "ports[2].name". If the file does not have
// the key, the message names the line of its innermost parent. Returns -EINVAL.
int drb_config_bad(const char *path, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// The same with a known line, counted from 1.
int drb_config_bad_line(const char *path, size_t line, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

// The same for a key of a port, in its entry of `ports` or in `link`.
int drb_config_bad_port(const char *path, const struct drb_port_setup *port, const char *key,
			const char *fmt, ...) __attribute__((format(printf, 4, 5)));
