// SPDX-License-Identifier: BSD-3-Clause
// The forwarding path with real mbufs: which port a frame leaves by, why it is dropped, and that
// no packet is ever lost from the counters.
#include "fixtures/unit.h"

#include "common/cli/clock.h"
#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "fixtures/chi2.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/hellos.h"
#include "fixtures/switch_eal.h"

static struct drb_worker w;
static struct drb_setup setup;

#define FABRIC(l, d, m, s)                                                                         \
	"fabric: {layers: " #l ", arity: " #d "}\nswitch: {layer: " #m ", label: " #s "}\n"        \
	"link: {driver: none}\n"

// A switch of this config with all ports attached, but to no device: nothing ever leaves.
static void begin(const char *text, uint32_t limit)
{
	setup = setup_of(text);
	for (uint32_t i = 0; i < setup.down_ports + setup.up_ports; i++)
		setup.ports[i].queue = limit;
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	for (uint32_t i = 0; i < w.ports; i++)
		drb_worker_attach(&w, i, limit, NULL);
	w.now_ns = 1000000000;
}

static void end(void)
{
	drb_worker_free(&w);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

static void send_frame(uint32_t in, const uint8_t *frame, uint32_t len)
{
	struct rte_mbuf *m = mbuf_of(frame, len);

	assert_non_null(m);
	drb_forward_burst(&w, in, &m, 1);
}

static uint32_t queued(uint32_t port)
{
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.snapshot.port[port].queue_packets, w.occupancy[port]);
	return w.occupancy[port];
}

// Sends a frame in by a port; the port it was queued at, or UINT32_MAX if it was dropped.
static uint32_t goes(uint32_t in, const uint8_t *frame, uint32_t len)
{
	uint32_t before[DRB_PORTS_MAX], out = UINT32_MAX;

	memcpy(before, w.occupancy, sizeof(before));
	send_frame(in, frame, len);
	for (uint32_t i = 0; i < w.ports; i++) {
		if (w.occupancy[i] == before[i])
			continue;
		assert_int_equal(w.occupancy[i], before[i] + 1);
		assert_int_equal(out, UINT32_MAX);
		out = i;
	}
	return out;
}

static uint32_t goes_to(uint32_t in, uint32_t from, uint32_t to)
{
	uint8_t frame[60];

	make_frame(frame, sizeof(frame), from, to);
	return goes(in, frame, sizeof(frame));
}

static void conserved(void)
{
	uint64_t in = 0, out = 0, dropped = 0, queue = 0, by_reason = 0;

	drb_worker_take_snapshot(&w);
	for (uint32_t i = 0; i < w.ports; i++) {
		const struct drb_port_counters *p = &w.snapshot.port[i];
		in += p->in_packets;
		out += p->out_packets;
		dropped += p->in_discards + p->out_discards;
		queue += p->queue_packets;
	}
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		by_reason += w.snapshot.drop[i];
	assert_int_equal(in, out + dropped + queue);
	assert_int_equal(dropped, by_reason);
}

// Every switch, every port, every destination of F(3,2): down by the digit, up to the default
// when all queues are equal, else a named drop.
static void every_destination(void **state)
{
	(void)state;
	for (uint32_t layer = 1; layer <= 3; layer++) {
		for (uint32_t label = 0; label < (layer < 3 ? 8 : 4); label++) {
			char text[256];
			snprintf(text, sizeof(text),
				 "fabric: {layers: 3, arity: 2}\nswitch: {layer: %u, label: %u}\n"
				 "link: {driver: none}\nrouting: {check_source: off, threshold: "
				 "100000}\n",
				 layer, label);
			begin(text, 1000);
			for (uint32_t in = 0; in < w.ports; in++) {
				for (uint32_t to = 0; to < 16; to++) {
					uint32_t digit = drb_hop_digit(&setup.hop, to);
					bool below = drb_hop_below(&setup.hop, to);
					uint32_t want = below ? digit : setup.down_ports + digit;
					if (want == in || (!below && in >= setup.down_ports))
						want = UINT32_MAX;
					assert_int_equal(goes_to(in, 0, to), want);
				}
			}
			conserved();
			assert_int_equal(w.drop[DRB_DROP_same_port] + w.drop[DRB_DROP_not_below] +
						 w.routing.down + w.routing.up_default,
					 16 * w.ports);
			end();
		}
	}
}

