// SPDX-License-Identifier: BSD-3-Clause
// The transfers of a list as a model of the engine.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/measures/latency.h"

#include "sim/engine/shared_file.h"
#include "sim/flows/alone.h"
#include "sim/flows/job.h"
#include "sim/flows/list_run.h"
#include "sim/flows/workload.h"
#include "sim/points/link_rows.h"
#include "sim/points/models.h"
#include "sim/points/transfer_options.h"

#define LOAD 0.9 // for the paper's T: a list does not give its load, so links count as nearly full

struct list_point {
	struct sim_transfers base; // must be first
	const char *path, *topo_path;
	uint32_t from, until; // transfers that begin in these slots are measured; until 0: all
	bool transfers;
	struct drb_list *list; // shared
};

struct transfer_row {
	uint32_t transfer, from, to, packets;
	uint32_t start, handshake, time; // UINT32_MAX: it is not over
	uint64_t alone;
	double time_us, slowdown;
};

struct list_row {
	const char *scheme;
	double threshold, makespan, bound, slowdown, slowdown_p99, slowdown_p999, dropped, resent,
		marked;
	uint64_t transfers, never, waits_never;
	struct drb_lost lost_to;
};

#define AT(field) offsetof(struct list_point, field)

static const struct drb_option options[] = {
	{NULL, "LIST", "File of the list; see below", .kind = DRB_OPTION_TEXT, AT(path)},
	{"--topo", "FILE",
	 "Fat-tree, delays and rates of links as a topology file of uet-htsim has them",
	 .kind = DRB_OPTION_TEXT, AT(topo_path)},
	{"--from", "SLOT", "Measure slowdowns of transfers that begin in this slot or later",
	 .kind = DRB_OPTION_U32, AT(from), 0, 1e9, .initial = "0", .unit = "slots"},
	{"--until", "SLOT", "Measure those that begin before this slot (default: all)",
	 .kind = DRB_OPTION_U32, AT(until), 1, 1e9, .unit = "slots"},
	{"--transfers", NULL, "Also the times of each transfer", .kind = DRB_OPTION_FLAG,
	 AT(transfers)},
	{0},
};

static const struct sim_set sets[] = {
	SIM_TRANSFER_SETS(struct list_point, base),
	{sim_longest_option, AT(base)},
	{sim_alone_option, AT(base)},
	{options, 0},
	{.options = NULL},
};

#undef AT
#define AT(field) offsetof(struct list_row, field)

static const struct sim_column columns[] = {
	{"scheme", SIM_NAME, .at = AT(scheme)},
	{"makespan", SIM_REAL, .at = AT(makespan), 0, SIM_SPREAD, "slots",
	 "until all transfers are over; null: some are not"},
	{"bound", SIM_REAL, .at = AT(bound), 0, SIM_MEAN, "slots",
	 "what links of hosts and the order of transfers ask for"},
	{"slowdown_mean", SIM_REAL, .at = AT(slowdown), 3, SIM_SPREAD, NULL,
	 "time relative to that alone; with uec, until the sender knows of all"},
	{"slowdown_p99", SIM_REAL, .at = AT(slowdown_p99), 3, SIM_MEAN},
	{"slowdown_p999", SIM_REAL, .at = AT(slowdown_p999), 3, SIM_MEAN},
	{"unfinished", SIM_WHOLE, .at = AT(never), 0, SIM_SUM, "transfers"},
	{"transfers_count", SIM_WHOLE, .at = AT(transfers), 0, SIM_SUM, "transfers"},
	{"dropped", SIM_REAL, .at = AT(dropped), 5, SIM_MEAN, NULL, "share of the packets sent"},
	{"resent", SIM_REAL, .at = AT(resent), 5, SIM_MEAN, NULL, "share of the packets sent"},
	{"marked", SIM_REAL, .at = AT(marked), 5, SIM_MEAN, NULL,
	 "share of the packets that arrived"},
	SIM_LOST_COLUMNS(AT(lost_to), sim_transfers_may_lose),
	{"threshold", SIM_REAL, .at = AT(threshold), 2},
	SIM_TRANSFER_COLUMNS,
	{0},
};

