// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"

#include "sim/flows/list_run.h"
#include "sim/runs/jobs.h"
#include "sim/runs/options.h"
#include "sim/runs/rows.h"
#include "sim/runs/transfer_options.h"

struct replay_verb {
	struct sim_transfer_verb base; // first
	const char *path;
	struct drb_list list;
	double packet_bytes, slot_ns;
	struct drb_list_time *time; // [scheme][transfer]
};

#define AT(field) offsetof(struct replay_verb, field)

static const struct drb_option options[] = {
	{NULL, "LIST", NULL, .kind = DRB_OPTION_TEXT, AT(path)},
	{"--packet", "BYTES",
	 "Bytes of a packet, for lists of htsim and GOAL (default 4096); with --slot",
	 .kind = DRB_OPTION_REAL, AT(packet_bytes), 1, 1e6},
	{"--slot", "NS",
	 "Nanoseconds of a slot, for these lists (default 81.92: 4096 bytes at 400 Gbit/s)",
	 .kind = DRB_OPTION_REAL, AT(slot_ns), 0.001, 1e9},
	{0},
};

static struct drb_list_setup setup_of(const struct replay_verb *v, uint64_t i)
{
	struct drb_list_setup s = {.transfers = sim_transfers_setup(&v->base, 0),
				   .list = &v->list,
				   .longest = v->base.longest};

	s.transfers.scheme = v->base.fabric.scheme[i];
	// The list does not say its load: the packets' threshold is that of a link that is nearly full.
	s.transfers.threshold = sim_transfers_threshold(&v->base, s.transfers.scheme, 0.9, 1);
	s.transfers.choices = sim_choices(&v->base.fabric, s.transfers.scheme);
	return s;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct replay_verb *v = context;
	struct drb_list_setup setup = setup_of(v, i);
	struct drb_list_result result = {.time = v->time + i * v->list.count};

	(void)thread;
	sim_transfers_check(&v->base, drb_list_run(&setup, &result));
	if (result.failed)
		drb_die("F(%u,%u) ran out of memory; raise --memory or take a shorter list",
			v->base.fabric.layers, v->base.fabric.arity);
}

static void check_list(const struct replay_verb *v)
{
	uint32_t between = 0, late = 0;

	if (!v->list.scaled && v->packet_bytes > 0)
		drb_die("--packet and --slot are for lists of htsim and GOAL, %s says packets and "
			"slots: leave them out",
			drb_file_name(v->path));
	for (uint32_t i = 0; i < v->list.count; i++) {
		between += !drb_listed_stays(&v->list.transfer[i]);
		late += v->list.transfer[i].slot >= v->base.longest;
	}
	if (late)
		drb_warn("%s: %u of %u transfers begin when the run has ended: take a larger "
			 "--longest than %u",
			 drb_file_name(v->path), late, v->list.count, v->base.longest);
	if (!between)
		drb_warn("%s: no transfer between hosts: there is nothing to print",
			 drb_file_name(v->path));
}

static void read_list(struct replay_verb *v)
{
	const bool given = v->packet_bytes > 0;
	const struct drb_list_scale scale = {v->base.fabric.tree.hosts,
					     given ? v->packet_bytes : 4096,
					     given ? v->slot_ns : 81.92};
	char error[DRB_LIST_ERROR_MAX];

	if (!v->path)
		drb_die("no list: give a file that drbsim transfer --list or drbsim job --list "
			"printed, a connection matrix of htsim or a schedule of GOAL");
	if (given != (v->slot_ns > 0))
		drb_die("--packet and --slot: together they are the rate of links: give both or "
			"neither");
	FILE *in = drb_file_read(v->path);
	int rc = in ? drb_list_read(drb_file_name(v->path), in, &scale, &v->list, error) : -errno;
	if (in)
		fclose(in);
	else
		snprintf(error, sizeof(error), "%s: %s", v->path, strerror(-rc));
	if (rc < 0)
		drb_die("%s", error);
	check_list(v);
}

static void put_slots(struct drb_table *t, const char *key, const char *title, bool known,
		      uint64_t slots)
{
	if (known)
		drb_table_count(t, key, title, slots);
	else
		drb_table_nothing(t, key, title);
}

