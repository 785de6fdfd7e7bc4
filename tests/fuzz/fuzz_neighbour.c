// SPDX-License-Identifier: BSD-3-Clause
// A host's ARP or neighbour discovery request. Input: the host that asks, spare bytes, frame.
#include "fuzz.h"

#include "switch/datapath/arp_nd_proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	uint32_t asker = take(&data, &size) % 16, spare = take(&data, &size) % 32;
	uint32_t len = (uint32_t)size, room = len + spare;
	uint8_t mac[6], *frame;
	enum drb_neighbour what;

	if (size < 14 || size > 2000)
		return 0;
	frame = malloc(room);
	require(frame);
	memcpy(frame, data, size);
	what = drb_neighbour_answer(&plan, asker, frame, &len, room);
	if (what == DRB_NEIGHBOUR_ARP || what == DRB_NEIGHBOUR_ND) {
		// The reply goes to the host that asked, and comes from another host of the fabric.
		uint32_t owner = drb_addr_of_mac(&plan, frame + 6);
		require(len <= room && owner != asker && owner < 16);
		require(memcmp(frame, data + 6, 6) == 0);
		drb_addr_mac(&plan, owner, mac);
		require(memcmp(frame + (what == DRB_NEIGHBOUR_ARP ? 22 : 80), mac, 6) == 0);
	} else {
		require(len == size && memcmp(frame, data, size) == 0);
	}
	free(frame);
	return 0;
}
