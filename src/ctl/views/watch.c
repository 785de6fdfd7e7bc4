// SPDX-License-Identifier: BSD-3-Clause
// drbctl watch: prints the rates of every switch, once an interval.

#include "ctl/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/views/hot_spots.h"
#include "ctl/views/sample.h"

#define LINES_BESIDE 6 // titles, switches left out, hot spots, the fabric, wrapped lines, cursor
#define CLEAR_SCREEN "\033[H\033[2J"
#define SLOW 0.1 // share of time lost for want of CPU time, from which a switch counts as slow

struct watch {
	struct ctl ctl;
	uint64_t interval_ns, rounds; // rounds 0: until interrupted
	struct metrics_poller poller;
	struct samples before, now;
	struct drb_table *stream; // of CSV and JSON; NULL: each round prints a table
	bool screen;              // each table replaces the last
};

// A row: a sample, and the changes since the previous sample.
struct change {
	const struct sample *now;
	double seconds; // NaN: there is no sample before, and no rate
	double in, out, octets, delivered, dropped, redirected, kept; // growth
	double slowed; // largest share of time that a link of the switch lost
};

static struct change change_of(const struct watch *w, const struct sample *now,
			       struct hot_spots *hot)
{
	const struct sample *b = sample_before(&w->before, now);

	if (!b)
		return (struct change){now, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	return (struct change){
		.now = now,
		.seconds = drb_difference(b->who->all.time_ns, now->who->all.time_ns) / 1e9,
		.in = drb_difference(b->in_packets, now->in_packets),
		.out = drb_difference(b->out_packets, now->out_packets),
		.octets = drb_difference(b->out_octets, now->out_octets),
		.delivered = drb_difference(b->delivered, now->delivered),
		.dropped = drb_difference(b->dropped, now->dropped),
		.redirected = drb_difference(b->up_redirected, now->up_redirected),
		.kept = drb_difference(b->up_default, now->up_default),
		.slowed = hot_spots_add(hot, &b->who->all, &now->who->all)};
}

// The number of rows that fit on the screen.
static size_t rows_of_screen(const struct watch *w)
{
	struct winsize size = {0};

	if (!w->screen || drb_table_is_wide() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
	    size.ws_row <= LINES_BESIDE)
		return SIZE_MAX;
	return size.ws_row - LINES_BESIDE;
}

static int by_number(double a, double b)
{
	return a > b ? -1 : a < b;
}

// Orders switches: those in a bad state first, then by drops, queues and rates.
static int by_importance(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	const bool bad_x = ctl_state_is_bad(x->now->who->state),
		   bad_y = ctl_state_is_bad(y->now->who->state);
	int order = bad_x != bad_y ? (bad_x ? -1 : 1) : 0;

	order = order ? order : by_number(x->dropped, y->dropped);
	order = order ? order
		      : by_number(drb_real_of(x->now->deepest), drb_real_of(y->now->deepest));
	return order ? order : by_number(x->in, y->in);
}

static void print_row(struct drb_table *rows, const struct watch *w, const struct change *c)
{
	const struct sample *now = c->now;
	const struct metrics_switch *who = now->who;
	const uint64_t time_ns = who->error < 0 ? w->now.poll.time_ns : who->all.time_ns;

	drb_table_real(rows, "time_s", "", 3, drb_real_of(time_ns) / 1e9);
	drb_table_text(rows, "fabric", metrics_is_one_fabric(&w->now.poll) ? "" : NULL,
		       who->fabric);
	drb_table_text(rows, "switch", NULL, who->name);
	drb_table_bad(rows, ctl_state_stands_out(who->state));
	drb_table_text(rows, "state", NULL, ctl_state_word(who->state));
	drb_table_real(rows, "in_pps", "in pkt/s", 0, c->in / c->seconds);
	drb_table_real(rows, "out_pps", "out pkt/s", 0, c->out / c->seconds);
	drb_table_count(rows, "queue_deepest", "queue", now->deepest);
	drb_table_text(rows, "queue_port", "at", now->deepest_port);
	drb_table_real(rows, "redirected_percent", "redirected %", 1,
		       100 * c->redirected / (c->redirected + c->kept));
	drb_table_bad(rows, c->dropped > 0);
	drb_table_real(rows, "drops_pps", "drops/s", 0, c->dropped / c->seconds);
	drb_table_count(rows, "drops", NULL, now->dropped);
	drb_table_real(rows, "out_mbit", "out Mbit/s", 3, c->octets * 8e-6 / c->seconds);
	drb_table_real(rows, "slowed_percent", "", 1, 100 * c->slowed);
	drb_table_row_end(rows);
}

// Prints a line about all switches: "20 switches: 19 running, 1 dead; 9120 pkt/s to hosts, ...".
static void print_sum(const struct watch *w, const struct change *changes)
{
	double delivered = 0, dropped = 0, redirected = 0, kept = 0;
	char text[CTL_STATES_TEXT_MAX];

	for (size_t i = 0; i < w->now.poll.count; i++) {
		const struct change *c = &changes[i];
		if (isnan(c->seconds))
			continue;
		delivered += c->delivered / c->seconds;
		dropped += c->dropped / c->seconds;
		redirected += c->redirected / c->seconds;
		kept += c->kept / c->seconds;
	}
	ctl_states_count(&w->now.poll, text);
	printf("%s; %.0f pkt/s to hosts, ", text, delivered);
	if (redirected + kept > 0)
		printf("%.1f %% redirected, ", 100 * redirected / (redirected + kept));
	printf("%.0f drops/s\n", dropped);
}

static void print_table(const struct watch *w, struct change *changes, const struct hot_spots *hot)
{
	const size_t count = w->now.poll.count, most = rows_of_screen(w);
	struct drb_table *rows = w->stream ? w->stream : drb_table_new(stdout, w->ctl.format);

	if (w->screen)
		fputs(CLEAR_SCREEN, stdout);
	if (count > most)
		qsort(changes, count, sizeof(*changes), by_importance);
	for (size_t i = 0; i < count && i < most; i++)
		print_row(rows, w, &changes[i]);
	if (w->stream)
		return;
	drb_table_end(rows);
	if (count > most)
		printf("and %zu more (--wide shows all)\n", count - most);
	hot_spots_print(hot);
	print_sum(w, changes);
	if (!w->screen)
		putchar('\n');
}

// Polls, and prints what changed since the last poll.
static int round_print(struct watch *w)
{
	int code = ctl_poll(&w->ctl, &w->poller, &w->now.poll);
	struct hot_spots hot = {0};

	samples_take(&w->now);
	const size_t count = w->now.poll.count;
	struct change *changes = calloc(count ? count : 1, sizeof(*changes));
	if (!changes)
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++) {
		changes[i] = change_of(w, &w->now.at[i], &hot);
		if (changes[i].slowed >= SLOW && w->now.poll.switches[i].state == CTL_STATE_running)
			w->now.poll.switches[i].state = CTL_STATE_slow;
	}
	if (count)
		print_table(w, changes, &hot);
	free(changes);
	return code;
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
	uint64_t next = drb_clock_now();
	int code = ctl_poll(&w->ctl, &w->poller, &w->now.poll);