static void put_row(struct drb_table *t, const struct replay_verb *v, uint64_t i, uint32_t place)
{
	const struct drb_list_setup s = setup_of(v, i);
	const struct drb_listed *l = &v->list.transfer[place];
	const struct drb_list_time *time = &v->time[i * v->list.count + place];
	uint64_t alone = drb_transfer_alone(
		&s.transfers,
		&(struct drb_transfer){.source = l->source, .dest = l->dest, .size = l->size});

	drb_table_text(t, "scheme", NULL, drb_scheme_name(s.transfers.scheme));
	drb_table_count(t, "transfer", NULL, place);
	drb_table_count(t, "from", NULL, l->source);
	drb_table_count(t, "to", NULL, l->dest);
	drb_table_count(t, "packets", NULL, l->size);
	put_slots(t, "start", NULL, time->finish, time->start);
	put_slots(t, "handshake", NULL, time->finish, time->connected - time->start);
	put_slots(t, "time", "slots", time->finish, time->finish - time->start);
	drb_table_count(t, "alone", NULL, alone);
	drb_table_real(t, "slowdown", NULL, 3,
		       time->finish ? (double)(time->finish - time->start) / (double)alone : NAN);
	sim_put_threshold(t, s.transfers.scheme, s.transfers.threshold);
	sim_put_source(t, &v->base);
	sim_put_tree(t, &v->base.fabric.tree);
	drb_table_row_end(t);
}

static void put_results(const struct replay_verb *v)
{
	struct drb_table *t = drb_table_new(stdout, v->base.common.format);

	for (uint64_t i = 0; i < v->base.fabric.schemes; i++) {
		struct drb_list_time *time = v->time + i * v->list.count;
		uint32_t count[2] = {0}, never[2] = {0}; // of transfers; of what stays at its host
		for (uint32_t place = 0; place < v->list.count; place++) {
			bool stays = drb_listed_stays(&v->list.transfer[place]);
			count[stays]++;
			never[stays] += !time[place].finish;
			if (!stays)
				put_row(t, v, i, place);
		}
		const char *scheme = drb_scheme_name(v->base.fabric.scheme[i]);
		sim_warn_never(&v->base, scheme, never[0], count[0]);
		if (never[1])
			drb_warn("%s: %u of %u computations and receives did not end: what "
				 "they wait for did not come, or the run ended at --longest %u",
				 scheme, never[1], count[1], v->base.longest);
	}
	drb_table_end(t);
}

int sim_replay(int argc, char **argv)
{
	struct replay_verb v = {.base = sim_transfer_default()};

	const struct drb_options sets[] = {SIM_TRANSFER_SETS(&v.base),
					   {.option = sim_longest_option, &v.base},
					   {.option = options, &v},
					   SIM_COMMON_SETS(&v.base.common),
					   {0}};
	drb_options_parse(
		sets,
		"Simulates the transfers of a list, and prints completion time and slowdown of "
		"each.\v"
		"Lines of a list, the first one the heading: " DRB_LIST_HEADING ". A "
		"transfer begins in this slot, but not before transfer after_sent has left the "
		"same host and transfer after_arrived has arrived there. Both are earlier "
		"transfers, or empty. Connection matrices of htsim (.cm) and schedules of GOAL are "
		"read, too. Column transfer is the place of a transfer in the list, from 0 on, "
		"whatever ids the list gives.",
		argc, argv);
	uint32_t threads = sim_transfers_prepare(&v.base);
	read_list(&v);
	uint64_t times = (uint64_t)v.base.fabric.schemes * v.list.count;
	v.time = sim_results_new(times, sizeof(*v.time));
	sim_jobs_run(&(struct sim_jobs){.count = v.base.fabric.schemes,
					.job = job,
					.context = &v,
					.threads = threads,
					.what = "replaying transfers",
					.results = v.time,
					.result_bytes = times * sizeof(*v.time)});
	put_results(&v);
	drb_list_free(&v.list);
	free(v.time);
	return DRB_EXIT_OK;
}
