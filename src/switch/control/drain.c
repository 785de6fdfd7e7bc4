// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/drain.h"

#include <errno.h>
#include <stdio.h>

#include "switch/links/drain_rules.h"

struct order {
	const char *port; // NULL: every port
	bool drained;
};

static int carry_out(struct drb_workers *all, const char *instance, struct order order, char *text,
		     size_t size)
{
	struct drb_liveness *l = &all->worker[0].liveness;
	char result[512];
	uint64_t ports = drb_drain_ports(l, order.port, text, size);

	if (!ports)
		return -EINVAL;
	drb_workers_park(all);
	int rc = drb_drain_set(l, ports, order.drained, !order.port, result, sizeof(result));
	drb_workers_unpark(all);
	if (rc == 0)
		snprintf(text, size, "%s: %s", instance, result);
	else
		snprintf(text, size, "%s", result);
	return rc;
}

int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size)
{
	return carry_out(workers, setup->instance, (struct order){port, true}, text, size);
}

int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size)
{
	return carry_out(workers, setup->instance, (struct order){port, false}, text, size);
}
