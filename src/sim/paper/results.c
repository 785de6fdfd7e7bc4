// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/measures/growth.h"

#include "sim/paper/cost.h"
#include "sim/paper/points.h"
#include "sim/paper/run.h"

#define CHAIN_LEVELS 16 // shares of queues with at least 1, 2, ... packets that are kept

void paper_put_kind(FILE *f, const char *kind)
{
	fprintf(f, "{\"kind\":\"%s\"", kind);
}

// Names of ours: nothing in them is to be escaped.
void paper_put_text(FILE *f, const char *key, const char *value)
{
	fprintf(f, ",\"%s\":\"%s\"", key, value);
}

// More digits than a real has.
void paper_put_seed(FILE *f, uint64_t seed)
{
	fprintf(f, ",\"seed\":%" PRIu64, seed);
}

static void put_value(FILE *f, double value)
{
	if (!isfinite(value))
		fputs("null", f);
	else
		fprintf(f, "%.17g", value);
}

void paper_put_values(FILE *f, const char *names, const double value[])
{
	for (const char *name = names; *name; name += strspn(name, " ")) {
		int length = (int)strcspn(name, " ");
		fprintf(f, ",\"%.*s\":", length, name);
		put_value(f, *value++);
		name += length;
	}
}

void paper_put_list(FILE *f, const char *key, const double value[], uint32_t count)
{
	fprintf(f, ",\"%s\":[", key);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "", f);
		put_value(f, value[i]);
	}
	fputc(']', f);
}

static void put_tree(FILE *f, const struct drb_tree *t, enum drb_scheme scheme)
{
	PAPER_PUT(f, "layers arity hosts", t->layers, t->arity, t->hosts);
	paper_put_text(f, "scheme", drb_scheme_name(scheme));
}

static void put_flow_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_flow_setup *s = &point->flow;

	put_tree(f, &s->tree, s->scheme);
	paper_put_text(f, "traffic", point->worst ? "worst" : "permutation");
	PAPER_PUT(f, "flows threshold runs", s->flows, s->threshold, point->runs);
	paper_put_seed(f, s->seed);
}

static void put_flow(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	const struct drb_flow_summary *s = &r->flow;

	(void)point;
	PAPER_PUT(f, "max_load max_load_sd max_up max_down redirected kept", s->max_load,
		  s->max_load_sd, s->max_up, s->max_down, s->redirected, s->kept);
}

static void put_packet_setup(FILE *f, const struct paper_point *point)
{
	static const char *const study[] = {"packet", "persistent", "faults"};
	const struct drb_packet_setup *s = &point->packet;
	bool has_threshold = drb_scheme_has_threshold(s->scheme);
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(s->traffic, traffic);
	paper_put_text(f, "study", study[point->study]);
	put_tree(f, &s->tree, s->scheme);
	paper_put_text(f, "traffic", traffic);
	PAPER_PUT(f, "rho threshold", s->rho, has_threshold ? s->threshold : NAN);
	paper_put_seed(f, s->seed);
	PAPER_PUT(f, "slots measured most_slots give_up dead dead_links dead_switches", s->slots,
		  s->stats, s->most_slots, s->give_up, point->dead, s->fail.links,
		  s->fail.switches);
}

// Where all links are alike, as in the paper's own experiment, chance lets that many of them pass for growing
// (growth.h).
static uint64_t links_by_chance(const struct paper_point *point)
{
	const struct drb_tree *t = &point->packet.tree;

	if (point->study != PAPER_ITSELF)
		return 0;
	return (2 * t->layers - 1) * (uint64_t)t->hosts / DRB_GROWTH_ONE_IN;
}

static void put_queues(FILE *f, const struct drb_packet_result *r, uint32_t layers)
{
	double up[DRB_LAYERS_MAX], down[DRB_LAYERS_MAX];

	for (uint32_t m = 1; m <= layers; m++) {
		up[m - 1] = r->up_max[m];
		down[m - 1] = r->down_max[m];
	}
	paper_put_list(f, "up_mean", r->up_mean + 1, layers - 1);
	paper_put_list(f, "up_max", up, layers - 1);
	paper_put_list(f, "down_mean", r->down_mean + 1, layers);
	paper_put_list(f, "down_max", down, layers);
}

static void put_packets(FILE *f, const struct paper_point *point, const union paper_result *result)
{
	const struct drb_packet_result *r = &result->packets;
	bool chance = r->growing_links > 0 && r->growing_links <= links_by_chance(point);

	PAPER_PUT(f, "latency tail redirected default_path throughput drift lost", r->latency,
		  r->tail, r->redirected, r->default_path, r->throughput, r->drift, r->lost);
	PAPER_PUT(f, "growing unclear growing_links", r->growing && !chance, r->unclear || chance,
		  (double)r->growing_links);
	put_queues(f, r, point->packet.tree.layers);
}

static void put_chain_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_ctmc_setup *s = &point->ctmc;

	PAPER_PUT(f, "queues rate threshold warm_up time", s->queues, s->lambda, s->threshold,
		  s->warm_up, s->time);
	paper_put_seed(f, s->seed);
}