// A core has nothing but down-ports, up to 64 of them: each is reached, packet by packet and in bursts
// that fit their queues.
static void every_port_of_a_wide_core(void **state)
{
	static const uint32_t arities[] = {15, 16, 17, 32};

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(arities); k++) {
		uint32_t d = arities[k / 2];
		char text[128];
		snprintf(text, sizeof(text),
			 "fabric: {layers: 2, arity: %u}\nswitch: {layer: 2, label: 0}\n"
			 "link: {driver: none}\n",
			 d);
		begin(text, 1024);
		w.config.open = k % 2;
		assert_int_equal(w.ports, 2 * d);
		for (uint32_t in = 0; in < w.ports; in += w.ports - 1) {
			for (uint32_t port = 0; port < w.ports; port++)
				assert_int_equal(goes_to(in, 0, port * d),
						 port == in ? UINT32_MAX : port);
		}
		assert_int_equal(w.drop[DRB_DROP_same_port], 2);
		conserved();
		end();
	}
}

// With one dead port at such a core, packets for it turn at another child, one layer below; all
// others go as ever.
static void a_dead_port_of_a_wide_core(void **state)
{
	(void)state;
	begin("fabric: {layers: 2, arity: 32}\nswitch: {layer: 2, label: 0}\nlink: {driver: "
	      "none}\n",
	      1024);
	drb_links_publish(&w.published_links, &(struct drb_links){.dead = UINT64_C(1) << 5});
	drb_hellos_read_links(&w);
	for (uint32_t n = 0; n < 100; n++) {
		uint32_t out = goes_to(0, 0, 5 * 32);
		assert_in_range(out, 0, 63);
		assert_true(out != 5 && out != 0);
	}
	assert_int_equal(w.routing.detours_begun, 100);
	for (uint32_t port = 1; port < 64; port++) {
		if (port != 5)
			assert_int_equal(goes_to(0, 0, port * 32), port);
	}
	conserved();
	end();
}

// Loads the uplinks and sends one packet up; the uplink it took.
static uint32_t decide(const uint32_t *load, uint32_t from, uint32_t to)
{
	uint32_t out;

	for (uint32_t u = 0; u < setup.up_ports; u++)
		w.occupancy[setup.down_ports + u] = load[u];
	w.queued = 0;
	for (uint32_t i = 0; i < w.ports; i++)
		w.queued += w.occupancy[i];
	out = goes_to(0, from, to) - setup.down_ports;
	assert_in_range(out, 0, setup.up_ports - 1);
	return out;
}

// With two uplinks the draw decides nothing but ties: the port is the one drb_choose() says.
static void two_uplinks_as_the_core_says(void **state)
{
	static const char *const schemes[] = {"drb", "dmodk", "ecmp", "micro", "least"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct drb_rng r = drb_rng_seed(i, 0);
		char text[256];
		snprintf(text, sizeof(text),
			 FABRIC(3, 2, 1, 0) "routing: {scheme: %s, threshold: 2.5}\n", schemes[i]);
		begin(text, 1 << 16);
		for (int n = 0; n < 5000; n++) {
			uint32_t load[2] = {drb_rng_below(&r, 12), drb_rng_below(&r, 12)};
			uint32_t to = 2 + drb_rng_below(&r, 14);
			struct drb_flow_key key;
			uint8_t frame[60];
			make_frame(frame, sizeof(frame), 0, to);
			drb_flow_key_of(frame, sizeof(frame), &key);
			uint32_t out = decide(load, 0, to);
			uint32_t want[2];
			for (uint32_t side = 0; side < 2; side++)
				want[side] = drb_choose(&setup.choice, load,
							drb_hop_digit(&setup.hop, to),
							drb_flow_hash(&key), side ? UINT64_MAX : 0);
			if (want[0] == want[1] || load[0] != load[1])
				assert_int_equal(out, want[0]);
		}
		conserved();
		end();
	}
}

