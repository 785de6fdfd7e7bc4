// SPDX-License-Identifier: BSD-3-Clause
// Hello frames: what is taken can be written and is the same; a port's state follows from it.
#include "fuzz.h"

#include "core/links/link_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct drb_end peer = {.layer = 2, .label = 5, .port = 1, .up = false};
	uint8_t again[DRB_HELLO_LEN];
	struct drb_hello hello;
	struct drb_link live;
	uint8_t *frame;

	if (size < 14 || size > 2000)
		return 0;
	frame = malloc(size);
	require(frame);
	memcpy(frame, data, size);
	if (drb_hello_decode(frame, (uint32_t)size, &hello) == 0) {
		require(drb_hello_is(frame) && hello.from.layer >= 1);
		drb_hello_encode(&hello, again);
		require(memcmp(again, frame, sizeof(again)) == 0);
		drb_link_init(&live, &peer, hello.fabric, 100000000, true, 0);
		drb_link_hear_hello(&live, &hello, 1);
		require(live.state != DRB_LINK_UNKNOWN && live.state != DRB_LINK_DOWN);
		drb_link_check(&live, true, true, 2 + drb_link_hold_ns(&live));
		require(live.state == DRB_LINK_DOWN);
	}
	free(frame);
	return 0;
}
