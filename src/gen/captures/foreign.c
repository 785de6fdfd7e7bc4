// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/foreign.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

#include "gen/frames/ip_frame.h"

static bool is_multicast(const struct ipframe_address *a)
{
	static const uint8_t broadcast[4] = {255, 255, 255, 255};

	if (a->size == 16)
		return a->bytes[0] == 0xff;
	return a->bytes[0] >> 4 == 0xe || memcmp(a->bytes, broadcast, sizeof(broadcast)) == 0;
}

// Announces who talks to whom, and takes out packets that cannot be replayed.
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
		if (is_multicast(&f.dst)) {
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

static void readdress(struct trace *t, const struct addrmap *map, const struct drb_addr_plan *plan,
		      struct foreign_skipped *skipped)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct trace_packet *p = &t->packet[i];
		struct ipframe f;
		// Cannot fail: collect() kept what parses.
		(void)ipframe_parse(p->frame, p->captured, &f);
		uint32_t src = addrmap_host(map, &f.src), dst = addrmap_host(map, &f.dst);
		if (src == dst) {
			skipped->same_host++;
			continue;
		}
		ipframe_readdress(p->frame, &f, plan, src, dst);
		p->host = src;
		t->packet[kept++] = *p;
	}
	t->count = kept;
}

int foreign_map(struct trace *t, const struct host_rules *rules, uint64_t seed,
		struct foreign_skipped *skipped, struct addrmap **map)
{
	*map = addrmap_new(rules->plan.hosts, seed);
	if (!*map || collect(t, *map, skipped) < 0)
		goto fail;
	addrmap_keep(*map, rules);
	if (addrmap_solve(*map) < 0)
		goto fail;
	readdress(t, *map, &rules->plan, skipped);

	int64_t origin = INT64_MAX;
	for (size_t i = 0; i < t->count; i++)
		origin = t->packet[i].time_ns < origin ? t->packet[i].time_ns : origin;
	trace_merge(t, origin);
	return 0;
fail:
	addrmap_free(*map);
	*map = NULL;
	return -ENOMEM;
}

void foreign_fit(struct trace *t, uint32_t mtu, struct foreign_skipped *skipped)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		// The kernel allows one tag on top of the MTU, and only the 802.1Q one.
		uint32_t room =
			mtu + DRB_ETHER_HEADER +
			(drb_load16(p->frame + DRB_ETHER_TYPE) == DRB_ETHERTYPE_VLAN ? DRB_VLAN_TAG
										     : 0);
		if (p->size > room)
			skipped->oversize++;
		else
			t->packet[kept++] = *p;
	}
	t->count = kept;
}
