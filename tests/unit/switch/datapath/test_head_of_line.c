// SPDX-License-Identifier: BSD-3-Clause
// Head-of-line blocking, after RFC 8239. While some ports are overloaded or receive useless frames,
// packets between other ports must all arrive. Good packets go from host 0 up by u0. The disturbing
// packets arrive by d1 and u1 as fast as the ring takes them. They leave, if at all, by ports whose
// links are a thousand times slower. Results are printed as a table.
#include "fixtures/unit.h"

#define EAL_LCORES "(0-1)@0"
#include "fixtures/ring_ports.h"

#define GOOD 20000
#define BURST 64
#define SLOW                                                                                       \
	HEAD "link: {driver: vdev, queue: 200}\nrouting: {scheme: dmodk}\nports:\n"                \
	     "  - {name: d0, device: a}\n  - {name: d1, device: b, rate: 1kpps, queue: 50}\n"      \
	     "  - {name: u0, device: c}\n  - {name: u1, device: d, rate: 1kpps, queue: 50}\n"

enum { D0, D1, U0, U1 };

struct disturbance {
	const char *name;
	uint32_t in; // port; PORTS: none
	uint32_t size;
	uint32_t from, to;            // labels
	uint8_t change_at, change[6]; // bytes to write there, if not all zero
	enum drb_drop drop;           // the fate of most of it
};

static const struct disturbance disturbances[] = {
	{"nothing", PORTS, 0, 0, 0, 0, {0}, DRB_DROP_COUNT},
	{"overload, up", D1, 60, 1, 3, 0, {0}, DRB_DROP_queue_full},
	{"overload, down", U1, 60, 7, 1, 0, {0}, DRB_DROP_queue_full},
	{"another's source", D1, 60, 0, 2, 0, {0}, DRB_DROP_spoofed_source},
	{"another's address", D1, 60, 1, 2, 26, {10, 0, 0, 9, 10}, DRB_DROP_spoofed_ip},
	{"broken ARP", D1, 60, 1, 2, 12, {8, 6, 0, 1, 8, 0}, DRB_DROP_bad_frame},
	{"no host of the fabric",
	 D1,
	 60,
	 1,
	 2,
	 0,
	 {0x0a, 1, 1, 1, 1, 1},
	 DRB_DROP_unknown_destination},
	{"to itself", D1, 60, 1, 1, 0, {0}, DRB_DROP_same_port},
	{"not below", U1, 60, 7, 5, 0, {0}, DRB_DROP_not_below},
	{"multicast", D1, 60, 1, 0, 0, {1, 0, 0x5e, 1, 1, 1}, DRB_DROP_multicast},
	{"runts", D1, 10, 1, 2, 0, {0}, DRB_DROP_bad_frame},
	{"giants", D1, 1600, 1, 2, 0, {0}, DRB_DROP_oversize},
};

// A number by which the receiver recognises good packets.
static const uint64_t mark = 0x600d600d600d600d;

static struct rte_mbuf *make_packet(const uint8_t *frame, uint32_t size)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(test_pool);

	if (m)
		memcpy(rte_pktmbuf_append(m, (uint16_t)size), frame, size);
	return m;
}

// Offers copies of a frame, as many as the ring takes; returns their number.
static uint32_t offer(uint32_t in, const uint8_t *frame, uint32_t size, uint32_t most)
{
	uint32_t n = 0;

	while (n < most) {
		struct rte_mbuf *m = make_packet(frame, size);
		if (!m)
			break;
		if (rte_ring_enqueue(into[in][0], m) < 0) {
			rte_pktmbuf_free(m);
			break;
		}
		n++;
	}
	return n;
}

// Takes the packets that left; returns the number of good ones.
static uint32_t take_good(uint32_t port)
{
	struct rte_mbuf *packets[BURST];
	uint32_t good = 0, n;

	while ((n = rte_ring_dequeue_burst(from[port][0], (void **)packets, BURST, NULL)) > 0) {
		for (uint32_t i = 0; i < n; i++)
			good += memcmp(rte_pktmbuf_mtod_offset(packets[i], uint8_t *, 34), &mark,
				       8) == 0;
		rte_pktmbuf_free_bulk(packets, n);
	}
	return good;
}

static void disturb(const struct disturbance *d)
{
	uint8_t good[60], bad[1600];
	uint32_t sent = 0, arrived = 0, turns = 0;
	uint64_t offered = 0;

	make_frame(good, sizeof(good), 0, 2);
	memcpy(good + 34, &mark, 8);
	make_frame(bad, sizeof(bad), d->from, d->to);
	if (d->change[0])
		memcpy(bad + d->change_at, d->change, 6);
	start_switch(SLOW);
	assert_int_equal(drb_workers_start(&all), 0);
	while (sent < GOOD || arrived < sent) {
		if (d->in < PORTS)
			offered += offer(d->in, bad, d->size, RING);
		// No more than the uplink's queue holds, so that the test itself causes no loss.
		if (sent < GOOD && sent - arrived < 150)
			sent += offer(D0, good, sizeof(good), BURST);
		arrived += take_good(U0);
		take_good(D1);
		take_good(U1);
		if (turns++ % 64 != 0 && (sent < GOOD || arrived < sent))
			continue;
		snapshot();
		// A packet that is dropped for any reason would never arrive.
		assert_int_equal(seen.port[D0].in_discards + seen.port[U0].out_discards, 0);
	}
	uint64_t dropped = d->drop < DRB_DROP_COUNT ? seen.drop[d->drop] : 0, all_drops = 0;
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		all_drops += seen.drop[i];
	printf("# %-22s %10" PRIu64 " %10" PRIu64 " %10u %10u %6u\n", d->name, offered, dropped,
	       sent, arrived, sent - arrived);
	assert_int_equal(arrived, sent);
	// The disturbance was real, and of the stated kind.
	assert_int_equal(dropped, all_drops);
	assert_true(d->in == PORTS || dropped > GOOD / 4);
	drb_workers_stop(&all);
	drb_workers_join(&all);
	for (uint32_t i = 0; i < PORTS; i++) {
		void *left;
		while (rte_ring_dequeue(into[i][0], &left) == 0)
			rte_pktmbuf_free(left);
		take_good(i);
	}
	free_switch();
}

TEST(good_traffic_of_other_ports)
{
	printf("# %-22s %10s %10s %10s %10s %6s\n", "disturbed by", "offered", "dropped",
	       "good sent", "arrived", "lost");
	for (size_t i = 0; i < ARRAY_SIZE(disturbances); i++)
		disturb(&disturbances[i]);
}

TEST_MAIN(setup_rings, free_eal)
