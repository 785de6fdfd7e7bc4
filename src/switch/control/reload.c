// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/reload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "switch/control/link_rates.h"
#include "switch/control/reconfigure.h"
#include "switch/control/switch.h"
#include "switch/datapath/changes.h"
#include "switch/startup/broker.h"
#include "switch/startup/log_file.h"

#define KEPT_MAX 1024
// Most requests at once, the current one included.
#define REQUESTS_MAX 64
// No config is longer (common/config/text.c).
#define TEXT_MAX (64 << 10)

enum kind { RELOAD, SET, LINK_RATES };

// Everything that a request needs until it is done.
struct drb_reload_request {
	struct drb_switch *s;
	enum kind kind;
	char settings[1024];               // of SET: the text
	struct drb_settings named, wanted; // from this text; from all since the reload
	drb_reload_done *done;
	void *context;
	int fd; // the config, opened by the broker; or -errno
	char kept[KEPT_MAX];
	struct drb_setup setup; // the new setup
	struct drb_change change;
	uint32_t made; // entries of worker[] that are made
	struct drb_reconfigure worker[DRB_WORKERS_MAX];
	STAILQ_ENTRY(drb_reload_request) link;
};

static void begin_next(struct drb_switch *s);

// Notifies the service manager that a reload begins now.
static void say_reloading(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	drb_broker_notify("RELOADING=1\nMONOTONIC_USEC=%lld",
			  (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

static void free_request(struct drb_reload_request *r)
{
	while (r->made > 0)
		drb_reconfigure_free(&r->worker[--r->made]);
	free(r);
}

// Ends the request: the last message is its result, which the service manager receives, too.
static void reload_end(struct drb_reload_request *r, int rc)
{
	struct drb_switch *s = r->s;
	char text[1024];

	STAILQ_REMOVE_HEAD(&s->reload.requests, link);
	snprintf(text, sizeof(text), "%s", drb_msg_last());
	if (r->kind != LINK_RATES)
		drb_broker_notify("READY=1\nSTATUS=%s%s", rc < 0 ? "not reloaded: " : "", text);
	if (r->done)
		r->done(r->context, rc, text);
	free_request(r);
	begin_next(s);
}

static void apply(struct drb_worker *w, uint32_t n, void *request)
{
	drb_reconfigure_apply(w, &((struct drb_reload_request *)request)->worker[n]);
}

static void say_done(const struct drb_reload_request *r, const struct drb_setup *before)
{
	const struct drb_setup *now = &r->setup;
	const char *restart = *r->kept ? "; needs a restart: " : "";
	char changes[KEPT_MAX];

	if (r->kind == LINK_RATES) {
		drb_link_rates_say(before, now);
	} else if (r->kind == RELOAD) {
		drb_info("%s reloaded: scheme %s, unit %s, T %s%g%s%s", now->instance,
			 now->scheme.text, drb_unit_name(now->unit),
			 now->threshold_auto ? DRB_THRESHOLD_AUTO ", first " : "", now->threshold,
			 restart, r->kept);
	} else {
		drb_settings_describe(&r->named, before, now, changes, sizeof(changes));
		drb_info("%s: %s%s%s", now->instance, changes, restart, r->kept);
	}
}

static void has_changed(void *request, int rc)
{
	struct drb_reload_request *r = request;
	struct drb_switch *s = r->s;

	if (rc < 0) {
		drb_error("%s: %s", s->config, DRB_CHANGE_FAILED);
	} else {
		say_done(r, &s->setup);
		s->setup = r->setup;
		s->reload.count += r->kind == RELOAD;
		if (r->kind != LINK_RATES)
			s->reload.in_force = r->wanted;
	}
	reload_end(r, rc);
}

// Makes the parts for every worker before any worker changes.
static void change_workers(struct drb_reload_request *r)
{
	struct drb_switch *s = r->s;
	int rc = 0;

	while (rc == 0 && r->made < s->workers.count) {
		rc = drb_reconfigure_make(&r->worker[r->made], &s->workers.worker[r->made],
					  &s->setup, &r->setup);
		r->made += rc == 0;
	}
	if (rc < 0) {
		drb_config_bad(s->config,
			       r->setup.unit != s->setup.unit ? "routing.unit" : "link.queue",
			       "no memory for it while the switch runs: %s", strerror(-rc));
		reload_end(r, rc);
		return;
	}
	r->change = (struct drb_change){.make = apply, .done = has_changed, .context = r};
	drb_change_post(&s->workers, &r->change);
}

// Begins a new log if the old one was renamed.
static void open_log(void)
{
	const int fd = drb_broker_open_log();

	if (fd >= 0)
		drb_log_file_take(fd);
	else if (fd != -ENXIO && fd != -ECHILD)
		drb_warn("%s: cannot be opened again: %s", drb_log_file_name(), strerror(-fd));
}

static void open_config(void *request)
{
	struct drb_reload_request *r = request;
	char text[TEXT_MAX];

	if (r->kind == RELOAD)
		open_log();
	r->fd = drb_broker_open_config();
	if (r->fd >= 0) // wait for the disk in this thread, not later in the event loop
		(void)!pread(r->fd, text, sizeof(text), 0);
}

// Prints why the config cannot be read. A pipe, for instance, was already read to its end.
static void say_unreadable(const struct drb_reload_request *r)
{
	drb_error("%s: %s", r->s->config,
		  r->fd == -ENXIO    ? "cannot be reloaded: not a regular file"
		  : r->fd == -ECHILD ? DRB_BROKER_GONE
				     : strerror(-r->fd));
}

static void take_config(void *request)
{
	struct drb_reload_request *r = request;
	struct drb_switch *s = r->s;
	struct drb_config_override override = *s->override;

	override.settings = &r->wanted;
	override.fd = &r->fd;
	if (r->fd < 0)
		say_unreadable(r);
	if (r->fd < 0 || drb_config_load(s->config, &override, &r->setup) < 0 ||
	    drb_settings_check(&r->named, &r->setup) < 0 ||
	    drb_config_keep(s->config, &s->setup, &r->setup, r->kept, KEPT_MAX) < 0) {
		reload_end(r, -EINVAL);
		return;
	}
	drb_link_rates_fill(&s->workers, &r->setup);
	change_workers(r);
}

static void reload_begin(struct drb_reload_request *r)
{
	struct drb_switch *s = r->s;

	if (r->kind == LINK_RATES) {
		r->setup = s->setup;
		if (drb_link_rates_fill(&s->workers, &r->setup))
			change_workers(r);
		else
			reload_end(r, 0);
		return;
	}
	say_reloading();
	if (r->kind == SET) {
		r->wanted = s->reload.in_force;
		if (drb_settings_add(&r->wanted, r->settings) < 0) {
			reload_end(r, -EINVAL);
			return;
		}
	}
	drb_background_run(&s->background, open_config, take_config, r);
}

// NULL, with a message printed: too many requests, or no memory.
static struct drb_reload_request *new_request(struct drb_switch *s, enum kind kind)
{
	struct drb_reload_request *r = STAILQ_FIRST(&s->reload.requests);
	uint32_t count = 0;

	for (; r; r = STAILQ_NEXT(r, link))
		count++;
	r = count < REQUESTS_MAX ? calloc(1, sizeof(*r)) : NULL;
	if (!r) {
		drb_error("%s: not reloaded: %s", s->config,
			  count < REQUESTS_MAX ? "no memory" : "too many reloads wait: try again");
		return NULL;
	}
	r->s = s;
	r->kind = kind;
	return r;
}

static void queue(struct drb_reload_request *r, drb_reload_done *done, void *context)
{
	struct drb_reload *all = &r->s->reload;
	const bool first = STAILQ_EMPTY(&all->requests);

	r->done = done;
	r->context = context;
	STAILQ_INSERT_TAIL(&all->requests, r, link);
	if (first)
		reload_begin(r);
}

static void begin_next(struct drb_switch *s)
{
	if (!STAILQ_EMPTY(&s->reload.requests))
		reload_begin(STAILQ_FIRST(&s->reload.requests));
}

static void reload_refuse(drb_reload_done *done, void *context)
{
	if (done)
		done(context, -EINVAL, drb_msg_last());
}

// True if a reload by a signal is waiting, which serves later signals, too.
static bool waits(const struct drb_switch *s)
{
	const struct drb_reload_request *r = STAILQ_FIRST(&s->reload.requests);

	while (r && (r = STAILQ_NEXT(r, link))) {
		if (r->kind == RELOAD && !r->done)
			return true;
	}
	return false;
}

void drb_reload(struct drb_switch *s, drb_reload_done *done, void *context)
{
	struct drb_reload_request *r = NULL;

	if (!done && waits(s))
		return;
	r = new_request(s, RELOAD);
	if (r)
		queue(r, done, context);
	else
		reload_refuse(done, context);
}

void drb_reload_set(struct drb_switch *s, const char *settings, drb_reload_done *done,
		    void *context)
{
	struct drb_reload_request *r = new_request(s, SET);

	if (r && drb_settings_add(&r->named, settings) == 0) {
		snprintf(r->settings, sizeof(r->settings), "%s", settings);
		queue(r, done, context);
		return;
	}
	free(r);
	reload_refuse(done, context);
}

void drb_reload_link_rates(struct drb_switch *s)
{
	struct drb_reload_request *r;

	if (!STAILQ_EMPTY(&s->reload.requests) || drb_workers_stuck(&s->workers) >= 0)
		return; // the next period tries again
	r = new_request(s, LINK_RATES);
	if (r)
		queue(r, NULL, NULL);
}

int drb_reload_open(struct drb_switch *s)
{
	STAILQ_INIT(&s->reload.requests);
	return 0;
}

void drb_reload_close(struct drb_switch *s)
{
	struct drb_reload_request *r;

	while ((r = STAILQ_FIRST(&s->reload.requests))) {
		STAILQ_REMOVE_HEAD(&s->reload.requests, link);
		if (r->done)
			r->done(r->context, -ECANCELED, "the switch ends");
		free_request(r);
	}
}
