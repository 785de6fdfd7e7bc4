// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/transfer_options.h"

#include <math.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

enum {
	KEY_UNIT = 0x400,
	KEY_GAP,
	KEY_QUEUE,
	KEY_SOURCE,
	KEY_MARK,
	KEY_TIMEOUT,
	KEY_ACK,
	KEY_ACK_ROOM,
	KEY_HANDSHAKE,
	KEY_SLOW
};

static const char *const unit_names[] = {
	[DRB_SIM_PACKET] = "packet", [DRB_SIM_FLOW] = "flow", [DRB_SIM_FLOWLET] = "flowlet"};

static const char *const source_names[] = {
	[DRB_SIM_OPEN] = "open", [DRB_SIM_WINDOW] = "window", [DRB_SIM_SPRAY] = "spray"};

static const struct argp_option options[] = {
	{"unit", KEY_UNIT, "packet|flow|flowlet", 0, "What a decision holds for (default packet)",
	 3},
	{"gap", KEY_GAP, "SLOTS", 0, "A longer pause of a flow ends its flowlet (default 20)", 3},
	{"queue", KEY_QUEUE, "PACKETS", 0,
	 "A queue drops what comes while it holds so many (default: no limit)", 3},
	{"source", KEY_SOURCE, "open|window|spray", 0,
	 "How hosts send: open, as fast as their link (default); window, as DCTCP, which takes "
	 "packets that overtake for a loss; spray, the same, which does not",
	 3},
	{"mark", KEY_MARK, "PACKETS", 0,
	 "ECN: what joins a queue that holds so many is marked (default 20)", 3},
	{"timeout", KEY_TIMEOUT, "SLOTS", 0,
	 "A window that hears nothing for longer, and a handshake, sends again (default 1000)", 3},
	{"ack", KEY_ACK, "SLOTS", 0,
	 "Time that an acknowledgement takes for a link, up to 1 (default 1)", 3},
	{"ack-room", KEY_ACK_ROOM, "SHARE", 0,
	 "Acknowledgements, and handshakes, wait in queues and take so much of a slot of every "
	 "link on their way, up to 1 (default 0: they do neither)",
	 3},
	{"handshake", KEY_HANDSHAKE, NULL, 0,
	 "Transfers begin as TCP's do: a SYN waits in queues, an answer comes back, then data "
	 "goes. Both take as long as acknowledgements for a link, and as much room",
	 3},
	SIM_OPTION_SLOW(KEY_SLOW, 3),
	{0},
};