// More uplinks: the rule holds for whatever candidate was drawn, and every candidate is equally
// likely.
static void candidates_are_uniform(void **state)
{
	uint64_t seen[5] = {0};

	(void)state;
	begin(FABRIC(2, 5, 1, 0) "routing: {threshold: 3}\n", 1 << 16);
	for (int n = 0; n < 12000; n++) {
		uint32_t to = 5 + (uint32_t)n % 45, def = drb_hop_digit(&setup.hop, to);
		uint32_t load[5] = {7, 7, 7, 7, 7};
		load[def] = 11; // 7 < 11 - 3: each other port takes it
		uint32_t out = decide(load, 0, to);
		assert_true(out != def);
		seen[(out + 5 - def) % 5]++;
		load[def] = 10; // 7 < 10 - 3 does not hold
		if (n % 4 == 0)
			assert_int_equal(decide(load, 0, to), def);
		if (n % 4000 == 3999) {
			conserved();
			end();
			begin(FABRIC(2, 5, 1, 0) "routing: {threshold: 3}\n", 1 << 16);
			w.rng = drb_rng_seed((uint64_t)n, 7);
		}
	}
	end();
	assert_int_equal(seen[0], 0);
	assert_uniform(seen + 1, 4);
}

static void vlb_is_uniform(void **state)
{
	uint64_t seen[4] = {0};

	(void)state;
	begin(FABRIC(2, 4, 1, 0) "routing: {scheme: vlb}\n", 1 << 16);
	for (int n = 0; n < 12000; n++) {
		const uint32_t load[4] = {9, 0, 5, 1};
		seen[decide(load, 0, 4 + (uint32_t)n % 28)]++;
	}
	conserved();
	end();
	assert_uniform(seen, 4);
}

// Many choices and least: always the emptiest of what was looked at.
static void all_choices_find_the_emptiest(void **state)
{
	static const char *const routing[] = {"{scheme: least}", "{choices: 8, threshold: 0}",
					      "{choices: 4, threshold: 0}"};
	struct drb_rng r = drb_rng_seed(5, 5);
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(routing); i++) {
		snprintf(text, sizeof(text), FABRIC(2, 4, 1, 3) "routing: %s\n", routing[i]);
		begin(text, 1 << 16);
		for (int n = 0; n < 5000; n++) {
			uint32_t load[4], low = UINT32_MAX;
			for (uint32_t u = 0; u < 4; u++) {
				load[u] = drb_rng_below(&r, 9);
				low = load[u] < low ? load[u] : low;
			}
			assert_int_equal(load[decide(load, 12, drb_rng_below(&r, 12))], low);
		}
		conserved();
		end();
	}
}

struct reason {
	enum drb_drop drop;
	uint32_t in, len;
	uint8_t frame[64];
};

// The longest frame that passes has 1500 octets behind its header and two VLAN tags.
static void long_frames(void **state)
{
	static uint8_t frame[1600];

	(void)state;
	begin(FABRIC(3, 2, 1, 0), 4);
	make_frame(frame, sizeof(frame), 0, 1);
	assert_int_equal(goes(0, frame, 1522), 1);
	assert_int_equal(goes(0, frame, 1523), UINT32_MAX);
	assert_int_equal(goes(0, frame, 1600), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_oversize], 2);
	conserved();
	end();
}

