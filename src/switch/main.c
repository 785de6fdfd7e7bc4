// SPDX-License-Identifier: BSD-3-Clause
// drbswitch: one process is one switch of the fat-tree F(l,d).
#include <argp.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include <systemd/sd-daemon.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"
#include "switch/startup/await_interfaces.h"
#include "switch/startup/broker.h"
#include "switch/startup/confine.h"
#include "switch/startup/eal.h"
#include "switch/datapath/idle.h"
#include "switch/startup/instance.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/connect.h"
#include "switch/ports/port_set.h"
#include "switch/startup/privilege.h"
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
#include "switch/datapath/workers.h"

// Peers of memif ports start in any order. How long to wait for the next one before forwarding without
// those that are missing.
#define LINK_WITHIN_S 10
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

// Static, for the signal handler and for threads of DPDK that outlive main's variables.
static struct drb_setup setup;
static struct drb_workers workers;
static atomic_bool ended;   // the signal handler; whoever waits reads
static atomic_bool working; // there are workers to be told; the signal handler reads

static void on_signal(int signal)
{
	int saved = errno;

	(void)signal;
	atomic_store(&ended, true);
	if (atomic_load(&working))
		drb_workers_stop(&workers);
	errno = saved;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

// Waits until all memif ports have met their peers, or no further one has come for LINK_WITHIN_S, or
// the switch is told to stop.
static void wait_for_links(const struct drb_memif_connect *memif)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	uint32_t missing, least = UINT32_MAX;
	struct timespec now, last = {0};

	while ((missing = drb_memif_connect(memif)) > 0 && !atomic_load(&workers.worker[0].stop)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (missing < least) {
			least = missing;
			last = now;
		}
		if (now.tv_sec - last.tv_sec > LINK_WITHIN_S) {
			drb_memif_connect_log(memif);
			break;
		}
		nanosleep(&pause, NULL);
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

static int park(void *all)
{
	return drb_workers_park(all);
}

static void unpark(void *all)
{
	drb_workers_unpark(all);
}

// A memif port has met its peer for the first time.
static int begin_to_use(void *ports, uint32_t index)
{
	drb_stats_socket_pause(); // no reload meanwhile
	int rc = drb_workers_park(&workers);
	if (rc == 0) {
		drb_workers_attach_port(&workers, ports, &setup, index);
		drb_workers_unpark(&workers);
	}
	drb_stats_socket_resume();
	return rc;
}

// All threads are there.
static int run_workers(struct drb_port_set *ports)
{
	int code = DRB_EXIT_FAILED;

	if (drb_heartbeat_begin(&workers) < 0)
		return code;
	if (drb_cards_begin(&workers, ports) == 0) {
		if (drb_privilege_drop() == 0 && drb_confine(&setup) == 0) {
			if (!atomic_load(&workers.worker[0].stop))
				say_ready();
			drb_workers_run(&workers);
			code = DRB_EXIT_OK;
		}
		drb_cards_end();
	}
	drb_heartbeat_end();
	return code;
}

// The threads beside the workers, from whose start to whose end these forward.
static int run_threads(struct drb_port_set *ports, const struct drb_port_parking *parking,
		       const struct drb_memif_connect *memif, const struct drb_reload *reload)
{
	int code = DRB_EXIT_FAILED;

	if (drb_interfaces_begin(&workers, ports, parking) < 0)
		return code;
	if (drb_memif_connect_start(memif) == 0) {
		if (drb_reload_start(reload) == 0) {
			if (drb_link_rates_begin(ports, &setup) == 0)
				code = run_workers(ports);
			drb_link_rates_end();
			drb_reload_stop();
		}
		sd_notify(0, "STOPPING=1");
		drb_memif_connect_stop();
	}
	drb_interfaces_end();
	return code;
}

// With the ports running: forwards until told to stop.
static int forward(struct drb_port_set *ports, const struct drb_reload *reload)
{
	static const struct drb_port_parking parking = {park, unpark, &workers};
	const struct drb_memif_connect memif = {ports, begin_to_use, ports};
	int code = DRB_EXIT_FAILED;

	if (drb_workers_attach(&workers, ports, &setup) < 0 || drb_workers_idle_init(&workers) < 0)
		return code;
	drb_memif_set_parking(&parking);
	if (drb_telemetry_init(&workers, &setup) == 0) {
		wait_for_links(&memif);
		drb_cards_settle(ports, &workers.worker[0].stop);
		code = run_threads(ports, &parking, &memif, reload);
		drb_stats_socket_stop();
		drb_capture_stop();
	}
	drb_memif_set_parking(NULL); // the interrupt thread goes on
	drb_workers_idle_free(&workers);
	return code;
}

static uint32_t memory_mb(void)
{
	return drb_eal_memory_mb(&setup, drb_ports_buffers(&setup) + drb_ports_lent(&setup),
				 drb_assign_bytes(&setup) * setup.workers);
}

static int run(const struct options *o)
{
	uint32_t mbufs = drb_ports_buffers(&setup);
	struct drb_port_set ports;
	int code = DRB_EXIT_FAILED;

	if (drb_workers_init(&workers, &setup) < 0) {
		drb_error("out of memory for the egress queues");
		return code;
	}
	atomic_store(&working, true);
	if (atomic_load(&ended))
		drb_workers_stop(&workers);
	drb_stats_clients_begin();
	if (drb_eal_init(&setup, memory_mb(), o->log == DRB_LOG_DEBUG) == 0) {
		int rc = drb_ports_start(&ports, o->config, &setup, mbufs);
		if (rc == 0) {
			const struct drb_reload reload = {o->config, &o->override, &workers,
							  &setup};
			code = forward(&ports, &reload);
			drb_workers_free(&workers); // their packets are of the ports' pool
			drb_ports_stop(&ports);
		} else if (rc == -EINVAL) {
			code = DRB_EXIT_USAGE;
		}
		drb_eal_free();
	}
	drb_workers_free(&workers);
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
	drb_reload_block();
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
	catch_signals();
	int rc = drb_await_interfaces(o.config, &setup, &ended);
	if (rc < 0)
		return rc == -EINTR ? DRB_EXIT_OK : DRB_EXIT_FAILED;
	if (drb_ports_check(o.config, &setup) < 0 ||
	    drb_eal_check_memory(o.config, &setup, memory_mb()) < 0)
		return DRB_EXIT_USAGE;
	drb_log_writer_stamp();
	return drb_finish(run(&o));
}
