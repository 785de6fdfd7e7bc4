// SPDX-License-Identifier: BSD-3-Clause
// Any GSO packet with any virtio-net header: it is refused, or cut into packets that are no longer
// than a frame and have all of its payload. Input: the header, whether there is a tag, the bytes of
// the GSO packet.
#include "fuzz.h"

#include "fixtures/switch_eal.h"
#include "switch/ports/packet_socket/rx_gso.h"
#include "switch/ports/unfinished.h"

#define FRAME_MAX 1592

ONCE(require(start_eal() == 0))

static void cut_all(struct drb_rx_gso *t)
{
	struct rte_mbuf *packets[32];
	uint32_t total = 0;

	while (drb_rx_gso_is_open(t)) {
		uint32_t n = drb_rx_gso_cut(t, test_pool, packets, 32);
		require(n > 0);
		drb_finish_checksums(packets, n);
		for (uint32_t i = 0; i < n; i++) {
			require(packets[i]->data_len > t->gso.headers);
			require(packets[i]->data_len <= FRAME_MAX);
			require(!drb_is_unfinished(packets[i]));
			total += packets[i]->data_len - t->gso.headers;
		}
		rte_pktmbuf_free_bulk(packets, n);
	}
	require(total == t->gso.length - t->gso.headers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct virtio_net_hdr cut;

	if (size <= sizeof(cut) || size > DRB_GSO_MAX)
		return 0;
	memcpy(&cut, data, sizeof(cut));
	data += sizeof(cut);
	size -= sizeof(cut);
	uint8_t *octets = malloc(DRB_TAG_ROOM + size); // ends with the GSO packet
	require(octets);
	memcpy(octets + DRB_TAG_ROOM, data, size);
	struct drb_rx_gso t = {.octets = octets};
	struct drb_vlan_tag tag = {cut.hdr_len & 1, 0x8100, cut.hdr_len};
	if (drb_rx_gso_begin(&t, &cut, (uint32_t)size, &tag, FRAME_MAX))
		cut_all(&t);
	free(octets);
	return 0;
}
