// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The file level of a switch config: schema, reading with lines, messages. Private to config*.c.

#include <stddef.h>

#include "common/config/config.h"

// What the text read last says, into *config, to be freed by drb_config_file_free(). -EINVAL with a
// message printed.
int drb_config_file_read(const char *path, struct drb_config **config);
void drb_config_file_free(struct drb_config *config);

// The text of the file read last, for the lines of messages; length 0 before the first.
struct drb_config_text {
	const char *at;
	size_t length;
};

struct drb_config_text drb_config_text(void);
// Reads the file whole, once (it may be a pipe), and checks that it is one document of bounded
// depth. -EINVAL with a message printed.
int drb_config_text_read(const char *path);
// The same for a text that is in memory; path is what messages call it.
int drb_config_text_take(const char *path, const char *text, size_t length);

// Prints "path:line: key: text" for the key at a path such as "routing.threshold" or
// "ports[2].name" (without the line if the file does not have it). Returns -EINVAL.
int drb_config_bad(const char *path, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct cyaml_schema_value;

// What libcyaml lets pass: keys that stand twice, numbers with something behind them, and words
// other than those for true and false. -EINVAL with a message printed.
int drb_config_check(const char *path, const struct cyaml_schema_value *schema);

// Line of a key path in the file read last, counted from 1; that of its innermost parent if the key
// is not there; 0 if the file is no YAML.
int drb_config_line(const char *key);

// Index of text in names (count of them), or -1.
int drb_config_lookup(const char *text, const char *const names[], int count);

// Fills setup->ports; the fabric and switch of setup are resolved. -EINVAL with a message printed.
int drb_config_ports(const char *path, const struct drb_config *config, struct drb_setup *setup);
