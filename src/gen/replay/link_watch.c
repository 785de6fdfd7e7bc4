// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/link_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"

// Between the moments, readings are at least EVERY_NS apart and take at most 1/SHARE of the time.
#define EVERY_NS UINT64_C(1000000000)
#define SHARE 100

// A reading waits at most this long for switches that do not answer. After that, the remaining
// switches count as gone, and are not asked again.
#define PATIENCE_NS UINT64_C(3000000000)

// A link that lost this share of the time between two readings is slowed.
#define SLOWED 0.01

// True if the link of a port has been slowed since the last reading.
static bool is_slowed(struct watched_port *p, const struct drb_port_counters *now, double passed_ns)
{
	double lost_ns = drb_real_of(watch_grown(p->lost_ns, now->lost_credit_ns));

	p->lost_ns = now->lost_credit_ns;
	return lost_ns > SLOWED * passed_ns;
}

static bool same_ports(struct watched_switch *s, uint32_t ports)
{
	if (!s->port) {
		s->port = calloc(ports, sizeof(*s->port));
		s->ports = s->port ? ports : 0;
	}
	return s->ports == ports;
}

static void moment_keep(struct watched_switch *s, const struct drb_switch_all *all,
			enum watch_moment moment)
{
	s->time_ns[moment] = all->time_ns;
	s->routing[moment] = all->routing.count;
	s->worker[moment] = all->worker.count;
	s->drops[moment] = all->drops;
	for (uint32_t i = 0; i < s->ports; i++) {
		struct watched_port *p = &s->port[i];
		const struct drb_switch_port *now = &all->ports[i];
		snprintf(p->name, sizeof(p->name), "%s", now->name);
		snprintf(p->peer, sizeof(p->peer), "%s", now->peer);
		snprintf(p->rate, sizeof(p->rate), "%.31s", now->rate);
		p->count[moment] = now->count;
	}
}

// Reads the counters of a switch, and keeps them if `moment` is a moment of enum watch_moment.
// Returns 1 if one of its links is slowed, and a negative number if it does not answer.
static int counters_read(struct link_watch *w, struct watched_switch *s, struct drb_telemetry *t,
			 enum watch_moment moment)
{
	double passed_ns = (double)(drb_clock_now() - w->looked_ns);
	struct drb_switch_all all;
	int rc = drb_read_all(t, &all), slowed = 0;

	if (rc < 0)
		return rc;
	if (!same_ports(s, all.port_count)) {
		drb_switch_all_free(&all);
		return -1;
	}
	for (uint32_t i = 0; i < s->ports; i++)
		slowed |= is_slowed(&s->port[i], &all.ports[i].count, passed_ns);
	if (moment < WATCH_MOMENTS)
		moment_keep(s, &all, moment);
	if (w->tree.layers == 0)
		w->tree = drb_info_tree(&all.info);
	drb_switch_all_free(&all);
	return slowed;
}

static int switch_read(struct link_watch *w, struct watched_switch *s, enum watch_moment moment)
{
	struct drb_telemetry t;
	int rc = drb_telemetry_open(&t, s->path, DRB_TELEMETRY_PROMPT_MS);

	if (rc < 0)
		return rc;
	rc = counters_read(w, s, &t, moment);
	drb_telemetry_close(&t);
	return rc;
}

static void watch_read(struct link_watch *w, enum watch_moment moment)
{
	uint64_t began_ns = drb_clock_now(), waited_ns = 0;
	bool slowed = false;

	for (size_t i = 0; i < w->count; i++) {
		struct watched_switch *s = &w->at[i];
		uint64_t asked_ns = drb_clock_now();
		int rc = s->gone ? 0 : waited_ns > PATIENCE_NS ? -1 : switch_read(w, s, moment);
		if (rc < 0)
			waited_ns += drb_clock_now() - asked_ns;
		s->gone |= rc < 0;
		slowed |= rc > 0;
	}
	if (slowed && !w->slowed_ns)
		w->slowed_ns = w->looked_ns;
	w->done |= 1U << moment;
	w->looked_ns = began_ns;
	w->look_ns = drb_clock_now() - began_ns;
}

void link_watch_begin(struct link_watch *w, const char *fabric)
{
	struct drb_switch_socket *socket;
	size_t sockets;

	*w = (struct link_watch){.done = 1U << WATCH_START};
	for (int m = 0; m < WATCH_MOMENTS; m++)
		w->due_ns[m] = UINT64_MAX;
	if (drb_telemetry_scan(NULL, fabric, &socket, &sockets) < 0)
		return;
	w->looked_ns = drb_clock_now();
	w->at = calloc(sockets + 1, sizeof(*w->at));
	for (size_t i = 0; w->at && i < sockets; i++) {
		struct watched_switch *s = &w->at[w->count];
		*s = (struct watched_switch){.layer = socket[i].layer, .label = socket[i].label};
		memcpy(s->instance, socket[i].instance, sizeof(s->instance));
		memcpy(s->path, socket[i].path, sizeof(s->path));
		uint64_t began_ns = drb_clock_now();
		if (switch_read(w, s, WATCH_START) >= 0)
			w->count++;
		else if (drb_clock_now() - began_ns > DRB_TELEMETRY_PROMPT_MS * UINT64_C(500000))
			break; // this switch is stuck, and others may be
	}
	free(socket);
}

void link_watch_plan(struct link_watch *w, const struct watch_slots *slots)
{
	w->due_ns[WATCH_BEGIN] = slots->start_ns + slots->slot_ns * slots->first;
	w->due_ns[WATCH_HALF] = slots->start_ns + slots->slot_ns * slots->end / 2;
	w->due_ns[WATCH_END] = slots->start_ns + slots->slot_ns * slots->end;
}

void link_watch_delay(struct link_watch *w, uint64_t ns)
{
	for (enum watch_moment m = WATCH_BEGIN; m < WATCH_DONE; m++)
		if (!(w->done & 1U << m) && w->due_ns[m] != UINT64_MAX)
			w->due_ns[m] += ns;
}

void link_watch_poll(struct link_watch *w)
{
	uint64_t now = drb_clock_now(), pause = w->look_ns * SHARE;

	for (enum watch_moment m = WATCH_BEGIN; m < WATCH_DONE; m++)
		if (now >= w->due_ns[m] && !(w->done & 1U << m))
			watch_read(w, m);
	if (now > w->looked_ns && now - w->looked_ns > (pause > EVERY_NS ? pause : EVERY_NS))
		watch_read(w, WATCH_MOMENTS);
}

void link_watch_sent(struct link_watch *w)
{
	for (enum watch_moment m = WATCH_BEGIN; m <= WATCH_END; m++)
		if (!(w->done & 1U << m))
			watch_read(w, m);
}

void link_watch_end(struct link_watch *w)
{
	link_watch_sent(w);
	watch_read(w, WATCH_DONE);
}

void link_watch_free(struct link_watch *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i].port);
	free(w->at);
	*w = (struct link_watch){0};
}
