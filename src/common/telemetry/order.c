// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/switch_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int drb_order(struct drb_telemetry *t, const char *command, const char *param, bool *done,
	      char text[DRB_ORDER_TEXT_MAX])
{
	json_t *reply;
	int rc = drb_telemetry_ask(t, command, param, &reply);

	if (rc < 0)
		return rc;
	const char *said = json_string_value(reply);
	rc = said && snprintf(text, DRB_ORDER_TEXT_MAX, "%s", said) < DRB_ORDER_TEXT_MAX ? 0
											 : -EPROTO;
	json_decref(reply);
	if (rc < 0)
		return rc;
	char *colon = strstr(text, ": ");
	if (!colon)
		return -EPROTO;
	*colon = '\0';
	*done = strcmp(text, DRB_REPLY_OK) == 0;
	if (!*done && strcmp(text, DRB_REPLY_ERROR) != 0)
		return -EPROTO;
	memmove(text, colon + 2, strlen(colon + 2) + 1);
	return 0;
}