	samples_take(&w->now);
	// If no switch runs at the start, this is an error. Later it is none, because all may be
	// restarting.
	if (w->now.poll.count == 0)
		return code;
	w->screen = isatty(STDOUT_FILENO) && w->ctl.format == DRB_FORMAT_TABLE;
	if (w->ctl.format != DRB_FORMAT_TABLE)
		w->stream = drb_table_new(stdout, w->ctl.format);
	for (uint64_t round = 0; !drb_interrupted() && (w->rounds == 0 || round < w->rounds);
	     round++) {
		samples_free(&w->before);
		w->before = w->now;
		w->now = (struct samples){0};
		do {
			next += w->interval_ns;
		} while (next < drb_clock_now());
		sleep_until(next);
		if (drb_interrupted())
			break;
		code = round_print(w);
		if (fflush(stdout) != 0)
			break;
	}
	if (w->stream)
		drb_table_end(w->stream);
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
		"whose switch woke too late to send at their rate, then a line for all switches. "
		"Without SWITCH: every switch, or every one of --fabric. On a terminal, each table "
		"replaces the last; if not all fit, it has the worst.",
		argc, argv);
	drb_interrupt_catch(0);
	w.poller = ctl_poller(&w.ctl);
	int code = rounds_watch(&w);
	samples_free(&w.before);
	samples_free(&w.now);
	metrics_poller_close(&w.poller);
	return code;
}
