// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/points.h"
#include "sim/paper/run.h"

void paper_put_kind(FILE *f, const char *kind)
{
	fprintf(f, "{\"kind\":\"%s\"", kind);
}

// Names of ours: nothing in them is to be escaped.
void paper_put_text(FILE *f, const char *key, const char *value)
{
	fprintf(f, ",\"%s\":\"%s\"", key, value);
}

void paper_put_count(FILE *f, const char *key, uint64_t value)
{
	fprintf(f, ",\"%s\":%" PRIu64, key, value);
}

static void put_value(FILE *f, double value)
{
	if (!isfinite(value))
		fputs("null", f);
	else
		fprintf(f, "%.17g", value);
}

void paper_put_real(FILE *f, const char *key, double value)
{
	fprintf(f, ",\"%s\":", key);
	put_value(f, value);
}

void paper_put_reals(FILE *f, const char *key, const double value[], uint32_t count)
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
	paper_put_count(f, "layers", t->layers);
	paper_put_count(f, "arity", t->arity);
	paper_put_count(f, "hosts", t->hosts);
	paper_put_text(f, "scheme", drb_scheme_name(scheme));
}

static void put_flow_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_flow_setup *s = &point->flow;

	put_tree(f, &s->tree, s->scheme);
	paper_put_text(f, "traffic", point->worst ? "worst" : "permutation");
	paper_put_count(f, "flows", s->flows);
	paper_put_real(f, "threshold", s->threshold);
	paper_put_count(f, "runs", point->runs);
	paper_put_count(f, "seed", s->seed);
}

static void put_flow(FILE *f, const struct paper_point *point)
{
	struct drb_flow_summary s = paper_flow_summary(point);

	paper_put_real(f, "max_load", s.max_load);
	paper_put_real(f, "max_load_sd", s.max_load_sd);
	paper_put_real(f, "max_up", s.max_up);
	paper_put_real(f, "max_down", s.max_down);
	paper_put_real(f, "redirected", s.redirected);
	paper_put_real(f, "kept", s.kept);
}

static void put_queues(FILE *f, const struct drb_packet_result *r, uint32_t layers)
{
	double max[2 * DRB_LAYERS_MAX];

	for (uint32_t m = 1; m <= layers; m++) {
		max[m] = r->up_max[m];
		max[DRB_LAYERS_MAX + m - 1] = r->down_max[m];
	}
	paper_put_reals(f, "up_mean", r->up_mean + 1, layers - 1);
	paper_put_reals(f, "up_max", max + 1, layers - 1);
	paper_put_reals(f, "down_mean", r->down_mean + 1, layers);
	paper_put_reals(f, "down_max", max + DRB_LAYERS_MAX, layers);
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
	paper_put_real(f, "rho", s->rho);
	paper_put_real(f, "threshold", has_threshold ? s->threshold : NAN);
	paper_put_count(f, "seed", s->seed);
	paper_put_count(f, "slots", s->slots);
	paper_put_count(f, "measured", s->stats);
	paper_put_count(f, "most_slots", s->most_slots);
	paper_put_count(f, "give_up", s->give_up);
	paper_put_real(f, "dead", point->dead);
	paper_put_count(f, "dead_links", s->fail.links);
	paper_put_count(f, "dead_switches", s->fail.switches);
}

static void put_packet(FILE *f, const struct paper_point *point)
{
	struct drb_packet_result r = paper_packet_result(point);

	paper_put_real(f, "latency", r.latency);
	paper_put_real(f, "tail", r.tail);
	paper_put_real(f, "redirected", r.redirected);
	paper_put_real(f, "default_path", r.default_path);
	paper_put_real(f, "throughput", r.throughput);
	paper_put_real(f, "drift", r.drift);
	paper_put_real(f, "lost", r.lost);
	paper_put_count(f, "growing", r.growing);
	paper_put_count(f, "unclear", r.unclear);
	paper_put_count(f, "growing_links", r.growing_links);
	put_queues(f, &r, point->packet.tree.layers);
}

static void put_chain_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_ctmc_setup *s = &point->ctmc;

	paper_put_count(f, "queues", s->queues);
	paper_put_real(f, "rate", s->lambda);
	paper_put_real(f, "threshold", s->threshold);
	paper_put_real(f, "warm_up", s->warm_up);
	paper_put_real(f, "time", s->time);
	paper_put_count(f, "seed", s->seed);
}

static void put_chain(FILE *f, const struct paper_point *point)
{
	const double *v = point->value;

	paper_put_real(f, "mean_queue", v[0]);
	paper_put_real(f, "mean_time", v[1]);
	paper_put_real(f, "redirected", v[2]);
	paper_put_reals(f, "s", v + 3, PAPER_CHAIN_LEVELS);
	paper_put_real(f, "correlation", v[3 + PAPER_CHAIN_LEVELS]);
}

