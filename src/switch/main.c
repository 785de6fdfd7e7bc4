// SPDX-License-Identifier: BSD-3-Clause
// drbswitch: one process is one switch of the fat-tree F(l,d).
#include <argp.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include <event2/event.h>
#include <systemd/sd-daemon.h>

#include "common/cli/args.h"
#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"
#include "switch/startup/await_interfaces.h"
#include "switch/startup/broker.h"
#include "switch/startup/confine.h"
#include "switch/startup/eal.h"
#include "switch/startup/instance.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/connect.h"
#include "switch/ports/port_set.h"
#include "switch/startup/privilege.h"
#include "switch/startup/signals.h"
#include "switch/control/bridge.h"
#include "switch/control/capture_order.h"
#include "switch/control/cards.h"
#include "switch/control/heartbeat.h"
#include "switch/control/interfaces.h"
#include "switch/control/link_rates.h"
#include "switch/control/reload.h"
#include "switch/control/stats_clients.h"
#include "switch/control/stats_socket.h"
#include "switch/control/telemetry.h"
#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/idle.h"
#include "switch/datapath/workers.h"

// Peers of memif ports start in any order. How long to wait for the next one before forwarding without
// those that are missing.
#define LINK_WITHIN_NS UINT64_C(10000000000)
#define TRIM_THRESHOLD (1024 * 1024) // bytes

const char *argp_program_version = "drbswitch " DRB_VERSION;

struct options {
	const char *config;
	struct drb_config_override override;
	bool check;
	enum drb_log_level log;
};

enum { OPT_LAYER = 256, OPT_LABEL, OPT_CHECK, OPT_LOG };

static const struct argp_option option_table[] = {
	{"config", 'c', "FILE", 0,
	 "YAML config of this switch; keys: drbswitch.yaml(5) or config/README.md", 0},
	{"layer", OPT_LAYER, "M", 0, "Layer of this switch; overrides the file", 0},
	{"label", OPT_LABEL, "N", 0, "Label of this switch; overrides the file", 0},
	{"check", OPT_CHECK, NULL, 0, "Check the config and exit", 0},
	{"log-level", OPT_LOG, "LEVEL", 0,
	 "Say nothing beyond this: " DRB_LOG_LEVEL_NAMES " (default info)", 0},
	{"verbose", 'v', NULL, 0,
	 "Print messages of DPDK and its drivers, too: the same as --log-level debug", 0},
	{0},
};

