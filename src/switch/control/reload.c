// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/reload.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "switch/control/link_speeds.h"
#include "switch/control/reconfigure.h"
#include "common/config/complaint.h"
#include "common/config/settings.h"
#include "common/cli/log.h"
#include "switch/control/stats_socket.h"
#include "switch/startup/broker.h"

#define KEPT_MAX 1024

static const struct drb_reload *reload;
// Written by whoever reloads, read by the stats socket.
static _Atomic uint64_t reloads;
static struct drb_settings in_force; // one order at a time
static pthread_t thread;
static atomic_bool stopping;

static sigset_t hangup(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	return set;
}

void drb_reload_block(void)
{
	sigset_t set = hangup();

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

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

// Makes what every worker needs before any of them changes.
static int change_workers(const struct drb_setup *to)
{
	uint32_t count = reload->workers->count, made = 0;
	struct drb_reconfigure *change = calloc(count, sizeof(*change));
	int rc = change ? 0 : -ENOMEM;

	while (rc == 0 && made < count) {
		rc = drb_reconfigure_make(&change[made], &reload->workers->worker[made],
					  reload->setup, to);
		made += rc == 0;
	}
	if (rc == -ENOMEM)
		drb_config_bad(reload->path,
			       to->unit != reload->setup->unit ? "routing.unit" : "link.queue",
			       "no memory for it while the switch runs: reduce "
			       "routing.flow_max or restart");
	if (rc == 0 && (rc = drb_workers_park(reload->workers)) < 0)
		drb_error("%s: %s", reload->path, DRB_PARK_FAILED);
	if (rc == 0) {
		for (uint32_t n = 0; n < count; n++)
			drb_reconfigure_apply(&reload->workers->worker[n], &change[n]);
		drb_workers_unpark(reload->workers);
	}
	while (made > 0)
		drb_reconfigure_free(&change[--made]);
	free(change);
	return rc;
}

static int reload_config(struct drb_setup *setup, const struct drb_settings *settings,
			 char kept[KEPT_MAX])
{
	struct drb_config_override override = *reload->override;

	override.settings = settings;
	override.open = drb_broker_open_config;
	if (check_readable_again(reload->path) < 0 ||
	    drb_config_load(reload->path, &override, setup) < 0 ||
	    drb_config_keep(reload->path, reload->setup, setup, kept, KEPT_MAX) < 0)
		return -EINVAL;
	drb_link_speeds_fill(reload->workers, setup);
	return change_workers(setup);
}

int drb_reload_link_rates(void)
{
	static struct drb_setup setup;

	if (drb_workers_stuck(reload->workers) >= 0)
		return -ETIMEDOUT; // which is said already
	setup = *reload->setup;
	if (!drb_link_speeds_fill(reload->workers, &setup))
		return 0;
	int rc = change_workers(&setup);
	if (rc == 0) {
		drb_link_speeds_say(reload->setup, &setup);
		*reload->setup = setup;
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

uint64_t drb_reload_count(void)
{
	return reloads;
}

int drb_reload(char *text, size_t size)
{
	static const struct drb_settings none;
	static struct drb_setup setup;
	char kept[KEPT_MAX] = "";

	say_reloading();
	int rc = reload_config(&setup, &none, kept);
	if (rc == 0) {
		*reload->setup = setup;
		in_force = none;
		reloads++;
		drb_info("%s reloaded: scheme %s, unit %s, T %s%g%s%s", setup.instance,
			 drb_scheme_name(setup.choice.scheme), drb_unit_name(setup.unit),
			 setup.threshold_auto ? DRB_THRESHOLD_AUTO ", first " : "", setup.threshold,
			 restart_needed(kept), kept);
	}
	return reloaded(rc, text, size);
}

int drb_reload_set(const char *settings, char *text, size_t size)
{
	static struct drb_setup setup;
	struct drb_settings named = {0}, wanted = in_force;
	char kept[KEPT_MAX] = "", changes[KEPT_MAX];

	if (drb_settings_add(&named, settings) < 0 || drb_settings_add(&wanted, settings) < 0) {
		snprintf(text, size, "%s", drb_msg_last());
		return -EINVAL;
	}
	say_reloading();
	int rc = reload_config(&setup, &wanted, kept);
	if (rc == 0) {
		drb_settings_describe(&named, reload->setup, &setup, changes, sizeof(changes));
		*reload->setup = setup;
		in_force = wanted;
		drb_info("%s: %s%s%s", setup.instance, changes, restart_needed(kept), kept);
	}
	return reloaded(rc, text, size);
}

int drb_reload_save(char *text, size_t size)
{
	char saved[KEPT_MAX] = "";

	for (uint32_t i = 0; i < in_force.count; i++) {
		size_t used = strlen(saved);
		snprintf(saved + used, sizeof(saved) - used, " %s=%s", in_force.at[i].key->name,
			 in_force.at[i].value);
	}
	int rc = drb_broker_save(saved);
	if (rc == 0) {
		in_force = (struct drb_settings){0};
		drb_info("%s: written into %s:%s", reload->setup->instance, reload->path, saved);
	}
	snprintf(text, size, "%s", drb_msg_last());
	return rc;
}

static void *serve(void *arg)
{
	sigset_t set = hangup();
	char text[KEPT_MAX];
	int signal;

	(void)arg;
	while (sigwait(&set, &signal) == 0 && !atomic_load(&stopping)) {
		drb_stats_socket_pause();
		drb_reload(text, sizeof(text));
		drb_stats_socket_resume();
	}
	return NULL;
}

int drb_reload_start(const struct drb_reload *r)
{
	reload = r;
	int rc = pthread_create(&thread, NULL, serve, NULL);
	if (rc == 0)
		return 0;
	drb_error("cannot start the reload thread: %s", strerror(rc));
	reload = NULL;
	return -rc;
}

void drb_reload_stop(void)
{
	atomic_store(&stopping, true);
	pthread_kill(thread, SIGHUP);
	pthread_join(thread, NULL);
}
