// SPDX-License-Identifier: BSD-3-Clause
// drbtopo plan: options, and the order in which the files are written.
#include "topo/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "common/plan.h"

#include "topo/fabric_plan.h"
#include "topo/plan_files.h"
#include "topo/plan_json.h"

#define RUN_DIR "/run/drbswitch"

enum {
	KEY_SCHEME = 0x200,
	KEY_THRESHOLD,
	KEY_CHOICES,
	KEY_UNIT,
	KEY_SEED,
	KEY_SLOT,
	KEY_TAU,
	KEY_DRIVER,
	KEY_RATE,
	KEY_SLOTTED,
	KEY_OVERHEAD,
	KEY_QUEUE,
	KEY_CATCHUP,
	KEY_HELLO,
	KEY_IDLE,
	KEY_HUGEPAGES,
	KEY_MEMORY,
	KEY_WORKERS,
	KEY_RUN_DIR,
};

static const struct argp_option options[] = {
	{"out", 'o', "DIR", 0, "Write the plan's files into DIR", 3},
	{"run-dir", KEY_RUN_DIR, "DIR", 0,
	 "Where the fabric will run (default " RUN_DIR "/FABRIC): memif sockets", 3},
	{"scheme", KEY_SCHEME, "NAME", 0, "How switches choose uplinks (default drb); see below",
	 4},
	{"threshold", KEY_THRESHOLD, "T", 0,
	 "Redirect if shorter by more than T; auto: as measured", 4},
	{"choices", KEY_CHOICES, "N", 0, "Uplinks that drb looks at in all (default 2)", 4},
	{"unit", KEY_UNIT, "UNIT", 0, "What is decided on: packet (default), flow or flowlet", 4},
	{"slot", KEY_SLOT, "TIME", 0,
	 "Of rotate's clock and walk's packets (default: a packet's time on an uplink)", 4},
	{"tau", KEY_TAU, "SLOTS", 0, "Longest gap within a streak of walk (default 6)", 4},
	{"seed", KEY_SEED, "N", 0, "Seed of the switches' random numbers", 4},
	{"driver", KEY_DRIVER, "NAME", 0,
	 "Links between switches: af_packet (default), af_xdp or memif", 5},
	{"rate", KEY_RATE, "RATE", 0, "Of every link: 500pps, 10Mbit or none (default)", 5},
	{"slotted", KEY_SLOTTED, NULL, 0,
	 "Links move a packet in each slot of a common clock; with --rate in packets/s", 5},
	{"overhead", KEY_OVERHEAD, "BYTES", 0, "A frame takes on the wire beyond its own", 5},
	{"queue", KEY_QUEUE, "PACKETS", 0, "Limit of every egress queue", 5},
	{"catchup", KEY_CATCHUP, "TIME", 0, "Link time a late wake-up makes up for, 2ms", 5},
	{"hello", KEY_HELLO, "TIME", 0, "Between hellos of switches, 100ms; or off", 5},
	{"idle", KEY_IDLE, "MODE", 0, "sleep (default) or poll", 6},
	{"hugepages", KEY_HUGEPAGES, "USE", 0, "auto (default), yes or no", 6},
	{"workers", KEY_WORKERS, "N", 0, "Forwarding threads of a switch (default 1)", 6},
	{"memory", KEY_MEMORY, "MB", 0, "Memory of a switch (default: as needed)", 6},
	{0},
};

static uint32_t *count_option(const char *option, const char *text, uint32_t min, uint32_t *value)
{
	if (drb_parse_u32(text, min, UINT32_MAX, value) < 0)
		drb_die("--%s %s: want a whole number of at least %u", option, text, min);
	return value;
}

static char *time_option(const char *option, char *text)
{
	uint64_t ns;

	if (drb_parse_time(text, &ns) < 0)
		drb_die("--%s %s: want a time such as 2ms", option, text);
	return text;
}

