// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/orders.h"

#include <stdio.h>

#include "core/counters.h"
#include "switch/control/drain.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"

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
ORDER(save, drb_reload_save(self, text, size))
ORDER(capture, drb_capture_begin(self, text, size))
ORDER(drain, drb_drain(&self->workers, &self->setup, parameter, text, size))
ORDER(undrain, drb_undrain(&self->workers, &self->setup, parameter, text, size))
ORDER(down, drb_down(&self->workers, &self->setup, parameter, text, size))
ORDER(up, drb_up(&self->workers, &self->setup, parameter, text, size))