// Which of three names this is.
static int parse_name(const char *option, const char *text, const char *const names[3])
{
	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
	}
	drb_die("%s %s: must be %s, %s or %s", option, text, names[0], names[1], names[2]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sim_transfer_verb *o = state->input;

	switch (key) {
	case KEY_UNIT:
		o->unit = (enum drb_sim_unit)parse_name("--unit", arg, unit_names);
		return 0;
	case KEY_SOURCE:
		o->source = (enum drb_sim_source)parse_name("--source", arg, source_names);
		return 0;
	case KEY_MARK:
		o->mark = drb_option_u32("--mark", arg, 1, 100000000);
		return 0;
	case KEY_TIMEOUT:
		o->timeout = drb_option_u32("--timeout", arg, 10, 100000000);
		return 0;
	case KEY_GAP:
		o->gap = drb_option_u32("--gap", arg, 0, 1000000);
		return 0;
	case KEY_ACK:
		if (drb_parse_real(arg, 0, 1, &o->ack) < 0)
			drb_die("--ack %s: must be a number from 0 to 1", arg);
		return 0;
	case KEY_ACK_ROOM:
		if (drb_parse_real(arg, 0, 1, &o->ack_room) < 0)
			drb_die("--ack-room %s: must be a number from 0 to 1", arg);
		return 0;
	case KEY_HANDSHAKE:
		o->handshake = true;
		return 0;
	case KEY_SLOW:
		o->slow = sim_slow(arg);
		return 0;
	case KEY_QUEUE:
		o->queue = drb_option_u32("--queue", arg, 1, 100000000);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp transfer_argp = {.options = options, .parser = parse};

const struct argp_child sim_transfer_children[] = {{&sim_fabric_argp, 0, NULL, 0},
						   {&transfer_argp, 0, NULL, 0},
						   {&sim_common_argp, 0, NULL, 0},
						   {0}};

error_t sim_transfer_parse(int key, char *arg, struct argp_state *state)
{
	struct sim_transfer_verb *v = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &v->fabric;
		state->child_inputs[1] = v;
		state->child_inputs[2] = &v->common;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is not an option", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct sim_transfer_verb sim_transfer_default(void)
{
	return (struct sim_transfer_verb){.common = sim_common_default(),
					  .fabric = sim_fabric_default(),
					  .gap = 20,
					  .queue = UINT32_MAX,
					  .mark = 20,
					  .timeout = 1000,
					  .ack = 1};
}

struct drb_transfers_setup sim_transfers_setup(const struct sim_transfer_verb *v, uint64_t seed)
{
	return (struct drb_transfers_setup){.tree = v->fabric.tree,
					    .choices = v->fabric.choices,
					    .unit = v->unit,
					    .gap = v->gap,
					    .queue = v->queue,
					    .source = v->source,
					    .mark = v->mark,
					    .timeout = v->timeout,
					    .ack_hop = v->ack,
					    .ack_room = v->ack_room,
					    .handshake = v->handshake,
					    .slow = v->slow,
					    .seed = v->common.seed + seed,
					    .memory = v->memory};
}

void sim_transfers_check(const struct sim_transfer_verb *v, int rc)
{
	if (rc < 0)
		drb_die("cannot simulate F(%u,%u): %s", v->fabric.layers, v->fabric.arity,
			strerror(-rc));
}

static void drop_packet_schemes(struct sim_transfer_verb *v)
{
	struct sim_fabric *f = &v->fabric;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < f->schemes; i++) {
		if (v->unit == DRB_SIM_PACKET || !drb_scheme_packets_only(f->scheme[i]))
			f->scheme[kept++] = f->scheme[i];
		else if (!f->all)
			drb_die("--scheme %s: routes packets, not flows: take --unit packet",
				drb_scheme_name(f->scheme[i]));
	}
	f->schemes = kept;
}

uint32_t sim_transfers_prepare(struct sim_transfer_verb *v)
{
	const struct drb_packet_setup packet = {
		.tree = v->fabric.tree, .slots = 1, .stats = 1, .slow = v->slow};

	sim_slow_fits(v->slow, &v->fabric.tree);
	drop_packet_schemes(v);
	uint32_t threads =
		sim_threads_that_fit(&v->common, drb_packet_bytes(&packet), &v->fabric.tree);
	v->memory = v->common.memory / threads;
	return threads;
}

double sim_transfers_threshold(const struct sim_transfer_verb *v, double load, double flows)
{
	if (!isnan(v->fabric.threshold))
		return v->fabric.threshold;
	return v->unit == DRB_SIM_FLOW ? drb_threshold_flow(flows, v->fabric.tree.hosts)
				       : drb_threshold_packet(load);
}

void sim_put_source(struct drb_table *t, const struct sim_transfer_verb *v)
{
	drb_table_text(t, unit_names[v->unit]);
	drb_table_text(t, source_names[v->source]);
}

void sim_put_mean(struct drb_table *t, const struct sim_sample *s)
{
	drb_table_real(t, s->count ? s->mean : NAN);
}

void sim_put_losses(struct drb_table *t, uint64_t packets, uint64_t dropped, uint64_t resent)
{
	double sent = (double)(dropped + packets);

	drb_table_real(t, (double)dropped / sent);
	drb_table_real(t, (double)resent / sent);
}
