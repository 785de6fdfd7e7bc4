// SPDX-License-Identifier: BSD-3-Clause
// The packet model as a model of the engine.

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/traffic/traffic_file.h"
#include "common/traffic/traffic_option.h"

#include "sim/engine/shared_file.h"
#include "sim/points/fabric_options.h"
#include "sim/points/models.h"
#include "sim/points/link_rows.h"
#include "sim/points/packet_queues.h"

struct packet_point {
	struct sim_fabric fabric; // must be first
	struct sim_links links;
	struct drb_traffic_kind traffic;
	double load;
	uint32_t slots, stats, most_slots, queues;
	uint64_t seed;
	bool give_up, detail, list_links;
	double threshold; // valid after the check
};

struct packet_row {
	const char *scheme;
	char traffic[DRB_TRAFFIC_NAME_MAX];
	double threshold; // NaN: the scheme has none
	const char *growing;
	double reordered;
	const char *failed, *slow; // NULL: no dead or slow links
	struct drb_packet_result r;
};

static void parse_traffic(const struct drb_option *o, const char *text, void *kind)
{
	(void)o;
	drb_traffic_option(text, kind);
}

#define AT(field) offsetof(struct packet_point, field)

#define STATS_DEFAULT 500 // slots

static const struct drb_option options[] = {
	{"--load", "LOAD", "Probability that a host sends in a slot", .kind = DRB_OPTION_REAL,
	 AT(load), 0, 1, .initial = "0.9", .unit = "packets per host and slot"},
	{"--traffic", "NAME", "Who sends to whom; see below", .kind = DRB_OPTION_OTHER, AT(traffic),
	 .parse = parse_traffic, .initial = "permutation"},
	{"--slots", "COUNT", "Length of a run", .kind = DRB_OPTION_U32, AT(slots), 1, 1e6,
	 .initial = "2000", .unit = "slots"},
	{"--stats", "COUNT",
	 "Measure packets that are born in the last slots of a run (default 500, or all of fewer)",
	 .kind = DRB_OPTION_U32, AT(stats), 1, 1e6, .unit = "slots"},
	{"--most-slots", "COUNT",
	 "End a run here even if measured packets are under way (default: wait for them)",
	 .kind = DRB_OPTION_U32, AT(most_slots), 1, 1e9, .unit = "slots"},
	{"--give-up", NULL, "End a run after --slots if its queues grow", .kind = DRB_OPTION_FLAG,
	 AT(give_up)},
	{"--detail", NULL, "Also percentiles of latency, reordering and use of links",
	 .kind = DRB_OPTION_FLAG, AT(detail)},
	{"--queues", "SLOTS", "The length of each queue, every so many slots (drbsim run alone)",
	 .kind = DRB_OPTION_U32, AT(queues), 1, 1e6, .unit = "slots"},
	{"--links", NULL, "The result of each link, longest queues first", .kind = DRB_OPTION_FLAG,
	 AT(list_links)},
	{0},
};

static const struct sim_set sets[] = {
	{sim_fabric_options, AT(fabric)}, {options, 0},      {sim_links_options, AT(links)},
	{sim_seed_option, AT(seed)},      {.options = NULL},
};

static bool is_detailed(const void *point)
{
	return ((const struct packet_point *)point)->detail;
}

static bool is_asked_for_queues(const void *point)
{
	return ((const struct packet_point *)point)->queues > 0;
}

static bool is_asked_for_links(const void *point)
{
	return ((const struct packet_point *)point)->list_links;
}

static bool is_slow(const void *point)
{
	return sim_is_slow(&((const struct packet_point *)point)->links);
}

static bool is_broken(const void *point)
{
	return sim_is_broken(&((const struct packet_point *)point)->links);
}

static bool is_faulty(const void *point)
{
	return ((const struct packet_point *)point)->links.faults.count > 0;
}

static bool may_lose(const void *point)
{
	return is_broken(point) || is_faulty(point);
}

#undef AT
#define AT(field) offsetof(struct packet_row, field)
#define R(field) offsetof(struct packet_row, r.field)
#define USE sizeof(struct drb_link_use)

