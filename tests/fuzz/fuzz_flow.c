// SPDX-License-Identifier: BSD-3-Clause
// The flow of any frame: the same for the same bytes, and independent of bytes behind the frame's
// end.
#include "fuzz.h"

#include "core/packet/flow_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drb_flow_key a, b;
	uint8_t *frame;

	if (size < 14 || size > 2000)
		return 0;
	frame = malloc(size);
	require(frame);
	memcpy(frame, data, size);
	memset(&b, 0xff, sizeof(b));
	drb_flow_key_of(frame, (uint32_t)size, &a);
	drb_flow_key_of(frame, (uint32_t)size, &b);
	require(memcmp(&a, &b, sizeof(a)) == 0 && a.zero == 0);
	require(drb_flow_hash(&a) == drb_flow_hash(&b));
	free(frame);
	return 0;
}
