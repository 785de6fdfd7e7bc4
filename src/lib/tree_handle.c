// SPDX-License-Identifier: BSD-3-Clause
// Opaque trees for programs that link libdrb.
#include <errno.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

struct drb_tree *drb_tree_new(uint32_t layers, uint32_t arity, uint32_t uplinks)
{
	struct drb_tree *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	int rc = drb_tree_init_uplinks(t, layers, arity, uplinks);
	if (rc < 0) {
		free(t);
		errno = -rc;
		return NULL;
	}
	return t;
}

void drb_tree_free(struct drb_tree *t)
{
	free(t);
}

uint32_t drb_tree_hosts(const struct drb_tree *t)
{
	return t->hosts;
}

bool drb_tree_is_below(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t host)
{
	const struct drb_hop hop = drb_hop_at(t, layer, label);

	return drb_hop_below(&hop, host);
}

uint32_t drb_tree_down_port(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t host)
{
	const struct drb_hop hop = drb_hop_at(t, layer, label);

	return drb_hop_digit(&hop, host);
}

uint32_t drb_tree_default_uplink(const struct drb_tree *t, uint32_t layer, uint32_t label,
				 uint32_t host)
{
	const struct drb_hop hop = drb_hop_at(t, layer, label);

	return drb_hop_default(&hop, host);
}
