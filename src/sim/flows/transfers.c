// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/transfers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#include "sim/flows/entropy.h"
#include "sim/flows/queues.h"
#include "sim/flows/small.h"
#include "sim/flows/nic.h"
#include "sim/flows/turns.h"
#include "sim/flows/uec_window.h"
#include "sim/flows/uplinks.h"
#include "sim/flows/window.h"
#include "sim/models/packet_slot.h"

static struct drb_transfers *transfers_of(const struct drb_packet_sim *sim)
{
	return sim->source->context;
}

static struct drb_flying next_packet(struct drb_transfers *t, uint32_t i)
{
	const uint16_t entropy = drb_entropy_next(t, i);
	struct drb_flying packet = {.transfer = i};

	if (t->transfer[i].window)
		packet = drb_window_send(t, i);
	else
		packet.sequence = t->transfer[i].sent++;
	packet.entropy = entropy;
	return packet;
}

// The value that switches hash for a packet. Entropies of uec are small numbers. Each is hashed
// together with its transfer, so that it is as good as a random number.
static uint32_t tag_of(const struct drb_transfers *t, const struct drb_flying *packet)
{
	uint64_t tag = packet->entropy;

	if (t->setup.source == DRB_SIM_UEC)
		tag = drb_mix64((uint64_t)packet->transfer << 16 | packet->entropy);
	return (uint32_t)tag & t->sim->flow_mask;
}

static uint64_t packet_of(struct drb_transfers *t, uint32_t host)
{
	uint32_t i = drb_turns_next(t, host);

	if (drb_smalls_hold_host(t, host, i != DRB_NO_TRANSFER) || i == DRB_NO_TRANSFER)
		return DRB_NO_PACKET;
	uint32_t dest = t->transfer[i].dest, sent = t->transfer[i].sent;
	struct drb_flying packet = next_packet(t, i);
	int64_t number = drb_flyings_add(&t->flying, &packet);
	if (number < 0) {
		t->failed = true;
		t->crowded |= number == -EOVERFLOW;
		return DRB_NO_PACKET;
	}
	t->last[host] = i;
	bool last = sent < t->transfer[i].sent && t->transfer[i].sent == t->transfer[i].size;
	if (last && !t->transfer[i].window)
		drb_turns_leave(t, i);
	if (last && t->on_sent)
		t->on_sent(t->context, i);
	uint32_t tag = t->sim->detour_mask ? 0 : tag_of(t, &packet);
	return packet_word(t->sim, dest, tag, (uint32_t)number);
}

void drb_transfer_over(struct drb_transfers *t, uint32_t i)
{
	struct drb_transfer *f = &t->transfer[i];

	f->finish = f->dropped ? 0 : t->sim->slot + (t->setup.source != DRB_SIM_UEC);
	if (f->window) {
		drb_turns_leave(t, i);
		drb_window_close(t, i);
	}
	drb_uplinks_forget(t, i);
	t->over++;
	if (t->on_over)
		t->on_over(t->context, i);
}

// Called when one more packet of the transfer has arrived or was dropped.
static void account(struct drb_transfers *t, uint32_t i)
{
	if (t->transfer[i].arrived + t->transfer[i].dropped < t->transfer[i].size)
		return;
	if (t->on_arrived && !t->transfer[i].dropped)
		t->on_arrived(t->context, i);
	if (t->setup.source != DRB_SIM_UEC)
		drb_transfer_over(t, i);
}

void drb_transfers_drop(struct drb_packet_sim *sim, uint64_t word)
{
	struct drb_transfers *t = transfers_of(sim);
	uint32_t i = drb_flyings_remove(&t->flying, birth_of(sim, word)).transfer;

	sim->lost++;
	t->dropped++;
	if (t->setup.source != DRB_SIM_OPEN)
		return;
	t->transfer[i].dropped++;
	account(t, i);
}

static uint64_t send_packets(struct drb_packet_sim *sim, uint64_t wire[])
{
	struct drb_transfers *t = transfers_of(sim);
	uint64_t born = 0;

	drb_windows_hear(t);
	for (uint32_t h = 0; h < sim->fabric.tree.hosts; h++) {
		if (h % DRB_TOGETHER == 0)
			drb_turns_prefetch(t, h);
		wire[h] = t->nics || t->crossing ? drb_nic_send(t, h, packet_of) : packet_of(t, h);
		born += wire[h] != DRB_NO_PACKET;
	}
	t->busy = (double)born * drb_pace_of(&t->setup.pace, 1) / t->setup.tree.hosts;
	drb_smalls_move(t);
	return born;
}

