// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "switch/links/drain_rules.h"

#define TEXT 512

typedef int set_ports(struct drb_liveness *l, struct drb_port_order order, char *text, size_t size);

// What an operator asks for, and the outcome. Freed when worker 0 has made the change.
struct request {
	set_ports *set;
	struct drb_port_order order;
	int rc;
	char text[TEXT];
};

static void set(struct drb_worker *w, void *request)
{
	struct request *r = request;

	if (w->owner == w)
		r->rc = r->set(&w->liveness, r->order, r->text, sizeof(r->text));
}

// Who orders it, and for which port; NULL: every port.
struct by {
	const char *instance, *port;
};

static int carry_out(struct drb_workers *all, const struct by *by, const struct request *wanted,
		     char *text, size_t size)
{
	struct request *r = malloc(sizeof(*r));

	if (!r) {
		snprintf(text, size, "no memory");
		return -ENOMEM;
	}
	*r = *wanted;
	r->order.all = !by->port;
	r->order.ports = drb_drain_ports(&all->worker[0].liveness, by->port, text, size);
	int rc = r->order.ports ? drb_workers_apply(all, set, r) : -EINVAL;
	if (rc == -EINPROGRESS) {
		snprintf(text, size, "a worker is stuck since: this holds when it goes on");
		return rc;
	}
	if (rc == -ETIMEDOUT)
		snprintf(text, size, "%s", DRB_APPLY_FAILED);
	if (rc == 0 && (rc = r->rc) < 0)
		snprintf(text, size, "%s", r->text);
	else if (rc == 0)
		snprintf(text, size, "%s: %s", by->instance, r->text);
	if (rc == 0)
		drb_info("%s", text);
	free(r);
	return rc;
}

int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size)
{
	return carry_out(workers, &(struct by){setup->instance, port},
			 &(struct request){.set = drb_drain_set, .order.on = true}, text, size);
}

int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size)
{
	return carry_out(workers, &(struct by){setup->instance, port},
			 &(struct request){.set = drb_drain_set, .order.on = false}, text, size);
}

int drb_down(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	     char *text, size_t size)
{
	return carry_out(workers, &(struct by){setup->instance, port},
			 &(struct request){.set = drb_down_set, .order.on = true}, text, size);
}

int drb_up(struct drb_workers *workers, const struct drb_setup *setup, const char *port, char *text,
	   size_t size)
{
	return carry_out(workers, &(struct by){setup->instance, port},
			 &(struct request){.set = drb_down_set, .order.on = false}, text, size);
}
