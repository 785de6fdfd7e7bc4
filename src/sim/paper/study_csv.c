// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/study_csv.h"

#include <math.h>

#include "common/cli/table.h"

#include "sim/paper/output.h"
#include "sim/paper/study.h"

static void put_sample(struct drb_table *table, const struct sim_sample *s)
{
	drb_table_real(table, s->count ? s->mean : NAN);
	drb_table_real(table, sim_sample_half_width(s));
}

static void put_place(struct drb_table *table, const struct drb_packet_setup *s)
{
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(s->traffic, traffic);
	drb_table_text(table, traffic);
	drb_table_real(table, s->rho);
}

static void write_places(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"layers", NULL, DRB_COUNT, 0},      {"arity", NULL, DRB_COUNT, 0},
		{"traffic", NULL, DRB_TEXT, 0},      {"rho", NULL, DRB_REAL, 2},
		{"scheme", NULL, DRB_TEXT, 0},       {"runs", NULL, DRB_COUNT, 0},
		{"growing", NULL, DRB_COUNT, 0},     {"latency", NULL, DRB_REAL, 2},
		{"latency_half", NULL, DRB_REAL, 2}, {"tail", NULL, DRB_REAL, 2},
		{"tail_half", NULL, DRB_REAL, 2},    {"of_best", NULL, DRB_REAL, 3},
		{"of_best_half", NULL, DRB_REAL, 3},
	};
	FILE *f = paper_open(p, "study.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));
	struct paper_place place;

	for (uint32_t at = 0; paper_place_next(p, &at, &place);) {
		for (int s = 0; s < DRB_SCHEME_COUNT; s++) {
			const struct paper_studied *of = &place.of[s];
			if (of->runs == 0)
				continue;
			drb_table_count(table, place.setup->tree.layers);
			drb_table_count(table, place.setup->tree.arity);
			put_place(table, place.setup);
			drb_table_text(table, drb_scheme_name((enum drb_scheme)s));
			drb_table_count(table, of->runs);
			drb_table_count(table, of->growing);
			put_sample(table, &of->mean);
			put_sample(table, &of->tail);
			put_sample(table,
				   s == DRB_SCHEME_WALK ? &place.ratio : &(struct sim_sample){0});
		}
	}
	drb_table_end(table);
	paper_close(p, f, "study.csv");
}

static void put_verdict(struct drb_table *table, const uint32_t tree[2], bool above,
			const struct paper_verdict *v)
{
	drb_table_count(table, tree[0]);
	drb_table_count(table, tree[1]);
	drb_table_text(table, above ? "above 0.9" : "to 0.9");
	drb_table_count(table, v->places);
	drb_table_count(table, v->grows[DRB_SCHEME_DRB]);
	drb_table_count(table, v->grows[DRB_SCHEME_MICRO]);
	drb_table_count(table, v->grows[DRB_SCHEME_WALK]);
	drb_table_count(table, v->grows_alone);
	drb_table_count(table, v->compared);
	drb_table_count(table, v->within);
	put_sample(table, &v->worst.ratio);
	if (v->worst.setup) {
		put_place(table, v->worst.setup);
	} else {
		drb_table_text(table, NULL);
		drb_table_real(table, NAN);
	}
	drb_table_real(table, v->fresh ? v->fresh : NAN);
	drb_table_real(table, v->fresh_tail ? v->fresh_tail : NAN);
	drb_table_real(table, v->disjoint ? v->disjoint : NAN);
}

static void write_verdicts(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"layers", NULL, DRB_COUNT, 0},
		{"arity", NULL, DRB_COUNT, 0},
		{"loads", NULL, DRB_TEXT, 0},
		{"places", NULL, DRB_COUNT, 0},
		{"drb_grows", NULL, DRB_COUNT, 0},
		{"micro_grows", NULL, DRB_COUNT, 0},
		{"walk_grows", NULL, DRB_COUNT, 0},
		{"walk_not_micro", NULL, DRB_COUNT, 0},
		{"compared", NULL, DRB_COUNT, 0},
		{"within", NULL, DRB_COUNT, 0},
		{"worst", NULL, DRB_REAL, 3},
		{"worst_half", NULL, DRB_REAL, 3},
		{"worst_traffic", NULL, DRB_TEXT, 0},
		{"worst_rho", NULL, DRB_REAL, 2},
		{"fresh_of_drb", NULL, DRB_REAL, 3},
		{"fresh_tail_of_drb", NULL, DRB_REAL, 3},
		{"disjoint_of_dmodk", NULL, DRB_REAL, 3},
	};
	FILE *f = paper_open(p, "study-summary.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));

	for (int tree = 0; tree < PAPER_STUDIED_TREES; tree++) {
		for (int above = 0; above <= 1; above++) {
			struct paper_verdict v = paper_verdict(p, paper_studied[tree], above);
			if (v.places)
				put_verdict(table, paper_studied[tree], above, &v);
		}
	}
	drb_table_end(table);
	paper_close(p, f, "study-summary.csv");
}

void paper_study_csv(const struct paper *p)
{
	write_places(p);
	write_verdicts(p);
}
