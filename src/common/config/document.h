// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The config that was read last, as a YAML document; also for configs of other programs (machines).

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

// The text of a config; valid until the next one is read.
struct drb_config_text {
	const char *at;
	size_t length;
};

// Reads the file whole, once (it may be a pipe), and checks that it is one document of bounded
// depth. fd: see struct drb_config_override. -EINVAL with a message printed.
int drb_config_text_read(const char *path, const int *fd, struct drb_config_text *text);
// The same for a text in memory. path: the name that messages give it.
int drb_config_text_take(const char *path, const char *from, size_t size,
			 struct drb_config_text *text);

// Parses text into the document that the functions below and drb_config_bad() refer to. -EINVAL
// with a message printed if it is not a mapping. Before the first call there is no document.
int drb_document_load(const char *path, struct drb_config_text text);

// The mapping that forms the whole document.
yaml_node_t *drb_document_root(void);
yaml_node_t *drb_document_node(int index);
// The text of a scalar. NULL for other nodes, and for a scalar with a zero byte in it.
const char *drb_document_text(const yaml_node_t *node);
// The value of a key in a mapping; NULL if the mapping does not have the key.
yaml_node_t *drb_document_value(const yaml_node_t *mapping, const char *name);
