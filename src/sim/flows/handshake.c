// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/handshake.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#include "sim/flows/uplinks.h"
#include "sim/models/packet_slot.h"

// Time is counted in these parts of a slot, so that sums are exact.
#define PARTS UINT64_C(1000000)

struct handshake {
	uint32_t transfer;
	bool answer;           // the SYN-ACK
	uint32_t layer, label; // the switch that it comes to, or the host (layer 0)
	uint64_t time;         // at which it does, in parts
	uint64_t sent;         // when the SYN was sent last
	uint64_t word;         // of the packet that it is to those who decide
};

struct drb_handshakes {
	struct handshake *under_way;
	uint32_t count, room;
	uint64_t hop;       // parts that a link takes
	uint64_t to_host[]; // [host]: slot + 1 of the last packet to it
};

int drb_handshakes_init(struct drb_transfers *t)
{
	struct drb_handshakes *h;

	if (!t->setup.handshake)
		return 0;
	h = calloc(1, sizeof(*h) + t->setup.tree.hosts * sizeof(h->to_host[0]));
	if (!h)
		return -ENOMEM;
	h->hop = (uint64_t)llround(t->setup.ack_hop * (double)PARTS);
	t->handshakes = h;
	return 0;
}

void drb_handshakes_free(struct drb_transfers *t)
{
	if (t->handshakes)
		free(t->handshakes->under_way);
	free(t->handshakes);
}

// The SYN, or the SYN-ACK, is at the host that sends it.
static void leave_from(struct drb_transfers *t, struct handshake *h, bool answer)
{
	const struct drb_transfer *f = &t->transfer[h->transfer];
	uint64_t flow = answer ? ~(uint64_t)h->transfer : h->transfer;

	h->answer = answer;
	h->layer = 0;
	h->label = answer ? f->dest : f->source;
	h->word = packet_word(t->sim, answer ? f->source : f->dest,
			      (uint32_t)drb_mix64(flow) & t->sim->flow_mask, 0);
}

int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_handshakes *all = t->handshakes;
	struct drb_transfer *f = &t->transfer[transfer];

	f->connected = f->start;
	if (!all)
		return 0;
	f->connected = UINT64_MAX;
	if (all->count == all->room) {
		uint32_t room = all->room ? 2 * all->room : 64;
		struct handshake *more = realloc(all->under_way, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		all->under_way = more;
		all->room = room;
	}
	struct handshake *h = &all->under_way[all->count++];
	*h = (struct handshake){
		.transfer = transfer, .time = f->start * PARTS, .sent = f->start * PARTS};
	leave_from(t, h, false);
	t->syns.sent++;
	return 0;
}

void drb_handshakes_see(struct drb_transfers *t, uint32_t host)
{
	if (t->handshakes)
		t->handshakes->to_host[host] = t->sim->slot + 1;
}

// The port by which it leaves the switch, as struct drb_layer counts them.
static uint32_t port_of(struct drb_transfers *t, struct handshake *h, struct active_switch *at)
{
	struct drb_packet_sim *sim = t->sim;
	struct drb_decider decider = sim_decider(sim, at->l, at->s, &at->choice);
	uint32_t dest = (uint32_t)h->word, port;

	if (drb_hop_below(&at->hop, dest))
		return at->l->up + drb_hop_digit(&at->hop, dest);
	struct drb_decision d = sim_decision(sim, &at->hop, h->word, drb_rng_next(&sim->rng));
	d.size = 0;
	port = h->answer ? drb_uplinks_advise(t, at, &decider, &d)
			 : drb_uplinks_choose(t, at, &decider, h->transfer, &d);
	h->word = sim_marked(sim, h->word, d.mark);
	return port;
}