static uint32_t number(const char *option, const char *text)
{
	uint32_t value;

	if (drb_parse_u32(text, 0, UINT32_MAX, &value) < 0)
		drb_die("--%s: \"%s\" is not a number", option, text);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->config = arg;
		return 0;
	case OPT_LAYER:
		o->override.layer = number("layer", arg);
		return 0;
	case OPT_LABEL:
		o->override.label = number("label", arg);
		return 0;
	case OPT_CHECK:
		o->check = true;
		return 0;
	case OPT_LOG:
		if (drb_log_level_of(arg, &o->log) < 0)
			drb_die("--log-level: \"%s\" is none of " DRB_LOG_LEVEL_NAMES, arg);
		return 0;
	case 'v':
		o->log = DRB_LOG_DEBUG;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("unexpected argument \"%s\"", arg);
	case ARGP_KEY_END:
		if (!o->config)
			drb_die("no config: give -c FILE (see --help)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.doc = "Runs one switch of the fat-tree F(l,d): sends packets up by the routing scheme "
	       "of its config (default: threshold-based two-choice against the D-mod-k uplink), "
	       "and down by the only port that leads there.",
};

// Of the control thread, as all that has no other owner. Static: a worker that is left behind may still use them.
static struct drb_setup setup;
static struct drb_workers workers;
static struct drb_port_set ports;
static struct event_base *base;
static struct event *signals;
static int code = DRB_EXIT_FAILED; // of the process
static bool reload_wanted;         // by SIGHUP; done once the workers run

static const struct drb_port_users users = {drb_workers_apply_to_port, &workers};

// What goes on from the start of the ports until the workers run.
static struct {
	struct event *due;
	struct drb_memif_connect memif;
	uint32_t least;  // memif ports without a peer
	uint64_t met_ns; // when it became that
	bool met;
} start = {.least = UINT32_MAX};

static void on_signal(int fd, short events, void *unused)
{
	char text[1024];

	(void)events, (void)unused;
	for (int signal; (signal = drb_signals_take(fd)) != 0;) {
		if (signal == SIGHUP) {
			reload_wanted = true;
			continue;
		}
		code = DRB_EXIT_OK;
		event_base_loopbreak(base);
	}
	if (reload_wanted && drb_stats_socket_is_ready()) {
		reload_wanted = false;
		drb_reload(text, sizeof(text));
	}
}

static void say_ready(void)
{
	drb_stats_socket_ready();
	drb_info("%s ready: layer %u, label %u of F(%u,%u), %u down-ports, %u up-ports, scheme %s, "
		 "T %g",
		 setup.instance, setup.layer, setup.label, setup.tree.layers, setup.tree.arity,
		 setup.down_ports, setup.up_ports, drb_scheme_name(setup.choice.scheme),
		 setup.threshold);
	sd_notifyf(0, "READY=1\nSTATUS=layer %u, label %u of F(%u,%u)", setup.layer, setup.label,
		   setup.tree.layers, setup.tree.arity);
}

// A memif port has met its peer for the first time.
static int begin_to_use(void *unused, uint32_t index)
{
	struct drb_attachment *a = malloc(sizeof(*a));

	(void)unused;
	if (!a)
		return -ENOMEM;
	*a = (struct drb_attachment){&ports, &setup, index};
	int rc = drb_workers_apply(&workers, drb_worker_attach_port, a);
	if (rc == -EINPROGRESS)
		return 0;
	free(a);
	return rc;
}

// True once all memif ports have met their peers, or no further one has come for LINK_WITHIN_NS.
static bool have_links_come(void)
{
	const uint32_t missing = drb_memif_connect(&start.memif);
	const uint64_t now = drb_clock_now();

	if (missing < start.least) {
		start.least = missing;
		start.met_ns = now;
	}
	if (missing > 0 && now - start.met_ns <= LINK_WITHIN_NS)
		return false;
	if (missing > 0)
		drb_memif_connect_log(&start.memif);
	return true;
}

// All ports are there: the workers run from now on.
static int begin_to_forward(void)
{
	const int kept = drb_interfaces_need_privilege(&ports) ? CAP_NET_RAW : -1;
	int rc = drb_link_rates_begin(base, &ports, &setup);

	if (rc == 0)
		rc = drb_memif_connect_begin(base, &start.memif);
	if (rc == 0)
		rc = drb_cards_begin(base, &workers, &ports);
	if (rc == 0)
		rc = drb_heartbeat_begin(&workers);
	if (rc == 0)
		rc = drb_privilege_drop(kept);
	if (rc == 0)
		rc = drb_confine(&setup);
	if (rc == 0)
		rc = drb_workers_start(&workers);
	if (rc == 0)
		rc = drb_interfaces_begin(base, &workers, &ports);
	if (rc == 0)
		say_ready();
	return rc;
}

static void go_on_starting(int fd, short events, void *unused)
{
	static const struct timeval soon = {.tv_usec = 2000}, later = {.tv_usec = 20000};

	(void)fd, (void)events, (void)unused;
	start.met = start.met || have_links_come();
	if (!start.met || !drb_cards_settled(&ports)) {
		evtimer_add(start.due, start.met ? &later : &soon);
		return;
	}
	if (begin_to_forward() < 0)
		event_base_loopbreak(base);
	else
		event_active(signals, EV_READ, 0);
}

static int begin_loop(void)
{
	static const struct timeval at_once = {0};
	const int fd = drb_signals_open();

	start.memif = (struct drb_memif_connect){&ports, begin_to_use, NULL};
	start.due = evtimer_new(base, go_on_starting, NULL);
	signals = fd < 0 ? NULL : event_new(base, fd, EV_READ | EV_PERSIST, on_signal, NULL);
	if (signals && start.due && event_add(signals, NULL) == 0 &&
	    evtimer_add(start.due, &at_once) == 0)
		return 0;
	drb_error("cannot wait for signals: %s", strerror(fd < 0 ? -fd : ENOMEM));
	return -ENOMEM;
}

// With the ports running: forwards until told to stop.
static void forward(const struct drb_reload *reload)
{
	static const struct drb_memif_control control = {&users, drb_bridge_run};

	if (drb_workers_attach(&workers, &ports, &setup) < 0 || drb_workers_idle_init(&workers) < 0)
		return;
	drb_reload_begin(reload);
	drb_capture_begin(base, &workers);
	if (begin_loop() == 0 && drb_bridge_begin(base) == 0 &&
	    drb_telemetry_init(&workers, &setup) == 0) {
		drb_memif_set_control(&control);
		event_base_dispatch(base);
		sd_notify(0, "STOPPING=1");
	}
	drb_workers_stop(&workers);
	drb_workers_join(&workers);
	drb_heartbeat_end();
	drb_stats_socket_stop();
	drb_memif_set_control(NULL); // the interrupt thread goes on
	drb_bridge_end();
	drb_interfaces_end();
	drb_cards_end();
	drb_memif_connect_end();
	drb_link_rates_end();
	drb_capture_end();
	if (signals)
		event_free(signals);
	if (start.due)
		event_free(start.due);
	drb_workers_idle_free(&workers);
}

static uint32_t memory_mb(void)
{
	return drb_eal_memory_mb(&setup, drb_ports_buffers(&setup) + drb_ports_lent(&setup),
				 drb_assign_bytes(&setup) * setup.workers);
}

static int run(const struct options *o)
{
	uint32_t mbufs = drb_ports_buffers(&setup);

	base = event_base_new();
	if (!base || drb_workers_init(&workers, &setup) < 0) {
		drb_error("out of memory for the egress queues");
		return code;
	}
	drb_stats_clients_begin();
	if (drb_eal_init(&setup, memory_mb(), o->log == DRB_LOG_DEBUG) == 0) {
		int rc = drb_ports_start(&ports, o->config, &setup, mbufs, &users);
		if (rc == 0) {
			const struct drb_reload reload = {o->config, &o->override, &workers,
							  &setup};
			forward(&reload);
			drb_workers_free(&workers); // their packets are of the ports' pool
			drb_ports_stop(&ports);
		} else if (rc == -EINVAL) {
			code = DRB_EXIT_USAGE;
		}
		drb_eal_free();
	}
	drb_workers_free(&workers);
	event_base_free(base);
	return code;
}

int main(int argc, char **argv)
{
	struct options o = {.override = {.layer = -1, .label = -1}, .log = DRB_LOG_INFO};
	const char *folder;

	drb_args_set_examples("  drbswitch -c s1-0.yaml\n"
			      "  drbswitch -c switch.yaml --layer 1 --label 0\n"
			      "  drbswitch -c s1-0.yaml --check\n");
	drb_args_parse(&argp, argc, argv, 0, &o);
	// Replies of the stats socket need 100 kB for a moment: not given back to the kernel and fetched
	// again with each.
	mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
	drb_privilege_begin();
	drb_signals_block(false);
	drb_log_limit(o.log);
	if (drb_log_writer_start() < 0)
		drb_die("cannot start a thread for messages");
	if (drb_config_load(o.config, &o.override, &setup) < 0)
		return DRB_EXIT_USAGE;
	if (o.check) {
		drb_info("%s: ok, %s", o.config, setup.instance);
		return DRB_EXIT_OK;
	}
	if (drb_eal_check(o.config, &setup) < 0)
		return DRB_EXIT_USAGE;
	const int lock = drb_instance_claim(setup.instance, &folder);
	if (lock < 0)
		return DRB_EXIT_USAGE;
	if (drb_broker_begin(o.config, &o.override, &setup, folder, lock) < 0 ||
	    drb_privilege_leave_root() < 0)
		return DRB_EXIT_FAILED;
	drb_signals_block(true);
	signal(SIGPIPE, SIG_IGN);
	int rc = drb_await_interfaces(o.config, &setup);
	if (rc < 0)
		return rc == -EINTR ? DRB_EXIT_OK : DRB_EXIT_FAILED;
	if (drb_ports_check(o.config, &setup) < 0 ||
	    drb_eal_check_memory(o.config, &setup, memory_mb()) < 0)
		return DRB_EXIT_USAGE;
	drb_log_writer_stamp();
	return drb_finish(run(&o));
}
