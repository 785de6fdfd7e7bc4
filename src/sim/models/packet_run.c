// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/routing/choice.h"

#include "sim/models/packet_parts.h"
#include "sim/models/packet_sim.h"

#define FLOW_BITS 12  // bits of the hash of a source
#define DETOUR_BITS 6 // sim_packed_detour()

static uint32_t flow_bits_of(const struct drb_packet_setup *setup)
{
	return drb_scheme_has(setup->scheme, DRB_READS_FLOW) ? FLOW_BITS : 0;
}

static uint32_t mark_bits_of(const struct drb_packet_setup *setup)
{
	return drb_scheme_ops(setup->scheme)->mark_bits;
}

static bool is_whole(const struct drb_packet_setup *setup)
{
	return drb_fail_nothing(&setup->fail) && !drb_faults_cut(&setup->faults);
}

// Bits that hold any host's label, if packets are recorded.
static uint32_t source_bits_of(const struct drb_packet_setup *setup)
{
	return setup->detail ? 32 - (uint32_t)__builtin_clz(setup->tree.hosts - 1) : 0;
}

// Bits of the packet word between destination and slot of birth.
static uint32_t tag_bits_of(const struct drb_packet_setup *setup)
{
	uint32_t from = setup->detail ? source_bits_of(setup) : flow_bits_of(setup);

	return from + mark_bits_of(setup) + (is_whole(setup) ? 1 : DETOUR_BITS);
}

static void lay_out_word(struct drb_packet_sim *sim)
{
	uint32_t flow = flow_bits_of(&sim->setup), mark = mark_bits_of(&sim->setup);
	uint32_t source = source_bits_of(&sim->setup);

	sim->source_mask = (UINT32_C(1) << source) - 1;
	sim->flow_mask = (UINT32_C(1) << flow) - 1;
	sim->mark_mask = (UINT32_C(1) << mark) - 1;
	sim->detour_mask = is_whole(&sim->setup) ? 0 : (UINT32_C(1) << DETOUR_BITS) - 1;
	sim->mark_at = 32 + (source ? source : flow);
	sim->detour_at = sim->mark_at + mark;
	sim->birth_at = 32 + tag_bits_of(&sim->setup);
}

// The slots that a packet takes on the uplinks of a layer, slow links excepted.
static uint32_t packet_time(const struct drb_packet_setup *setup, uint32_t layer)
{
	return layer < setup->tree.layers ? drb_pace_of(&setup->pace, layer + 1) : 1;
}

// Bytes of the scheme's state at a switch of this layer, rounded up for alignment.
static size_t state_size(const struct drb_packet_setup *setup, uint32_t layer)
{
	const struct drb_scheme_ops *ops = drb_scheme_ops(setup->scheme);
	struct drb_choice choice = drb_scheme_choice(setup->scheme);
	const struct drb_scheme_setup each = {.tree = &setup->tree,
					      .layer = layer,
					      .choice = &choice,
					      .packet_time = packet_time(setup, layer),
					      .rate = 1.0 / packet_time(setup, layer)};

	choice.uplinks = drb_tree_up_ports(&setup->tree, layer);
	return ops->state_size ? (ops->state_size(&each) + 15) / 16 * 16 : 0;
}

// The highest layer whose switches have a state.
static uint32_t highest_state(const struct drb_packet_setup *setup)
{
	return setup->tree.layers - !drb_scheme_has(setup->scheme, DRB_AT_CORES);
}

static uint64_t state_bytes(const struct drb_packet_setup *setup)
{
	uint64_t bytes = 0;

	for (uint32_t m = 1; m <= highest_state(setup); m++)
		bytes += (uint64_t)drb_tree_switches(&setup->tree, m) * state_size(setup, m);
	return bytes;
}

uint64_t drb_packet_bytes(const struct drb_packet_setup *setup)
{
	uint64_t hosts = setup->tree.hosts;
	uint64_t record = setup->detail ? drb_record_bytes(&setup->tree, setup->stats) : 0;

	if (setup->detail || setup->links)
		record += drb_link_record_bytes(&setup->tree);
	const bool paced = setup->slow.links || drb_pace_most(&setup->pace, setup->tree.layers) > 1;
	uint64_t slow = paced ? drb_slow_bytes(&setup->tree) : 0;

	return drb_fabric_bytes(&setup->tree, &setup->delay) + state_bytes(setup) + record + slow +
	       drb_faults_bytes(&setup->tree, &setup->faults) +
	       (drb_traffic_words(&setup->traffic, (uint32_t)hosts) + hosts) * sizeof(uint32_t) +
	       (uint64_t)setup->stats * sizeof(uint32_t) + drb_growth_bytes(&setup->tree);
}

