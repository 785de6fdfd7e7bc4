// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <stddef.h>

#include "sim/models/packet_parts.h"
#include "sim/models/packet_slot.h"

// Packets born after the measured slots all carry the first slot after these as their birth. The
// field for it therefore suffices for a run of any length.
static uint64_t word_of(const struct drb_packet_sim *sim, uint32_t dest, uint32_t tag)
{
	uint32_t birth = sim->slot < sim->setup.slots ? sim->slot : sim->setup.slots;

	return packet_word(sim, dest, tag, birth);
}

static uint64_t births_of_traffic(struct drb_packet_sim *sim, uint64_t wire[])
{
	uint32_t hosts = sim->fabric.tree.hosts;
	const uint32_t *to = sim->dest;
	uint64_t born = 0;

	if (sim->drawn)
		to = sim->drawn + (size_t)(sim->slot - sim->drawn_from) * hosts;
	else
		drb_traffic_slot(&sim->traffic, &sim->traffic_rng, sim->slot, sim->dest);
	for (uint32_t h = 0; h < hosts; h++) {
		bool sends = to[h] != DRB_NO_LABEL;
		wire[h] = sends ? word_of(sim, to[h], source_tag(sim, h)) : DRB_NO_PACKET;
		born += sends;
	}
	return born;
}

// The births of this slot. Host h feeds entry h of layer 1, whose ports are in the order of hosts.
void drb_packet_births(struct drb_packet_sim *sim)
{
	uint64_t *wire = sim->fabric.layer[1].from_below.next;
	uint64_t born = sim->source ? sim->source->send(sim, wire) : births_of_traffic(sim, wire);

	sim->born += born;
	sim->hops += born;
	if (is_measured(sim))
		sim->measured_born += born;
}

// The links of n queues, with their evenly spaced entries at the other ends.
struct wires {
	uint64_t *out;
	uint32_t n, stride;
};

// Moves the heads of the queues from `first` on onto their links. Returns their number.
static inline uint64_t depart(struct drb_fifo_pool *pool, struct drb_layer *l, uint64_t first,
			      struct wires to)
{
	uint32_t *len = l->len + first, gone = 0;
	struct drb_fifo *q = l->fifo + first, *end = q + to.n;
	const uint64_t *word = pool->word;
	uint64_t *out = to.out;

	for (; q < end; q++, len++, out += to.stride) {
		uint32_t was = *len, is = was != 0, mask = q->mask, head = q->head;
		uint64_t w = word[q->base + (head & mask)];
		*out = is ? w : DRB_NO_PACKET;
		q->head = head + is;
		*len = was - is;
		gone += is;
		if (__builtin_expect(mask != DRB_FIFO_HOME - 1 && was <= DRB_FIFO_HOME / 2, 0))
			drb_fifo_go_home(pool, q, l->first_fifo + (uint64_t)(q - l->fifo), *len);
	}
	return gone;
}

// The same for layers with slow links.
static uint64_t depart_in_time(struct drb_packet_sim *sim, struct drb_layer *l, uint64_t first,
			       struct wires to)
{
	struct drb_pace *pace = sim->slow.of[l->layer] + first;
	uint64_t gone = 0, *out = to.out;

	for (uint32_t i = 0; i < to.n; i++, out += to.stride) {
		*out = DRB_NO_PACKET;
		if (!drb_pace_holds(&pace[i], l->len[first + i], sim->slot))
			gone += depart(&sim->fabric.pool, l, first + i, (struct wires){out, 1, 0});
	}
	return gone;
}

// Moves the packets that may leave their queues onto their links. Returns their number.
static inline uint64_t send_out(struct drb_packet_sim *sim, struct drb_layer *l, uint64_t first,
				struct wires to)
{
	if (__builtin_expect(sim->slow.of[l->layer] != NULL, 0))
		return depart_in_time(sim, l, first, to);
	return depart(&sim->fabric.pool, l, first, to);
}

// Delivers the packets that reach the hosts of a layer-1 switch in the next slot. Returns their
// number.
static inline uint64_t reach_hosts(struct drb_packet_sim *sim, const struct drb_layer *l,
				   uint32_t s)
{
	const uint64_t *word = sim->fabric.layer[0].from_above.now + l->down_to[s];
	uint64_t reached = 0;

	for (uint32_t p = 0; p < l->down; p++) {
		if (word[p] == DRB_NO_PACKET)
			continue;
		reached++;
		if (!sim->source)
			deliver(sim, word[p]);
	}
	if (sim->source)
		sim->source->receive(sim, word, l->down);
	return reached;
}

// Collects the arrivals of a switch with the ports where they arrived (down-ports first), in random
// order. Only for fabrics with failures.
static uint32_t gather_with_ports(struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s,
				  struct drb_rng *rng)
{
	const uint64_t *below = l->from_below.now + (uint64_t)s * l->down;
	const uint64_t *above = l->from_above.now + (uint64_t)s * l->up;
	uint64_t *word = sim->arrived_up, *port = sim->arrived_down;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->down + l->up; i++) {
		uint64_t w = i < l->down ? below[i] : above[i - l->down];
		if (w == DRB_NO_PACKET)
			continue;
		uint32_t j = drb_scale32((uint32_t)(drb_rng_next(rng) >> 32), n + 1);
		word[n] = word[j];
		port[n++] = port[j];
		word[j] = w;
		port[j] = i;
	}
	return n;
}

