// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/memif_peers.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cli/clock.h"
#include "switch/control/bridge.h"
#include "switch/control/switch.h"

#define NEXT_WITHIN_NS UINT64_C(10000000000)

// A port has met its peer for the first time.
static int begin_to_use(void *context, uint32_t index)
{
	struct drb_switch *s = context;
	struct drb_attachment *a = malloc(sizeof(*a));

	if (!a)
		return -ENOMEM;
	*a = (struct drb_attachment){&s->ports, &s->setup, index};
	int rc = drb_workers_apply(&s->workers, drb_worker_attach_port, a);
	if (rc == -EINPROGRESS)
		return 0;
	free(a);
	return rc;
}

static void begin(struct drb_switch *s)
{
	s->memif = (struct drb_memif_peers){
		.control = {&s->users, drb_bridge_run},
		.connect = {&s->ports, begin_to_use, s},
		.missing = UINT32_MAX,
		.since_ns = drb_clock_now(),
	};
	drb_memif_set_control(&s->memif.control);
}

int drb_memif_peers_open(struct drb_switch *s)
{
	struct drb_memif_peers *p = &s->memif;

	if (p->since_ns == 0)
		begin(s);
	const uint32_t missing = drb_memif_connect(&p->connect);
	const uint64_t now = drb_clock_now();
	if (missing < p->missing) {
		p->missing = missing;
		p->since_ns = now;
	}
	if (missing > 0 && now - p->since_ns <= NEXT_WITHIN_NS)
		return -EAGAIN;
	if (missing > 0)
		drb_memif_connect_log(&p->connect);
	return drb_memif_connect_begin(s->base, &p->connect);
}

void drb_memif_peers_close(struct drb_switch *s)
{
	(void)s;
	drb_memif_connect_end();
}
