// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

#include "gen/captures/repeats.h"
#include "gen/frames/ip_frame.h"

#define PORTS_BYTES 4

// A broadcast to a network, such as 10.1.255.255, can be recognised only by its Ethernet address.
static bool is_multicast(const uint8_t *frame, const struct ipframe_address *a)
{
	static const uint8_t broadcast[4] = {255, 255, 255, 255};

	if (frame[DRB_ETHER_DST] & 1)
		return true;
	if (a->size == 16)
		return a->bytes[0] == 0xff;
	return a->bytes[0] >> 4 == 0xe || memcmp(a->bytes, broadcast, sizeof(broadcast)) == 0;
}

// Announces the addresses of all packets, and removes packets that cannot be replayed.
static int collect(struct trace *t, struct addrmap *map, struct foreign_skipped *skipped)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		struct ipframe f;
		if (!p->frame) {
			skipped->oversize++;
			continue;
		}
		int rc = ipframe_parse(p->frame, p->captured, &f);
		if (rc < 0) {
			*(rc == -ENOMSG ? &skipped->not_ip : &skipped->malformed) += 1;
			continue;
		}
		if (is_multicast(p->frame, &f.dst)) {
			skipped->multicast++;
			continue;
		}
		if (addrmap_add(map, &f.src, &f.dst) < 0)
			return -ENOMEM;
		t->packet[kept++] = *p;
	}
	t->count = kept;
	return 0;
}

// Sets the packet's host and addresses. False: both ends of the packet are on one host.
static bool readdress(struct trace_packet *p, const struct addrmap *map,
		      const struct drb_addr_plan *plan, struct flow_key *key)
{
	struct ipframe f;

	// Cannot fail, because collect() kept only packets that parse.
	(void)ipframe_parse(p->frame, p->captured, &f);
	*key = flow_key_of(&f, p->frame, p->captured);
	key->from = addrmap_host(map, &f.src);
	key->to = addrmap_host(map, &f.dst);
	if (key->from == key->to)
		return false;
	if (p->cut && f.transport + PORTS_BYTES > p->captured)
		p->cut = TRACE_CUT_PORTS;
	ipframe_readdress(p->frame, &f, plan, key->from, key->to);
	p->host = key->from;
	return true;
}

// Readdresses all packets, and finds flows.
static int readdress_all(struct trace *t, const struct drb_addr_plan *plan,
			 struct foreign_traffic *to)
{
	struct flow_key *keys = malloc((t->count + 1) * sizeof(*keys));
	size_t kept = 0;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++) {
		if (readdress(&t->packet[i], to->map, plan, &keys[kept]))
			t->packet[kept++] = t->packet[i];
		else
			to->skipped.same_host++;
	}
	t->count = kept;
	int rc = flows_make(&to->flows, keys, t);
	free(keys);
	return rc;
}

int foreign_map(struct trace *t, const struct host_rules *rules, uint64_t seed,
		struct foreign_traffic *to)
{
	int64_t origin = INT64_MAX;
	struct repeats repeats;

	*to = (struct foreign_traffic){.map = addrmap_new(rules->plan.hosts, seed)};
	if (!to->map || collect(t, to->map, &to->skipped) < 0 || repeats_take_out(t, &repeats) < 0)
		return -ENOMEM;
	to->skipped.repeated = repeats.taken_out;
	to->twice = repeats.left;
	addrmap_keep(to->map, rules);
	if (addrmap_solve(to->map) < 0 || readdress_all(t, &rules->plan, to) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		origin = t->packet[i].time_ns < origin ? t->packet[i].time_ns : origin;
	trace_merge(t, origin);
	return 0;
}

void foreign_free(struct foreign_traffic *to)
{
	addrmap_free(to->map);
	flows_free(&to->flows);
}

void foreign_fit(struct trace *t, uint32_t mtu, struct foreign_skipped *skipped)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		uint16_t type = drb_load16(p->frame + DRB_ETHER_TYPE);
		uint32_t room = mtu + DRB_ETHER_HEADER;
		struct ipframe f;
		// The kernel allows one tag beyond the MTU, and only if it is an 802.1Q tag.
		if (p->size > room + (type == DRB_ETHERTYPE_VLAN ? DRB_VLAN_TAG : 0))
			*(ipframe_parse(p->frame, p->captured, &f) == 0 && p->size <= mtu + f.ip
				  ? &skipped->tags
				  : &skipped->oversize) += 1;
		else
			t->packet[kept++] = *p;
	}
	t->count = kept;
}

uint64_t foreign_skipped_count(const struct foreign_skipped *s)
{
#define X(key, text) +s->key
	return FOREIGN_SKIPPED(X);
#undef X
}

void foreign_skipped_text(const struct foreign_skipped *s, char text[FOREIGN_SKIPPED_TEXT])
{
	size_t used = 0;

	text[0] = '\0';
#define X(key, reason)                                                                             \
	if (s->key)                                                                                \
		used += (size_t)snprintf(text + used, FOREIGN_SKIPPED_TEXT - used,                 \
					 "%s%" PRIu64 " " reason, used ? ", " : "", s->key);
	FOREIGN_SKIPPED(X)
#undef X
}
