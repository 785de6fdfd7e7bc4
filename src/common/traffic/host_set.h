// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets of hosts in a line of traffic: "3", "0-7", "0-7+16-23".

#include <stdint.h>

struct drb_host_set {
	uint32_t *host; // rising, each once. Owned
	uint32_t count;
};

// Labels are below `hosts`. 0, and then *set is to be freed; -EINVAL or -ENOMEM.
int drb_host_set_parse(const char *text, uint32_t hosts, struct drb_host_set *set);
void drb_host_set_free(struct drb_host_set *set);
