// SPDX-License-Identifier: BSD-3-Clause
// drbctl record: records the live map to a file for playback.
#include "ctl/verbs.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cli/clock.h"
#include "common/cli/file.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "ctl/ctl.h"
#include "ctl/serve/page.h"
#include "ctl/serve/state.h"

struct options {
	struct ctl ctl;
	const char *path;
	uint64_t interval_ns, time_ns; // time_ns 0: until interrupted
	bool html;
};

#define AT(field) offsetof(struct options, field)

static const struct drb_option option_table[] = {
	{NULL, "FILE", NULL, .kind = DRB_OPTION_TEXT, AT(path)},
	{"--interval", "TIME", "Time between two polls of the switches (default 1s)",
	 .kind = DRB_OPTION_TIME, AT(interval_ns), 100e6, .letter = 'i'},
	{"--time", "TIME", "End after TIME (default: on SIGINT or SIGTERM)",
	 .kind = DRB_OPTION_TIME, AT(time_ns), 1e6, .letter = 't'},
	{"--html", NULL, "Write a page that contains and plays the recording",
	 .kind = DRB_OPTION_FLAG, AT(html)},
	{0},
};

// Inside a page, a script element ends at "</script". Therefore '<' is escaped in its JSON.
static void write_state(FILE *out, const char *json, bool html)
{
	for (const char *c = json; *c; c++) {
		if (html && *c == '<')
			fputs("\\u003c", out);
		else
			putc_unlocked(*c, out);
	}
	putc_unlocked('\n', out);
}

// Polls once and writes the state. Returns the number of switches that answered, or a negative
// errno.
static int state_record(struct metrics_poller *switches, const struct options *o, FILE *out)
{
	struct metrics_poll poll;
	int rc = metrics_poll(switches, &poll), up = 0;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < poll.count; i++)
		up += poll.switches[i].error == 0;
	char *json = serve_state_json(&poll);
	metrics_poll_free(&poll);
	if (!json)
		drb_die("out of memory");
	write_state(out, json, o->html);
	free(json);
	return up;
}

// Records until interrupted or the time is over. Returns DRB_EXIT_FAILED if no switch answers the
// first poll, or a poll fails.
static int record(const struct options *o, FILE *out)
{
	struct metrics_poller switches = ctl_poller(&o->ctl);
	uint64_t begin = drb_clock_now(), next = begin;
	uint64_t looks = 0;
	int rc = 0;

	if (o->html)
		page_begin_recording(out);
	while (!drb_interrupted() && (o->time_ns == 0 || next - begin <= o->time_ns)) {
		while (!drb_interrupted() && drb_clock_now() < next)
			drb_clock_sleep_until(next);
		if (drb_interrupted() || (rc = state_record(&switches, o, out)) < 0 ||
		    (looks == 0 && rc == 0))
			break;
		looks++;
		if (fflush(out) != 0) // makes an unfinished recording playable
			break;
		do
			next += o->interval_ns;
		while (next < drb_clock_now());
	}
	metrics_poller_close(&switches);
	if (o->html)
		page_end_recording(out);
	if (rc >= 0 && looks == 0)
		ctl_say_none(&o->ctl, NULL);
	else if (rc >= 0)
		drb_info("%s: %llu polls", o->path, (unsigned long long)looks);
	return rc < 0 || looks == 0 ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}

static int record_to_file(const struct options *o)
{
	FILE *out = drb_file_write(o->path);
	int code = record(o, out), written = drb_file_written(out, o->path);

	return written == DRB_EXIT_OK ? code : written;
}

int ctl_record(int argc, char **argv)
{
	struct options o = {.ctl = ctl_defaults(), .interval_ns = 1000000000};
	const struct drb_options sets[] = {{.option = option_table, &o}, CTL_SET(&o.ctl), {0}};

	o.ctl.timeout_ms = METRICS_TIMEOUT_MS;
	drb_options_parse(
		sets,
		"Records the counters of all running switches, or of those of --fabric, as one "
		"JSON object per poll. The page of drbctl serve can play FILE. With --html, FILE "
		"is a page that needs no server.",
		argc, argv);
	if (!o.path)
		drb_die("a file to write is missing; - is standard output");
	drb_interrupt_catch(0);
	return record_to_file(&o);
}
