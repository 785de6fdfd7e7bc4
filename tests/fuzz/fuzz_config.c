// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a config file: refused with one line, or a setup with all values in range.
#include "said.h"

#include <errno.h>

#include "common/config/config.h"
#include "common/schemes/load.h"

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
	const char *path = file_of(data, size), *said;
	struct drb_setup setup;

	drb_scheme_objects_end(); // a path in a config must not load code
	listen_to_errors();
	int rc = drb_config_load(path, NULL, &setup);
	said = errors_said();
	if (rc == 0) {
		require(said[0] == '\0');
		check_setup(&setup);
	} else {
		require(rc == -EINVAL && is_one_line(said));
	}
	return 0;
}
