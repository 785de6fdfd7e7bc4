// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/orders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_telemetry.h>

#include "core/counters.h"
#include "switch/control/drain.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"

// A reply is JSON, and repeats what was asked for, perhaps cut within a character: DPDK escapes quotes, but lets
// control characters and bytes that are no text through.
static void clean(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	}
}

int drb_command_run(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct drb_switch *s = drb_reply_context.owner;
	char text[1024], reply[1100];
	int rc;

	if (!s->ready)
		return -EAGAIN;
	if (strcmp(cmd, DRB_CMD_RELOAD) == 0)
		rc = drb_reload(s, text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_SET) == 0)
		rc = drb_reload_set(s, params ? params : "", text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_SAVE) == 0)
		rc = drb_reload_save(s, text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_CAPTURE) == 0)
		rc = drb_capture_begin(s, text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_DRAIN) == 0)
		rc = drb_drain(&s->workers, &s->setup, params, text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_DOWN) == 0)
		rc = drb_down(&s->workers, &s->setup, params, text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_UP) == 0)
		rc = drb_up(&s->workers, &s->setup, params, text, sizeof(text));
	else
		rc = drb_undrain(&s->workers, &s->setup, params, text, sizeof(text));
	clean(text);
	snprintf(reply, sizeof(reply), "%s: %s", rc < 0 ? DRB_REPLY_ERROR : DRB_REPLY_OK, text);
	return rte_tel_data_string(d, reply);
}
