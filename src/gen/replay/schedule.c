// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/schedule.h"

uint64_t schedule_time(const struct schedule *s, const struct trace *t, uint64_t k)
{
	long double ns = 0;

	switch (s->mode) {
	case SCHEDULE_TIMES: {
		uint64_t loop = k / t->count;
		int64_t first = t->packet[0].time_ns, last = t->packet[t->count - 1].time_ns;
		ns = (long double)t->packet[k % t->count].time_ns;
		if (loop > 0 && t->count > 1) {
			long double period = (long double)(last - first) * (long double)t->count /
					     (long double)(t->count - 1);
			ns += (long double)loop * period;
		}
		ns /= (long double)s->multiplier;
		break;
	}
	case SCHEDULE_RATE:
		ns = (long double)k * 1e9L / (long double)s->rate;
		break;
	case SCHEDULE_TOPSPEED:
		break;
	}
	return ns < (long double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
}