#undef AT
#define AT(field) offsetof(struct transfer_row, field)

static const struct sim_column transfer_columns[] = {
	{"transfer", SIM_U32, .at = AT(transfer)},
	{"from", SIM_U32, .at = AT(from)},
	{"to", SIM_U32, .at = AT(to)},
	{"packets", SIM_U32, .at = AT(packets), .unit = "packets"},
	{"start", SIM_U32, .at = AT(start), .unit = "slots"},
	{"handshake", SIM_U32, .at = AT(handshake), .unit = "slots"},
	{"time", SIM_U32, .at = AT(time), .unit = "slots"},
	{"alone", SIM_WHOLE, .at = AT(alone), .unit = "slots"},
	{"slowdown", SIM_REAL, .at = AT(slowdown), 3},
	{"time_us", SIM_REAL, .at = AT(time_us), 3, .unit = "us", .help = "of lists in bytes"},
	{0},
};

static bool are_transfers_asked(const void *point)
{
	return ((const struct list_point *)point)->transfers;
}

static const struct sim_part parts[] = {
	{"links", SIM_LINKS_HELP, sim_transfer_link_columns, sizeof(struct sim_link_row),
	 .asked = sim_transfers_list_links},
	{"transfers", "each transfer between hosts, by its place in the list from 0 on",
	 transfer_columns, sizeof(struct transfer_row), .asked = are_transfers_asked},
	{0},
};

static void check_list(const struct list_point *p)
{
	uint32_t between = 0, late = 0;

	if (!p->list->scaled && p->topo_path && p->base.source != DRB_SIM_UEC)
		drb_die("--topo %s: has times in ns, %s says slots: take --speed and --delay "
			"instead, or --source uec",
			p->topo_path, drb_file_name(p->path));
	if (!p->list->scaled && p->base.units.payload > 0 && p->base.source != DRB_SIM_UEC)
		drb_die("--packet and --slot are for uec and lists of htsim and GOAL, %s says "
			"packets and "
			"slots: leave them out",
			drb_file_name(p->path));
	for (uint32_t i = 0; i < p->list->count; i++) {
		between += !drb_listed_stays(&p->list->transfer[i]);
		late += p->list->transfer[i].slot >= p->base.longest;
	}
	if (late)
		drb_warn("%s: %u of %u transfers begin when the run has ended: take a larger "
			 "--longest than %u",
			 drb_file_name(p->path), late, p->list->count, p->base.longest);
	if (!between)
		drb_warn("%s: no transfer between hosts: there is nothing to print",
			 drb_file_name(p->path));
}

static FILE *open_list(const struct list_point *p)
{
	FILE *in = drb_file_read(p->path);

	if (!in)
		drb_die("%s: %s", p->path, strerror(errno));
	return in;
}

static void take_hosts(struct list_point *p)
{
	FILE *in = open_list(p);
	const uint32_t nodes = drb_list_nodes(in);

	fclose(in);
	if (nodes && p->topo_path) {
		sim_fabric_check(&p->base.fabric);
		if (nodes != p->base.fabric.tree.hosts)
			drb_die("%s: has %u nodes, --topo %s has %u: take a topology file of as "
				"many",
				drb_file_name(p->path), nodes, p->topo_path,
				p->base.fabric.tree.hosts);
	} else if (nodes) {
		sim_fabric_take_hosts(&p->base.fabric, drb_file_name(p->path), nodes);
	}
}

static void free_list(void *list)
{
	drb_list_free(list);
	free(list);
}

static void read_list(struct list_point *p)
{
	const struct drb_uec_units units = drb_uec_units(&p->base.units);
	const struct drb_list_scale scale = {p->base.fabric.tree.hosts, units.payload,
					     units.slot_ns};
	char error[DRB_LIST_ERROR_MAX], purpose[80];

	snprintf(purpose, sizeof(purpose), "list of %u hosts, %.9g, %.9g", scale.hosts,
		 scale.packet_bytes, scale.slot_ns);
	p->list = sim_shared_find(p->path, purpose);
	if (p->list)
		return;
	p->list = calloc(1, sizeof(*p->list));
	if (!p->list)
		drb_die("%s: not enough memory", p->path);
	FILE *in = open_list(p);
	int rc = drb_list_read(drb_file_name(p->path), in, &scale, p->list, error);
	fclose(in);
	if (rc < 0)
		drb_die("%s", error);
	check_list(p);
	sim_shared_add(p->path, purpose, p->list, free_list);
}

