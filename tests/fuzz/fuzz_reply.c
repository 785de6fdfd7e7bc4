// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the reply of a switch: refused, or figures within their bounds. Input: the command,
// then the reply.
#include "fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/telemetry/switch_reader.h"

#define TERMINATED(text) require(memchr(text, '\0', sizeof(text)))

static int read_all(struct drb_telemetry *t)
{
	struct drb_switch_all all;
	int rc = drb_read_all(t, &all);

	if (rc < 0)
		return rc;
	require(!all.port_count || all.info.ports == DRB_UNKNOWN ||
		all.port_count == all.info.ports);
	TERMINATED(all.info.code);
	TERMINATED(all.routing.threshold);
	for (uint32_t i = 0; i < all.port_count; i++) {
		TERMINATED(all.ports[i].name);
		TERMINATED(all.ports[i].peer);
		TERMINATED(all.ports[i].device);
		TERMINATED(all.ports[i].state);
	}
	drb_switch_all_free(&all);
	return 0;
}

static int read_one(struct drb_telemetry *t, uint8_t kind)
{
	struct drb_switch_info info;
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc;

	switch (kind % 3) {
	case 0:
		rc = drb_read_info(t, &info);
		if (rc == 0) {
			TERMINATED(info.name);
			TERMINATED(info.code);
		}
		return rc;
	case 1:
		rc = drb_order(t, DRB_CMD_RELOAD, NULL, &done, text);
		if (rc == 0)
			TERMINATED(text);
		return rc;
	default:
		return read_all(t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = take(&data, &size);
	struct drb_telemetry t = {.timeout_ms = 0};
	int ends[2];

	require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
	t.fd = ends[0];
	if (size > 0)
		require(send(ends[1], data, size, MSG_DONTWAIT) == (ssize_t)size);
	int rc = read_one(&t, kind);
	require(rc <= 0);
	// A connection with a reply that was not understood is not used again.
	if (rc == -EMSGSIZE || rc == -ECONNRESET || (rc == -ETIMEDOUT && size == 0))
		require(t.fd < 0);
	drb_telemetry_close(&t);
	close(ends[1]);
	return 0;
}
