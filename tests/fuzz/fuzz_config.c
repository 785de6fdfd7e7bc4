// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a config file: refused with one line, or a setup in which everything is in range.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/config.h"

static void check_setup(const struct drb_setup *s)
{
	uint32_t ports = s->down_ports + s->up_ports;

	require(ports >= 1 && ports <= DRB_PORTS_MAX);
	require(s->layer >= 1 && s->layer <= s->tree.layers);
	require(s->label < drb_tree_switches(&s->tree, s->layer));
	require(s->threshold >= 0 && s->choice.choices >= 2 && s->burst >= 1 && s->burst <= 256);
	require(drb_addr_fits(&s->addr));
	for (uint32_t i = 0; i < ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		require(p->driver < DRB_DRIVER_COUNT && p->queue >= 1);
		require(p->rate.value >= 0 && p->overhead <= 1024);
		require(memchr(p->device, '\0', sizeof(p->device)));
		require(memchr(p->socket, '\0', sizeof(p->socket)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1, message = -1, error = -1;
	static char path[32];
	struct drb_setup setup;
	char text[4096];

	if (fd < 0) {
		fd = memfd_create("config", 0);
		message = memfd_create("message", 0);
		error = dup(STDERR_FILENO);
		require(fd >= 0 && message >= 0 && error >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	require(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	require(ftruncate(message, 0) == 0 && lseek(message, 0, SEEK_SET) == 0);
	dup2(message, STDERR_FILENO);
	int rc = drb_config_load(path, NULL, &setup);
	dup2(error, STDERR_FILENO);
	ssize_t len = pread(message, text, sizeof(text) - 1, 0);
	require(len >= 0);
	text[len] = '\0';
	if (rc == 0) {
		require(len == 0);
		check_setup(&setup);
	} else {
		require(rc == -EINVAL && len > 0 && strchr(text, '\n') == text + len - 1);
	}
	return 0;
}
