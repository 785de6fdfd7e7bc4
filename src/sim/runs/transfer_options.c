// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/transfer_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/flows/list.h"

static const char *const unit_names[] = {
	[DRB_SIM_PACKET] = "packet", [DRB_SIM_FLOW] = "flow", [DRB_SIM_FLOWLET] = "flowlet"};

static const char *const source_names[] = {
	[DRB_SIM_OPEN] = "open", [DRB_SIM_WINDOW] = "window", [DRB_SIM_SPRAY] = "spray"};

static const char *const hosts_names[] = {[DRB_HOSTS_FLOW] = "flow",
					  [DRB_HOSTS_SPRAY] = "spray",
					  [DRB_HOSTS_REPS] = "reps",
					  [DRB_HOSTS_ETHEREAL] = "ethereal"};

static void parse_gray(const struct drb_option *o, const char *text, void *into)
{
	struct drb_gray *gray = into;

	sim_parse_links(o, text, &gray->links, &gray->slot);
}

#define AT(field) offsetof(struct sim_transfer_verb, field)

const struct drb_option sim_transfer_options[] = {
	{"--unit", "packet|flow|flowlet", "What a decision holds for (default packet)",
	 .kind = DRB_OPTION_WORD, AT(unit)},
	{"--gap", "SLOTS", "A longer pause of a flow ends its flowlet (default 20)",
	 .kind = DRB_OPTION_U32, AT(gap), 0, 1e6},
	{"--queue", "PACKETS",
	 "Most packets of a queue, which drops further ones (default: no limit)",
	 .kind = DRB_OPTION_U32, AT(queue), 1, 1e8},
	{"--trim", NULL,
	 "Of packets that find a queue full, the header goes on at once, and the sender sends them "
	 "again",
	 .kind = DRB_OPTION_FLAG, AT(trim)},
	{"--source", "open|window|spray",
	 "How hosts send: open, as fast as their link (default); window, as DCTCP, which takes "
	 "reordering for a loss; spray, as DCTCP that does not",
	 .kind = DRB_OPTION_WORD, AT(source)},
	{"--hosts", "flow|spray|reps|ethereal",
	 "Entropy of packets, for schemes that hash flows: the flow's (default), a new one each, "
	 "or as REPS; ethereal splits transfers of jobs over all paths",
	 .kind = DRB_OPTION_WORD, AT(hosts)},
	{"--gray", "link:N:K",
	 "N random links between switches lose all packets from slot K on, in both directions, and "
	 "no switch knows",
	 .kind = DRB_OPTION_OTHER, AT(gray), 0, UINT32_MAX, parse_gray},
	{"--mark", "PACKETS",
	 "ECN: mark packets that join a queue of at least so many (default 20)",
	 .kind = DRB_OPTION_U32, AT(mark), 1, 1e8},
	{"--timeout", "SLOTS",
	 "Retransmit after so long without a reply, also in a handshake (default 1000)",
	 .kind = DRB_OPTION_U32, AT(timeout), 10, 1e8},
	{"--ack", "SLOTS", "Slots that an acknowledgement takes per link, up to 1 (default 1)",
	 .kind = DRB_OPTION_REAL, AT(ack), 0, 1},
	{"--ack-room", "SHARE",
	 "Acknowledgements and handshakes wait in queues and take this share of a slot on every "
	 "link, up to 1 (default 0: neither)",
	 .kind = DRB_OPTION_REAL, AT(ack_room), 0, 1},
	{"--handshake", NULL,
	 "Transfers begin like TCP: a SYN, a reply, then data. Both take as long on a link as "
	 "acknowledgements, and the same share of slots",
	 .kind = DRB_OPTION_FLAG, AT(handshake)},
	{0},
};

const struct drb_option sim_longest_option[] = {
	{"--longest", "SLOTS", "End a run after SLOTS in any case (default 10000000)",
	 .kind = DRB_OPTION_U32, AT(longest), 1, 1e9},
	{0},
};

struct sim_transfer_verb sim_transfer_default(void)
{
	return (struct sim_transfer_verb){.common = sim_common_default(),
					  .fabric = sim_fabric_default(),
					  .gap = 20,
					  .queue = UINT32_MAX,
					  .mark = 20,
					  .timeout = 1000,
					  .longest = 10000000,
					  .ack = 1};
}

struct drb_transfers_setup sim_transfers_setup(const struct sim_transfer_verb *v, uint64_t seed)
{
	return (struct drb_transfers_setup){.tree = v->fabric.tree,
					    .choices = v->fabric.choices,
					    .unit = v->unit,
					    .gap = v->gap,
					    .queue = v->queue,
					    .trim = v->trim,
					    .source = v->source,
					    .hosts = v->hosts,
					    .gray = v->gray,
					    .mark = v->mark,
					    .timeout = v->timeout,
					    .ack_hop = v->ack,
					    .ack_room = v->ack_room,
					    .handshake = v->handshake,
					    .fail = v->timing.fail,
					    .slow = v->timing.slow,
					    .delay = v->timing.delay,
					    .seed = v->common.seed + seed,
					    .memory = v->memory};
}