// Whether a packet crosses the link of this port in the slot.
static bool is_busy(const struct drb_transfers *t, const struct active_switch *at, uint32_t port)
{
	const struct drb_layer *l = at->l;
	uint32_t next = (t->sim->slot + 1) & 1;

	if (port < l->up)
		return l[1].from_below[next][l->up_to[at->s] + port * l->up_stride] !=
		       DRB_NO_PACKET;
	port -= l->up;
	if (l->layer == 1)
		return t->handshakes->to_host[at->s * l->down + port] == t->sim->slot + 1;
	return l[-1].from_above[next][l->down_to[at->s] + port * l->down_stride] != DRB_NO_PACKET;
}

// It comes to the other end of a link, behind so many packets from the end of this slot on.
static void cross(const struct drb_transfers *t, struct handshake *h, const struct drb_end *end,
		  bool busy, uint32_t packets)
{
	if (busy)
		h->time = ((uint64_t)t->sim->slot + 1 + packets) * PARTS;
	h->time += t->handshakes->hop;
	h->layer = end->layer;
	h->label = end->label;
}

static void leave_host(struct drb_transfers *t, struct handshake *h)
{
	const uint64_t *wire = t->sim->fabric.layer[1].from_below[(t->sim->slot + 1) & 1];
	const struct drb_end end = drb_tree_host_peer(&t->setup.tree, h->label);

	cross(t, h, &end, wire[h->label] != DRB_NO_PACKET, drb_transfers_ready(t, h->label));
}

// A queue dropped it.
static void begin_again(struct drb_transfers *t, struct handshake *h)
{
	uint64_t again = h->sent + t->setup.timeout * PARTS;

	t->syns.lost++;
	t->syns.sent++;
	h->time = h->sent = again > h->time ? again : h->time;
	leave_from(t, h, false);
}

static void leave_switch(struct drb_transfers *t, struct handshake *h)
{
	const struct drb_tree *tree = &t->setup.tree;
	struct drb_layer *l = &t->sim->fabric.layer[h->layer];
	struct active_switch at = {.l = l,
				   .s = h->label,
				   .first = (uint64_t)h->label * (l->up + l->down),
				   .hop = drb_hop_at(tree, h->layer, h->label),
				   .choice = sim_choice(t->sim, l)};

	if (drb_scheme_has(at.choice.scheme, DRB_READS_FLOW))
		at.choice.salt = drb_salt(t->setup.seed, h->layer, h->label);
	uint32_t port = port_of(t, h, &at), packets = l->len[at.first + port];
	bool busy = is_busy(t, &at, port);
	if (packets + busy >= t->setup.queue) {
		begin_again(t, h);
		return;
	}
	const struct drb_end end =
		port < l->up ? drb_tree_up_peer(tree, h->layer, h->label, port)
			     : drb_tree_down_peer(tree, h->layer, h->label, port - l->up);
	cross(t, h, &end, busy, packets);
}

// From the next slot on, for in this one hosts have sent.
static void establish(struct drb_transfers *t, const struct handshake *h)
{
	uint64_t slot = (h->time + PARTS - 1) / PARTS, next = (uint64_t)t->sim->slot + 1;

	t->transfer[h->transfer].connected = slot > next ? slot : next;
	t->syns.answered++;
}

// Until it waits, or it is done: true.
static bool moves(struct drb_transfers *t, struct handshake *h)
{
	const uint64_t end = ((uint64_t)t->sim->slot + 1) * PARTS;

	while (h->time < end) {
		if (h->layer == 0)
			leave_host(t, h);
		else
			leave_switch(t, h);
		if (h->layer != 0 || h->label != (uint32_t)h->word)
			continue;
		if (h->answer) {
			establish(t, h);
			return true;
		}
		leave_from(t, h, true);
	}
	return false;
}

void drb_handshakes_move(struct drb_transfers *t)
{
	struct drb_handshakes *all = t->handshakes;
	uint32_t kept = 0;

	if (!all)
		return;
	for (uint32_t i = 0; i < all->count; i++) {
		if (!moves(t, &all->under_way[i]))
			all->under_way[kept++] = all->under_way[i];
	}
	all->count = kept;
}