static int setup_check(const struct drb_packet_setup *setup)
{
	if (!(setup->rho >= 0 && setup->rho <= 1) || !(setup->threshold >= 0) ||
	    setup->stats == 0 || setup->stats > setup->slots ||
	    (setup->slow.links && drb_pace_most(&setup->pace, setup->tree.layers) > 1))
		return -EINVAL;
	if (setup->slots >= UINT32_MAX >> tag_bits_of(setup))
		return -ERANGE;
	return drb_packet_bytes(setup) > setup->memory ? -ENOMEM : 0;
}

// Fills in the rates of a switch's uplinks for its scheme, if some are slow. NULL: none is slow.
static const double *rates_of(const struct drb_packet_sim *sim, uint32_t layer, uint32_t s,
			      double rate[])
{
	const struct drb_tree *t = &sim->setup.tree;
	uint32_t ups = drb_tree_up_ports(t, layer), ports = ups + drb_tree_down_ports(t, layer);
	const struct drb_pace *pace = sim->slow.of[layer];
	bool slow = false;

	for (uint32_t u = 0; pace && u < ups; u++) {
		rate[u] = 1.0 / pace[(uint64_t)s * ports + u].slots;
		slow |= rate[u] < 1.0 / packet_time(&sim->setup, layer);
	}
	return slow ? rate : NULL;
}

static void begin_state(struct drb_packet_sim *sim, uint32_t layer, uint32_t s)
{
	const struct drb_tree *t = &sim->setup.tree;
	struct drb_choice choice = sim->choice;
	double rate[DRB_ARITY_MAX];
	const struct drb_scheme_setup setup = {.tree = t,
					       .layer = layer,
					       .choice = &choice,
					       .packet_time = packet_time(&sim->setup, layer),
					       .rate = 1.0 / packet_time(&sim->setup, layer),
					       .rates = rates_of(sim, layer, s, rate)};

	choice.uplinks = drb_tree_up_ports(t, layer);
	choice.salt = drb_salt(sim->setup.seed, layer, s);
	choice.ops->init(sim_state(sim, layer, s), &setup);
}

static int allocate_state(struct drb_packet_sim *sim)
{
	const struct drb_tree *t = &sim->setup.tree;

	for (uint32_t m = 1; sim->choice.ops->state_size && m <= highest_state(&sim->setup); m++) {
		const uint32_t switches = drb_tree_switches(t, m);
		sim->state_size[m] = state_size(&sim->setup, m);
		sim->state[m] = malloc(switches * sim->state_size[m]);
		if (!sim->state[m])
			return -ENOMEM;
		for (uint32_t s = 0; s < switches; s++)
			begin_state(sim, m, s);
	}
	return 0;
}

static int packet_sim_allocate(struct drb_packet_sim *sim)
{
	const struct drb_packet_setup *setup = &sim->setup;
	uint64_t hosts = setup->tree.hosts;
	uint64_t other = drb_packet_bytes(setup) - drb_fabric_bytes(&setup->tree, &setup->delay);

	sim->traffic_memory =
		malloc(drb_traffic_words(&setup->traffic, (uint32_t)hosts) * sizeof(uint32_t));
	sim->dest = malloc(hosts * sizeof(*sim->dest));
	sim->arrived_up = malloc(2 * (size_t)setup->tree.arity * sizeof(uint64_t));
	sim->arrived_down = malloc(2 * (size_t)setup->tree.arity * sizeof(uint64_t));
	sim->largest = calloc(setup->stats, sizeof(*sim->largest));
	if (setup->detail)
		sim->record = drb_record_new(&setup->tree, sim->first_measured, setup->stats);
	if (setup->links)
		sim->links = drb_link_record_new(&setup->tree, 0, UINT32_MAX);
	else if (setup->detail)
		sim->links = drb_link_record_new(&setup->tree, sim->first_measured, setup->stats);
	if (!sim->traffic_memory || !sim->dest || !sim->arrived_up || !sim->arrived_down ||
	    !sim->largest || (setup->detail && !sim->record) ||
	    ((setup->detail || setup->links) && !sim->links) || allocate_state(sim) < 0 ||
	    drb_growth_init(&sim->growth, &setup->tree, setup->slots, &setup->traffic) < 0)
		return -ENOMEM;
	return drb_fabric_init(&sim->fabric, &setup->tree, &setup->delay, setup->memory - other);
}

