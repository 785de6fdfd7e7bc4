// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/flows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

static bool has_ports(uint8_t protocol)
{
	return protocol == DRB_PROTOCOL_TCP || protocol == DRB_PROTOCOL_UDP ||
	       protocol == DRB_PROTOCOL_UDP_LITE || protocol == DRB_PROTOCOL_DCCP ||
	       protocol == DRB_PROTOCOL_SCTP;
}

struct flow_key flow_key_of(const struct ipframe *f, const uint8_t *frame, uint32_t captured)
{
	struct flow_key key = {.source = f->src, .destination = f->dst, .protocol = f->protocol};

	if (has_ports(f->protocol) && f->transport + 4 <= captured) {
		key.source_port = drb_load16(frame + f->transport);
		key.destination_port = drb_load16(frame + f->transport + 2);
	}
	return key;
}

static int key_order(const void *a, const void *b, void *keys)
{
	const struct flow_key *key = keys;
	const size_t *x = a, *y = b;
	int different = memcmp(&key[*x], &key[*y], sizeof(*key));

	return different ? different : *x < *y ? -1 : *x > *y;
}

int flows_make(struct flows *flows, const struct flow_key *keys, struct trace *t)
{
	size_t *sorted = malloc((t->count + 1) * sizeof(*sorted));

	*flows = (struct flows){.at = calloc(t->count + 1, sizeof(*flows->at))};
	if (!sorted || !flows->at) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->count; i++)
		sorted[i] = i;
	qsort_r(sorted, t->count, sizeof(*sorted), key_order, (void *)(uintptr_t)keys);
	for (size_t i = 0; i < t->count; i++) {
		const struct flow_key *key = &keys[sorted[i]];
		if (i == 0 || memcmp(key, &keys[sorted[i - 1]], sizeof(*key)) != 0)
			flows->at[flows->count++].key = *key;
		t->packet[sorted[i]].flow = (uint32_t)(flows->count - 1);
	}
	free(sorted);
	return 0;
}

void flows_free(struct flows *flows)
{
	free(flows->at);
	*flows = (struct flows){0};
}

const char *flow_protocol(const struct flow_key *key, char text[FLOW_TEXT_MAX])
{
	static const struct {
		uint8_t number;
		const char *name;
	} known[] = {{0, "fragment"},
		     {DRB_PROTOCOL_TCP, "tcp"},
		     {DRB_PROTOCOL_UDP, "udp"},
		     {DRB_PROTOCOL_ICMP, "icmp"},
		     {DRB_PROTOCOL_ICMPV6, "icmp6"},
		     {DRB_PROTOCOL_SCTP, "sctp"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].number == key->protocol)
			return known[i].name;
	}
	snprintf(text, FLOW_TEXT_MAX, "%u", key->protocol);
	return text;
}

const char *flow_address(const struct ipframe_address *a, char text[FLOW_TEXT_MAX])
{
	return inet_ntop(a->size == 4 ? AF_INET : AF_INET6, a->bytes, text, FLOW_TEXT_MAX);
}

const char *flow_end(const struct ipframe_address *a, uint16_t port, char text[FLOW_TEXT_MAX])
{
	char address[FLOW_TEXT_MAX];

	flow_address(a, address);
	if (port == 0)
		snprintf(text, FLOW_TEXT_MAX, "%s", address);
	else
		snprintf(text, FLOW_TEXT_MAX, a->size == 4 ? "%s:%u" : "[%s]:%u", address, port);
	return text;
}
