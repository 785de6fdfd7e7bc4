// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/trace.h"

#include <errno.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "gen/captures/capture_reader.h"

#define ETHER_FRAME_MIN 60 // without FCS

static int add_record(struct trace *t, const struct capture_record *r)
{
	// Captures on the sending host lack the padding that the wire adds.
	uint32_t size = r->size < ETHER_FRAME_MIN ? ETHER_FRAME_MIN : r->size;
	struct trace_packet *p = trace_add(t, r->time_ns, r->data, r->captured, size);

	if (!p)
		return -ENOMEM;
	t->fcs += r->fcs;
	p->number = r->number;
	p->file = t->files;
	p->place = r->place;
	p->at_switch = r->at_switch;
	p->cut = r->captured < r->size ? TRACE_CUT : TRACE_WHOLE;
	if (p->number > 1 && p->time_ns < p[-1].time_ns)
		t->disordered++;
	return 0;
}

static int capture_load(struct trace *t, const char *name, struct capture *c, bool whole)
{
	struct capture_record record;
	enum capture_result result;
	uint32_t packets = 0;

	while ((result = capture_next(c, &record)) == CAPTURE_RECORD) {
		if (add_record(t, &record) < 0) {
			drb_error("%s: packet %u: out of memory", name, record.number);
			return -EINVAL;
		}
		packets++;
	}
	if (result == CAPTURE_REFUSED || (result == CAPTURE_CUT && (whole || packets == 0))) {
		drb_error("%s: %s", name, capture_wrong(c));
		return -EINVAL;
	}
	if (result == CAPTURE_CUT)
		drb_warn("%s: %s: only packets before it are used: %u packets", name,
			 capture_wrong(c), packets);
	return 0;
}

int trace_load(struct trace *t, const char *path, bool whole)
{
	const char *name = drb_file_name(path);
	FILE *in = drb_file_read(path);
	struct capture *c = in ? capture_new(in) : NULL;
	int rc = -EINVAL;

	if (!in)
		drb_error("%s: %s", name, drb_file_error(errno));
	else if (!c)
		drb_error("%s: out of memory", name);
	else
		rc = capture_load(t, name, c, whole);
	t->files++;
	capture_free(c);
	if (in)
		fclose(in);
	return rc;
}