// A packet or its header arrives in this slot.
void drb_transfers_acknowledge(struct drb_transfers *t, const struct drb_flying *packet,
			       uint64_t slot)
{
	const struct drb_window *w = t->transfer[packet->transfer].window;

	if (!w)
		return;
	if (t->setup.source == DRB_SIM_UEC) {
		drb_uec_answer(t, packet, slot);
		return;
	}
	if (t->setup.ack_room == 0) {
		drb_window_hear(t, packet, slot + w->answer);
		return;
	}
	const struct drb_small ack = {.transfer = packet->transfer,
				      .kind = DRB_SMALL_ACK,
				      .time = slot * DRB_SMALL_PARTS,
				      .ack = *packet};
	t->failed |= drb_small_send(t, &ack) < 0;
}

static void receive_packet(struct drb_transfers *t, const struct drb_flying *packet)
{
	t->arrived++;
	t->marked += packet->marked;
	if (t->setup.source != DRB_SIM_UEC)
		drb_transfers_acknowledge(t, packet, drb_transfers_slot(t) + 1);
	if (t->setup.source == DRB_SIM_UEC
		    ? !drb_uec_receive(t, packet)
		    : t->setup.source != DRB_SIM_OPEN && !drb_window_receive(t, packet))
		return;
	t->transfer[packet->transfer].arrived++;
	account(t, packet->transfer);
}

// Prefetches the packets of n words.
static inline __attribute__((always_inline)) void prefetch_flying(const struct drb_transfers *t,
								  const uint64_t word[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (word[i] != DRB_NO_PACKET)
			__builtin_prefetch(&t->flying.packet[birth_of(t->sim, word[i])], 1);
	}
}

static void receive_packets(struct drb_packet_sim *sim, const uint64_t word[], uint32_t n)
{
	struct drb_transfers *t = transfers_of(sim);
	struct drb_flying packet[DRB_TOGETHER];
	uint32_t m = 0;

	for (; n > DRB_TOGETHER; n -= DRB_TOGETHER, word += DRB_TOGETHER)
		receive_packets(sim, word, DRB_TOGETHER);
	// The packets of the next switch are prefetched, too. They are not known yet if hosts'
	// links have no delay.
	const struct drb_line *line = &sim->fabric.layer[0].from_above;
	const size_t left = (size_t)(line->now + line->links - word);
	prefetch_flying(t, word, left < 2 * n ? left : 2 * n);
	for (uint32_t i = 0; i < n; i++) {
		if (word[i] != DRB_NO_PACKET)
			packet[m++] = drb_flyings_remove(&t->flying, birth_of(sim, word[i]));
	}
	drb_windows_prefetch(t, packet, m);
	for (uint32_t i = 0; i < m; i++)
		receive_packet(t, &packet[i]);
}

static uint64_t flow_of(const struct drb_packet_sim *sim, uint64_t word)
{
	const struct drb_transfers *t = transfers_of(sim);

	return (uint64_t)tag_of(t, &t->flying.packet[birth_of(sim, word)]) << 32 | (uint32_t)word;
}

// Chooses the uplink by the unit or the host's path.
static uint32_t transfer_choose(struct drb_packet_sim *sim, const struct active_switch *at,
				const struct drb_decider *decider, uint64_t word,
				struct drb_decision *d)
{
	struct drb_transfers *t = transfers_of(sim);

	return drb_uplinks_choose(t, at, decider, &t->flying.packet[birth_of(sim, word)], d);
}

static void settle(const struct drb_packet_sim *sim, const struct active_switch *at)
{
	if (transfers_of(sim)->setup.source == DRB_SIM_UEC)
		drb_queues_mark(sim, at);
	else
		drb_smalls_hold(transfers_of(sim), at);
}

// Makes space in the word for the numbers of packets. Transfers do not record whether packets left
// their default paths. In a fabric with failures, the word has no entropy, either (flow_of()).
static void lay_out_word(struct drb_packet_sim *sim)
{
	const uint32_t flow = sim->detour_mask ? sim->mark_at - 32 : 0;

	sim->mark_at -= flow;
	sim->detour_at -= flow;
	sim->birth_at = sim->detour_mask ? sim->birth_at - flow : sim->detour_at;
}

