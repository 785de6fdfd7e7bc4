// SPDX-License-Identifier: BSD-3-Clause
// Traffic for programs that link libdrb.
#include <errno.h>
#include <stdlib.h>

#include "core/traffic/traffic.h"

#include "drb/traffic.h"

_Static_assert(DRB_SILENT == DRB_NO_LABEL, "one number for no destination");

struct drb_sender {
	struct drb_traffic traffic;
	struct drb_rng rng;
	uint64_t slot;
	uint32_t memory[];
};

struct drb_sender *drb_sender_new(const struct drb_tree *tree, const char *pattern, double rho,
				  uint64_t seed)
{
	struct drb_traffic_kind kind;
	int rc = drb_traffic_parse(pattern, &kind);

	if (rc == 0 && kind.pattern == DRB_PATTERN_FILE)
		rc = -EINVAL; // the library opens no files
	if (rc < 0) {
		errno = -rc;
		return NULL;
	}
	struct drb_sender *s =
		malloc(sizeof(*s) + DRB_TRAFFIC_WORDS(tree->hosts) * sizeof(s->memory[0]));
	if (!s)
		return NULL;
	s->rng = drb_rng_seed(seed, 0);
	s->slot = 0;
	rc = drb_traffic_init(&s->traffic, &(struct drb_traffic_setup){tree, kind, rho, s->memory},
			      &s->rng);
	if (rc < 0) {
		free(s);
		errno = -rc;
		return NULL;
	}
	return s;
}

void drb_sender_free(struct drb_sender *s)
{
	free(s);
}

void drb_sender_slot(struct drb_sender *s, uint32_t dest[])
{
	drb_traffic_slot(&s->traffic, &s->rng, s->slot++, dest);
}
