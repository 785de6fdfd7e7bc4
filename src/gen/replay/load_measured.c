// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/load_measured.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "core/math/random.h"

#include "common/cli/log.h"

const char *measured_check(const struct manifest *m, uint32_t src, const struct trace_packet *p,
			   struct frame_probe *probe)
{
	if (p->size != m->size || p->captured != m->size)
		return "not of the size that " MANIFEST_FILE " says";
	int rc = frame_parse(p->frame, p->size, &m->plan, probe);
	if (rc == -ENOMSG)
		return "not a measured packet";
	if (rc < 0)
		return "addresses are not those of the labels it carries";
	if (probe->src != src)
		return "sent by another host than the file is for";
	if (probe->dst == src)
		return "sent to the host itself";
	if (probe->cohort >= m->slots)
		return "born after the last slot";
	if (p->time_ns != (int64_t)(probe->cohort * m->slot_ns))
		return "time stamp is not that of the slot it is born in";
	return NULL;
}

// Traffic that is being loaded.
struct loading {
	const struct manifest *manifest;
	uint64_t slot_ns;
	struct trace *trace;
	struct score *score;
};

// Checks and announces the packets of one capture, which begin at `first`.
static int take_capture(const struct loading *l, const char *path, uint32_t src, size_t first)
{
	const struct manifest *m = l->manifest;
	const struct trace *t = l->trace;

	for (size_t i = first; i < t->count; i++) {
		struct trace_packet *p = &t->packet[i];
		struct frame_probe probe;
		const char *wrong = measured_check(m, src, p, &probe);
		if (wrong) {
			drb_error("%s: packet %" PRIu32 ": %s", path, p->number, wrong);
			return -EINVAL;
		}
		int64_t sequence = score_expect(l->score, src, probe.dst, probe.cohort);
		if (sequence < 0) {
			drb_error("%s: packet %" PRIu32 ": out of memory", path, p->number);
			return -ENOMEM;
		}
		if (sequence != probe.sequence) {
			drb_error("%s: packet %" PRIu32 ": sequence number %" PRIu32
				  " of its stream instead of %" PRId64,
				  path, p->number, probe.sequence, sequence);
			return -EINVAL;
		}
		// The host's own link takes one slot, as all links do.
		p->time_ns = (int64_t)((probe.cohort + UINT64_C(1)) * l->slot_ns);
		p->key = drb_mix64(drb_mix64(m->seed ^ probe.cohort) ^ src);
		p->host = src;
	}
	return 0;
}

int measured_load(const char *dir, const struct manifest *m, uint64_t slot_ns, struct trace *t,
		  struct score *s)
{
	const struct loading loading = {.manifest = m, .slot_ns = slot_ns, .trace = t, .score = s};

	for (uint32_t src = 0; src < m->tree.hosts; src++) {
		char path[PATH_MAX];
		size_t first = t->count;
		if (!capture_path(path, dir, src)) {
			drb_error("%s: path too long", dir);
			return -ENAMETOOLONG;
		}
		int rc = trace_load(t, path, true);
		if (rc == 0)
			rc = take_capture(&loading, path, src, first);
		if (rc < 0)
			return rc;
	}
	if (t->count != m->packets) {
		drb_error("%s: " MANIFEST_FILE " says %" PRIu64 " packets, the captures hold %zu",
			  dir, m->packets, t->count);
		return -EINVAL;
	}
	trace_merge(t, 0);
	return 0;
}

uint64_t measured_part(struct trace *t, const struct manifest *m, uint32_t first, uint32_t end)
{
	uint64_t awaited = 0;
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		struct frame_probe probe = {0};
		frame_parse(p->frame, p->size, &m->plan, &probe);
		awaited += probe.dst >= first && probe.dst < end;
		if (p->host >= first && p->host < end)
			t->packet[kept++] = *p;
	}
	t->count = kept;
	return awaited;
}