static int packet_sim_make(struct drb_transfers *t)
{
	const struct drb_transfers_setup *s = &t->setup;
	const struct drb_packet_setup packet = {
		.tree = s->tree,
		.scheme = s->scheme,
		.choices = s->choices,
		.threshold = s->threshold,
		.slots = 1, // the packet model's own figures are not used
		.stats = 1,
		.seed = s->seed,
		.fail = s->fail,
		.faults = s->faults,
		.slow = s->slow,
		.delay = s->delay,
		.pace = s->pace,
		.links = s->links != NULL,
		.memory = s->memory,
	};
	int rc = drb_packet_new(&t->sim, &packet);

	if (rc < 0)
		return rc;
	const bool as_packets = s->unit == DRB_SIM_PACKET && s->hosts != DRB_HOSTS_ETHEREAL;
	t->source = (struct drb_packet_source){
		.send = send_packets,
		.choose = as_packets ? NULL : transfer_choose,
		.settle = s->ack_room > 0 || s->source == DRB_SIM_UEC ? settle : NULL,
		.join = drb_queues_join,
		.join_from = s->mark < s->queue && s->source != DRB_SIM_UEC ? s->mark : s->queue,
		.flow = flow_of,
		.lose = drb_transfers_drop,
		.receive = receive_packets,
		.context = t};
	t->sim->source = &t->source;
	lay_out_word(t->sim);
	t->flying.most = UINT32_C(1) << (t->sim->birth_at > 32 ? 64 - t->sim->birth_at : 31);
	t->entropy_rng = drb_rng_seed(s->seed, 5);
	t->mark_rng = drb_rng_seed(s->seed, 7);
	if (drb_turns_init(t) < 0 || drb_uplinks_init(t) < 0 || drb_smalls_init(t) < 0 ||
	    drb_nics_init(t) < 0)
		return -ENOMEM;
	return drb_windows_init(t);
}

static bool is_valid(const struct drb_transfers_setup *s)
{
	const bool whole = drb_fail_nothing(&s->fail) && !drb_faults_cut(&s->faults);

	if (s->unit != DRB_SIM_PACKET &&
	    (drb_scheme_packets_only(s->scheme) || s->hosts != DRB_HOSTS_FLOW || !whole))
		return false;
	if (s->source == DRB_SIM_OPEN && (s->hosts == DRB_HOSTS_REPS || s->trim))
		return false;
	if (s->hosts == DRB_HOSTS_ETHEREAL && (!whole || !s->ways))
		return false;
	if ((s->source == DRB_SIM_UEC || drb_pace_most(&s->pace, s->tree.layers) > 1) &&
	    (s->ack_room > 0 || s->handshake))
		return false;
	if (drb_pace_most(&s->pace, s->tree.layers) > 1 && drb_faults_pace(&s->faults))
		return false;
	return (whole || (s->ack_room == 0 && !s->handshake));
}

int drb_transfers_new(struct drb_transfers **out, const struct drb_transfers_setup *setup)
{
	struct drb_transfers *t;

	if (!is_valid(setup))
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->setup = *setup;
	drb_transfers_set_defaults(&t->setup);
	t->uec = drb_uec_constants(&t->setup.units, &t->setup.tree, &t->setup.delay);
	t->freeze = t->setup.source == DRB_SIM_UEC ? t->uec.freeze : t->setup.timeout;
	int rc = packet_sim_make(t);
	if (rc < 0)
		drb_transfers_free(t);
	else
		*out = t;
	return rc;
}

void drb_transfers_free(struct drb_transfers *t)
{
	if (!t)
		return;
	drb_packet_free(t->sim);
	drb_uplinks_free(t);
	drb_windows_free(t);
	drb_smalls_free(t);
	drb_nics_free(t);
	free(t->flying.packet);
	free(t->transfer);
	free(t->last);
	free(t);
}

static int grow(struct drb_transfers *t)
{
	uint32_t room = t->room ? 2 * t->room : 256;
	struct drb_transfer *more = realloc(t->transfer, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	t->transfer = more;
	if (drb_uplinks_grow(t, room) < 0)
		return -ENOMEM;
	t->room = room;
	return 0;
}

int64_t drb_transfers_add(struct drb_transfers *t, const struct drb_transfer *transfer)
{
	uint32_t i = t->count;

	if (i == t->room && grow(t) < 0) {
		t->failed = true;
		return -ENOMEM;
	}
	t->transfer[i] = *transfer;
	if (drb_handshake_begin(t, i) < 0 || drb_window_open(t, i) < 0) {
		t->failed = true;
		return -ENOMEM;
	}
	t->count++;
	drb_turns_add(t, i);
	return i;
}

int drb_transfers_step(struct drb_transfers *t)
{
	int rc = drb_packet_step(t->sim);

	if (!t->failed)
		return rc;
	return t->crowded ? -EOVERFLOW : -ENOMEM;
}

int drb_transfers_list_links(const struct drb_transfers *t)
{
	const struct drb_link_record *record = t->sim->links;
	struct drb_link_table *table = t->setup.links;

	if (!record)
		return 0;
	*table = (struct drb_link_table){.link = malloc(record->links * sizeof(*table->link)),
					 .count = record->links,
					 .slots = record->seen};
	if (!table->link)
		return -ENOMEM;
	for (uint64_t i = 0; i < record->links; i++)
		table->link[i] = drb_link_record_of(record, i);
	return 0;
}