static void list_point_check(void *point)
{
	struct list_point *p = point;

	if (!p->path)
		drb_die("no list: give a file that drbsim transfer --list or drbsim job --list "
			"printed, a connection matrix of htsim or a schedule of GOAL");
	if (p->topo_path)
		sim_take_topo(&p->base, p->topo_path);
	if (strcmp(p->path, "-") != 0)
		take_hosts(p);
	sim_transfers_check(&p->base, true);
	p->base.threshold = sim_transfers_threshold(&p->base, LOAD, 1);
	read_list(p);
}

// A lower bound of the makespan that holds for any paths. It is the larger of the time of the
// busiest link of a host and the makespan without waiting on links.
static int bound_of(const struct drb_transfers_setup *setup, const struct drb_list *list,
		    double *bound)
{
	const uint32_t hosts = setup->tree.hosts;
	uint64_t *at = calloc(2 * (size_t)hosts, sizeof(*at)), most = 0, alone;
	int rc = at ? drb_job_alone(setup, list, &alone) : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < list->count; i++) {
		const struct drb_listed *t = &list->transfer[i];
		at[t->source] += t->size;
		at[hosts + t->dest] += t->size;
		most = at[t->source] > most ? at[t->source] : most;
		most = at[hosts + t->dest] > most ? at[hosts + t->dest] : most;
	}
	most *= drb_pace_of(&setup->pace, 1);
	*bound = rc < 0 ? NAN : fmax((double)most, (double)alone);
	free(at);
	return rc;
}

static struct transfer_row row_of(uint64_t alone, const struct drb_listed *l,
				  const struct drb_list_time *time)
{
	const uint64_t took = time->finish - time->start;
	const bool over = time->ended;

	return (struct transfer_row){
		.from = l->source,
		.to = l->dest,
		.packets = l->size,
		.start = over ? (uint32_t)time->start : UINT32_MAX,
		.handshake = over ? (uint32_t)(time->connected - time->start) : UINT32_MAX,
		.time = over ? (uint32_t)took : UINT32_MAX,
		.alone = alone,
		.slowdown = over ? (double)took / (double)alone : NAN,
	};
}

static bool counts(const struct list_point *p, const struct drb_list_time *time)
{
	return time->ended && time->start >= p->from && (p->until == 0 || time->start < p->until);
}

// `sample` and the rows of the part have space for all transfers of the list. 0 or -ENOMEM.
static int sum_up(const struct list_point *p, struct drb_alone *alone,
		  const struct drb_list_result *r, uint64_t sample[], struct sim_outcome *out)
{
	struct list_row *row = out->row;
	struct transfer_row *part = out->part[1].rows;
	const double slot_ns = drb_uec_units(&p->base.units).slot_ns;
	uint64_t n = 0, last = 0;

	for (uint32_t i = 0; i < p->list->count; i++) {
		const struct drb_listed *l = &p->list->transfer[i];
		last = r->time[i].finish > last ? r->time[i].finish : last;
		if (drb_listed_stays(l)) {
			row->waits_never += !r->time[i].ended;
			continue;
		}
		const bool counted = counts(p, &r->time[i]);
		row->transfers++;
		row->never += !r->time[i].ended;
		if (!counted && !part)
			continue;
		const struct drb_transfer one = {
			.source = l->source, .dest = l->dest, .size = l->size};
		const uint64_t slots = drb_alone_slots(alone, &one, p->base.longest);
		if (slots == 0)
			return -ENOMEM;
		struct transfer_row t = row_of(slots, l, &r->time[i]);
		t.transfer = i;
		t.time_us = p->list->scaled && r->time[i].finish ? t.time * slot_ns / 1000 : NAN;
		if (counted)
			sample[n++] = (uint64_t)llround(t.slowdown * DRB_SLOWDOWN_ONE);
		if (part)
			part[out->part[1].count++] = t;
	}
	const struct drb_latency slowdown = drb_latency_of(sample, n);
	row->slowdown = slowdown.mean / DRB_SLOWDOWN_ONE; // NaN without samples
	row->slowdown_p99 = slowdown.p99 / DRB_SLOWDOWN_ONE;
	row->slowdown_p999 = slowdown.p999 / DRB_SLOWDOWN_ONE;
	row->makespan = r->finished == p->list->count ? (double)last : NAN;
	row->dropped = (double)r->dropped / (double)(r->dropped + r->packets);
	row->resent = (double)r->resent / (double)(r->dropped + r->packets);
	row->lost_to = r->lost_to;
	row->marked = (double)r->marked / (double)r->packets;
	return 0;
}

