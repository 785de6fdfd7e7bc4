// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/orders.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "core/counters.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"
#include "switch/datapath/changes.h"
#include "switch/links/drain_rules.h"

static void reply(void *request, int rc, const char *text)
{
	char line[1100];

	snprintf(line, sizeof(line), "%s: %s", rc < 0 ? DRB_REPLY_ERROR : DRB_REPLY_OK, text);
	drb_stats_reply(request, drb_text_json(line));
}

// An order about ports. Worker 0 carries it out.
struct ports_order {
	struct drb_switch *s;
	struct drb_stats_request *request;
	enum drb_port_order order;
	char port[64]; // "": every port of the switch
	int rc;
	char text[512];
	struct drb_change change;
};

static void carry_out(struct drb_worker *w, uint32_t n, void *order)
{
	struct ports_order *o = order;

	if (n == 0)
		o->rc = drb_port_order(&w->liveness, o->order, *o->port ? o->port : NULL, o->text,
				       sizeof(o->text));
}

static void is_carried_out(void *order, int rc)
{
	struct ports_order *o = order;

	if (rc < 0) {
		reply(o->request, rc, DRB_CHANGE_FAILED);
	} else if (o->rc < 0) {
		reply(o->request, o->rc, o->text);
	} else {
		drb_info("%s: %s", o->s->setup.instance, o->text);
		reply(o->request, 0, drb_msg_last());
	}
	free(o);
}

static void order_ports(struct drb_switch *s, enum drb_port_order order, const char *port,
			struct drb_stats_request *request)
{
	struct ports_order *o = malloc(sizeof(*o));

	if (!o) {
		reply(request, -1, "no memory");
		return;
	}
	*o = (struct ports_order){.s = s, .request = request, .order = order};
	snprintf(o->port, sizeof(o->port), "%s", port ? port : "");
	o->change = (struct drb_change){.make = carry_out, .done = is_carried_out, .context = o};
	drb_change_post(&s->workers, &o->change);
}

static void capture(struct drb_switch *s, struct drb_stats_request *request)
{
	char text[1024];
	int rc = drb_capture_begin(s, text, sizeof(text));

	reply(request, rc, text);
}

#define ORDER(name, call)                                                                          \
	void drb_order_##name(const char *parameter, struct drb_stats_request *request,            \
			      void *context)                                                       \
	{                                                                                          \
		struct drb_switch *s = context;                                                    \
		(void)parameter;                                                                   \
		if (s->ready)                                                                      \
			call;                                                                      \
		else                                                                               \
			drb_stats_reply(request, NULL);                                            \
	}
ORDER(reload, drb_reload(s, reply, request))
ORDER(set, drb_reload_set(s, parameter ? parameter : "", reply, request))
ORDER(capture, capture(s, request))
ORDER(drain, order_ports(s, DRB_DRAIN, parameter, request))
ORDER(undrain, order_ports(s, DRB_UNDRAIN, parameter, request))
ORDER(down, order_ports(s, DRB_DOWN, parameter, request))
ORDER(up, order_ports(s, DRB_UP, parameter, request))