// clang-format off
static const struct sim_column columns[] = {
	{"scheme", SIM_NAME, .at = AT(scheme)},
	{"load", SIM_REAL, .at = offsetof(struct packet_point, load), 3, .of_point = true},
	{"latency", SIM_REAL, .at = R(latency), 2, SIM_SPREAD, "slots", "mean"},
	{"tail", SIM_REAL, .at = R(tail), 1, SIM_SPREAD, "slots",
	 "mean over the slots of the largest latency of a packet born in the slot"},
	{"redirected", SIM_REAL, .at = R(redirected), 4, SIM_MEAN, NULL,
	 "share of decisions that left the default uplink"},
	{"default_path", SIM_REAL, .at = R(default_path), 4, SIM_MEAN, NULL,
	 "share of packets through a core that took the default at each switch"},
	{"throughput", SIM_REAL, .at = R(throughput), 4, SIM_MEAN, "packets per host and slot"},
	{"growing", SIM_NAME, .at = AT(growing), .combine = SIM_MOST, .help = "yes, no or unclear: queues grow"},
	{"growing_links", SIM_WHOLE, .at = R(growing_links), 0, SIM_MOST},
	{"least_overload", SIM_REAL, .at = R(least_overload), 3, SIM_MOST, "share of a link's rate",
	 "what of more than a link can carry would have shown as growing; none if queues grow"},
	{"queue_up%u_mean", SIM_REAL, .at = R(up_mean), 2, SIM_MEAN, "packets", NULL, SIM_UP, sizeof(double)},
	{"queue_up%u_max", SIM_U32, .at = R(up_max), 0, SIM_MOST, "packets", NULL, SIM_UP, sizeof(uint32_t)},
	{"queue_down%u_mean", SIM_REAL, .at = R(down_mean), 2, SIM_MEAN, "packets", NULL, SIM_DOWN, sizeof(double)},
	{"queue_down%u_max", SIM_U32, .at = R(down_max), 0, SIM_MOST, "packets", NULL, SIM_DOWN, sizeof(uint32_t)},
	{"latency_p50", SIM_REAL, .at = R(detail.latency.p50), 0, SIM_MEAN, "slots", .shown = is_detailed},
	{"latency_p99", SIM_REAL, .at = R(detail.latency.p99), 0, SIM_MEAN, "slots", .shown = is_detailed},
	{"latency_p999", SIM_REAL, .at = R(detail.latency.p999), 0, SIM_MEAN, "slots", .shown = is_detailed},
	{"latency_max", SIM_REAL, .at = R(detail.latency.max), 0, SIM_MOST, "slots", .shown = is_detailed},
	{"reordered_share", SIM_REAL, .at = AT(reordered), 4, SIM_MEAN, .shown = is_detailed},
	{"reorder_extent", SIM_WHOLE, .at = R(detail.order.extent), 0, SIM_MOST, "packets", .shown = is_detailed},
	{"reorder_buffer", SIM_WHOLE, .at = R(detail.order.buffer), 0, SIM_MOST, "packets", .shown = is_detailed},
	{"use_up%u_mean", SIM_REAL, .at = R(detail.up[0].mean), 3, SIM_MEAN, NULL, "share of slots in use",
	 SIM_UP, USE, .shown = is_detailed},
	{"use_up%u_max", SIM_REAL, .at = R(detail.up[0].max), 3, SIM_MOST, NULL, NULL, SIM_UP, USE,
	 .shown = is_detailed},
	{"use_down%u_mean", SIM_REAL, .at = R(detail.down[0].mean), 3, SIM_MEAN, NULL, NULL, SIM_DOWN, USE,
	 .shown = is_detailed},
	{"use_down%u_max", SIM_REAL, .at = R(detail.down[0].max), 3, SIM_MOST, NULL, NULL, SIM_DOWN, USE,
	 .shown = is_detailed},
	{"lost", SIM_REAL, .at = R(lost), 4, SIM_MEAN, NULL,
	 "share of packets without a path, or that faults took", .shown = may_lose},
	SIM_LOST_COLUMNS(R(lost_to), is_faulty),
	{"failed", SIM_NAME, .at = AT(failed), .help = "dead links and switches",
	 .shown = is_broken},
	{"slow_links", SIM_NAME, .at = AT(slow), .help = "by their lower ends", .shown = is_slow},
	{"drift", SIM_REAL, .at = R(drift), 3, SIM_MEAN, NULL,
	 "latency in the later half of the measured slots over that in the earlier half, less 1"},
	{"undelivered", SIM_WHOLE, .at = R(undelivered), 0, SIM_SUM, "packets",
	 "measured ones under way when the run ended"},
	{"traffic", SIM_TEXT, .at = AT(traffic)},
	{"threshold", SIM_REAL, .at = AT(threshold), 2},
	{"slots", SIM_U32, .at = offsetof(struct packet_point, slots), .unit = "slots", .of_point = true},
	{"seed", SIM_WHOLE, .at = offsetof(struct packet_point, seed), .of_point = true},
	SIM_FABRIC_COLUMNS,
	{0},
};