// Decides on arrivals one after another, with their ports. Only for fabrics with failures.
static int arrivals_slot(struct drb_packet_sim *sim, const struct active_switch *at,
			 struct drb_rng *rng, struct tally *tally)
{
	struct drb_layer *l = at->l;
	const struct drb_detour_node node = {at->hop, l->layer, l->down, l->up};
	struct drb_usable_ports links = drb_failures_at(&sim->failures, l->layer, at->s);
	struct drb_decider decider = sim_decider(sim, l, at->s, &at->choice);
	uint32_t n = gather_with_ports(sim, l, at->s, rng);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t word = sim->arrived_up[i];
		struct drb_decision d = sim_decision(sim, &at->hop, word, drb_rng_next(rng));
		d.port = (uint32_t)sim->arrived_down[i];
		d.detour = sim_unpacked_detour(d.detour);
		if (sim->source && sim->flow_mask)
			d.flow = sim->source->flow(sim, word);
		int32_t to = drb_decide(&decider, &node, links, l->seen + at->first, &d);
		word = sim_detoured(sim, sim_marked(sim, word, d.mark),
				    sim_packed_detour(d.detour));
		if (to < 0) {
			sim->lost_to.no_way++;
			(sim->source ? sim->source->lose : lose)(sim, word);
			continue;
		}
		bool up = (uint32_t)to >= l->down;
		if (up)
			sim_uplink(&at->choice, (uint32_t)to - l->down);
		uint32_t queue = up ? (uint32_t)to - l->down : l->up + (uint32_t)to;
		uint32_t *max = up ? &tally->up_max : &tally->down_max;
		if (sim_join(sim, at, queue, word, max) < 0)
			return -ENOMEM;
		tally->up_in += up;
		tally->down_in += !up;
		tally->redirected += up && !d.detoured && queue != d.def;
	}
	return 0;
}

static inline int send_down(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t n,
			    struct tally *tally, bool sourced)
{
	uint64_t *word = sim->arrived_down;
	uint32_t max = tally->down_max;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t queue = at->l->up + drb_hop_digit(&at->hop, (uint32_t)word[i]);
		if ((sourced ? sim_join(sim, at, queue, word[i], &max)
			     : join(&sim->fabric.pool, at->l, at->first + queue, word[i], &max)) <
		    0)
			return -ENOMEM;
	}
	tally->down_max = max;
	return 0;
}

// Fabrics without failures: decides on packets that go up, then on those that go down, each kind in
// random order.
static inline int arrivals_of_whole_fabric(struct drb_packet_sim *sim,
					   const struct active_switch *at, struct drb_rng *rng,
					   struct tally *tally)
{
	uint64_t *up = sim->arrived_up, *down = sim->arrived_down;
	struct sending out = {rng, tally, sim->source != NULL};
	uint32_t n_up, n_down;

	gather(at->l, at->s, &at->hop, up, &n_up, down, &n_down);
	shuffle(rng, up, n_up);
	shuffle(rng, down, n_down);
	tally->up_in += n_up;
	tally->down_in += n_down;
	if (n_up > 0 && sim_send_up(sim, at, n_up, &out) < 0)
		return -ENOMEM;
	return out.sourced ? send_down(sim, at, n_down, tally, true)
			   : send_down(sim, at, n_down, tally, false);
}

static inline int switch_slot(struct drb_packet_sim *sim, struct active_switch *at,
			      struct drb_rng *rng, struct tally *tally)
{
	struct drb_layer *l = at->l;
	uint64_t first = at->first;
	uint32_t s = at->s;
	int rc;

	at->hop = drb_hop_at(&sim->fabric.tree, l->layer, s);
	if (at->choice.ops->needs & DRB_READS_FLOW)
		at->choice.salt = drb_salt(sim->setup.seed, l->layer, s);
	if (sim->state[l->layer])
		sim_hear_above(sim, l, s);
	rc = sim->detour_mask ? arrivals_slot(sim, at, rng, tally)
			      : arrivals_of_whole_fabric(sim, at, rng, tally);
	if (rc < 0)
		return rc;
	if (sim->source && sim->source->settle)
		sim->source->settle(sim, at);
	if (l->up)
		tally->up_out += send_out(
			sim, l, first,
			(struct wires){l[1].from_below.next + l->up_to[s], l->up, l->up_stride});
	tally->down_out += send_out(
		sim, l, first + l->up,
		(struct wires){l[-1].from_above.next + l->down_to[s], l->down, l->down_stride});
	if (l->layer == 1)
		sim->delivered += reach_hosts(sim, l, s);
	return 0;
}

// GCC regards a function that only prefetches as one without effect, and drops calls to it unless
// it is inlined early.
#define PREFETCHES static inline __attribute__((always_inline)) void

PREFETCHES prefetch_range(const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		__builtin_prefetch((const char *)from + i, 1);
}

