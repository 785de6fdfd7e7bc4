// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/drain.h"

#include <errno.h>
#include <stdio.h>

#include "common/cli/log.h"
#include "switch/links/drain_rules.h"

// What an operator asks for, and the reply.
struct request {
	const char *port; // NULL: every port
	int (*set)(struct drb_liveness *l, struct drb_port_order order, char *text, size_t size);
	bool on;
	char *text;
	size_t size;
};

static int carry_out(struct drb_workers *all, const char *instance, const struct request *r)
{
	struct drb_liveness *l = &all->worker[0].liveness;
	char result[512];
	struct drb_port_order order = {.ports = drb_drain_ports(l, r->port, r->text, r->size),
				       .on = r->on,
				       .all = !r->port};

	if (!order.ports)
		return -EINVAL;
	int rc = drb_workers_park(all);
	if (rc < 0) {
		snprintf(r->text, r->size, "%s", DRB_PARK_FAILED);
		return rc;
	}
	rc = r->set(l, order, result, sizeof(result));
	drb_workers_unpark(all);
	if (rc == 0) {
		snprintf(r->text, r->size, "%s: %s", instance, result);
		drb_info("%s: %s", instance, result);
	} else {
		snprintf(r->text, r->size, "%s", result);
	}
	return rc;
}

int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size)
{
	return carry_out(workers, setup->instance,
			 &(struct request){port, drb_drain_set, true, text, size});
}

int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size)
{
	return carry_out(workers, setup->instance,
			 &(struct request){port, drb_drain_set, false, text, size});
}

int drb_down(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	     char *text, size_t size)
{
	return carry_out(workers, setup->instance,
			 &(struct request){port, drb_down_set, true, text, size});
}

int drb_up(struct drb_workers *workers, const struct drb_setup *setup, const char *port, char *text,
	   size_t size)
{
	return carry_out(workers, setup->instance,
			 &(struct request){port, drb_down_set, false, text, size});
}
