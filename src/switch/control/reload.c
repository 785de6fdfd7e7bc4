// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/reload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "switch/control/link_rates.h"
#include "switch/control/reconfigure.h"
#include "common/config/complaint.h"
#include "common/config/settings.h"
#include "common/cli/log.h"
#include "switch/control/switch.h"
#include "switch/startup/broker.h"

#define KEPT_MAX 1024

// A pipe, for instance, was read to its end.
static int check_readable_again(const char *path)
{
	int fd = drb_broker_open_config(path);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	drb_error("%s: %s", path,
		  fd == -ENXIO    ? "cannot be reloaded: not a regular file"
		  : fd == -ECHILD ? DRB_BROKER_GONE
				  : strerror(-fd));
	return -EINVAL;
}

// What all workers get.
struct change {
	struct drb_setup setup;
	uint32_t made; // of these
	struct drb_reconfigure worker[DRB_WORKERS_MAX];
};

static void apply(struct drb_worker *w, void *change)
{
	drb_reconfigure_apply(w, &((struct change *)change)->worker[w->number]);
}

static int make(struct change *c, const struct drb_switch *s)
{
	const struct drb_workers *all = &s->workers;
	int rc = 0;

	while (rc == 0 && c->made < all->count) {
		rc = drb_reconfigure_make(&c->worker[c->made], &all->worker[c->made], &s->setup,
					  &c->setup);
		c->made += rc == 0;
	}
	return rc;
}

static void free_change(struct change *c)
{
	while (c->made > 0)
		drb_reconfigure_free(&c->worker[--c->made]);
	free(c);
}

// Makes what every worker needs before any of them changes.
static int change_workers(struct drb_switch *s, const struct drb_setup *to)
{
	struct change *c = calloc(1, sizeof(*c));
	int rc = -ENOMEM;

	if (c) {
		c->setup = *to;
		rc = make(c, s);
	}
	if (rc == -ENOMEM)
		drb_config_bad(s->config, to->unit != s->setup.unit ? "routing.unit" : "link.queue",
			       "no memory for it while the switch runs: reduce "
			       "routing.flow_max or restart");
	if (rc == 0)
		rc = drb_workers_apply(&s->workers, apply, c);
	if (rc == -EINPROGRESS) // it holds, and the worker that got stuck will use it
		return 0;
	if (rc == -ETIMEDOUT)
		drb_error("%s: %s", s->config, DRB_APPLY_FAILED);
	if (c)
		free_change(c);
	return rc;
}

// named: of the settings, those of this order.
static int reload_config(struct drb_switch *s, struct drb_setup *setup,
			 const struct drb_settings *settings, const struct drb_settings *named,
			 char kept[KEPT_MAX])
{
	struct drb_config_override override = *s->override;

	override.settings = settings;
	override.open = drb_broker_open_config;
	if (check_readable_again(s->config) < 0 ||
	    drb_config_load(s->config, &override, setup) < 0 ||
	    drb_settings_check(named, setup) < 0 ||
	    drb_config_keep(s->config, &s->setup, setup, kept, KEPT_MAX) < 0)
		return -EINVAL;
	drb_link_rates_fill(&s->workers, setup);
	return change_workers(s, setup);
}

int drb_reload_link_rates(struct drb_switch *s)
{
	static struct drb_setup setup;

	if (drb_workers_stuck(&s->workers) >= 0)
		return -ETIMEDOUT; // which is said already
	setup = s->setup;
	if (!drb_link_rates_fill(&s->workers, &setup))
		return 0;
	int rc = change_workers(s, &setup);
	if (rc == 0) {
		drb_link_rates_say(&s->setup, &setup);
		s->setup = setup;
	}
	return rc;
}

// Tells the service manager that a reload begins now.
static void say_reloading(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		   (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

// Text for an order that failed or is done, for who gave it and for the service manager.
static int reloaded(int rc, char *text, size_t size)
{
	snprintf(text, size, "%s", drb_msg_last());
	sd_notifyf(0, "READY=1\nSTATUS=%s%s", rc < 0 ? "not reloaded: " : "", text);
	return rc;
}

static const char *restart_needed(const char *kept)
{
	return *kept ? "; needs a restart: " : "";
}

int drb_reload(struct drb_switch *s, char *text, size_t size)
{
	static const struct drb_settings none;
	static struct drb_setup setup;
	char kept[KEPT_MAX] = "";

	say_reloading();
	int rc = reload_config(s, &setup, &none, &none, kept);
	if (rc == 0) {
		s->setup = setup;
		s->reload.in_force = none;
		s->reload.count++;
		drb_info("%s reloaded: scheme %s, unit %s, T %s%g%s%s", setup.instance,
			 setup.scheme.text, drb_unit_name(setup.unit),
			 setup.threshold_auto ? DRB_THRESHOLD_AUTO ", first " : "", setup.threshold,
			 restart_needed(kept), kept);
	}
	return reloaded(rc, text, size);
}

int drb_reload_set(struct drb_switch *s, const char *settings, char *text, size_t size)
{
	static struct drb_setup setup;
	struct drb_settings named = {0}, wanted = s->reload.in_force;
	char kept[KEPT_MAX] = "", changes[KEPT_MAX];

	if (drb_settings_add(&named, settings) < 0 || drb_settings_add(&wanted, settings) < 0) {
		snprintf(text, size, "%s", drb_msg_last());
		return -EINVAL;
	}
	say_reloading();
	int rc = reload_config(s, &setup, &wanted, &named, kept);
	if (rc == 0) {
		drb_settings_describe(&named, &s->setup, &setup, changes, sizeof(changes));
		s->setup = setup;
		s->reload.in_force = wanted;
		drb_info("%s: %s%s%s", setup.instance, changes, restart_needed(kept), kept);
	}
	return reloaded(rc, text, size);
}