static char *word_option(const char *option, char *text, const char *const words[])
{
	for (uint32_t i = 0; words[i]; i++) {
		if (strcmp(text, words[i]) == 0)
			return text;
	}
	fprintf(stderr, "%s: --%s %s: want one of", program_invocation_short_name, option, text);
	for (uint32_t i = 0; words[i]; i++)
		fprintf(stderr, " %s", words[i]);
	fputc('\n', stderr);
	exit(DRB_EXIT_USAGE);
}

static char *scheme_option(char *text)
{
	const char *names[DRB_SCHEME_COUNT + 1] = {NULL};

	for (int i = 0; i < DRB_SCHEME_COUNT; i++)
		names[i] = drb_scheme_name((enum drb_scheme)i);
	return word_option("scheme", text, names);
}

static char *driver_option(char *text, enum drb_driver *driver)
{
	static const enum drb_driver known[] = {DRB_DRIVER_AF_PACKET, DRB_DRIVER_AF_XDP,
						DRB_DRIVER_MEMIF};
	const char *names[4] = {NULL};

	for (int i = 0; i < 3; i++)
		names[i] = drb_driver_name(known[i]);
	word_option("driver", text, names);
	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) == 0)
			*driver = known[i];
	}
	return text;
}

static error_t parse_link(int key, char *arg, struct plan *plan)
{
	struct drb_config_link *link = &plan->config.link;

	switch (key) {
	case KEY_DRIVER:
		link->driver = driver_option(arg, &plan->driver);
		return 0;
	case KEY_RATE:
		if (drb_parse_rate(arg, &plan->rate) < 0)
			drb_die("--rate %s: want a rate such as 500pps, 10Mbit or none", arg);
		link->rate = arg;
		return 0;
	case KEY_SLOTTED:
		plan->slotted = true;
		link->slotted = &plan->slotted;
		return 0;
	case KEY_OVERHEAD:
		link->overhead = count_option("overhead", arg, 0, &plan->overhead);
		return 0;
	case KEY_QUEUE:
		link->queue = count_option("queue", arg, 1, &plan->queue);
		return 0;
	case KEY_CATCHUP:
		link->catchup = time_option("catchup", arg);
		return 0;
	case KEY_HELLO:
		link->hello = strcmp(arg, "off") == 0 ? arg : time_option("hello", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_switch(int key, char *arg, struct plan *plan)
{
	static const char *const idle[] = {"sleep", "poll", NULL};
	static const char *const hugepages[] = {"auto", "yes", "no", NULL};
	struct drb_config *config = &plan->config;
	double threshold;
	bool automatic;

	switch (key) {
	case KEY_SCHEME:
		config->routing.scheme = scheme_option(arg);
		return 0;
	case KEY_THRESHOLD:
		if (drb_threshold_parse(arg, &automatic, &threshold) < 0)
			drb_die("--threshold %s: want a number >= 0 or auto", arg);
		config->routing.threshold = arg;
		return 0;
	case KEY_CHOICES:
		config->routing.choices = count_option("choices", arg, 2, &plan->choices);
		return 0;
	case KEY_UNIT:
		config->routing.unit = arg;
		return 0;
	case KEY_SLOT:
		config->routing.slot = time_option("slot", arg);
		return 0;
	case KEY_TAU:
		config->routing.tau = count_option("tau", arg, 1, &plan->tau);
		return 0;
	case KEY_SEED:
		if (drb_parse_u64(arg, 0, INT64_MAX, &plan->seed) < 0)
			drb_die("--seed %s: want a whole number below 2^63", arg);
		config->routing.seed = &plan->seed;
		return 0;
	case KEY_IDLE:
		config->process.idle = word_option("idle", arg, idle);
		return 0;
	case KEY_HUGEPAGES:
		config->process.hugepages = word_option("hugepages", arg, hugepages);
		return 0;
	case KEY_WORKERS:
		config->process.workers = count_option("workers", arg, 1, &plan->workers);
		return 0;
	case KEY_MEMORY:
		config->process.memory = count_option("memory", arg, 1, &plan->memory);
		return 0;
	default:
		return parse_link(key, arg, plan);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct plan *plan = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &plan->topo;
		return 0;
	case 'o':
		plan->out = arg;
		return 0;
	case KEY_RUN_DIR:
		plan->run_dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is one argument too many", arg);
	default:
		return parse_switch(key, arg, plan);
	}
}

// What follows from the options once all are known.
static void complete(struct plan *plan)
{
	struct drb_config *config = &plan->config;
	struct topo *topo = &plan->topo;

	if (2 * topo->tree.arity > DRB_PORTS_MAX)
		drb_die("--arity %u: a switch has 2d ports, at most %d", topo->tree.arity,
			DRB_PORTS_MAX);
	if (plan->slotted && !drb_rate_has_slots(&plan->rate))
		drb_die("--slotted: needs a --rate of at most 1Mpps, such as 500pps");
	config->fabric = (struct drb_config_fabric){
		.name = (char *)topo->fabric,
		.layers = topo->tree.layers,
		.arity = topo->tree.arity,
		.mac = (char *)topo->mac,
		.ipv4 = (char *)topo->ipv4,
		.ipv6 = (char *)topo->ipv6,
	};
	if (!config->process.hugepages)
		config->process.hugepages = (char *)"no";
	if (plan->driver != DRB_DRIVER_MEMIF)
		return;
	int len = plan->run_dir ? asprintf(&plan->memif_dir, "%s/memif", plan->run_dir)
				: asprintf(&plan->memif_dir, RUN_DIR "/%s/memif", topo->fabric);
	if (len < 0)
		abort();
	config->process.memif_dir = plan->memif_dir;
}

// plan.json comes last and goes first: where it stands, everything it names is complete.
static int write_files(const struct plan *plan, json_t *json)
{
	char *path = plan_path(plan, DRB_PLAN_FILE);
	int rc = unlink(path) < 0 && errno != ENOENT ? -errno : 0;

	if (rc < 0)
		drb_error("%s: %s", path, strerror(-rc));
	if (rc == 0)
		rc = plan_write_configs(plan);
	if (rc == 0)
		rc = plan_write_batches(plan);
	if (rc == 0 && json_dump_file(json, path, JSON_INDENT(1)) < 0) {
		rc = -EIO;
		drb_error("%s: cannot write", path);
	}
	free(path);
	return rc;
}

int topo_plan(int argc, char **argv)
{
	static const struct argp_child children[] = {{&topo_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Plans a fabric: with --out, writes SWITCH.yaml for every switch, the "
		       "ip -batch files and " DRB_PLAN_FILE
		       " into DIR; without, prints " DRB_PLAN_FILE ".\vSchemes:\n" DRB_SCHEMES_HELP,
		.children = children};
	struct plan plan = {.driver = DRB_DRIVER_AF_PACKET};
	int code = DRB_EXIT_OK;

	drb_args_parse(&argp, argc, argv, 0, &plan);
	complete(&plan);
	if (plan_check_configs(&plan) < 0)
		return DRB_EXIT_USAGE;
	bool made = plan.out && mkdir(plan.out, 0755) == 0;
	if (plan.out && !made && errno != EEXIST)
		drb_die("--out %s: %s", plan.out, strerror(errno));
	struct stat out;
	if (plan.out && stat(plan.out, &out) == 0 && !S_ISDIR(out.st_mode))
		drb_die("--out %s: %s", plan.out, strerror(ENOTDIR));

	json_t *json = plan_json(&plan);
	if (plan.out) {
		int rc = write_files(&plan, json);
		code = rc == 0 ? DRB_EXIT_OK : rc == -EINVAL ? DRB_EXIT_USAGE : DRB_EXIT_FAILED;
		if (rc < 0 && made)
			rmdir(plan.out);
	} else {
		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(json);
	free(plan.memif_dir);
	return code;
}