static void put_layers_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_ctmc_layers_setup *s = &point->layers;

	paper_put_count(f, "layers", s->layers);
	paper_put_count(f, "arity", s->arity);
	paper_put_real(f, "rate", s->lambda);
	paper_put_real(f, "threshold", s->threshold);
	paper_put_real(f, "warm_up", s->warm_up);
	paper_put_real(f, "time", s->time);
	paper_put_count(f, "seed", s->seed);
}

static void put_layers(FILE *f, const struct paper_point *point)
{
	uint32_t between = point->layers.layers - 1;
	double of[3][PAPER_LAYERS_MAX];

	for (uint32_t i = 0; i < 3 * between; i++)
		of[i % 3][i / 3] = point->value[i];
	paper_put_reals(f, "mean_queue", of[0], between);
	paper_put_reals(f, "distance", of[1], between);
	paper_put_reals(f, "departures_cv2", of[2], between);
}

static void put_transient_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_transient_setup *s = &point->transient;

	paper_put_count(f, "queues", s->queues);
	paper_put_real(f, "rate", s->lambda);
	paper_put_count(f, "threshold", s->threshold);
	paper_put_count(f, "start", s->start);
	paper_put_real(f, "time", s->time);
	paper_put_count(f, "repeats", s->repeats);
	paper_put_count(f, "seed", s->seed);
}

static void put_transient(FILE *f, const struct paper_point *point)
{
	paper_put_real(f, "distance", point->value[0]);
}

static void put_bins_setup(FILE *f, const struct paper_point *point)
{
	const struct drb_bins_setup *s = &point->bins;

	paper_put_count(f, "bins", s->bins);
	paper_put_count(f, "each", s->each);
	paper_put_count(f, "choices", s->choices);
	paper_put_count(f, "seed", s->seed);
}

static void put_bins(FILE *f, const struct paper_point *point)
{
	paper_put_reals(f, "fullest", point->value, DRB_BINS_RUNS);
}

static const struct {
	const char *name;
	void (*put_setup)(FILE *f, const struct paper_point *point);
	void (*put)(FILE *f, const struct paper_point *point);
} kinds[] = {[PAPER_FLOW] = {"flow", put_flow_setup, put_flow},
	     [PAPER_PACKET] = {"packet", put_packet_setup, put_packet},
	     [PAPER_CTMC] = {"chain", put_chain_setup, put_chain},
	     [PAPER_CTMC_LAYERS] = {"layers", put_layers_setup, put_layers},
	     [PAPER_TRANSIENT] = {"transient", put_transient_setup, put_transient},
	     [PAPER_BINS] = {"bins", put_bins_setup, put_bins}};

void paper_put_setup(FILE *f, const struct paper_point *point)
{
	char part[PAPER_COST_NAME];

	paper_part_of(point, part);
	paper_put_kind(f, kinds[point->kind].name);
	paper_put_text(f, "part", part);
	paper_put_text(f, "label", paper_label(point));
	kinds[point->kind].put_setup(f, point);
}

static void put_point(FILE *f, const struct paper_point *point)
{
	paper_put_setup(f, point);
	kinds[point->kind].put(f, point);
	paper_put_real(f, "cpu", point->cpu);
	paper_put_count(f, "done", point->done);
	fputs("}\n", f);
}

static void put_run(const struct paper *p, FILE *f)
{
	paper_put_kind(f, "run");
	paper_put_text(f, "version", DRB_VERSION);
	paper_put_count(f, "seed", p->common.seed);
	paper_put_count(f, "seeds", p->seeds);
	paper_put_count(f, "quick", p->quick);
	paper_put_count(f, "points", p->points);
	paper_put_count(f, "left", paper_left(p));
	fputs("}\n", f);
}

void paper_results(const struct paper *p)
{
	char path[PAPER_PATH_MAX];

	snprintf(path, sizeof(path), "%s/results.jsonl", p->dir);
	FILE *f = fopen(path, "w");
	if (!f)
		drb_die("%s: cannot write: %s", path, strerror(errno));
	put_run(p, f);
	for (uint32_t i = 0; i < p->points; i++)
		put_point(f, &p->point[i]);
	paper_put_theory(p, f);
	paper_put_trees(f);
	paper_put_queues(p, f);
	bool bad = ferror(f);
	if (fclose(f) != 0 || bad)
		drb_die("%s: cannot write: %s", path, strerror(errno));
}
