// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/cli/clock.h"

#define REDRAW_NS UINT64_C(200000000)
#define SECOND 1e9

void drb_progress_begin(struct drb_progress *p, const char *what, uint64_t total)
{
	uint64_t now = drb_clock_now();

	*p = (struct drb_progress){
		.what = what, .total = total, .shown = isatty(2), .start_ns = now, .last_ns = now};
	if (p->shown)
		fprintf(stderr, "\r\033[K%s ...", what);
}

void drb_progress_update(struct drb_progress *p, uint64_t done)
{
	if (!p->shown)
		return;
	uint64_t now = drb_clock_now();
	if (now - p->last_ns < REDRAW_NS)
		return;
	p->last_ns = now;
	double passed = (double)(now - p->start_ns) / SECOND;
	if (p->total == 0 || done == 0) {
		fprintf(stderr, "\r\033[K%s: %" PRIu64 ", %.0f s", p->what, done, passed);
		return;
	}
	double share = done < p->total ? (double)done / (double)p->total : 1;
	fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s left", p->what, 100 * share,
		passed / share - passed);
}

void drb_progress_hide(struct drb_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->last_ns = 0;
}

void drb_progress_end(struct drb_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