static const struct reason reasons[] = {
	{DRB_DROP_bad_frame, 0, 13, {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 0, 8}},
	{DRB_DROP_bad_frame, 0, 1, {0x02}},
	{DRB_DROP_bad_frame,
	 0,
	 20, // an ARP request cut short
	 {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 6, 0, 1}},
	{DRB_DROP_multicast, 0, 60, {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 0}},
	{DRB_DROP_multicast,
	 2, // from above: no questions are expected there
	 42,
	 {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1}},
	{DRB_DROP_unknown_destination, 0, 60, {0x02, 0, 0, 0, 0, 16, 0x02, 0, 0, 0, 0, 0}},
	{DRB_DROP_unknown_destination, 1, 60, {0x06, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_not_below, 2, 60, {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 5}},
	{DRB_DROP_same_port, 1, 60, {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_spoofed_source, 0, 60, {0x02, 0, 0, 0, 0, 5, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_spoofed_source, 0, 60, {0x02, 0, 0, 0, 0, 5, 0x02, 1, 0, 0, 0, 0}},
	{DRB_DROP_spoofed_neighbour,
	 1, // a neighbour question in another's name
	 42,
	 {255, 255,  255, 255, 255, 255, 0x02, 0,  0, 0, 0, 1, 8, 6, 0, 1, 8, 0,  6, 4, 0,
	  1,   0x02, 0,   0,   0,   0,   0,    10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 9}},
	{DRB_DROP_spoofed_neighbour,
	 1, // h1 tells h5 that it is 10.0.0.1
	 42,
	 {0x02, 0,    0, 0, 0, 5, 0x02, 0,  0, 0, 0, 1,    8, 6, 0, 1, 8, 0,  6, 4, 0,
	  2,    0x02, 0, 0, 0, 0, 1,    10, 0, 0, 1, 0x02, 0, 0, 0, 0, 5, 10, 0, 0, 6}},
	{DRB_DROP_spoofed_ip,
	 1, // an empty packet of 10.0.0.1
	 34,
	 {0x02, 0, 0, 0, 0, 5, 0x02, 0, 0, 0,  0, 1, 8, 0,  0x45, 0, 0,
	  20,   0, 0, 0, 0, 9, 17,   0, 0, 10, 0, 0, 1, 10, 0,    0, 6}},
	{DRB_DROP_unknown_neighbour, 1, 42, {255,  255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0,
					     1,    8,   6,   0,   1,   8,   0,    6, 4, 0, 1,
					     0x02, 0,   0,   0,   0,   1,   10,   0, 0, 2, 0,
					     0,    0,   0,   0,   0,   10,  0,    9, 9}},
};

// Each way to be dropped, one frame at a time: its own counter and no other moves.
static void every_drop_reason(void **state)
{
	uint64_t want[DRB_DROP_COUNT] = {0};

	(void)state;
	begin(FABRIC(3, 2, 1, 0), 4);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		assert_int_equal(goes(reasons[i].in, reasons[i].frame, reasons[i].len), UINT32_MAX);
		want[reasons[i].drop]++;
		assert_memory_equal(w.drop, want, sizeof(want));
	}
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.snapshot.port[0].in_discards + w.snapshot.port[1].in_discards +
				 w.snapshot.port[2].in_discards,
			 ARRAY_SIZE(reasons));
	conserved();
	end();
}

static void full_and_missing_ports(void **state)
{
	uint64_t out_discards;

	(void)state;
	begin(FABRIC(3, 2, 1, 0) "routing: {scheme: dmodk}\n", 3);
	for (int i = 0; i < 5; i++)
		goes_to(0, 0, 1);
	assert_int_equal(queued(1), 3);
	assert_int_equal(w.drop[DRB_DROP_queue_full], 2);
	conserved();
	out_discards = w.snapshot.port[1].out_discards;
	assert_int_equal(out_discards, 2);
	assert_int_equal(w.snapshot.port[1].queue_max, 3);
	drb_worker_free(&w);
	// The same without a device behind any port.
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	assert_int_equal(goes_to(0, 0, 1), UINT32_MAX);
	assert_int_equal(goes_to(0, 0, 9), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_port_down], 2);
	conserved();
	end();
}

static void questions_are_answered(void **state)
{
	uint8_t arp[42] = {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0,  1, 8, 6,
			   0,   1,   8,   0,   6,   4,   0,    1, 2, 0, 0,  0, 0, 1,
			   10,  0,   0,   2,   0,   0,   0,    0, 0, 0, 10, 0, 0, 12};

	(void)state;
	begin(FABRIC(3, 2, 1, 0), 8);
	assert_int_equal(goes(1, arp, sizeof(arp)), 1); // back to where it came from
	assert_int_equal(w.routing.arp_replies, 1);
	arp[41] = 2; // its own address: duplicate address detection
	assert_int_equal(goes(1, arp, sizeof(arp)), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_multicast], 1);
	conserved();
	end();
}

