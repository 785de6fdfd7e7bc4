// SPDX-License-Identifier: BSD-3-Clause
// Jobs as a model of the engine.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/flows/job.h"
#include "sim/points/link_rows.h"
#include "sim/points/models.h"
#include "sim/points/transfer_lists.h"
#include "sim/points/transfer_options.h"

#define LOAD 0.9 // for the paper's T: hosts send as fast as they can, so links are nearly full

struct job_point {
	struct sim_transfers base; // must be first
	struct drb_job job;
	uint32_t data;
	unsigned by_label;
};

struct job_row {
	const char *scheme;
	char job[DRB_JOB_NAME_MAX];
	double threshold, makespan, alone, slowdown, dropped, resent;
	uint32_t broken; // 1: the job did not end
	uint64_t never, transfers;
	struct drb_lost lost_to;
};

static void parse_job(const struct drb_option *o, const char *text, void *job)
{
	if (drb_job_parse(text, job) < 0)
		drb_die("%s %s: no job '%s': must be all-reduce-ring, all-reduce-halving, "
			"all-to-all, incast or pipeline:PARTS",
			o->name, text, text);
}

#define AT(field) offsetof(struct job_point, field)

#define PLACES "random|label"

static const struct drb_option options[] = {
	{"--job", "NAME",
	 "all-reduce-ring, all-reduce-halving, all-to-all, incast or pipeline:PARTS",
	 .kind = DRB_OPTION_OTHER, AT(job), .parse = parse_job, .initial = "all-reduce-ring"},
	{"--data", "PACKETS", "Data of each host", .kind = DRB_OPTION_U32, AT(data), 1, 1e7,
	 .initial = "1024", .unit = "packets"},
	{"--place", PLACES, "How ranks are assigned to hosts", .kind = DRB_OPTION_WORD,
	 AT(by_label), .initial = "random"},
	{0},
};

static const struct sim_set sets[] = {
	SIM_TRANSFER_SETS(struct job_point, base),
	{sim_longest_option, AT(base)},
	{options, 0},
	{.options = NULL},
};

#define R(field) offsetof(struct job_row, field)

static const struct sim_column columns[] = {
	{"scheme", SIM_NAME, .at = R(scheme)},
	{"job", SIM_TEXT, .at = R(job)},
	{"makespan_mean", SIM_REAL, .at = R(makespan), 1, SIM_SPREAD, "slots"},
	{"slowdown_mean", SIM_REAL, .at = R(slowdown), 3, SIM_SPREAD, NULL,
	 "makespan relative to alone_mean"},
	{"broken", SIM_U32, .at = R(broken), 0, SIM_SUM, "runs", "that did not end"},
	{"dropped", SIM_REAL, .at = R(dropped), 5, SIM_MEAN, NULL, "share of the packets sent"},
	{"resent", SIM_REAL, .at = R(resent), 5, SIM_MEAN, NULL, "share of the packets sent"},
	{"makespan_min", SIM_REAL, .at = R(makespan), 0, SIM_LEAST, "slots"},
	{"makespan_max", SIM_REAL, .at = R(makespan), 0, SIM_MOST, "slots"},
	{"alone_mean", SIM_REAL, .at = R(alone), 1, SIM_MEAN, "slots",
	 "makespan if no transfer waited for another one on a link"},
	{"never", SIM_WHOLE, .at = R(never), 0, SIM_SUM, "transfers", "that did not arrive"},
	{"transfers", SIM_WHOLE, .at = R(transfers), 0, SIM_SUM},
	SIM_LOST_COLUMNS(R(lost_to), sim_transfers_may_lose),
	{"threshold", SIM_REAL, .at = R(threshold), 2},
	{"place", SIM_WORD, .at = AT(by_label), .words = PLACES, .of_point = true},
	{"data", SIM_U32, .at = AT(data), .of_point = true, .unit = "packets"},
	SIM_TRANSFER_COLUMNS,
	{0},
};

