// SPDX-License-Identifier: BSD-3-Clause
// Transfers that begin at random, as a model of the engine.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/flows/workload.h"
#include "sim/points/link_rows.h"
#include "sim/points/models.h"
#include "sim/points/transfer_lists.h"
#include "sim/points/transfer_options.h"

// A run ends after this many times its slots, even if transfers are not over.
#define LONGEST 10

struct transfer_point {
	struct sim_transfers base; // must be first
	double load;
	const char *sizes_name;
	struct drb_sizes sizes;
	uint32_t slots, warmup;
	bool classes;
};

// Figures of a class of sizes.
struct class_row {
	uint32_t from, to; // packets; UINT32_MAX: no limit
	double slowdown_mean, slowdown_p50, slowdown_p99, slowdown_p999;
	double time_mean, time_p50, time_p99;
	uint64_t transfers;
};

struct transfer_row {
	const char *scheme, *sizes;
	struct class_row all;
	uint64_t unfinished, broken;
	double threshold, dropped, resent;
	struct drb_lost lost_to;
};

#define AT(field) offsetof(struct transfer_point, field)

static const struct drb_option options[] = {
	{"--load", "LOAD", "Packets that a host sends per slot, on average",
	 .kind = DRB_OPTION_REAL, AT(load), 0, 1, .initial = "0.5",
	 .unit = "packets per host and slot"},
	{"--sizes", "NAME", "Sizes of transfers: websearch, datamining, fixed:N, file:PATH",
	 .kind = DRB_OPTION_TEXT, AT(sizes_name), .initial = "websearch"},
	{"--slots", "COUNT", "Measure transfers that begin before slot COUNT",
	 .kind = DRB_OPTION_U32, AT(slots), 1, 1e8, .initial = "100000", .unit = "slots"},
	{"--warmup", "COUNT", "Measure none that begins before slot COUNT", .kind = DRB_OPTION_U32,
	 AT(warmup), 0, 1e8, .initial = "10000", .unit = "slots"},
	{"--classes", NULL, "Also figures of each class of sizes", .kind = DRB_OPTION_FLAG,
	 AT(classes)},
	{0},
};

static const struct sim_set sets[] = {
	SIM_TRANSFER_SETS(struct transfer_point, base),
	{sim_alone_option, AT(base)},
	{options, 0},
	{.options = NULL},
};

#undef AT
#define AT(field) offsetof(struct class_row, field)

// clang-format off
#define CLASS_COLUMNS(base)                                                                        \
	{"slowdown_mean", SIM_REAL, .at = base + AT(slowdown_mean), 2, SIM_SPREAD, NULL,           \
	 "time relative to that alone; with uec, until the sender knows of all"},                  \
	{"slowdown_p50", SIM_REAL, .at = base + AT(slowdown_p50), 2, SIM_MEAN},                    \
	{"slowdown_p99", SIM_REAL, .at = base + AT(slowdown_p99), 2, SIM_MEAN},                    \
	{"time_mean", SIM_REAL, .at = base + AT(time_mean), 1, SIM_SPREAD, "slots"},               \
	{"slowdown_p999", SIM_REAL, .at = base + AT(slowdown_p999), 2, SIM_MEAN},                  \
	{"time_p50", SIM_REAL, .at = base + AT(time_p50), 0, SIM_MEAN, "slots"},                   \
	{"time_p99", SIM_REAL, .at = base + AT(time_p99), 0, SIM_MEAN, "slots"},                   \
	{"transfers", SIM_WHOLE, .at = base + AT(transfers), 0, SIM_SUM}
// clang-format on

static const struct sim_column class_columns[] = {
	{"packets_from", SIM_U32, .at = AT(from), .unit = "packets"},
	{"packets_to", SIM_U32, .at = AT(to), .unit = "packets"},
	CLASS_COLUMNS(0),
	{0},
};

#undef AT
#define AT(field) offsetof(struct transfer_row, field)

static const struct sim_column columns[] = {
	{"scheme", SIM_NAME, .at = AT(scheme)},
	{"load", SIM_REAL, .at = offsetof(struct transfer_point, load), 3, .of_point = true},
#undef AT
#define AT(field) offsetof(struct class_row, field)
	CLASS_COLUMNS(offsetof(struct transfer_row, all)),
#undef AT
#define AT(field) offsetof(struct transfer_row, field)
	{"unfinished", SIM_WHOLE, .at = AT(unfinished), 0, SIM_SUM, "transfers"},
	{"broken", SIM_WHOLE, .at = AT(broken), 0, SIM_SUM, "transfers"},
	{"dropped", SIM_REAL, .at = AT(dropped), 5, SIM_MEAN, NULL, "share of the packets sent"},
	{"resent", SIM_REAL, .at = AT(resent), 5, SIM_MEAN, NULL, "share of the packets sent"},
	SIM_LOST_COLUMNS(AT(lost_to), sim_transfers_may_lose),
	{"threshold", SIM_REAL, .at = AT(threshold), 2},
	{"sizes", SIM_NAME, .at = AT(sizes)},
	SIM_TRANSFER_COLUMNS,
	{0},
};

static bool are_classes_asked(const void *point)
{
	return ((const struct transfer_point *)point)->classes;
}

