// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/classify.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

#define TAGS 2 // VLAN tags that a frame may have

int drb_class_tables_init(struct drb_class_tables *v, const struct drb_hop *hop, uint32_t frame_max)
{
	*v = (struct drb_class_tables){.room = 1, .frame_max = frame_max};
	while (v->room < hop->hosts)
		v->room *= 2;
	for (int below = 0; below < 2; below++) {
		uint8_t *t = malloc(v->room);
		if (!t) {
			drb_class_tables_free(v);
			return -ENOMEM;
		}
		memset(t, DRB_CLASS_EXCEPTION, v->room);
		for (uint32_t h = 0; h < hop->hosts; h++) {
			if (drb_hop_below(hop, h))
				t[h] = (uint8_t)drb_hop_digit(hop, h);
			else if (below)
				t[h] = DRB_CLASS_UP | (uint8_t)drb_hop_default(hop, h);
		}
		v->table[below] = t;
	}
	return 0;
}

void drb_class_tables_free(struct drb_class_tables *v)
{
	free(v->table[0]);
	free(v->table[1]);
	v->table[0] = v->table[1] = NULL;
}

struct drb_classifier drb_classifier_at(const struct drb_class_tables *v,
					const struct drb_addr_plan *addr, bool from_below,
					uint32_t source, bool to_hosts)
{
	struct drb_classifier j = {
		.class_of = v->table[from_below],
		.least = DRB_FRAME_MIN,
		.above_least = v->frame_max - DRB_FRAME_MIN,
	};

	drb_addr_mac(addr, 0, j.want);
	drb_addr_mac(addr, ~(v->room - 1), j.mask);
	memset(j.mask, 0xff, 2);
	if (source != DRB_NO_LABEL) {
		drb_addr_mac(addr, source, j.want + DRB_ETHER_SRC);
		memset(j.mask + DRB_ETHER_SRC, 0xff, DRB_ETHER_TYPE - DRB_ETHER_SRC);
	} else if (to_hosts) {
		// Compare only the bits of the mark: the rest of the source is not checked here.
		j.want[DRB_MARK_AT] = addr->mac[1];
		j.mask[DRB_MARK_AT] = DRB_MARK_MASK;
	}
	return j;
}

void drb_classifier_require(struct drb_classifier *j, const struct drb_source_rule *rule)
{
	const uint16_t type = htobe16(DRB_ETHERTYPE_IPV4);

	memcpy(j->want + DRB_ETHER_TYPE, &type, sizeof(type));
	memset(j->mask + DRB_ETHER_TYPE, 0xff, sizeof(type));
	j->ipv4 = rule->ipv4;
	j->ipv4_mask = rule->ipv4_mask;
	j->above_least += j->least - TAGS * DRB_VLAN_TAG; // without tags
	j->least = DRB_ETHER_HEADER + DRB_IPV4_HEADER;
	j->above_least -= j->least;
}

static bool is_tag(uint16_t type)
{
	return type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ ||
	       type == DRB_ETHERTYPE_QINQ_OLD;
}

bool drb_is_oversize(const struct drb_class_tables *v, const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t most = v->frame_max - TAGS * DRB_VLAN_TAG;

	for (uint32_t at = DRB_ETHER_TYPE; m->data_len > most && most < v->frame_max;
	     at += DRB_VLAN_TAG, most += DRB_VLAN_TAG) {
		if (!is_tag(drb_load16(frame + at)))
			return true;
	}
	return m->data_len > most;
}
