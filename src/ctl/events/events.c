// SPDX-License-Identifier: BSD-3-Clause
// drbctl events: prints the events of all switches, one a line.

#include "ctl/verbs.h"

#include <stdio.h>
#include <time.h>

#include <jansson.h>

#include "common/cli/interrupt.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "ctl/ctl.h"
#include "ctl/events/changes.h"

struct events {
	struct ctl ctl;
	uint64_t interval_ns;
	uint64_t most, told; // events to print (0: no limit), and printed so far
	bool json;
};

#define AT(field) offsetof(struct events, field)

static const struct drb_option options[] = {
	{"--json", NULL, "Print one JSON object a line", .kind = DRB_OPTION_FLAG, AT(json)},
	{"--interval", "TIME", "Time between two polls of the switches (default 200ms)",
	 .kind = DRB_OPTION_TIME, AT(interval_ns), 10e6, .letter = 'i'},
	{"--count", "N", "End after so many events (default: never)", .kind = DRB_OPTION_U64,
	 AT(most), 1, .letter = 'c'},
	{0},
};

static void print_json(const struct ctl_event *event)
{
	json_t *line = json_pack("{s:I, s:s, s:s, s:s?, s:s, s:s, s:s}", "unix_ms",
				 (json_int_t)event->unix_ms, "fabric", event->fabric, "switch",
				 event->name, "port", event->port, "what", event->what, "before",
				 event->before, "after", event->after);

	if (!line)
		drb_die("out of memory");
	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
}

static void print_line(const struct ctl_event *event)
{
	time_t seconds = (time_t)(event->unix_ms / 1000);
	struct tm local;
	char clock[16];

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&seconds, &local));
	printf("%s.%03u %s-%s%s%s: %s ", clock, (unsigned)(event->unix_ms % 1000), event->fabric,
	       event->name, event->port ? "." : "", event->port ? event->port : "", event->what);
	printf("%s%s%s\n", event->before, *event->before ? " -> " : "",
	       *event->after ? event->after : "none");
}

static void print_event(const struct ctl_event *event, void *context)
{
	struct events *e = context;

	if (e->most && e->told == e->most)
		return;
	(e->json ? print_json : print_line)(event);
	if (fflush(stdout) != 0)
		exit(drb_finish(DRB_EXIT_FAILED));
	e->told++;
}

// Polls until interrupted, or until enough events are printed. Returns an exit code.
static int follow(struct events *e)
{
	struct metrics_poller poller = ctl_poller(&e->ctl);
	char text[CTL_STATES_TEXT_MAX];
	const struct timespec pause = {.tv_sec = (time_t)(e->interval_ns / 1000000000),
				       .tv_nsec = (long)(e->interval_ns % 1000000000)};
	struct ctl_look before = {0}, now = {0};
	int rc = metrics_poll(&poller, &before.poll);

	if (rc == 0) {
		ctl_states_count(&before.poll, text);
		drb_info("waiting for events of %s", text);
	}
	// The first poll is compared with itself. This sets `seen` and reports nothing.
	if (rc == 0 && ctl_compare(&before, &before, print_event, e) < 0)
		drb_die("out of memory");
	while (rc == 0 && !drb_interrupted() && !(e->most && e->told == e->most)) {
		nanosleep(&pause, NULL);
		rc = metrics_poll(&poller, &now.poll);
		if (rc == 0 && ctl_compare(&before, &now, print_event, e) < 0)
			drb_die("out of memory");
		ctl_look_free(&before);
		before = now;
		now = (struct ctl_look){0};
	}
	ctl_look_free(&before);
	metrics_poller_close(&poller);
	return rc < 0 ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}

int ctl_events(int argc, char **argv)
{
	struct events e = {.ctl = ctl_defaults(), .interval_ns = 200000000};
	const struct drb_options sets[] = {{.option = options, &e}, CTL_SET(&e.ctl), {0}};

	// The timeout is short, because the wait for one switch delays the events of all others.
	e.ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_options_parse(sets,
			  "Prints events of all switches, or of those of --fabric: the state of a "
			  "switch changes, or the state or neighbour of a port; a restart; a "
			  "reload; a new scheme or threshold; drops begin. Causes precede effects. "
			  "Ends on SIGINT or SIGTERM.",
			  argc, argv);
	drb_interrupt_catch(0);
	return follow(&e);
}
