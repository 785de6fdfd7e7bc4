// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/orders/refusals.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"

struct ctl_refusal {
	char *reason; // owned
	char first[DRB_NAME_MAX];
	uint32_t more; // further switches that refuse for the same reason
};

void ctl_refusals_add(struct ctl_refusals *refused, const char *name, const char *reason)
{
	for (size_t i = 0; i < refused->count; i++) {
		if (strcmp(refused->at[i].reason, reason) == 0) {
			refused->at[i].more++;
			return;
		}
	}
	struct ctl_refusal *more =
		realloc(refused->at, (refused->count + 1) * sizeof(*refused->at));
	char *copy = strdup(reason);
	if (!more || !copy)
		drb_die("out of memory");
	refused->at = more;
	struct ctl_refusal *new = &refused->at[refused->count++];
	*new = (struct ctl_refusal){.reason = copy};
	snprintf(new->first, sizeof(new->first), "%s", name);
}

bool ctl_refusals_say(struct ctl_refusals *refused)
{
	bool any = refused->count > 0;

	for (size_t i = 0; i < refused->count; i++) {
		const struct ctl_refusal *r = &refused->at[i];
		if (r->more)
			drb_error("%s and %u more switch%s: %s", r->first, r->more,
				  r->more == 1 ? "" : "es", r->reason);
		else
			drb_error("%s: %s", r->first, r->reason);
		free(r->reason);
	}
	free(refused->at);
	*refused = (struct ctl_refusals){0};
	return any;
}