static void job_point_check(void *point)
{
	struct job_point *p = point;
	char name[DRB_JOB_NAME_MAX];

	sim_transfers_check(&p->base, true);
	p->job.data = p->data;
	drb_job_format(&p->job, name);
	if (drb_job_fits(&p->job, p->base.fabric.tree.hosts) < 0)
		drb_die("--job %s: F(%u,%u) has %u hosts, which is no power of two", name,
			p->base.fabric.layers, p->base.fabric.arity, p->base.fabric.tree.hosts);
	if (p->base.gray.links && !drb_hosts_spread(p->base.hosts))
		drb_die("--gray: a transfer that keeps a path over such a link never ends: take "
			"--hosts spray or reps");
	p->base.threshold = sim_transfers_threshold(&p->base, LOAD, 1);
}

static bool takes(void *point)
{
	struct job_point *p = point;

	sim_fabric_check(&p->base.fabric);
	return sim_transfers_take(point) && drb_job_fits(&p->job, p->base.fabric.tree.hosts) == 0;
}

static const struct sim_part parts[] = {
	{"links", SIM_LINKS_HELP, sim_transfer_link_columns, sizeof(struct sim_link_row),
	 .asked = sim_transfers_list_links},
	{0},
};

static struct drb_job_setup job_setup(const struct job_point *p, uint64_t memory,
				      struct drb_link_table *links)
{
	return (struct drb_job_setup){.transfers = sim_transfers_setup(&p->base, memory, links),
				      .job = p->job,
				      .shuffled = !p->by_label,
				      .longest = p->base.longest};
}

static int job_point_run(const void *point, struct sim_outcome *out)
{
	const struct job_point *p = point;
	struct drb_link_table links = {0};
	const struct drb_job_setup setup = job_setup(p, out->memory, &links);
	struct job_row *row = out->row;
	struct drb_job_result r;
	int rc = drb_job_run(&setup, &r);

	if (rc == 0 && links.link)
		rc = sim_put_transfer_links(&p->base.fabric.tree, &links, out, 0);
	free(links.link);
	if (rc == 0 && r.error == -ENOMEM) {
		snprintf(out->error, sizeof(out->error),
			 "ran out of memory: raise --memory, or take less --data or a longer "
			 "--timeout");
		return -ENOMEM;
	}
	if (rc == 0)
		rc = r.error;
	if (rc < 0) {
		sim_transfers_explain(rc, out);
		return rc;
	}
	const double sent = (double)(r.dropped + r.packets);
	*row = (struct job_row){.scheme = drb_scheme_name(p->base.fabric.scheme),
				.threshold = sim_shown_threshold(&p->base),
				.makespan = r.makespan ? (double)r.makespan : NAN,
				.alone = r.makespan ? (double)r.alone : NAN,
				.slowdown = r.makespan ? (double)r.makespan / (double)r.alone : NAN,
				.dropped = (double)r.dropped / sent,
				.resent = (double)r.resent / sent,
				.lost_to = r.lost_to,
				.broken = r.makespan == 0,
				.never = r.never,
				.transfers = r.transfers};
	drb_job_format(&p->job, row->job);
	if (r.never)
		snprintf(out->warning, sizeof(out->warning),
			 "%s, %s: %" PRIu64 " of %" PRIu64 " transfers " SIM_NEVER_ARRIVED,
			 row->scheme, row->job, r.never, r.transfers, p->base.longest);
	sim_faults_warn(&p->base.links, r.slots, out);
	return 0;
}

int sim_job_list(void *point, struct drb_list *list)
{
	const struct job_point *p = point;
	const struct drb_job_setup setup = job_setup(p, UINT64_MAX, NULL);

	if (p->base.hosts == DRB_HOSTS_ETHEREAL)
		drb_die("--list: a list does not say how hosts split transfers: leave out --hosts "
			"ethereal");
	return drb_job_list(&setup, list);
}

static void job_point_release(void *point)
{
	struct job_point *p = point;

	sim_links_release(&p->base.links);
}

const struct sim_model sim_job_model = {
	.name = "job",
	.help = "duration of all-reduce, all-to-all and other jobs",
	.sets = sets,
	.size = sizeof(struct job_point),
	.columns = columns,
	.row_size = sizeof(struct job_row),
	.parts = parts,
	.check = job_point_check,
	.takes = takes,
	.bytes = sim_transfers_bytes,
	.run = job_point_run,
	.release = job_point_release,
	.layers = sim_layers_of,
};