static const struct sim_part parts[] = {
	{"links", SIM_LINKS_HELP, sim_transfer_link_columns, sizeof(struct sim_link_row),
	 .asked = sim_transfers_list_links},
	{"classes", "transfers of any size, and of each class of sizes", class_columns,
	 sizeof(struct class_row), .asked = are_classes_asked, .with_row = true},
	{0},
};

// Also sets the paper's T by the load of the uplinks. For flows, T needs the mean number of flows
// on an uplink at a time. It is computed as if flows shared an uplink equally.
static void transfer_point_check(void *point)
{
	struct transfer_point *p = point;
	char error[DRB_SIZES_ERROR_MAX];

	sim_share_check("--load", p->load);
	if (p->warmup >= p->slots)
		drb_die("--warmup %u: no fewer than the %u slots in which transfers begin: give a "
			"shorter --warmup, or more --slots",
			p->warmup, p->slots);
	if (drb_sizes_open(p->sizes_name, &p->sizes, error) < 0)
		drb_die("--sizes %s", error);
	sim_transfers_check(&p->base, false);
	const double uplinks = sim_transfers_uplink_load(&p->base, p->load);
	p->base.threshold = sim_transfers_threshold(&p->base, uplinks, uplinks / (1 - uplinks));
}

static struct drb_workload_setup workload_setup(const struct transfer_point *p, uint64_t memory,
						struct drb_link_table *links)
{
	return (struct drb_workload_setup){.transfers =
						   sim_transfers_setup(&p->base, memory, links),
					   .sizes = &p->sizes,
					   .load = p->load,
					   .slots = p->slots,
					   .warmup = p->warmup,
					   .longest = LONGEST * p->slots,
					   .same_source = p->base.alone == SIM_ALONE_SAME};
}

static struct class_row class_row_of(const struct drb_workload_result *r, int class)
{
	const struct drb_latency *time = &r->of[class].time, *slow = &r->of[class].slowdown;

	return (struct class_row){
		.from = class < 2 ? 1 : drb_size_class_end[class - 1] + 1,
		.to = drb_size_class_end[class],
		.slowdown_mean = slow->mean / DRB_SLOWDOWN_ONE,
		.slowdown_p50 = slow->p50 / DRB_SLOWDOWN_ONE,
		.slowdown_p99 = slow->p99 / DRB_SLOWDOWN_ONE,
		.slowdown_p999 = slow->p999 / DRB_SLOWDOWN_ONE,
		.time_mean = time->mean,
		.time_p50 = time->p50,
		.time_p99 = time->p99,
		.transfers = time->samples,
	};
}

static int put_classes(const struct drb_workload_result *r, struct sim_outcome *out)
{
	struct class_row *row = calloc(DRB_SIZE_CLASSES, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (int class = 0; class < DRB_SIZE_CLASSES; class ++)
		row[class] = class_row_of(r, class);
	out->part[1].rows = row;
	out->part[1].count = DRB_SIZE_CLASSES;
	return 0;
}

static int transfer_point_run(const void *point, struct sim_outcome *out)
{
	const struct transfer_point *p = point;
	struct drb_link_table links = {0};
	const struct drb_workload_setup setup = workload_setup(p, out->memory, &links);
	struct transfer_row *row = out->row;
	struct drb_workload_result r;
	int rc = drb_workload_run(&setup, &r);

	if (rc == 0 && links.link)
		rc = sim_put_transfer_links(&p->base.fabric.tree, &links, out, 0);
	free(links.link);
	if (rc < 0) {
		sim_transfers_explain(rc, out);
		return rc;
	}
	const double sent = (double)(r.dropped + r.packets);
	*row = (struct transfer_row){.scheme = drb_scheme_name(p->base.fabric.scheme),
				     .sizes = p->sizes_name,
				     .all = class_row_of(&r, 0),
				     .unfinished = r.unfinished,
				     .broken = r.broken,
				     .threshold = sim_shown_threshold(&p->base),
				     .dropped = (double)r.dropped / sent,
				     .resent = (double)r.resent / sent,
				     .lost_to = r.lost_to};
	if (r.error || r.unfinished)
		snprintf(out->warning, sizeof(out->warning),
			 "%s at load %g: %" PRIu64 " of %" PRIu64
			 " transfers were not over when %s; the figures leave them out",
			 row->scheme, p->load, r.unfinished, r.begun,
			 r.error == -EOVERFLOW ? "more packets were under way than this scheme can "
						 "number (limit --queue)"
			 : r.error             ? "memory ran out"
					       : "the run ended");
	sim_faults_warn(&p->base.links, r.slots, out);
	return p->classes ? put_classes(&r, out) : 0;
}

int sim_transfer_list(void *point, struct drb_list *list)
{
	const struct drb_workload_setup setup = workload_setup(point, UINT64_MAX, NULL);

	return drb_workload_list(&setup, list);
}

static void transfer_point_release(void *point)
{
	struct transfer_point *p = point;

	drb_sizes_free(&p->sizes);
	sim_links_release(&p->base.links);
}

const struct sim_model sim_transfer_model = {
	.name = "transfer",
	.help = "completion times of transfers between hosts",
	.sets = sets,
	.size = sizeof(struct transfer_point),
	.columns = columns,
	.row_size = sizeof(struct transfer_row),
	.parts = parts,
	.check = transfer_point_check,
	.takes = sim_transfers_take,
	.bytes = sim_transfers_bytes,
	.run = transfer_point_run,
	.release = transfer_point_release,
	.layers = sim_layers_of,
};
