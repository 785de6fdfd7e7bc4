// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as traffic.json: refused with a reason, or a manifest whose fields are all in range.
#include "fuzz.h"

#include "gen/captures/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[MANIFEST_ERROR_MAX] = "";
	struct manifest m;

	if (manifest_parse((const char *)data, size, &m, error) < 0) {
		require(*error && memchr(error, '\0', sizeof(error)));
		return 0;
	}
	require(m.tree.hosts >= 2 && m.tree.layers == m.layers && m.tree.arity == m.arity);
	require(m.slots >= 1 && m.slot_ns >= 1 && m.slots <= MANIFEST_RUN_NS_MAX / m.slot_ns);
	require(m.load > 0 && m.load <= 1 && m.packets <= (uint64_t)m.slots * m.tree.hosts);
	require(drb_addr_fits(&m.plan) && memchr(m.mac, '\0', sizeof(m.mac)));
	require(memchr(m.ipv4, '\0', sizeof(m.ipv4)) && memchr(m.ipv6, '\0', sizeof(m.ipv6)));
	return 0;
}
