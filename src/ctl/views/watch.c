// SPDX-License-Identifier: BSD-3-Clause
// drbctl watch: prints the rates of every switch, once an interval.

#include "ctl/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/views/hot_spots.h"

#define LINES_BESIDE 4 // lines for titles, idle switches left out, hot spots and the cursor
#define CLEAR_SCREEN "\033[H\033[2J"

// A reading of a switch, and sums over its ports.
struct sample {
	struct drb_switch_all all; // owned
	char fabric[DRB_NAME_MAX], name[DRB_NAME_MAX];
	uint64_t pid, time_ns;
	uint64_t in_packets, out_packets, out_octets;
	uint64_t dropped; // dropped or missed, without multicast that no switch answers
	uint64_t up_default, up_redirected;
	uint64_t deepest;                // packets in the longest queue
	char deepest_port[DRB_NAME_MAX]; // "" if all are empty
};

struct samples {
	struct sample *at;
	size_t count, room;
};

struct watch {
	struct ctl ctl;
	uint64_t interval_ns, rounds; // rounds 0: until interrupted
	struct samples before, now;
};

static int take_sample(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct samples *samples = &((struct watch *)arg)->now;
	struct sample sample = {.pid = info->pid};
	int rc = drb_read_all(t, &sample.all);

	if (rc < 0)
		return rc;
	snprintf(sample.fabric, sizeof(sample.fabric), "%s", info->fabric);
	snprintf(sample.name, sizeof(sample.name), "%s", info->name);
	sample.time_ns = sample.all.time_ns;
	sample.up_default = sample.all.routing.count.up_default;
	sample.up_redirected = sample.all.routing.count.up_redirected;
	for (uint32_t i = 0; i < sample.all.port_count; i++) {
		const struct drb_port_counters *c = &sample.all.ports[i].count;
		sample.in_packets = drb_sum(sample.in_packets, c->in_packets);
		sample.out_packets = drb_sum(sample.out_packets, c->out_packets);
		sample.out_octets = drb_sum(sample.out_octets, c->out_octets);
		sample.dropped = drb_sum(drb_sum(sample.dropped, c->in_missed),
					 drb_sum(c->in_discards, c->out_discards));
		if (c->queue_packets == DRB_UNKNOWN) {
			sample.deepest = DRB_UNKNOWN;
		} else if (c->queue_packets > sample.deepest) {
			sample.deepest = c->queue_packets;
			snprintf(sample.deepest_port, sizeof(sample.deepest_port), "%s",
				 sample.all.ports[i].name);
		}
	}
	const uint64_t multicast = sample.all.drops.reason[DRB_DROP_multicast];
	if (multicast != DRB_UNKNOWN && sample.dropped != DRB_UNKNOWN)
		sample.dropped -= multicast; // which is counted among discards
	if (samples->count == samples->room) {
		samples->room = samples->room ? 2 * samples->room : 64;
		struct sample *more = realloc(samples->at, samples->room * sizeof(*more));
		if (!more)
			abort();
		samples->at = more;
	}
	samples->at[samples->count++] = sample;
	return 0;
}

// The previous sample of the same process; NULL if it has started since.
static const struct sample *sample_before(const struct samples *before, const struct sample *now)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct sample *b = &before->at[i];
		if (b->pid == now->pid && strcmp(b->name, now->name) == 0 &&
		    strcmp(b->fabric, now->fabric) == 0 && now->time_ns > b->time_ns &&
		    now->in_packets >= b->in_packets && now->out_packets >= b->out_packets)
			return b;
	}
	return NULL;
}

static bool is_idle(const struct sample *b, const struct sample *now)
{
	return b && now->in_packets == b->in_packets && now->out_packets == b->out_packets &&
	       now->dropped == b->dropped && now->deepest == 0;
}

// The number of rows that fit on the screen.
static size_t rows_of_screen(void)
{
	struct winsize size = {0};

	if (drb_table_is_wide() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
	    size.ws_row <= LINES_BESIDE)
		return SIZE_MAX;
	return size.ws_row - LINES_BESIDE;
}

static uint64_t grown(uint64_t before, uint64_t now)
{
	return before == DRB_UNKNOWN || now == DRB_UNKNOWN ? DRB_UNKNOWN : now - before;
}

static void print_sample(struct drb_table *rows, const struct watch *w, const struct sample *now,
			 struct hot_spots *hot)
{
	const struct sample *b = sample_before(&w->before, now);
	double slowed = b ? hot_spots_add(hot, &b->all, &now->all) : NAN;
	double seconds = b ? drb_difference(b->time_ns, now->time_ns) / 1e9 : NAN;
	struct sample zero = {0};

