// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/switch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"
#include "switch/control/link_rates.h"
#include "switch/control/stats_commands.h"
#include "switch/datapath/changes.h"
#include "switch/startup/await_interfaces.h"
#include "switch/startup/broker.h"
#include "switch/startup/confine.h"
#include "switch/startup/eal.h"
#include "switch/startup/privilege.h"
#include "switch/startup/signals.h"

struct event *drb_switch_every(struct drb_switch *s, uint64_t us, event_callback_fn call)
{
	const struct timeval period = {.tv_sec = (time_t)(us / 1000000),
				       .tv_usec = (suseconds_t)(us % 1000000)};
	struct event *e = event_new(s->base, -1, EV_PERSIST, call, s);

	if (e && event_add(e, &period) == 0)
		return e;
	if (e)
		event_free(e);
	drb_error("no memory for a timer");
	return NULL;
}

static int await_interfaces(struct drb_switch *s)
{
	return drb_await_interfaces(s->config, &s->setup, &s->wait_end_ns);
}

// Checks the config against the machine. Log messages have timestamps after that.
static int config_check(struct drb_switch *s)
{
	int rc = drb_ports_check(s->config, &s->setup);

	if (rc == 0)
		rc = drb_eal_check_memory(s->config, &s->setup, drb_eal_memory_mb(&s->setup, true));
	if (rc < 0)
		s->code = DRB_EXIT_USAGE;
	else
		drb_log_writer_stamp();
	return rc;
}

static int open_dpdk(struct drb_switch *s)
{
	return drb_eal_init(&s->setup, s->verbose);
}

static void close_dpdk(struct drb_switch *s)
{
	(void)s;
	drb_eal_free();
}

static int open_background(struct drb_switch *s)
{
	return drb_background_open(&s->background, s->base);
}

static void close_background(struct drb_switch *s)
{
	drb_background_close(&s->background);
}

static void post(void *s, struct drb_change *change)
{
	drb_change_post(&((struct drb_switch *)s)->workers, change);
}

static void task_run(void *s, void (*work)(void *task), void (*done)(void *task), void *task)
{
	drb_background_run(&((struct drb_switch *)s)->background, work, done, task);
}

static int open_ports(struct drb_switch *s)
{
	s->users = (struct drb_port_users){s, post, drb_interface_bound, drb_broker_open_socket,
					   task_run};
	int rc = drb_ports_start(&s->ports, s->config, &s->setup, drb_ports_buffers(&s->setup),
				 &s->users);
	if (rc == -EINVAL)
		s->code = DRB_EXIT_USAGE;
	return rc;
}

static void close_ports(struct drb_switch *s)
{
	drb_ports_stop(&s->ports);
}

static void hear_workers(void *s)
{
	drb_snapshots_look(s);
}

static int open_workers(struct drb_switch *s)
{
	int rc = drb_workers_init(&s->workers, &s->setup);

	if (rc < 0) {
		drb_error("out of memory for the egress queues");
		return rc;
	}
	rc = drb_workers_attach(&s->workers, &s->ports, &s->setup);
	if (rc == 0)
		rc = drb_workers_idle_init(&s->workers);
	if (rc == 0)
		rc = drb_changes_open(&s->workers, s->base, hear_workers, s);
	if (rc == 0)
		return 0;
	drb_workers_idle_free(&s->workers);
	drb_workers_free(&s->workers);
	return rc;
}

// Called before the ports are closed, because packets in queues belong to the ports' pool.
static void close_workers(struct drb_switch *s)
{
	drb_changes_close(&s->workers);
	drb_workers_idle_free(&s->workers);
	drb_workers_free(&s->workers);
}

static void on_signal(int fd, short events, void *context)
{
	struct drb_switch *s = context;

	(void)events;
	for (int signal; (signal = drb_signals_take(fd)) != 0;) {
		if (signal == SIGHUP)
			s->reload_wanted = true;
		else if (signal == SIGCHLD)
			drb_broker_look();
		else
			event_base_loopbreak(s->base);
	}
	if (s->reload_wanted && s->ready) {
		s->reload_wanted = false;
		drb_reload(s, NULL, NULL);
	}
}

static int open_signals(struct drb_switch *s)
{
	const int fd = drb_signals_open();

	if (fd >= 0)
		s->signals = event_new(s->base, fd, EV_READ | EV_PERSIST, on_signal, s);
	if (s->signals && event_priority_set(s->signals, 0) == 0 &&
	    event_add(s->signals, NULL) == 0)
		return 0;
	drb_error("cannot wait for signals: %s", strerror(fd < 0 ? -fd : ENOMEM));
	return -ENOMEM;
}

static void close_signals(struct drb_switch *s)
{
	close(event_get_fd(s->signals));
	event_free(s->signals);
}

static int lay_down_rights(struct drb_switch *s)
{
	int rc = drb_privilege_drop();

	return rc == 0 ? drb_confine(&s->setup) : rc;
}

static void opening_release(int fd, short events, void *context)
{
	struct drb_switch *s = context;
	char ignored[256];

	(void)events;
	if (read(fd, ignored, sizeof(ignored)) > 0 &&
	    event_base_once(s->base, fd, EV_READ, opening_release, s, NULL) == 0)
		return;
	s->held = false;
	event_active(s->opening, EV_TIMEOUT, 0);
}

