// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages about a key of the config loaded last, for code that rejects its value: "program: file:line: key:
// text".

#include <stddef.h>

struct drb_port_setup;

// For the key at a path such as "routing.threshold" or "ports[2].name"; line is that of its
// innermost parent if the file does not have the key. Returns -EINVAL.
int drb_config_bad(const char *path, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// The same where the line is known, counted from 1.
int drb_config_bad_line(const char *path, size_t line, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

// The same for a key of a port, as its entry of `ports` or `link` says it.
int drb_config_bad_port(const char *path, const struct drb_port_setup *port, const char *key,
			const char *fmt, ...) __attribute__((format(printf, 4, 5)));
