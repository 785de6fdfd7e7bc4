// SPDX-License-Identifier: BSD-3-Clause
// Hello frames: an accepted frame is encoded again as the same, and determines a port's state.
#include "fuzz.h"

#include "core/links/link_state.h"

// Whatever number it claims to have sent, the loss is at most all frames, and one sample is not
// enough.
static void count(struct drb_link *live, const struct drb_hello *hello)
{
	for (uint32_t n = 0; n < 40; n++) {
		const uint64_t sent = hello->sent + n * hello->echo.number;
		const struct drb_loss_sample sample = {sent, (int64_t)(sent - hello->echo.instance),
						       (int64_t)(sent - n), n & hello->mtu};
		drb_link_count(live, &sample, 2 + n * UINT64_C(50000000));
		require(drb_loss_share(&live->loss) <= DRB_LOSS_ALL);
		require(n > 0 || !live->lossy);
	}
	drb_link_init(live, &live->setup, true, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct drb_end peer = {.layer = 2, .label = 5, .port = 1, .up = false};
	uint8_t again[DRB_HELLO_LEN_MAX];
	struct drb_hello hello;
	struct drb_link live;
	uint8_t *frame;
	bool changed;

	if (size < 14 || size > 2000)
		return 0;
	frame = malloc(size);
	require(frame);
	memcpy(frame, data, size);
	if (drb_hello_decode(frame, (uint32_t)size, &hello) == 0) {
		require(drb_hello_content(frame) <= hello.size);
		const struct drb_link_setup setup = {.peer = peer,
						     .fabric = hello.fabric,
						     .mac = hello.mac,
						     .period_ns = 100000000,
						     .instance = ~hello.serial.instance,
						     .loss_limit = 10000};
		require(drb_hello_is(frame) && hello.from.layer >= 1 && hello.size <= size);
		uint32_t len = drb_hello_encode(&hello, again);
		require(len == hello.size && memcmp(again, frame, 18) == 0);
		require(memcmp(again + 22, frame + 22, 16) == 0); // the tag
		drb_link_init(&live, &setup, true, 0);
		count(&live, &hello);
		require(drb_link_hear_hello(&live, &hello, 0, 1, &changed) == DRB_HELLO_TAKEN);
		require(live.state != DRB_LINK_UNKNOWN && live.state != DRB_LINK_DOWN);
		require(drb_link_hear_hello(&live, &hello, 0, 2, &changed) == DRB_HELLO_STALE);
		require(drb_link_hold_ns(&live) <= DRB_HOLD_MAX_NS);
		drb_link_check(&live, true, true, 2 + drb_link_hold_ns(&live));
		require(live.state == DRB_LINK_DOWN);
	}
	free(frame);
	return 0;
}