static void warn(const struct list_point *p, struct sim_outcome *out)
{
	const struct list_row *row = out->row;

	if (row->never)
		snprintf(out->warning, sizeof(out->warning),
			 "%s: %" PRIu64 " of %" PRIu64 " transfers " SIM_NEVER_ARRIVED, row->scheme,
			 row->never, row->transfers, p->base.longest);
	else if (row->waits_never)
		snprintf(out->warning, sizeof(out->warning),
			 "%s: %" PRIu64 " of %" PRIu64 " computations and receives did not end: "
			 "what they wait for did not come, or the run ended at --longest %u",
			 row->scheme, row->waits_never, p->list->count - row->transfers,
			 p->base.longest);
}

static int list_point_run(const void *point, struct sim_outcome *out)
{
	const struct list_point *p = point;
	struct drb_link_table links = {0};
	const struct drb_list_setup setup = {
		.transfers = sim_transfers_setup(&p->base, out->memory, &links),
		.list = p->list,
		.longest = p->base.longest};
	const size_t room = (size_t)p->list->count + 1;
	struct list_row *row = out->row;
	uint64_t *sample = malloc(room * sizeof(*sample));
	struct drb_list_result r = {.time = calloc(room, sizeof(*r.time))};
	struct drb_alone alone = {&setup.transfers, p->base.alone == SIM_ALONE_SAME, NULL};

	if (p->transfers)
		out->part[1].rows = calloc(room, sizeof(struct transfer_row));
	row->scheme = drb_scheme_name(p->base.fabric.scheme);
	row->threshold = sim_shown_threshold(&p->base);
	int rc = sample && r.time && (out->part[1].rows || !p->transfers) ? 0 : -ENOMEM;
	if (rc == 0)
		rc = bound_of(&setup.transfers, p->list, &row->bound);
	if (rc == 0)
		rc = drb_list_run(&setup, &r);
	if (rc == 0)
		rc = r.error;
	if (rc == 0 && links.link)
		rc = sim_put_transfer_links(&p->base.fabric.tree, &links, out, 0);
	if (rc == 0)
		rc = sum_up(p, &alone, &r, sample, out);
	if (rc == 0) {
		warn(p, out);
		sim_faults_warn(&p->base.links, r.slots, out);
	} else
		sim_transfers_explain(rc, out);
	drb_alone_free(&alone);
	free(links.link);
	free(sample);
	free(r.time);
	return rc;
}

static void list_point_release(void *point)
{
	struct list_point *p = point;

	if (p->list)
		sim_shared_release(p->list);
	sim_links_release(&p->base.links);
}

const struct sim_model sim_list_model = {
	.name = "list",
	.help = "completion times of transfers in a list",
	.sets = sets,
	.size = sizeof(struct list_point),
	.columns = columns,
	.row_size = sizeof(struct list_row),
	.parts = parts,
	.check = list_point_check,
	.takes = sim_transfers_take,
	.bytes = sim_transfers_bytes,
	.run = list_point_run,
	.release = list_point_release,
	.layers = sim_layers_of,
};