int drb_packet_new(struct drb_packet_sim **out, const struct drb_packet_setup *setup)
{
	struct drb_packet_sim *sim;
	int rc = setup_check(setup);

	if (rc < 0)
		return rc;
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return -ENOMEM;
	sim->setup = *setup;
	lay_out_word(sim);
	sim->first_measured = setup->slots - setup->stats;
	sim->choice = drb_scheme_choice(setup->scheme);
	sim->choice.choices = setup->choices;
	sim->choice.margin = drb_margin(setup->threshold);
	sim->traffic_rng = drb_rng_seed(setup->seed, 0);
	sim->rng = drb_rng_seed(setup->seed, 1);
	rc = drb_slow_make(&sim->slow, &setup->tree, setup->slow, setup->seed);
	if (rc == 0)
		rc = drb_slow_make_layers(&sim->slow, &setup->tree, &setup->pace);
	if (rc == 0)
		rc = packet_sim_allocate(sim);
	if (rc == 0 && sim->detour_mask)
		rc = drb_failures_make(&sim->failures, &setup->tree, setup->fail, setup->seed);
	if (rc == 0)
		rc = drb_faults_new(sim);
	if (rc == 0)
		rc = drb_traffic_init(&sim->traffic,
				      &(struct drb_traffic_setup){&setup->tree, setup->traffic,
								  setup->rho, sim->traffic_memory},
				      &sim->traffic_rng);
	if (rc == 0 && setup->threads > 1)
		rc = drb_parts_new(sim);
	if (rc < 0) {
		drb_packet_free(sim);
		return rc;
	}
	*out = sim;
	return 0;
}

void drb_packet_free(struct drb_packet_sim *sim)
{
	if (!sim)
		return;
	drb_parts_free(sim->parts);
	drb_fabric_free(&sim->fabric);
	drb_failures_free(&sim->failures);
	drb_faults_free(sim->faults);
	drb_slow_free(&sim->slow);
	free(sim->traffic_memory);
	free(sim->dest);
	for (uint32_t m = 0; m <= DRB_LAYERS_MAX; m++)
		free(sim->state[m]);
	free(sim->arrived_up);
	free(sim->arrived_down);
	free(sim->largest);
	drb_record_free(sim->record);
	drb_link_record_free(sim->links);
	drb_growth_free(&sim->growth);
	free(sim);
}

// For a packet that is still in flight at the end, the time since its birth counts as its latency.
static void count_undelivered(struct drb_packet_sim *sim, uint64_t word)
{
	if (word != DRB_NO_PACKET)
		deliver(sim, word);
}

static void count_on_line(struct drb_packet_sim *sim, const struct drb_line *line)
{
	for (uint64_t i = 0; i + line->links < line->links * line->strips; i++)
		count_undelivered(sim, drb_line_word(line, i));
}

static void visit_undelivered(struct drb_packet_sim *sim)
{
	struct drb_fabric *f = &sim->fabric;

	if (sim->record)
		sim->record->ended = true;
	for (uint32_t m = 0; m <= f->tree.layers; m++) {
		struct drb_layer *l = &f->layer[m];
		uint64_t ports = m ? (uint64_t)l->switches * (l->up + l->down) : 0;
		for (uint64_t i = 0; i < ports; i++)
			for (uint32_t k = 0; k < l->len[i]; k++)
				count_undelivered(sim, drb_fifo_peek(&f->pool, &l->fifo[i], k));
		count_on_line(sim, &l->from_below);
		count_on_line(sim, &l->from_above);
	}
}