// Prefetches the entries that the next switch will touch, and the headers and lengths of the switch
// behind it, which locate its entries. Rings are read in the order of packets, and long ones are
// scattered, which no hardware prefetcher predicts. In fabrics that exceed the caches, this is a
// fifth to a third of the time.
PREFETCHES prefetch_switch(const struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s)
{
	size_t ports = l->up + l->down, first = s * ports;
	const uint64_t *word = sim->fabric.pool.word;
	const struct drb_fifo *q = l->fifo + first;
	const uint32_t *len = l->len + first;

	for (size_t i = 0; i < ports; i++, q++) {
		__builtin_prefetch(word + q->base + (q->head & q->mask), 1);
		// The end of the ring may be in another cache line.
		if (q->mask != DRB_FIFO_HOME - 1)
			__builtin_prefetch(word + q->base + ((q->head + len[i]) & q->mask), 1);
	}
	prefetch_range(len + ports, ports * sizeof(*l->len));
	prefetch_range(q, ports * sizeof(*l->fifo));
	prefetch_range(l->from_below.now + (size_t)s * l->down, l->down * sizeof(uint64_t));
	prefetch_range(l->from_above.now + (size_t)s * l->up, l->up * sizeof(uint64_t));
}

// Queues are measured between the arrivals of a slot and the departures of the next one.
static void meter_layer(struct drb_packet_sim *sim, struct layer_meter *m, const struct tally *t)
{
	m->up_now += t->up_in;
	m->down_now += t->down_in;
	if (sim->slot >= sim->first_measured && sim->slot < sim->setup.slots) {
		m->up_sum += m->up_now;
		m->down_sum += m->down_now;
		m->decided += t->up_in;
		m->redirected += t->redirected;
		m->kept += t->kept;
		m->up_max = t->up_max > m->up_max ? t->up_max : m->up_max;
		m->down_max = t->down_max > m->down_max ? t->down_max : m->down_max;
	}
	m->up_now -= t->up_out;
	m->down_now -= t->down_out;
}

int drb_packet_switches(struct drb_packet_sim *sim, struct drb_layer *l, struct drb_range range)
{
	struct active_switch at = {.l = l,
				   .s = range.first,
				   .first = (uint64_t)range.first * (l->up + l->down),
				   .choice = sim_choice(sim, l),
				   .join_from = sim->source ? sim->source->join_from : UINT32_MAX};
	struct drb_rng rng = sim->rng;
	struct tally tally = {0};
	int rc = 0;

	for (; rc == 0 && at.s < range.last; at.s++, at.first += l->up + l->down) {
		if (at.s + 1 < range.last)
			prefetch_switch(sim, l, at.s + 1);
		rc = switch_slot(sim, &at, &rng, &tally);
	}
	sim->rng = rng;
	if (rc < 0)
		return rc;
	meter_layer(sim, &sim->meter[l->layer], &tally);
	sim->hops += tally.up_out + tally.down_out;
	return 0;
}

// The slot of all switches on one thread.
static int whole_slot(struct drb_packet_sim *sim)
{
	const uint64_t before = sim->delivered;

	for (uint32_t m = 1; m <= sim->fabric.tree.layers; m++) {
		struct drb_layer *l = &sim->fabric.layer[m];
		if (drb_packet_switches(sim, l, (struct drb_range){0, l->switches}) < 0)
			return -ENOMEM;
	}
	if (is_measured(sim))
		sim->delivered_measuring += sim->delivered - before;
	if (sim->slot < sim->setup.slots)
		drb_growth_slot(&sim->growth, &sim->fabric, sim->slot);
	return 0;
}

// A run may go on after its last slot until measured packets have arrived.
static void say_share(const struct drb_packet_sim *sim)
{
	const uint32_t slots = sim->setup.slots, done = sim->slot < slots ? sim->slot : slots;

	atomic_store_explicit(sim->setup.share, (unsigned)((uint64_t)done * 1000 / slots),
			      memory_order_relaxed);
}

int drb_packet_step(struct drb_packet_sim *sim)
{
	if (__builtin_expect(sim->faults != NULL, 0))
		drb_faults_begin_slot(sim);
	if ((sim->parts ? drb_parts_slot(sim->parts) : whole_slot(sim)) < 0)
		return -ENOMEM;
	if (__builtin_expect(sim->faults != NULL, 0))
		drb_faults_cross(sim);
	if (!sim->parts)
		drb_packet_births(sim);
	if (sim->links)
		drb_link_record_slot(sim->links, &sim->fabric, &sim->slow, sim->slot);
	drb_fabric_turn(&sim->fabric, ++sim->slot);
	if (sim->setup.share)
		say_share(sim);
	return 0;
}

struct drb_packet_count drb_packet_counted(const struct drb_packet_sim *sim)
{
	if (sim->parts)
		drb_parts_sum(sim->parts);
	return (struct drb_packet_count){
		.in = sim->born,
		.out = sim->delivered,
		.lost = sim->lost,
		.inside = drb_fabric_packets(&sim->fabric),
		.hops = sim->hops,
	};
}