// clang-format on

static const struct sim_part parts[] = {
	{"links", SIM_LINKS_HELP, sim_packet_link_columns, sizeof(struct sim_link_row),
	 .asked = is_asked_for_links},
	{"queues", "the length of each queue over time", sim_queues_columns,
	 sizeof(struct sim_queues_row), .asked = is_asked_for_queues},
	{0},
};

#define HOSTS_OF_SLOW_SLOTS 1024
#define HOSTS_TO_SHARE 4096 // with fewer, threads bring little

static struct drb_packet_setup packet_setup(const struct packet_point *p, struct sim_outcome *out)
{
	return (struct drb_packet_setup){
		.tree = p->fabric.tree,
		.scheme = p->fabric.scheme,
		.choices = sim_choices_of(&p->fabric),
		.threshold = p->threshold,
		.traffic = p->traffic,
		.rho = p->load,
		.slots = p->slots,
		.most_slots = p->most_slots,
		.give_up = p->give_up,
		.stats = p->stats,
		.seed = p->seed,
		.memory = out ? out->memory : 0,
		.threads = out && p->fabric.tree.hosts >= HOSTS_TO_SHARE ? out->threads : 1,
		.fail = p->links.fail,
		.faults = p->links.faults,
		.slow = p->links.slow,
		.delay = p->links.delay,
		.detail = p->detail || p->list_links,
		.share = out && p->fabric.tree.hosts >= HOSTS_OF_SLOW_SLOTS ? &out->share : NULL,
	};
}

static void free_traffic(void *file)
{
	drb_traffic_file_free(file);
}

static void read_traffic(struct drb_traffic_kind *kind, uint32_t hosts)
{
	char purpose[32], why[DRB_TRAFFIC_WHY_MAX];

	if (kind->pattern != DRB_PATTERN_FILE)
		return;
	snprintf(purpose, sizeof(purpose), "traffic of %u hosts", hosts);
	kind->file = sim_shared_find(kind->path, purpose);
	if (kind->file)
		return;
	if (drb_traffic_read(kind, hosts, why) < 0)
		drb_die("--traffic %s", why);
	sim_shared_add(kind->path, purpose, kind->file, free_traffic);
}

static void packet_point_check(void *point)
{
	struct packet_point *p = point;
	char text[DRB_TRAFFIC_NAME_MAX];

	sim_fabric_check(&p->fabric);
	sim_share_check("--load", p->load);
	if (p->stats == 0)
		p->stats = p->slots < STATS_DEFAULT ? p->slots : STATS_DEFAULT;
	if (p->stats > p->slots)
		drb_die("--stats %u: more than the %u slots of the run", p->stats, p->slots);
	read_traffic(&p->traffic, p->fabric.tree.hosts);
	drb_traffic_format(p->traffic, text);
	if (drb_traffic_fits(p->traffic, p->fabric.tree.hosts) < 0)
		drb_die("--traffic %s: too many for the %u hosts of F(%u,%u)", text,
			p->fabric.tree.hosts, p->fabric.layers, p->fabric.arity);
	sim_links_check(&p->links, &p->fabric.tree);
	sim_faults_check(&p->links, &p->fabric.tree, 0, p->slots);
	p->threshold = sim_packet_threshold(&p->fabric, sim_uplink_load(&p->fabric, p->load));
}

static uint64_t bytes(const void *point)
{
	const struct drb_packet_setup setup = packet_setup(point, NULL);

	return drb_packet_bytes(&setup);
}

static int name_links(const struct packet_point *p, struct sim_outcome *out)
{
	const struct drb_tree *t = &p->fabric.tree;
	struct packet_row *row = out->row;
	int rc = 0;

	if (sim_is_broken(&p->links))
		rc = sim_failed_names(&p->links, t, p->seed, &out->owned[0]);
	if (rc == 0 && sim_is_slow(&p->links))
		rc = sim_slow_names(&p->links, t, p->seed, &out->owned[1]);
	row->failed = out->owned[0];
	row->slow = out->owned[1];
	return rc;
}