	b = b ? b : &zero;
	drb_table_real(rows, "time_s", "", 3, drb_real_of(now->time_ns) / 1e9);
	drb_table_text(rows, "fabric", w->ctl.fabric ? "" : NULL, now->fabric);
	drb_table_text(rows, "switch", NULL, now->name);
	drb_table_real(rows, "in_pps", "in pkt/s", 0,
		       drb_difference(b->in_packets, now->in_packets) / seconds);
	drb_table_real(rows, "out_pps", "out pkt/s", 0,
		       drb_difference(b->out_packets, now->out_packets) / seconds);
	drb_table_count(rows, "queue_deepest", "queue", now->deepest);
	drb_table_text(rows, "queue_port", "at", now->deepest_port);
	drb_table_real(rows, "redirected_percent", "redirected %", 1,
		       isnan(seconds) ? NAN
				      : ctl_percent(grown(b->up_redirected, now->up_redirected),
						    grown(b->up_default, now->up_default)));
	drb_table_real(rows, "drops_pps", "drops/s", 0,
		       drb_difference(b->dropped, now->dropped) / seconds);
	drb_table_count(rows, "drops", NULL, now->dropped);
	drb_table_real(rows, "out_mbit", "out Mbit/s", 3,
		       drb_difference(b->out_octets, now->out_octets) * 8e-6 / seconds);
	drb_table_real(rows, "slowed_percent", "", 1, 100 * slowed);
	drb_table_row_end(rows);
}

static void samples_forget(struct samples *samples)
{
	for (size_t i = 0; i < samples->count; i++)
		drb_switch_all_free(&samples->at[i].all);
	samples->count = 0;
}

static void sleep_until(uint64_t ns)
{
	while (!drb_interrupted() && drb_clock_now() < ns)
		drb_clock_sleep_until(ns);
}

// Prints tables until interrupted or all rounds are done. Rounds start at fixed times; if one takes
// longer than the interval, the times that it missed are skipped.
static int rounds_watch(struct watch *w)
{
	bool screen = isatty(STDOUT_FILENO) && w->ctl.format == DRB_FORMAT_TABLE;
	struct drb_table *stream = NULL;
	uint64_t next = drb_clock_now();
	int code = ctl_each(&w->ctl, w->ctl.names.at, w->ctl.names.count, take_sample, w);

	// No switch at the start is an error. Later it is not: all may be restarting.
	if (code != DRB_EXIT_OK && w->ctl.names.count == 0 && w->now.count == 0)
		return code;
	if (w->ctl.format != DRB_FORMAT_TABLE)
		stream = drb_table_new(stdout, w->ctl.format);
	for (uint64_t round = 0; !drb_interrupted() && (w->rounds == 0 || round < w->rounds);
	     round++) {
		struct samples old = w->before;
		w->before = w->now;
		w->now = old;
		samples_forget(&w->now);
		do {
			next += w->interval_ns;
		} while (next < drb_clock_now());
		sleep_until(next);
		if (drb_interrupted())
			break;
		code = ctl_each(&w->ctl, w->ctl.names.at, w->ctl.names.count, take_sample, w);
		struct hot_spots hot = {0};
		struct drb_table *rows = stream ? stream : drb_table_new(stdout, w->ctl.format);
		if (screen)
			fputs(CLEAR_SCREEN, stdout);
		size_t left_out = 0;
		bool all = !screen || w->now.count <= rows_of_screen();
		for (size_t i = 0; i < w->now.count; i++) {
			const struct sample *now = &w->now.at[i];
			if (!all && is_idle(sample_before(&w->before, now), now))
				left_out++;
			else
				print_sample(rows, w, now, &hot);
		}
		if (!stream) {
			drb_table_end(rows);
			if (left_out)
				printf("%zu idle switches left out (--wide shows all)\n", left_out);
			hot_spots_print(&hot);
			if (!screen)
				putchar('\n');
		}
		if (fflush(stdout) != 0)
			break;
	}
	if (stream)
		drb_table_end(stream);
	return code;
}

int ctl_watch(int argc, char **argv)
{
	static const struct drb_option options[] = {
		{NULL, "[SWITCH...]", NULL, .kind = DRB_OPTION_REST,
		 offsetof(struct watch, ctl.names)},
		{"--interval", "TIME", "Time between two tables (default 1s)",
		 .kind = DRB_OPTION_TIME, offsetof(struct watch, interval_ns), 10e6, 86400e9,
		 .letter = 'i'},
		{"--count", "N", "End after N tables (default: when interrupted)",
		 .kind = DRB_OPTION_U64, offsetof(struct watch, rounds), 1, .letter = 'c'},
		{0},
	};
	struct watch w = {.ctl = ctl_defaults(), .interval_ns = 1000000000};
	const struct drb_options sets[] = {{.option = options, &w}, CTL_TABLE_SETS(&w.ctl), {0}};

	drb_options_parse(
		sets,
		"Prints a table once an interval: rates of each switch, its deepest queue now, "
		"the share of upward packets redirected, drops. Full links follow, first those "
		"whose switch woke too late to send at their rate. Without SWITCH: every running "
		"switch, or every one of --fabric. On a terminal, each table replaces the last.",
		argc, argv);
	drb_interrupt_catch(0);
	int code = rounds_watch(&w);
	samples_forget(&w.before);
	samples_forget(&w.now);
	free(w.before.at);
	free(w.now.at);
	return code;
}
