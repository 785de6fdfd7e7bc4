// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/memif_peers.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cli/clock.h"
#include "switch/control/switch.h"
#include "switch/startup/broker.h"

#define NEXT_WITHIN_NS UINT64_C(10000000000)

// A port has met its peer for the first time.
static int begin_to_use(struct drb_switch *s, uint32_t index)
{
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

static int on_change(void *context, uint32_t index, bool has_link)
{
	const uint64_t bit = UINT64_C(1) << index;
	struct drb_switch *s = context;

	if (has_link && !(s->memif.attached & bit)) {
		int rc = begin_to_use(s, index);
		s->memif.attached |= rc == 0 ? bit : 0;
		return rc;
	}
	drb_workers_look_at_carriers(&s->workers);
	return 0;
}

int drb_memif_peers_open(struct drb_switch *s)
{
	struct drb_memif_peers *p = &s->memif;

	*p = (struct drb_memif_peers){.missing = UINT32_MAX};
	p->host = (struct drb_memif_host){s->base, &s->ports, drb_broker_connect, on_change, s};
	p->links = drb_memif_links_begin(&p->host);
	return p->links ? 0 : -ENOMEM;
}

int drb_memif_peers_await(struct drb_switch *s)
{
	struct drb_memif_peers *p = &s->memif;
	const uint32_t missing = drb_memif_links_missing(p->links);
	const uint64_t now = drb_clock_now();

	if (missing < p->missing) {
		p->missing = missing;
		p->since_ns = now;
	}
	if (missing > 0 && now - p->since_ns <= NEXT_WITHIN_NS)
		return -EAGAIN;
	drb_memif_links_settle(p->links);
	return 0;
}

void drb_memif_peers_close(struct drb_switch *s)
{
	drb_memif_links_end(s->memif.links);
}
