// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/transfers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#include "sim/flows/entropy.h"
#include "sim/flows/small.h"
#include "sim/flows/turns.h"
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
		return DRB_NO_PACKET;
	}
	t->last[host] = i;
	bool last = sent < t->transfer[i].sent && t->transfer[i].sent == t->transfer[i].size;
	if (last && !t->transfer[i].window)
		drb_turns_leave(t, i);
	if (last && t->on_sent)
		t->on_sent(t->context, i);
	uint32_t tag = t->sim->detour_mask ? 0 : packet.entropy & t->sim->flow_mask;
	return packet_word(t->sim, dest, tag, (uint32_t)number);
}

static void over(struct drb_transfers *t, uint32_t i)
{
	struct drb_transfer *f = &t->transfer[i];

	f->finish = f->dropped ? 0 : t->sim->slot + 1;
	if (f->window) {
		drb_turns_leave(t, i);
		drb_window_close(t, i);
	}
	drb_uplinks_forget(t, i);
	t->over++;
	if (t->on_over)
		t->on_over(t->context, i);
}

// Of its transfer one more packet has arrived or was dropped.
static void account(struct drb_transfers *t, uint32_t i)
{
	if (t->transfer[i].arrived + t->transfer[i].dropped == t->transfer[i].size)
		over(t, i);
}

static void drop(struct drb_packet_sim *sim, uint64_t word)
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

// Whose turn it is at the hosts from this one on.
static inline __attribute__((always_inline)) void prefetch_turns(const struct drb_transfers *t,
								 uint32_t host)
{
	const uint32_t end = host + DRB_TOGETHER, hosts = t->setup.tree.hosts;
	uint32_t turn[DRB_TOGETHER], n = 0;

	for (uint32_t h = host; h < end && h < hosts; h++) {
		turn[n] = t->last[h];
		if (turn[n] != DRB_NO_TRANSFER)
			__builtin_prefetch(&t->transfer[turn[n++]], 1);
	}
	for (uint32_t i = 0; i < n; i++) {
		turn[i] = t->transfer[turn[i]].next;
		__builtin_prefetch(&t->transfer[turn[i]], 1);
	}
	for (uint32_t i = 0; i < n; i++)
		drb_window_prefetch(t->transfer[turn[i]].window);
}

static uint64_t send_packets(struct drb_packet_sim *sim, uint64_t wire[])
{
	struct drb_transfers *t = transfers_of(sim);
	uint64_t born = 0;

	for (uint32_t i = 0; i < t->gray.count; i++) {
		uint64_t word = drb_gray_take(&t->gray, i, sim->slot);
		if (word != DRB_NO_PACKET)
			drop(sim, word);
	}
	drb_windows_hear(t);
	for (uint32_t h = 0; h < sim->fabric.tree.hosts; h++) {
		if (h % DRB_TOGETHER == 0)
			prefetch_turns(t, h);
		wire[h] = packet_of(t, h);
		born += wire[h] != DRB_NO_PACKET;
	}
	drb_smalls_move(t);
	return born;
}

// What arrives in this slot, a packet or its header.
static void acknowledge(struct drb_transfers *t, const struct drb_flying *packet, uint64_t slot)
{
	const struct drb_window *w = t->transfer[packet->transfer].window;

	if (!w)
		return;
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
	acknowledge(t, packet, drb_transfers_slot(t) + 1);
	if (t->setup.source != DRB_SIM_OPEN && !drb_window_receive(t, packet))
		return;
	t->transfer[packet->transfer].arrived++;
	account(t, packet->transfer);
}

static void receive_packets(struct drb_packet_sim *sim, const uint64_t word[], uint32_t n)
{
	struct drb_transfers *t = transfers_of(sim);
	struct drb_flying packet[DRB_TOGETHER];
	uint32_t m = 0;

	for (; n > DRB_TOGETHER; n -= DRB_TOGETHER, word += DRB_TOGETHER)
		receive_packets(sim, word, DRB_TOGETHER);
	for (uint32_t i = 0; i < n; i++) {
		if (word[i] != DRB_NO_PACKET)
			__builtin_prefetch(&t->flying.packet[birth_of(sim, word[i])], 1);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (word[i] != DRB_NO_PACKET)
			packet[m++] = drb_flyings_remove(&t->flying, birth_of(sim, word[i]));
	}
	drb_windows_prefetch(t, packet, m);
	for (uint32_t i = 0; i < m; i++)
		receive_packet(t, &packet[i]);
}

static uint32_t transfer_of(const struct drb_packet_sim *sim, uint64_t word)
{
	return transfers_of(sim)->flying.packet[birth_of(sim, word)].transfer;
}