static void put_chain(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	const struct drb_ctmc_result *c = &r->chain;

	(void)point;
	PAPER_PUT(f, "mean_queue mean_time redirected correlation", c->mean_queue, c->mean_time,
		  c->redirected, c->correlation);
	paper_put_list(f, "s", c->s + 1, CHAIN_LEVELS);
}

static void put_layers_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_ctmc_layers_setup *s = &point->layers;

	PAPER_PUT(f, "layers arity rate threshold warm_up time", s->layers, s->arity, s->lambda,
		  s->threshold, s->warm_up, s->time);
	paper_put_seed(f, s->seed);
}

static void put_layers(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	const struct drb_ctmc_layer *layer = r->layers.layer;
	uint32_t between = point->layers.layers - 1;
	double queue[DRB_LAYERS_MAX], distance[DRB_LAYERS_MAX], departures[DRB_LAYERS_MAX];

	for (uint32_t m = 1; m <= between; m++) {
		queue[m - 1] = layer[m].mean_queue;
		distance[m - 1] = drb_ctmc_distance(&layer[m], &layer[1]);
		departures[m - 1] = layer[m].departures_cv2;
	}
	paper_put_list(f, "mean_queue", queue, between);
	paper_put_list(f, "distance", distance, between);
	paper_put_list(f, "departures_cv2", departures, between);
}

static void put_transient_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_transient_setup *s = &point->transient;

	PAPER_PUT(f, "queues rate threshold start time repeats", s->queues, s->lambda, s->threshold,
		  s->start, s->time, s->repeats);
	paper_put_seed(f, s->seed);
}

static void put_transient(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	(void)point;
	PAPER_PUT(f, "distance", r->distance);
}

static void put_bins_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_bins_setup *s = &point->bins;

	PAPER_PUT(f, "bins each choices", s->bins, s->each, s->choices);
	paper_put_seed(f, s->seed);
}

static void put_bins(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	(void)point;
	paper_put_list(f, "fullest", r->fullest, DRB_BINS_RUNS);
}

static void put_hosts_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_transfers_setup *s = &point->hosts.transfers;

	put_tree(f, &s->tree, s->scheme);
	paper_put_text(f, "traffic", paper_hosts_traffic(&point->hosts));
	PAPER_PUT(f, "amount delay dead_links longest", point->hosts.amount, s->delay.link[1],
		  s->fail.links, PAPER_HOSTS_LONGEST);
	paper_put_seed(f, s->seed);
}

static void put_hosts(FILE *f, const struct paper_point *point, const union paper_result *r)
{
	const struct paper_hosts_result *h = &r->hosts;

	(void)point;
	PAPER_PUT(f, "slowdown slowdown_p99 makespan bound marked resent unfinished", h->slowdown,
		  h->slowdown_p99, h->makespan, h->bound, h->marked, h->resent, h->unfinished);
}

static const struct {
	const char *name;
	void (*put_setup)(FILE *f, const struct paper_point *point);
	void (*put)(FILE *f, const struct paper_point *point, const union paper_result *r);
} kinds[] = {[PAPER_FLOW] = {"flow", put_flow_setup, put_flow},
	     [PAPER_PACKET] = {"packet", put_packet_setup, put_packets},
	     [PAPER_CTMC] = {"chain", put_chain_setup, put_chain},
	     [PAPER_CTMC_LAYERS] = {"layers", put_layers_setup, put_layers},
	     [PAPER_TRANSIENT] = {"transient", put_transient_setup, put_transient},
	     [PAPER_BINS] = {"bins", put_bins_setup, put_bins},
	     [PAPER_HOSTS] = {"hosts", put_hosts_setup, put_hosts}};

void paper_put_setup(FILE *f, const struct paper_point *point)
{
	char part[PAPER_COST_NAME];

	paper_part_of(point, part);
	paper_put_kind(f, kinds[point->kind].name);
	paper_put_text(f, "part", part);
	paper_put_text(f, "label", paper_label(point));
	kinds[point->kind].put_setup(f, point);
}

void paper_set_figures(struct paper_point *point, const union paper_result *r)
{
	FILE *f = fmemopen(point->figures, sizeof(point->figures), "w");

	if (!f)
		drb_die("not enough memory");
	kinds[point->kind].put(f, point, r);
	fclose(f);
}

void paper_results(const struct paper *p)
{
	char path[PAPER_PATH_MAX];

	snprintf(path, sizeof(path), "%s/results.jsonl", p->dir);
	FILE *f = fopen(path, "w");
	if (!f)
		drb_die("%s: cannot write: %s", path, strerror(errno));
	paper_put_kind(f, "run");
	paper_put_text(f, "version", DRB_VERSION);
	paper_put_seed(f, p->common.seed);
	PAPER_PUT(f, "seeds quick points left", p->seeds, p->quick, p->points, paper_left(p));
	fputs("}\n", f);
	for (uint32_t i = 0; i < p->points; i++) {
		paper_put_setup(f, &p->point[i]);
		fputs(p->point[i].figures, f);
		PAPER_PUT(f, "cpu done", p->point[i].cpu, p->point[i].done);
		fputs("}\n", f);
	}
	paper_put_theory(p, f);
	paper_put_trees(f);
	paper_put_queues(p, f);
	bool bad = ferror(f);
	if (fclose(f) != 0 || bad)
		drb_die("%s: cannot write: %s", path, strerror(errno));
}
