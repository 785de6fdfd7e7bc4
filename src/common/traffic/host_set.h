// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets of hosts in a line of a traffic file: "3", "0-7", "0-7+16-23".

#include <stdint.h>

struct drb_host_set {
	uint32_t *host; // rising, without duplicates; owned
	uint32_t count;
};

// Labels must be below `hosts`. Returns 0, and *set must then be freed; -EINVAL or -ENOMEM.
int drb_host_set_parse(const char *text, uint32_t hosts, struct drb_host_set *set);
void drb_host_set_free(struct drb_host_set *set);
