// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/small.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#include "sim/flows/turns.h"
#include "sim/flows/uplinks.h"
#include "sim/flows/window.h"
#include "sim/models/packet_slot.h"

#define PARTS DRB_SMALL_PARTS

struct drb_smalls {
	struct drb_small *under_way;
	uint32_t count, room;
	// Parts that a frame takes to cross a link; parts of the link's time that it uses.
	uint64_t hop, each;
	// [layer][queue], and [0][host] for links of hosts: parts of link time that frames have
	// used and that have not delayed packets yet. NULL: frames use no link time.
	uint64_t *taken[DRB_LAYERS_MAX + 1];
};

// Allocates `taken` for each link, and the links' delays.
static int init_room(struct drb_transfers *t)
{
	const struct drb_tree *tree = &t->setup.tree;

	for (uint32_t m = 0; m <= tree->layers; m++) {
		const struct drb_layer *l = &t->sim->fabric.layer[m];
		size_t links = m ? (size_t)l->switches * (l->up + l->down) : tree->hosts;
		t->smalls->taken[m] = calloc(links, sizeof(uint64_t));
		if (!t->smalls->taken[m])
			return -ENOMEM;
	}
	return drb_slow_make_even(&t->sim->slow, tree);
}

int drb_smalls_init(struct drb_transfers *t)
{
	struct drb_smalls *s;

	if (!t->setup.handshake && t->setup.ack_room <= 0)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->hop = (uint64_t)llround(t->setup.ack_hop * (double)PARTS);
	s->each = (uint64_t)llround(t->setup.ack_room * (double)PARTS);
	t->smalls = s;
	return s->each ? init_room(t) : 0;
}

void drb_smalls_free(struct drb_transfers *t)
{
	if (!t->smalls)
		return;
	for (uint32_t m = 0; m <= DRB_LAYERS_MAX; m++)
		free(t->smalls->taken[m]);
	free(t->smalls->under_way);
	free(t->smalls);
}

// Starts the frame at a host of its transfer, as a frame of this kind.
static void turn(struct drb_transfers *t, struct drb_small *s, enum drb_small_kind kind)
{
	const struct drb_transfer *f = &t->transfer[s->transfer];
	bool back = kind != DRB_SMALL_SYN;
	uint32_t tag = (uint32_t)drb_mix64(back ? ~(uint64_t)s->transfer : s->transfer);

	if (kind == DRB_SMALL_ACK && drb_hosts_spread(t->setup.hosts))
		tag = s->ack.entropy;
	s->kind = kind;
	s->layer = 0;
	s->label = back ? f->dest : f->source;
	s->word = packet_word(t->sim, back ? f->source : f->dest, tag & t->sim->flow_mask, 0);
}

int drb_small_send(struct drb_transfers *t, const struct drb_small *small)
{
	struct drb_smalls *all = t->smalls;

	if (all->count == all->room) {
		uint32_t room = all->room ? 2 * all->room : 64;
		struct drb_small *more = realloc(all->under_way, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		all->under_way = more;
		all->room = room;
	}
	struct drb_small *s = &all->under_way[all->count++];
	*s = *small;
	turn(t, s, s->kind);
	return 0;
}

int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_transfer *f = &t->transfer[transfer];
	const struct drb_small syn = {.transfer = transfer,
				      .kind = DRB_SMALL_SYN,
				      .time = (uint64_t)f->start * PARTS,
				      .sent = (uint64_t)f->start * PARTS};

	f->connected = f->start;
	if (!t->setup.handshake)
		return 0;
	f->connected = UINT32_MAX;
	t->syns.sent++;
	return drb_small_send(t, &syn);
}

// True if small frames take the link in this slot and a packet has to wait. Time that frames take
// in a slot without a packet delays no packet.
static bool holds(uint64_t *taken, bool has_packet)
{
	if (*taken < PARTS) {
		*taken = has_packet ? *taken : 0;
		return false;
	}
	*taken -= PARTS;
	return has_packet;
}

void drb_smalls_hold(struct drb_transfers *t, const struct active_switch *at)
{
	const struct drb_layer *l = at->l;

	if (!t->smalls || !t->smalls->each)
		return;
	for (uint64_t i = at->first; i < at->first + l->up + l->down; i++) {
		if (holds(&t->smalls->taken[l->layer][i], l->len[i] > 0))
			drb_pace_delay(&t->sim->slow.of[l->layer][i], t->sim->slot);
	}
}

bool drb_smalls_hold_host(struct drb_transfers *t, uint32_t host, bool has_packet)
{
	return t->smalls && t->smalls->each && holds(&t->smalls->taken[0][host], has_packet);
}

// Returns the port by which the frame leaves the switch, counted as in struct drb_layer.
static uint32_t port_of(struct drb_transfers *t, struct drb_small *s, struct active_switch *at)
{
	struct drb_packet_sim *sim = t->sim;
	const struct drb_decider decider = sim_decider(sim, at->l, at->s, &at->choice);
	const struct drb_flying first = {.transfer = s->transfer};
	uint32_t dest = (uint32_t)s->word, port;

	if (drb_hop_below(&at->hop, dest))
		return at->l->up + drb_hop_digit(&at->hop, dest);
	struct drb_decision d = sim_decision(sim, &at->hop, s->word, drb_rng_next(&sim->rng));
	d.size = 0;
	port = s->kind == DRB_SMALL_SYN ? drb_uplinks_choose(t, at, &decider, &first, &d)
					: drb_uplinks_advise(t, at, &decider, &d);
	s->word = sim_marked(sim, s->word, d.mark);
	return port;
}

