// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the reply of a switch: not understood, or figures within their bounds. Input: what
// was asked, then the reply; a second one behind the byte 0.
#include "fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/telemetry/switch_reader.h"

#define TERMINATED(text) require(memchr(text, '\0', sizeof(text)))

static int read_ports(struct drb_telemetry *t)
{
	struct drb_switch_ports ports;
	int rc = drb_read_ports(t, &ports);

	if (rc < 0)
		return rc;
	require(ports.count >= 1);
	for (uint32_t i = 0; i < ports.count; i++)
		TERMINATED(ports.port[i].name);
	drb_switch_ports_free(&ports);
	return 0;
}

static int read_texts(struct drb_telemetry *t, uint8_t kind)
{
	struct drb_switch_info info;
	struct drb_switch_link link;
	struct drb_switch_routing routing;
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc;

	switch (kind) {
	case 0:
		rc = drb_read_info(t, &info);
		if (rc == 0) {
			TERMINATED(info.name);
			TERMINATED(info.code);
		}
		return rc;
	case 1:
		rc = drb_read_link(t, "d0", &link);
		if (rc == 0) {
			TERMINATED(link.peer);
			TERMINATED(link.device);
		}
		return rc;
	case 2:
		rc = drb_read_routing(t, &routing);
		if (rc == 0)
			TERMINATED(routing.threshold);
		return rc;
	default:
		rc = drb_order(t, DRB_CMD_RELOAD, NULL, &done, text);
		if (rc == 0)
			TERMINATED(text);
		return rc;
	}
}

static int read_all(struct drb_telemetry *t)
{
	struct drb_switch_all all;
	int rc = drb_read_all(t, &all);

	if (rc < 0)
		return rc;
	require(all.port_count >= 1 && all.port_count == all.info.ports);
	for (uint32_t i = 0; i < all.port_count; i++) {
		TERMINATED(all.ports[i].port.name);
		TERMINATED(all.ports[i].link.peer);
		TERMINATED(all.ports[i].link.state);
	}
	drb_switch_all_free(&all);
	return 0;
}

static int read_one(struct drb_telemetry *t, uint8_t kind)
{
	struct drb_switch_differences differences;
	struct drb_switch_drops drops;
	struct drb_switch_worker worker;

	switch (kind % 9) {
	case 4:
		return drb_read_drops(t, &drops);
	case 5:
		return drb_read_differences(t, &differences);
	case 6:
		return drb_read_worker(t, &worker);
	case 7:
		return read_ports(t);
	case 8:
		return read_all(t);
	default:
		return read_texts(t, kind % 9);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = take(&data, &size);
	struct drb_telemetry t = {.timeout_ms = 0};
	const uint8_t *second = size ? memchr(data, 0, size) : NULL;
	size_t first = second ? (size_t)(second - data) : size;
	int ends[2];

	require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
	t.fd = ends[0];
	if (first > 0)
		require(send(ends[1], data, first, MSG_DONTWAIT) == (ssize_t)first);
	if (size > first + 1)
		require(send(ends[1], second + 1, size - first - 1, MSG_DONTWAIT) > 0);
	int rc = read_one(&t, kind);
	require(rc <= 0);
	// A connection whose reply was not understood is not used again.
	if (rc == -EMSGSIZE || rc == -ECONNRESET || rc == -ETIMEDOUT)
		require(t.fd < 0);
	drb_telemetry_close(&t);
	close(ends[1]);
	return 0;
}