void sim_transfers_check(const struct sim_transfer_verb *v, int rc)
{
	if (rc < 0)
		drb_die("cannot simulate F(%u,%u): %s", v->fabric.layers, v->fabric.arity,
			rc == -E2BIG ? drb_list_wrong(rc) : strerror(-rc));
}

// Dies if the entropies of packets would tell nobody anything, or nobody told hosts of them.
static void check_hosts(const struct sim_transfer_verb *v)
{
	const char *name = hosts_names[v->hosts];

	if (v->unit != DRB_SIM_PACKET)
		drb_die("--hosts %s: packets of a flow keep its way: take --unit packet", name);
	if (v->hosts == DRB_HOSTS_ETHEREAL && !v->jobs)
		drb_die("--hosts %s: hosts know what they will send in jobs alone: take drbsim job",
			name);
	if (v->hosts == DRB_HOSTS_ETHEREAL && (v->timing.fail.links || v->timing.fail.switches))
		drb_die("--hosts %s: hosts know of no dead links: leave out --fail", name);
	if (v->hosts == DRB_HOSTS_REPS && v->source == DRB_SIM_OPEN)
		drb_die("--hosts %s: open sources hear nothing: take --source spray", name);
	for (uint32_t i = 0; i < v->fabric.schemes; i++) {
		if (!drb_scheme_has(v->fabric.scheme[i], DRB_READS_FLOW))
			drb_die("--hosts %s: scheme %s does not hash flows: take --scheme ecmp",
				name, drb_scheme_name(v->fabric.scheme[i]));
	}
}

// Warns if what is not lost is sent again.
static void check_timeout(const struct sim_transfer_verb *v)
{
	const struct drb_transfers_setup s = sim_transfers_setup(v, 0);
	const struct drb_transfer far = {.dest = v->fabric.tree.hosts - 1, .size = 1};
	const uint64_t round = drb_transfer_alone(&s, &far) + drb_transfer_answer(&s, &far);

	if ((v->source != DRB_SIM_OPEN || v->handshake) && round > v->timeout)
		drb_warn(
			"--timeout %u: packets are sent again before a reply can come, which takes "
			"%" PRIu64 " slots: take --timeout %" PRIu64,
			v->timeout, round, 2 * round);
}

uint32_t sim_transfers_prepare(struct sim_transfer_verb *v)
{
	sim_timing_fits(&v->timing, &v->fabric.tree);
	check_timeout(v);
	const struct drb_packet_setup packet = {.tree = v->fabric.tree,
						.slots = 1,
						.stats = 1,
						.slow = v->timing.slow,
						.delay = v->timing.delay};

	sim_links_fit("--gray", v->gray.links, &v->fabric.tree);
	if (v->gray.links && (v->handshake || v->ack_room > 0))
		drb_die("--gray: such links lose packets, not handshakes or acknowledgements: "
			"leave out "
			"--handshake and --ack-room");
	if (v->trim && (v->queue == UINT32_MAX || v->source == DRB_SIM_OPEN))
		drb_die("--trim: %s", v->source == DRB_SIM_OPEN
					      ? "open sources hear nothing: take --source spray"
					      : "queues have no limit: take --queue");
	if ((v->timing.fail.links || v->timing.fail.switches) &&
	    (v->unit != DRB_SIM_PACKET || v->handshake || v->ack_room > 0))
		drb_die("--fail: with packets that are decided one by one: leave out --unit, "
			"--handshake and --ack-room");
	if (v->hosts != DRB_HOSTS_FLOW)
		check_hosts(v);
	if (v->unit != DRB_SIM_PACKET)
		sim_schemes_of_flows(&v->fabric, "take --unit packet");
	uint32_t threads =
		sim_threads_that_fit(&v->common, drb_packet_bytes(&packet), &v->fabric.tree);
	v->memory = v->common.memory / threads;
	return threads;
}

double sim_transfers_threshold(const struct sim_transfer_verb *v, enum drb_scheme scheme,
			       double load, double flows)
{
	const double threshold = sim_threshold(&v->fabric, scheme);

	if (!isnan(threshold))
		return threshold;
	return v->unit == DRB_SIM_FLOW ? drb_threshold_flow(flows, v->fabric.tree.hosts)
				       : drb_threshold_packet(load);
}

void sim_put_source(struct drb_table *t, const struct sim_transfer_verb *v)
{
	drb_table_text(t, "unit", NULL, unit_names[v->unit]);
	drb_table_text(t, "source", NULL, source_names[v->source]);
	drb_table_text(t, "hosts", NULL, hosts_names[v->hosts]);
}

void sim_warn_never(const struct sim_transfer_verb *v, const char *of, uint64_t never,
		    uint64_t transfers)
{
	if (never)
		drb_warn("%s: %" PRIu64 " of %" PRIu64 " transfers did not arrive: packets of them "
			 "were dropped, they have no path, what they wait for did not come, or the "
			 "run ended at --longest %u",
			 of, never, transfers, v->longest);
}

void sim_put_losses(struct drb_table *t, uint64_t packets, uint64_t dropped, uint64_t resent)
{
	double sent = (double)(dropped + packets);

	drb_table_real(t, "dropped", NULL, 5, (double)dropped / sent);
	drb_table_real(t, "resent", NULL, 5, (double)resent / sent);
}