// True if a packet crosses the link of this port in the slot.
static bool is_busy(const struct active_switch *at, uint32_t port)
{
	const struct drb_layer *l = at->l;
	uint32_t p = port - l->up;

	if (port < l->up)
		return l[1].from_below.next[l->up_to[at->s] + port * l->up_stride] != DRB_NO_PACKET;
	return l[-1].from_above.next[l->down_to[at->s] + p * l->down_stride] != DRB_NO_PACKET;
}

// A link that a frame is about to cross. busy: a packet crosses it in this slot. packets: the
// number that wait for it at the end of the slot.
struct crossing {
	struct drb_end end;
	uint32_t above;  // the layer of its upper end
	uint64_t *taken; // NULL: frames use no link time
	bool busy;
	uint32_t packets;
};

static uint64_t *taken_of(const struct drb_transfers *t, uint32_t layer, uint64_t link)
{
	return t->smalls->each ? &t->smalls->taken[layer][link] : NULL;
}

// The frame crosses the link.
static void cross(const struct drb_transfers *t, struct drb_small *s, const struct crossing *link)
{
	if (link->busy)
		s->time = ((uint64_t)t->sim->slot + 1 + link->packets) * PARTS;
	s->time += t->smalls->hop + t->setup.delay.link[link->above] * PARTS;
	s->layer = link->end.layer;
	s->label = link->end.label;
	if (link->taken)
		*link->taken += t->smalls->each;
}

static void leave_host(struct drb_transfers *t, struct drb_small *s)
{
	const uint64_t *wire = t->sim->fabric.layer[1].from_below.next;
	const struct crossing link = {drb_tree_host_peer(&t->setup.tree, s->label), 1,
				      taken_of(t, 0, s->label), wire[s->label] != DRB_NO_PACKET,
				      drb_turns_ready(t, s->label)};

	cross(t, s, &link);
}

// A queue dropped the SYN or the SYN-ACK: the SYN is sent again.
static void send_again(struct drb_transfers *t, struct drb_small *s)
{
	uint64_t again = s->sent + t->setup.timeout * PARTS;

	t->syns.lost++;
	t->syns.sent++;
	s->time = s->sent = again > s->time ? again : s->time;
	turn(t, s, DRB_SMALL_SYN);
}

static void leave_switch(struct drb_transfers *t, struct drb_small *s)
{
	const struct drb_tree *tree = &t->setup.tree;
	struct drb_layer *l = &t->sim->fabric.layer[s->layer];
	struct active_switch at = {.l = l,
				   .s = s->label,
				   .first = (uint64_t)s->label * (l->up + l->down),
				   .hop = drb_hop_at(tree, s->layer, s->label),
				   .choice = sim_choice(t->sim, l)};

	if (at.choice.ops->needs & DRB_READS_FLOW)
		at.choice.salt = drb_salt(t->setup.seed, s->layer, s->label);
	uint32_t port = port_of(t, s, &at);
	const struct crossing link = {
		port < l->up ? drb_tree_up_peer(tree, s->layer, s->label, port)
			     : drb_tree_down_peer(tree, s->layer, s->label, port - l->up),
		port < l->up ? s->layer + 1 : s->layer, taken_of(t, s->layer, at.first + port),
		is_busy(&at, port), l->len[at.first + port]};
	// Acknowledgements wait, but are never dropped. A later one would acknowledge the same
	// packets as a dropped one.
	if (s->kind != DRB_SMALL_ACK && link.packets + link.busy >= t->setup.queue)
		send_again(t, s);
	else
		cross(t, s, &link);
}

// The transfer may send from the next slot on at the earliest, because hosts have sent in this one.
static void connect(struct drb_transfers *t, const struct drb_small *s)
{
	uint64_t slot = (s->time + PARTS - 1) / PARTS, next = (uint64_t)t->sim->slot + 1;

	t->transfer[s->transfer].connected = (uint32_t)(slot > next ? slot : next);
	t->syns.answered++;
}

// The frame has reached its host. Returns true if it is done.
static bool arrives(struct drb_transfers *t, struct drb_small *s)
{
	switch (s->kind) {
	case DRB_SMALL_SYN:
		turn(t, s, DRB_SMALL_ANSWER);
		return false;
	case DRB_SMALL_ANSWER:
		connect(t, s);
		break;
	case DRB_SMALL_ACK:
		drb_window_hear(t, &s->ack, (uint64_t)t->sim->slot + 1);
		break;
	}
	return true;
}

// Moves the frame until it has to wait for a later slot or is done. Returns true if it is done.
static bool moves(struct drb_transfers *t, struct drb_small *s)
{
	const uint64_t end = ((uint64_t)t->sim->slot + 1) * PARTS;

	for (;;) {
		bool there = s->layer == 0 && s->label == (uint32_t)s->word;
		// A frame that reaches its host at the very end of this slot is in time for the
		// next one.
		if (there ? s->time > end : s->time >= end)
			return false;
		if (there && arrives(t, s))
			return true;
		if (there)
			continue;
		if (s->layer == 0)
			leave_host(t, s);
		else
			leave_switch(t, s);
	}
}

void drb_smalls_move(struct drb_transfers *t)
{
	struct drb_smalls *all = t->smalls;
	uint32_t kept = 0;

	if (!all)
		return;
	for (uint32_t i = 0; i < all->count; i++) {
		if (!moves(t, &all->under_way[i]))
			all->under_way[kept++] = all->under_way[i];
	}
	all->count = kept;
}