static void fill_row(const struct packet_point *p, const struct drb_packet_result *r,
		     struct sim_outcome *out)
{
	struct packet_row *row = out->row;

	row->r = *r;
	row->scheme = drb_scheme_name(p->fabric.scheme);
	drb_traffic_format(p->traffic, row->traffic);
	row->threshold = drb_scheme_has_threshold(p->fabric.scheme) ? p->threshold : NAN;
	row->growing = r->growing ? "yes" : r->unclear ? "unclear" : "no";
	row->reordered = p->detail ? drb_reordering_share(&r->detail.order) : NAN;
	if (r->out_of_memory)
		snprintf(out->warning, sizeof(out->warning),
			 "%s at load %g ran out of memory: its figures are those until then; raise "
			 "--memory or take fewer --slots",
			 row->scheme, p->load);
}

// Fills in the outcomes from sim[] and result[].
static int report(const void *const point[], struct drb_packet_sim *const sim[],
		  const struct drb_packet_result result[], struct sim_outcome *const out[],
		  uint32_t count)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const struct packet_point *p = point[i];
		fill_row(p, &result[i], out[i]);
		rc = name_links(p, out[i]);
		if (rc == 0 && p->list_links)
			rc = sim_put_packet_links(&p->fabric.tree, sim[i], out[i], 0);
	}
	return rc;
}

#define TOGETHER 8

static int run_alike(const void *const point[], struct sim_outcome *const out[], uint32_t count)
{
	struct drb_packet_sim *sim[TOGETHER] = {NULL};
	struct drb_packet_result result[TOGETHER];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const struct drb_packet_setup setup = packet_setup(point[i], out[i]);
		rc = drb_packet_new(&sim[i], &setup);
	}
	if (rc == 0)
		rc = drb_packet_run_together(sim, count, result);
	if (rc == 0)
		rc = report(point, sim, result, out, count);
	for (uint32_t i = 0; i < count; i++)
		drb_packet_free(sim[i]);
	return rc;
}

// A run on several threads may run out of memory earlier than a run on one thread. Then one thread
// runs the point again.
static int packet_point_run(const void *point, struct sim_outcome *out)
{
	const struct packet_point *p = point;
	struct drb_packet_setup setup = packet_setup(p, out);
	struct drb_packet_sim *sim = NULL;
	struct drb_packet_result result = {0};
	int rc = drb_packet_new(&sim, &setup);

	if (rc == 0 && p->queues)
		rc = sim_run_with_queues(sim, p->queues, &result, out);
	else if (rc == 0)
		drb_packet_run(sim, &result);
	const bool again = rc == 0 && result.out_of_memory && setup.threads > 1;
	if (rc == 0 && !again)
		rc = report(&point, &sim, &result, &out, 1);
	drb_packet_free(sim);
	if (!again)
		return rc;
	out->threads = 1;
	return packet_point_run(point, out);
}

// True if points have equal traffic, which is then drawn once.
static bool alike(const void *a, const void *b)
{
	const struct packet_point *p = a, *q = b;

	return !p->queues && !q->queues && p->fabric.layers == q->fabric.layers &&
	       p->fabric.arity == q->fabric.arity &&
	       p->fabric.tree.uplinks == q->fabric.tree.uplinks && p->load == q->load &&
	       p->seed == q->seed && p->traffic.pattern == q->traffic.pattern &&
	       p->traffic.k == q->traffic.k && p->traffic.share == q->traffic.share &&
	       p->traffic.answers == q->traffic.answers && p->traffic.file == q->traffic.file;
}

static void packet_point_release(void *point)
{
	struct packet_point *p = point;

	if (p->traffic.file)
		sim_shared_release(p->traffic.file);
	sim_links_release(&p->links);
}

const struct sim_model sim_packet_model = {
	.name = "packet",
	.help = "latency and queues of packets, slot by slot",
	.sets = sets,
	.size = sizeof(struct packet_point),
	.columns = columns,
	.row_size = sizeof(struct packet_row),
	.parts = parts,
	.check = packet_point_check,
	.bytes = bytes,
	.run = packet_point_run,
	.alike = alike,
	.run_alike = run_alike,
	.release = packet_point_release,
	.layers = sim_layers_of,
};