// Of a packet that is at this port only the header goes on, and waits for nothing.
static void trim(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t port,
		 uint64_t word)
{
	struct drb_transfers *t = transfers_of(sim);
	struct drb_flying packet = t->flying.packet[birth_of(sim, word)];
	const struct drb_transfer *f = &t->transfer[packet.transfer];
	uint32_t m = at->l->layer, top = m;
	uint64_t delay = 0;

	if (port < at->l->up) {
		top = drb_distance(&t->setup.tree, f->source, f->dest);
		top = top > m ? top : m + 1; // a detour
	}
	for (uint32_t i = m + 1; i <= top; i++)
		delay += t->setup.delay.link[i];
	for (uint32_t i = 1; i <= top; i++)
		delay += t->setup.delay.link[i];
	uint64_t hops = (uint64_t)llround((2 * top - m) * t->setup.ack_hop);
	packet.trimmed = true;
	acknowledge(t, &packet, sim->slot + (hops ? hops : 1) + delay);
	drop(sim, word);
}

static uint64_t flow_of(const struct drb_packet_sim *sim, uint64_t word)
{
	const uint16_t entropy = transfers_of(sim)->flying.packet[birth_of(sim, word)].entropy;

	return (uint64_t)(entropy & sim->flow_mask) << 32 | (uint32_t)word;
}

static int join_or_drop(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t port,
			uint64_t word, uint32_t *max)
{
	struct drb_transfers *t = transfers_of(sim);
	uint32_t len = at->l->len[at->first + port];

	if (len >= t->setup.queue) {
		if (t->setup.trim)
			trim(sim, at, port, word);
		else
			drop(sim, word);
		return 0;
	}
	if (len >= t->setup.mark)
		t->flying.packet[birth_of(sim, word)].marked = true;
	return join(&sim->fabric.pool, at->l, at->first + port, word, max);
}

// By what its unit or its host says.
static uint32_t choose(struct drb_packet_sim *sim, const struct active_switch *at,
		       const struct drb_decider *decider, uint64_t word, struct drb_decision *d)
{
	return drb_uplinks_choose(transfers_of(sim), at, decider, transfer_of(sim, word), d);
}

static void settle(const struct drb_packet_sim *sim, const struct active_switch *at)
{
	drb_smalls_hold(transfers_of(sim), at);
}

// Numbers of packets need bits. Nobody asks whether packets left their default paths; where something is dead, their
// entropies are not in the word.
static void lay_out_word(struct drb_packet_sim *sim)
{
	const uint32_t flow = sim->detour_mask ? sim->mark_at - 32 : 0;

	sim->mark_at -= flow;
	sim->detour_at -= flow;
	sim->birth_at = sim->detour_mask ? sim->birth_at - flow : sim->detour_at;
}

static int make(struct drb_transfers *t)
{
	const struct drb_transfers_setup *s = &t->setup;
	const struct drb_packet_setup packet = {
		.tree = s->tree,
		.scheme = s->scheme,
		.choices = s->choices,
		.threshold = s->threshold,
		.slots = 1, // of the packet model's own figures
		.stats = 1,
		.seed = s->seed,
		.fail = s->fail,
		.slow = s->slow,
		.delay = s->delay,
		.memory = s->memory,
	};
	int rc = drb_packet_new(&t->sim, &packet);

	if (rc < 0)
		return rc;
	const bool as_packets = s->unit == DRB_SIM_PACKET && s->hosts != DRB_HOSTS_ETHEREAL;
	t->source = (struct drb_packet_source){.send = send_packets,
					       .choose = as_packets ? NULL : choose,
					       .settle = s->ack_room > 0 ? settle : NULL,
					       .join = join_or_drop,
					       .join_from = s->mark < s->queue ? s->mark : s->queue,
					       .flow = flow_of,
					       .lose = drop,
					       .receive = receive_packets,
					       .context = t};
	t->sim->source = &t->source;
	lay_out_word(t->sim);
	t->flying.most = UINT32_C(1) << (t->sim->birth_at > 32 ? 64 - t->sim->birth_at : 31);
	t->entropy_rng = drb_rng_seed(s->seed, 5);
	rc = drb_gray_make(&t->gray, &t->sim->fabric, s->gray, s->seed);
	if (rc == 0 && (drb_turns_init(t) < 0 || drb_uplinks_init(t) < 0 || drb_smalls_init(t) < 0))
		rc = -ENOMEM;
	return rc < 0 ? rc : drb_windows_init(t);
}

static bool is_valid(const struct drb_transfers_setup *s)
{
	const bool whole = s->fail.links == 0 && s->fail.switches == 0;

	if (s->unit != DRB_SIM_PACKET &&
	    (drb_scheme_packets_only(s->scheme) || s->hosts != DRB_HOSTS_FLOW || !whole))
		return false;
	if (s->source == DRB_SIM_OPEN && (s->hosts == DRB_HOSTS_REPS || s->trim))
		return false;
	if (s->hosts == DRB_HOSTS_ETHEREAL && !whole)
		return false;
	return s->queue > 0 && (whole || (s->ack_room == 0 && !s->handshake));
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
	int rc = make(t);
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
	drb_gray_free(&t->gray);
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

	return t->failed ? -ENOMEM : rc;
}
