// SPDX-License-Identifier: BSD-3-Clause
// The addresses that a host may use as its own, in any frame. An accepted frame must not contain an
// address that a host would take for another's. A simple second check looks for such addresses.
// Input: whether IP is checked, frame.
#include "fuzz.h"

#include "core/fabric/source_rule.h"

enum { HOST = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct drb_addr_plan plan = drb_addr_default(16);
	const struct drb_source_rule rule = drb_source_rule_of(&plan, HOST, take(&data, &size) & 1);
	static const uint8_t own_mac[6] = {2, 0, 0, 0, 0, HOST}, own_ip[4] = {10, 0, 0, HOST + 1};
	uint8_t *frame;
	enum drb_source said;

	if (size < 14 || size > 2000)
		return 0;
	frame = malloc(size);
	require(frame);
	memcpy(frame, data, size);
	said = drb_source_check(&rule, frame, (uint32_t)size);
	require(said == drb_source_check(&rule, frame, (uint32_t)size));
	if (said == DRB_SOURCE_OK && size >= 42 && frame[12] == 8 && frame[13] == 6) {
		static const uint8_t nobody[4];
		require(memcmp(frame + 22, own_mac, 6) == 0);
		require(memcmp(frame + 28, own_ip, 4) == 0 || memcmp(frame + 28, nobody, 4) == 0);
	}
	if (said == DRB_SOURCE_OK && rule.ip && !(frame[0] & 1) && size >= 34 && frame[12] == 8 &&
	    frame[13] == 0)
		require(memcmp(frame + 26, own_ip, 4) == 0);
	// An advertisement without extension headers.
	if (said == DRB_SOURCE_OK && size >= 78 && frame[12] == 0x86 && frame[13] == 0xdd &&
	    frame[20] == 58 && frame[54] == 136)
		require(memcmp(frame + 62, rule.ipv6, 16) == 0 ||
			memcmp(frame + 62, rule.link_local, 16) == 0);
	free(frame);
	return 0;
}
