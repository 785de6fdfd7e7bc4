// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "core/counters.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"
#include "switch/links/drain_rules.h"

// An order: 0 or a negative errno, and what it did or why not.
typedef int run_order(struct drb_switch *self, const char *parameter, char *text, size_t size);

static json_t *run(struct drb_switch *self, run_order *order, const char *parameter)
{
	char text[1024], reply[1100];

	if (!self->ready)
		return NULL;
	int rc = order(self, parameter, text, sizeof(text));
	snprintf(reply, sizeof(reply), "%s: %s", rc < 0 ? DRB_REPLY_ERROR : DRB_REPLY_OK, text);
	return drb_text_json(reply);
}

// An order about ports, and its outcome. Freed when worker 0 has carried it out.
struct ports {
	int (*set)(struct drb_liveness *l, struct drb_port_order order, char *text, size_t size);
	struct drb_port_order order;
	int rc;
	char text[512];
};

static void carry_out(struct drb_worker *w, void *order)
{
	struct ports *o = order;

	if (w->owner == w)
		o->rc = o->set(&w->liveness, o->order, o->text, sizeof(o->text));
}

int drb_order_ports(struct drb_workers *all, enum drb_order_of_ports what, const char *port,
		    char *text, size_t size)
{
	struct ports *o = malloc(sizeof(*o));

	if (!o) {
		snprintf(text, size, "no memory");
		return -ENOMEM;
	}
	*o = (struct ports){
		.set = what == DRB_DRAIN || what == DRB_UNDRAIN ? drb_drain_set : drb_down_set,
		.order.on = what == DRB_DRAIN || what == DRB_DOWN,
		.order.all = !port,
		.order.ports = drb_drain_ports(&all->worker[0].liveness, port, text, size),
	};
	int rc = o->order.ports ? drb_workers_apply(all, carry_out, o) : -EINVAL;
	if (rc == -EINPROGRESS) {
		snprintf(text, size, "a worker is stuck: this takes effect when it runs again");
		return rc;
	}
	if (rc == -ETIMEDOUT)
		snprintf(text, size, "%s", DRB_APPLY_FAILED);
	if (rc == 0) {
		rc = o->rc;
		snprintf(text, size, "%s", o->text);
	}
	free(o);
	return rc;
}

static int order_ports(struct drb_switch *self, enum drb_order_of_ports what, const char *port,
		       char *text, size_t size)
{
	int rc = drb_order_ports(&self->workers, what, port, text, size);

	if (rc == 0) {
		drb_info("%s: %s", self->setup.instance, text);
		snprintf(text, size, "%s", drb_msg_last());
	}
	return rc;
}

#define ORDER(name, call)                                                                          \
	static int name(struct drb_switch *self, const char *parameter, char *text, size_t size)   \
	{                                                                                          \
		(void)self, (void)parameter;                                                       \
		return call;                                                                       \
	}                                                                                          \
	json_t *drb_order_##name(const char *parameter, void *context)                             \
	{                                                                                          \
		return run(context, name, parameter);                                              \
	}
ORDER(reload, drb_reload(self, text, size))
ORDER(set, drb_reload_set(self, parameter ? parameter : "", text, size))
ORDER(capture, drb_capture_begin(self, text, size))
ORDER(drain, order_ports(self, DRB_DRAIN, parameter, text, size))
ORDER(undrain, order_ports(self, DRB_UNDRAIN, parameter, text, size))
ORDER(down, order_ports(self, DRB_DOWN, parameter, text, size))
ORDER(up, order_ports(self, DRB_UP, parameter, text, size))
