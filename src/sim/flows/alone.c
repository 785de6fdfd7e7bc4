// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/alone.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>

uint64_t drb_transfer_answer(const struct drb_transfers_setup *s,
			     const struct drb_transfer *transfer)
{
	uint32_t k = drb_distance(&s->tree, transfer->source, transfer->dest);

	return (uint64_t)llround(2 * drb_pace_of_way(&s->pace, k) * s->ack_hop) +
	       drb_delay_of_way(&s->delay, k);
}

// The slots between two packets of a transfer that climbs to this layer. Its packets may take all
// links of a layer that its first switch reaches.
static double slots_a_packet(const struct drb_transfers_setup *s, uint32_t layer)
{
	double most = drb_pace_of(&s->pace, 1), links = 1;

	for (uint32_t m = 2; m <= layer; m++) {
		links *= drb_tree_up_ports(&s->tree, m - 1);
		most = fmax(most, drb_pace_of(&s->pace, m) / links);
	}
	return most;
}

uint64_t drb_transfer_alone(const struct drb_transfers_setup *s,
			    const struct drb_transfer *transfer)
{
	uint32_t k = drb_distance(&s->tree, transfer->source, transfer->dest);

	return (uint64_t)ceil((transfer->size - 1) * slots_a_packet(s, k)) +
	       2 * (uint64_t)drb_pace_of_way(&s->pace, k) + drb_delay_of_way(&s->delay, k);
}

// The slots of a size, at a distance.
struct alone_time {
	uint64_t slots;
	uint32_t size, distance;
};

static int by_size(const void *a, const void *b)
{
	const struct alone_time *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->distance > y->distance) - (x->distance < y->distance);
}

// The setup without faults. If the links of hosts are the slowest, no scheme makes a difference,
// and a small fat-tree of the same layers is enough. Otherwise scheme and number of uplinks matter.
static struct drb_transfers_setup quiet_setup(const struct drb_transfers_setup *s)
{
	struct drb_transfers_setup quiet = *s;

	if (drb_pace_most(&s->pace, s->tree.layers) == drb_pace_of(&s->pace, 1)) {
		drb_tree_init(&quiet.tree, s->tree.layers, s->tree.arity < 2 ? 1 : 2);
		quiet.scheme = DRB_SCHEME_DMODK;
		quiet.choices = 2;
		quiet.unit = DRB_SIM_PACKET;
		quiet.hosts = DRB_HOSTS_FLOW;
	}
	if (quiet.hosts == DRB_HOSTS_ETHEREAL)
		quiet.hosts = DRB_HOSTS_FLOW; // it splits transfers of a list
	quiet.ways = NULL;
	quiet.fail = (struct drb_fail){0};
	quiet.slow = (struct drb_slow){0};
	quiet.faults = (struct drb_fault_list){0};
	quiet.links = NULL;
	return quiet;
}

static int simulate(const struct drb_alone *alone, struct alone_time *time, uint64_t longest)
{
	const struct drb_transfers_setup setup = quiet_setup(alone->setup);
	struct drb_transfer one = {.dest = 1, .size = time->size};
	struct drb_transfers *t;
	int rc = drb_transfers_new(&t, &setup);

	if (rc < 0)
		return rc;
	while (drb_distance(&setup.tree, one.source, one.dest) < time->distance)
		one.dest++;
	rc = drb_transfers_add(t, &one) < 0 ? -ENOMEM : 0;
	while (rc == 0 && t->over == 0 && drb_transfers_slot(t) < longest)
		rc = drb_transfers_step(t);
	if (rc == 0)
		time->slots = t->transfer[0].finish ? t->transfer[0].finish : longest;
	drb_transfers_free(t);
	return rc;
}

uint64_t drb_alone_slots(struct drb_alone *alone, const struct drb_transfer *transfer,
			 uint64_t longest)
{
	const struct drb_tree *tree = &alone->setup->tree;
	struct alone_time key = {0, transfer->size,
				 drb_distance(tree, transfer->source, transfer->dest)};
	struct alone_time **found, *time;

	if (!alone->same_source)
		return drb_transfer_alone(alone->setup, transfer);
	found = tfind(&key, &alone->times, by_size);
	if (found)
		return (*found)->slots;
	time = malloc(sizeof(*time));
	if (!time)
		return 0;
	*time = key;
	if (simulate(alone, time, longest) < 0 || !tsearch(time, &alone->times, by_size)) {
		free(time);
		return 0;
	}
	return time->slots;
}

void drb_alone_free(struct drb_alone *alone)
{
	tdestroy(alone->times, free);
	alone->times = NULL;
}