// A host that asks without end is answered no more, and the others are.
static void questions_are_limited(void **state)
{
	uint8_t arp[42] = {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0,  1, 8, 6,
			   0,   1,   8,   0,   6,   4,   0,    1, 2, 0, 0,  0, 0, 1,
			   10,  0,   0,   2,   0,   0,   0,    0, 0, 0, 10, 0, 0, 12};
	const uint32_t count = 10000;

	(void)state;
	begin(FABRIC(3, 2, 1, 0), 1 << 14);
	uint64_t begin_ns = drb_clock_now();
	for (uint32_t i = 0; i < count; i++)
		send_frame(1, arp, sizeof(arp));
	uint64_t earned = (drb_clock_now() - begin_ns) / 100000 + 1;
	assert_true(w.routing.arp_replies >= 2048 && w.routing.arp_replies <= 2048 + earned);
	assert_int_equal(w.drop[DRB_DROP_too_many_questions], count - w.routing.arp_replies);
	memcpy(&arp[6], (const uint8_t[]){2, 0, 0, 0, 0, 0}, 6);
	memcpy(&arp[22], &arp[6], 6);
	arp[31] = 1;
	assert_int_equal(goes(0, arp, sizeof(arp)), 0);
	conserved();
	end();
}

// Without the check a host may use any source.
static void spoofing_may_be_allowed(void **state)
{
	(void)state;
	begin(FABRIC(3, 2, 1, 0) "routing: {check_source: off, scheme: dmodk}\n", 8);
	assert_int_equal(goes_to(0, 7, 1), 1);
	assert_int_equal(w.drop[DRB_DROP_spoofed_source], 0);
	end();
}

// A frame in several segments is forwarded by its first, and counted whole.
static void segments(void **state)
{
	uint8_t frame[64];
	struct rte_mbuf *m, *tail;

	(void)state;
	begin(FABRIC(3, 2, 1, 0), 8);
	make_frame(frame, sizeof(frame), 0, 1);
	m = mbuf_of(frame, sizeof(frame));
	tail = mbuf_of(frame, sizeof(frame));
	assert_int_equal(rte_pktmbuf_chain(m, tail), 0);
	drb_forward_burst(&w, 0, &m, 1);
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.snapshot.port[1].queue_octets, 128);
	assert_int_equal(w.snapshot.port[0].in_octets, 128);
	end();
}

// Any bytes at all in bursts of any size, into every kind of switch.
static void random_frames(void **state)
{
	static const char *const switches[] = {
		FABRIC(3, 2, 1, 3),
		FABRIC(3, 2, 2, 5) "routing: {scheme: ecmp}\n",
		FABRIC(3, 2, 3, 1),
		FABRIC(2, 8, 1, 15) "routing: {scheme: micro}\n",
		FABRIC(1, 4, 1, 0),
		FABRIC(3, 1, 2, 1) "routing: {scheme: least, choices: 5}\n",
		FABRIC(3, 4, 1, 5) "routing: {scheme: walk}\n",
		FABRIC(3, 4, 2, 31) "routing: {scheme: walk, choices: 4}\n",
		FABRIC(3, 2, 2, 1) "routing: {scheme: rotate, slot: 1us}\n",
	};
	struct drb_rng r = drb_rng_seed(3, 3);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		begin(switches[i], 50);
		for (int n = 0; n < 2000; n++) {
			struct rte_mbuf *burst[DRB_BURST_MAX];
			uint32_t count = 1 + drb_rng_below(&r, DRB_BURST_MAX);
			for (uint32_t p = 0; p < count; p++) {
				uint8_t frame[128];
				uint32_t len = 1 + drb_rng_below(&r, sizeof(frame));
				make_frame(frame, sizeof(frame), drb_rng_below(&r, 20),
					   drb_rng_below(&r, 140));
				for (uint32_t k = drb_rng_below(&r, 3); k > 0; k--)
					frame[drb_rng_below(&r, len)] = (uint8_t)drb_rng_next(&r);
				burst[p] = mbuf_of(frame, len);
				assert_non_null(burst[p]);
			}
			w.now_ns += drb_rng_below(&r, 100000);
			drb_forward_burst(&w, drb_rng_below(&r, w.ports), burst, count);
		}
		conserved();
		end();
	}
}

// What one burst did: the packets of each queue in order, by their buffers' contents.
struct outcome {
	uint32_t length[DRB_PORTS_MAX], packet[DRB_PORTS_MAX][DRB_BURST_MAX];
	uint64_t octets[DRB_PORTS_MAX], next_ns[DRB_PORTS_MAX];
};

