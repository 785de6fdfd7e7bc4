// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/capture/protocols.h"

#include <stddef.h>
#include <string.h>

#include "core/packet/wire.h"

#define COUNT (sizeof(protocols) / sizeof(protocols[0]))

static const struct {
	const char *name;
	uint8_t number;
} protocols[] = {
	{"tcp", DRB_PROTOCOL_TCP},   {"udp", DRB_PROTOCOL_UDP},   {"sctp", DRB_PROTOCOL_SCTP},
	{"dccp", DRB_PROTOCOL_DCCP}, {"icmp", DRB_PROTOCOL_ICMP}, {"icmpv6", DRB_PROTOCOL_ICMPV6},
};

const char *ctl_protocol_name(uint8_t number)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (protocols[i].number == number)
			return protocols[i].name;
	}
	return NULL;
}

bool ctl_protocol_number(const char *name, uint8_t *number)
{
	for (size_t i = 0; i < COUNT; i++) {
		*number = protocols[i].number;
		if (strcmp(name, protocols[i].name) == 0)
			return true;
	}
	return false;
}
