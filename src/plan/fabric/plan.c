// SPDX-License-Identifier: BSD-3-Clause
// drbtopo plan: options, and the order in which the files are written.
#include "plan/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/plan.h"

#include "plan/fabric/fabric_plan.h"
#include "plan/fabric/machines_json.h"
#include "plan/fabric/machines_option.h"
#include "plan/fabric/plan_files.h"
#include "plan/fabric/plan_json.h"
#include "plan/fabric/plan_options.h"

#define MTU 1500 // default of fabric.mtu, bytes

#define AT(field) offsetof(struct plan, field)

static const struct drb_option options[] = {
	{"--out", "DIR", "Write the plan's files into DIR", .kind = DRB_OPTION_TEXT, AT(out),
	 .letter = 'o'},
	{"--links", "veth|memif",
	 "Links between switches of one machine (default veth); memif is shared memory: faster, "
	 "but invisible to tcpdump; use drbctl capture",
	 .kind = DRB_OPTION_WORD, AT(memif)},
	{"--run-dir", "DIR",
	 "Where the fabric will run (default " DRB_RUN_DIR "/FABRIC): memif sockets",
	 .kind = DRB_OPTION_TEXT, AT(run_dir)},
	{"--machines", "FILE",
	 "Split the fabric over the machines of FILE: write a folder with a plan for each into "
	 "DIR, and print a table of their parts",
	 .kind = DRB_OPTION_TEXT, AT(machines_file)},
	{0},
};

// Sets the MTU. Packets must fit into those of the network between machines.
static void set_mtu(struct plan *plan)
{
	const char *given = drb_config_get(&plan->config, "fabric.mtu");

	plan->mtu = given ? (uint32_t)strtoul(given, NULL, 10) : MTU;
	uint32_t room = plan->machines ? machines_room(plan->machines) : UINT32_MAX;
	if (given && plan->mtu > room)
		drb_die("--mtu %u: %s: underlay_mtu leaves room for %u", plan->mtu,
			plan->machines_file, room);
	if (plan->mtu <= room)
		return;
	plan->mtu = room;
	snprintf(plan->mtu_text, sizeof(plan->mtu_text), "%u", room);
	drb_config_set(&plan->config, "fabric.mtu", plan->mtu_text);
}

// Checks the options together, and sets the values that depend on several of them.
static void complete(struct plan *plan)
{
	struct drb_config_values *config = &plan->config;
	const struct drb_port_setup *link = &plan->link;
	const struct topo *topo = &plan->topo;

	if (2 * topo->tree.arity > DRB_PORTS_MAX)
		drb_die("--arity %u: a switch has 2d ports, at most %d", topo->tree.arity,
			DRB_PORTS_MAX);
	if (link->slotted && !drb_rate_has_slots(&link->rate))
		drb_die("--slotted: needs a --rate of at most 1Mpps, such as 500pps");
	plan_set_scheme(plan);
	drb_config_set(config, "fabric.name", topo->fabric);
	drb_config_set(config, "fabric.layers", topo->layers);
	drb_config_set(config, "fabric.arity", topo->arity);
	drb_config_set(config, "fabric.uplinks", topo->uplinks);
	drb_config_set(config, "fabric.mac", topo->mac);
	drb_config_set(config, "fabric.ipv4", topo->ipv4);
	drb_config_set(config, "fabric.ipv6", topo->ipv6);
	if (!drb_config_get(config, "process.hugepages"))
		drb_config_set(config, "process.hugepages", "no");
	if (plan->machines_file)
		plan_split(plan);
	set_mtu(plan);
	if (!plan->memif)
		return;
	int len = plan->run_dir ? asprintf(&plan->memif_dir, "%s/memif", plan->run_dir)
				: asprintf(&plan->memif_dir, DRB_RUN_DIR "/%s/memif", topo->fabric);
	if (len < 0)
		abort();
	drb_config_set(config, "process.memif_dir", plan->memif_dir);
	drb_config_set(config, "link.driver", drb_driver_name(DRB_DRIVER_MEMIF));
}

// Writes the files of a plan. plan.json is removed first and written last: if it exists, all files
// that it names are complete.
static int write_files(const struct plan *plan, json_t *json)
{
	// In a plan for several machines, the other files are in the folders of the machines.
	bool whole = !plan->machines || plan->machine;
	char *path = plan_path(plan, DRB_PLAN_FILE);
	int rc = unlink(path) < 0 && errno != ENOENT ? -errno : 0;

	if (rc < 0)
		drb_error("%s: %s", path, strerror(-rc));
	if (rc == 0 && whole)
		rc = plan_write_configs(plan);
	if (rc == 0 && whole)
		rc = plan_write_batches(plan);
	free(path);
	char *text = rc == 0 ? json_dumps(json, JSON_INDENT(1)) : NULL;
	if (text)
		rc = plan_write_text(plan, DRB_PLAN_FILE, text, strlen(text));
	else if (rc == 0)
		rc = -ENOMEM;
	free(text);
	return rc;
}

static int make_folder(const char *path, bool *made)
{
	struct stat out;

	*made = mkdir(path, 0755) == 0;
	if (*made)
		return 0;
	int rc = errno == EEXIST ? 0 : -errno;
	if (rc == 0 && stat(path, &out) == 0 && !S_ISDIR(out.st_mode))
		rc = -ENOTDIR;
	if (rc < 0)
		drb_error("--out %s: %s", path, strerror(-rc));
	return rc;
}

// Writes the plan of each machine into a folder of its name.
static int write_machines(const struct plan *plan)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && plan->machines && i < plan->machines->count; i++) {
		struct plan part = *plan;
		bool made;
		part.machine = &plan->machines->machine[i];
		char *folder = plan_path(plan, part.machine->name);
		part.out = folder;
		rc = make_folder(folder, &made);
		json_t *json = plan_json(&part);
		if (rc == 0)
			rc = write_files(&part, json);
		json_decref(json);
		free(folder);
	}
	return rc;
}

int topo_plan(int argc, char **argv)
{
	struct plan plan = {0};
	const struct drb_options sets[] = {TOPO_SET(&plan.topo),
					   {.option = options, &plan},
					   {.argp = plan_config_argp(), .into = &plan},
					   {0}};
	int code = DRB_EXIT_OK;
	char doc[2048];

	drb_config_defaults(DRB_SECTION_LINK, &plan.link);
	snprintf(doc, sizeof(doc),
		 "Plans a fabric. With --out, writes SWITCH.yaml for every switch, the ip -batch "
		 "files and " DRB_PLAN_FILE " into DIR; without, prints " DRB_PLAN_FILE
		 ". Switches use no hugepages unless --hugepages is given.\v"
		 "Schemes:\n%s",
		 drb_schemes_help());
	drb_options_parse(sets, doc, argc, argv);
	complete(&plan);
	if (plan_check_configs(&plan) < 0)
		return DRB_EXIT_USAGE;
	bool made = false;
	if (plan.out && make_folder(plan.out, &made) < 0)
		return DRB_EXIT_USAGE;

	json_t *json = plan_json(&plan);
	if (plan.out) {
		int rc = write_machines(&plan);
		if (rc == 0)
			rc = write_files(&plan, json);
		code = rc == 0 ? DRB_EXIT_OK : rc == -EINVAL ? DRB_EXIT_USAGE : DRB_EXIT_FAILED;
		if (rc < 0 && made)
			rmdir(plan.out);
		if (rc == 0 && plan.machines)
			plan_print_machines(&plan);
	} else {
		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(json);
	free(plan.memif_dir);
	machines_free(plan.machines);
	return code;
}