// Traffic of all kinds, most of it plain; each frame tells its number in its last octets. Every
// third burst has frames of one size.
static uint32_t make_mixed(struct drb_rng *r, uint8_t *frame, uint32_t number)
{
	bool same = (number >> 16) % 3 == 1;
	uint32_t len = 60 + (same ? 0 : drb_rng_below(r, 100)), kind = drb_rng_below(r, 20);

	make_frame(frame, (uint16_t)len, kind == 0 ? 5 : 0, drb_rng_below(r, setup.addr.hosts));
	if (kind == 1)
		frame[1] = 9; // of no fabric
	if (kind == 2)
		frame[0] |= 1;
	if (kind == 3)
		frame[2] = 1; // beyond all labels
	memcpy(frame + len - sizeof(number), &number, sizeof(number));
	return kind == 4 && !same ? 13 : len;
}

// Takes packets out of every queue as the worker would: all of them, or a few.
static void take_packets(struct outcome *to, uint32_t most)
{
	for (uint32_t i = 0; i < w.ports; i++) {
		struct drb_egress *q = &w.egress[i];
		uint64_t octets = 0;
		assert_int_equal(drb_egress_length(q), w.occupancy[i]);
		to->next_ns[i] = drb_egress_next_ns(q);
		to->octets[i] = q->octets;
		to->length[i] = drb_egress_due(q, w.now_ns, most);
		for (uint32_t n = 0; n < to->length[i]; n++) {
			struct rte_mbuf *m = q->packet[drb_egress_ring_index(q, n)];
			memcpy(&to->packet[i][n],
			       rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - 4), 4);
			octets += m->pkt_len;
			rte_pktmbuf_free(m);
		}
		drb_egress_pop(q, to->length[i], octets, w.now_ns);
		w.queued -= to->length[i];
		w.occupancy[i] -= to->length[i];
	}
}

static void run_bursts(const char *text, bool open, uint32_t size, struct outcome *to,
		       uint32_t count)
{
	struct drb_rng r = drb_rng_seed(size, 1);

	begin(text, 1024);
	w.config.open = open;
	for (uint32_t n = 0; n < count; n++) {
		struct rte_mbuf *burst[DRB_BURST_MAX];
		for (uint32_t i = 0; i < size; i++) {
			uint8_t frame[256];
			uint32_t len = make_mixed(&r, frame, n << 16 | i);
			burst[i] = mbuf_of(frame, (uint16_t)len);
			assert_non_null(burst[i]);
		}
		drb_forward_burst(&w, n % 7 == 6 ? w.ports - 1 : 0, burst, size);
		conserved();
		take_packets(&to[n], n % 3 == 2 ? DRB_BURST_MAX : 5);
		w.now_ns += 5000;
	}
}