// Many switches may start on few CPUs. If some sent hellos early, with news of neighbours that are
// missing, they would take CPU time from the others.
static int await_release(struct drb_switch *s)
{
	// A file or /dev/null cannot be polled; then the switch does not wait.
	return s->held && event_base_once(s->base, STDIN_FILENO, EV_READ, opening_release, s,
					  NULL) == 0
		       ? -EINPROGRESS
		       : 0;
}

static int open_forwarding(struct drb_switch *s)
{
	return drb_workers_start(&s->workers);
}

static void close_forwarding(struct drb_switch *s)
{
	drb_workers_stop(&s->workers);
	drb_workers_join(&s->workers);
}

static int say_ready(struct drb_switch *s)
{
	const struct drb_setup *setup = &s->setup;

	s->ready = true;
	drb_info("%s ready: layer %u, label %u of F(%u,%u), %u down-ports, %u up-ports, scheme %s, "
		 "T %g",
		 setup->instance, setup->layer, setup->label, setup->tree.layers, setup->tree.arity,
		 setup->down_ports, setup->up_ports, setup->scheme.text, setup->threshold);
	drb_broker_notify("READY=1\nSTATUS=layer %u, label %u of F(%u,%u)", setup->layer,
			  setup->label, setup->tree.layers, setup->tree.arity);
	event_active(s->signals, EV_READ, 0); // a SIGHUP may have come before readiness
	return 0;
}

static void say_stopping(struct drb_switch *s)
{
	s->ready = false;
	drb_broker_notify("STOPPING=1");
}

static const struct drb_module modules[] = {
	{"signals", open_signals, close_signals, 0},
	{"interfaces of the config", await_interfaces, NULL, 10000},
	{"checks", config_check, NULL, 0},
	{"dpdk", open_dpdk, close_dpdk, 0},
	{"background", open_background, close_background, 0},
	{"ports", open_ports, close_ports, 0},
	{"workers", open_workers, close_workers, 0},
	{"snapshots", drb_snapshots_open, drb_snapshots_close, 0},
	{"reloads", drb_reload_open, drb_reload_close, 0},
	{"stats socket", drb_stats_open, drb_stats_close, 0},
	{"memif links", drb_memif_peers_open, drb_memif_peers_close, 0},
	{"carriers of cards", drb_cards_settle, NULL, 20000},
	{"cards", drb_cards_open, drb_cards_close, 0},
	{"link rates", drb_link_rates_open, drb_link_rates_close, 0},
	{"captures", drb_capture_open, drb_capture_close, 0},
	{"watchdog", drb_heartbeat_open, drb_heartbeat_close, 0},
	{"rights", lay_down_rights, NULL, 0}, // for all threads
	{"interfaces", drb_interfaces_open, drb_interfaces_close, 0},
	{"end of standard input", await_release, NULL, 0},
	{"readiness", say_ready, say_stopping, 0}, // before messages of workers
	{"forwarding", open_forwarding, close_forwarding, 0},
};

#define PRIORITIES 3
#define MODULES (sizeof(modules) / sizeof(modules[0]))

static void open_more(int fd, short events, void *context)
{
	struct drb_switch *s = context;

	(void)fd, (void)events;
	while (s->open < MODULES) {
		const struct drb_module *m = &modules[s->open];
		const struct timeval retry = {.tv_usec = m->retry_us};
		int rc = m->open(s);
		if (rc == -EINPROGRESS)
			return;
		if (rc == -EAGAIN && m->retry_us > 0) {
			evtimer_add(s->opening, &retry);
			return;
		}
		if (rc < 0) {
			s->code = s->code ? s->code : DRB_EXIT_FAILED;
			event_base_loopbreak(s->base);
			return;
		}
		s->open++;
	}
}

// Priorities: first signals and the watchdog's sign of life; then timers and changes of interfaces;
// then clients, of which there may be many.
static struct event_base *new_base(void)
{
	static const struct timeval turn = {.tv_usec = 10000};
	struct event_config *how = event_config_new();
	struct event_base *base = NULL;

	// If callbacks of lower priority take this long, poll again for events of the first
	// priority.
	if (how && event_config_set_max_dispatch_interval(how, &turn, -1, 1) == 0)
		base = event_base_new_with_config(how);
	if (base)
		event_base_priority_init(base, PRIORITIES);
	if (how)
		event_config_free(how);
	return base;
}

int drb_switch_run(struct drb_switch *s)
{
	static const struct timeval at_once = {0};

	s->started_ns = drb_clock_now();
	s->base = new_base();
	s->opening = s->base ? evtimer_new(s->base, open_more, s) : NULL;
	if (!s->opening || evtimer_add(s->opening, &at_once) < 0 ||
	    event_base_dispatch(s->base) < 0) {
		drb_error("no memory for an event loop");
		s->code = DRB_EXIT_FAILED;
	}
	if (s->background.told) // running tasks belong to modules that are about to be closed
		drb_background_settle(&s->background);
	while (s->open > 0) {
		const struct drb_module *m = &modules[--s->open];
		if (m->close)
			m->close(s);
	}
	if (s->opening)
		event_free(s->opening);
	if (s->base)
		event_base_free(s->base);
	return s->code;
}