static void report_layers(const struct drb_packet_sim *sim, struct drb_packet_result *r)
{
	const struct drb_tree *t = &sim->setup.tree;
	uint64_t decided = 0, redirected = 0;

	for (uint32_t m = 1; m <= t->layers; m++) {
		const struct layer_meter *meter = &sim->meter[m];
		const struct drb_layer *l = &sim->fabric.layer[m];
		double queues = (double)l->switches * sim->setup.stats;
		r->up_mean[m] = l->up ? (double)meter->up_sum / (queues * l->up) : 0;
		r->down_mean[m] = (double)meter->down_sum / (queues * l->down);
		r->up_max[m] = meter->up_max;
		r->down_max[m] = meter->down_max;
		decided += meter->decided;
		redirected += meter->redirected;
	}
	r->redirected = decided ? (double)redirected / (double)decided : NAN;
	// All packets that go up from the layer below the cores reach a core.
	const struct layer_meter *top = &sim->meter[t->layers - 1];
	r->default_path =
		top->decided && !sim->detour_mask ? (double)top->kept / (double)top->decided : NAN;
}

static double drift(const struct drb_packet_sim *sim)
{
	uint64_t late = sim->late_delivered, early = sim->measured_delivered - late;

	if (late == 0 || early == 0)
		return NAN;
	return (double)sim->late_latency / (double)late /
		       ((double)(sim->measured_latency - sim->late_latency) / (double)early) -
	       1;
}

// True if measured packets are in flight and the run has time left for them.
static bool may_wait(const struct drb_packet_sim *sim)
{
	return sim->measured_delivered + sim->measured_lost < sim->measured_born &&
	       (sim->setup.most_slots == 0 || sim->slot < sim->setup.most_slots) &&
	       !(sim->setup.give_up && drb_growth_of_fabric(&sim->growth, NULL) == DRB_GROWTH_YES);
}

bool drb_packet_goes_on(const struct drb_packet_sim *sim)
{
	if (sim->parts && sim->slot >= sim->setup.slots)
		drb_parts_sum(sim->parts);
	return sim->slot < sim->setup.slots || may_wait(sim);
}

void drb_packet_report(struct drb_packet_sim *sim, int rc, struct drb_packet_result *r)
{
	const struct drb_packet_setup *setup = &sim->setup;
	double tail = 0;

	if (sim->parts)
		drb_parts_sum(sim->parts);
	*r = (struct drb_packet_result){0};
	r->undelivered = sim->measured_born - sim->measured_delivered - sim->measured_lost;
	if (r->undelivered)
		visit_undelivered(sim);
	for (uint32_t i = 0; i < setup->stats; i++)
		tail += sim->largest[i];
	r->latency =
		(double)sim->measured_latency / (double)(sim->measured_born - sim->measured_lost);
	r->lost = (double)sim->measured_lost / (double)sim->measured_born;
	r->lost_to = sim->lost_to;
	r->drift = drift(sim);
	r->tail = tail / setup->stats;
	r->throughput =
		(double)sim->delivered_measuring / ((double)setup->tree.hosts * setup->stats);
	enum drb_growth growth = drb_growth_of_fabric(&sim->growth, &r->growing_links);
	r->out_of_memory = rc < 0;
	r->growing = rc < 0 || growth == DRB_GROWTH_YES;
	r->unclear = !r->growing && growth == DRB_GROWTH_UNCLEAR;
	r->least_overload = r->growing ? NAN : drb_growth_shown(&sim->growth);
	r->hops = sim->hops;
	r->slots = sim->slot;
	report_layers(sim, r);
	if (sim->record)
		drb_record_result(sim->record, sim->links, &r->detail);
}

uint64_t drb_packet_links(const struct drb_tree *t)
{
	return drb_growth_bytes(t) / sizeof(struct drb_growth_queue);
}

struct drb_link_figures drb_packet_link(const struct drb_packet_sim *sim, uint64_t i)
{
	struct drb_link_figures link = drb_link_record_of(sim->links, i);

	link.growing = drb_growth_of_queue(&sim->growth, i);
	return link;
}

void drb_packet_run(struct drb_packet_sim *sim, struct drb_packet_result *r)
{
	int rc = 0;

	while (rc == 0 && drb_packet_goes_on(sim))
		rc = drb_packet_step(sim);
	drb_packet_report(sim, rc, r);
}