// Bursts that go straight to their places end up as those that are queued packet by packet: the
// same order, departures and counters, with few uplinks (whose loads fit a register) and with many.
static void both_ways_agree(void **state)
{
	static const char *const schemes[] = {"drb, threshold: 1",
					      "drb, threshold: 0, choices: 3",
					      "rotate, threshold: 1, slot: 9us",
					      "walk, threshold: 1",
					      "walk, threshold: 0, choices: 3",
					      "dmodk",
					      "vlb",
					      "micro",
					      "ecmp",
					      "least"};
	static const char *const shapes[] = {"layers: 3, arity: 4", "layers: 2, arity: 3",
					     "layers: 2, arity: 12"};
	static const uint32_t sizes[] = {1, 33, 64, 255, 256};
	static const char *const rates[] = {"none", "3Gbit", "700000pps"};
	enum { COUNT = 14 };
	struct outcome *a = calloc(COUNT, sizeof(*a)), *b = calloc(COUNT, sizeof(*b));

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(schemes) * ARRAY_SIZE(shapes); k++) {
		for (size_t z = 0; z < ARRAY_SIZE(sizes); z++) {
			char text[256];
			snprintf(text, sizeof(text),
				 "fabric: {%s}\nswitch: {layer: 1, label: 0}\n"
				 "link: {driver: none, rate: %s}\nrouting: {scheme: %s}\n",
				 shapes[k % ARRAY_SIZE(shapes)], rates[z % ARRAY_SIZE(rates)],
				 schemes[k / ARRAY_SIZE(shapes)]);
			run_bursts(text, true, sizes[z], a, COUNT);
			struct drb_snapshot open = w.snapshot;
			end();
			run_bursts(text, false, sizes[z], b, COUNT);
			assert_memory_equal(&open.routing, &w.snapshot.routing,
					    sizeof(open.routing));
			assert_memory_equal(open.drop, w.snapshot.drop, sizeof(open.drop));
			for (uint32_t i = 0; i < w.ports; i++) {
				assert_int_equal(open.port[i].in_packets,
						 w.snapshot.port[i].in_packets);
				assert_int_equal(open.port[i].in_octets,
						 w.snapshot.port[i].in_octets);
			}
			end();
			for (uint32_t n = 0; n < COUNT; n++) {
				for (uint32_t i = 0; i < w.ports; i++) {
					assert_int_equal(a[n].length[i], b[n].length[i]);
					assert_int_equal(a[n].octets[i], b[n].octets[i]);
					assert_int_equal(a[n].next_ns[i], b[n].next_ns[i]);
					assert_memory_equal(a[n].packet[i], b[n].packet[i],
							    a[n].length[i] * sizeof(uint32_t));
				}
			}
		}
	}
	free(a);
	free(b);
}

// How many of a burst of 40 packets for one default uplink leave it.
static uint32_t redirected_of_burst(const char *rate, uint32_t waiting)
{
	struct rte_mbuf *burst[40];
	uint8_t frame[60];
	char text[256];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none, rate: %s}\n"
		 "routing: {threshold: 1}\n",
		 rate);
	begin(text, 1024);
	make_frame(frame, sizeof(frame), 0, 2);
	for (uint32_t i = 0; i < waiting; i++)
		drb_enqueue(&w, w.down_ports, mbuf_of(frame, sizeof(frame)));
	w.port[0].in_packets += waiting;
	for (uint32_t i = 0; i < ARRAY_SIZE(burst); i++)
		burst[i] = mbuf_of(frame, sizeof(frame));
	drb_forward_burst(&w, 0, burst, ARRAY_SIZE(burst));
	conserved();
	assert_int_equal(w.routing.up_default + w.routing.up_redirected, ARRAY_SIZE(burst));
	end();
	return (uint32_t)w.routing.up_redirected;
}

// Packets of one burst load an uplink with a rate, or one whose driver has refused packets. Any
// other they leave as they come: not a load, or it would be the larger the larger bursts are.
static void a_burst_loads_uplinks_that_wait(void **state)
{
	(void)state;
	// Two uplinks and T = 1: they grow together.
	assert_int_equal(redirected_of_burst("1Gbit", 0), 19);
	assert_int_equal(redirected_of_burst("1Gbit", 10), 24);
	assert_int_equal(redirected_of_burst("none", 0), 0);
	// What was refused at the default stays there, what is redirected leaves at once.
	assert_int_equal(redirected_of_burst("none", 10), 40);
	assert_int_equal(redirected_of_burst("none", 1), 39);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_destination),
		cmocka_unit_test(every_port_of_a_wide_core),
		cmocka_unit_test(a_dead_port_of_a_wide_core),
		cmocka_unit_test(two_uplinks_as_the_core_says),
		cmocka_unit_test(candidates_are_uniform),
		cmocka_unit_test(vlb_is_uniform),
		cmocka_unit_test(all_choices_find_the_emptiest),
		cmocka_unit_test(long_frames),
		cmocka_unit_test(every_drop_reason),
		cmocka_unit_test(full_and_missing_ports),
		cmocka_unit_test(questions_are_answered),
		cmocka_unit_test(questions_are_limited),
		cmocka_unit_test(spoofing_may_be_allowed),
		cmocka_unit_test(segments),
		cmocka_unit_test(random_frames),
		cmocka_unit_test(both_ways_agree),
		cmocka_unit_test(a_burst_loads_uplinks_that_wait),
	};
	return cmocka_run_group_tests_name("forward", tests, setup_eal, free_eal);
}
