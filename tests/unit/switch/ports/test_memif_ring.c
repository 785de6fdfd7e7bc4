// SPDX-License-Identifier: BSD-3-Clause
// Packets that one end of a memif link sends arrive at the other whole, once and in order, in both
// directions. Whatever the other end writes into the shared memory, nothing outside of it is
// touched, and no buffer is lost.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "core/packet/wire.h"
#include "fixtures/segments.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"
#include "switch/ports/unfinished.h"

#define SIZE 16 // descriptors of a ring
#define BUFFER 256
#define FRAME_MAX 900
#define RING_OCTETS (sizeof(struct drb_memif_ring) + SIZE * sizeof(struct drb_memif_desc))
#define MEMORY (RING_OCTETS + SIZE * BUFFER)
#define REGION 3

static const struct drb_memif_packets marking = {
	.frame_max = FRAME_MAX, .buffer = BUFFER, .marked = true};
static struct drb_memif_memory memory;
static struct drb_doorbell sending, receiving;
static struct drb_send_result outcome;

// A ring whose buffers fill the remaining memory, and its two ends.
static void begin_ring(bool from_client)
{
	struct drb_memif_ring *ring = aligned_alloc(64, MEMORY);

	assert_non_null(ring);
	memset(ring, 0, MEMORY);
	for (uint32_t i = 0; i < SIZE; i++)
		ring->desc[i] = (struct drb_memif_desc){
			.region = REGION,
			.length = BUFFER,
			.offset = (uint32_t)(RING_OCTETS + i * BUFFER),
		};
	memory = (struct drb_memif_memory){0};
	memory.region[REGION].at = (uint8_t *)ring;
	memory.region[REGION].size = MEMORY;
	memory.count = REGION + 1;
	receiving = (struct drb_doorbell){.ring = ring, .memory = &memory, .size = SIZE};
	receiving.empty = from_client ? 0 : SIZE;
	sending = receiving;
	sending.buffers = RING_OCTETS;
	outcome = (struct drb_send_result){0};
}

static void end_ring(void)
{
	free(receiving.ring);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
}

static struct rte_mbuf *packet(uint32_t octets, uint64_t number)
{
	uint8_t frame[FRAME_MAX + 200];

	for (uint32_t i = 0; i < octets; i++)
		frame[i] = (uint8_t)(number * 37 + i);
	struct rte_mbuf *m = mbuf_of(frame, octets);
	assert_non_null(m);
	return m;
}

static uint32_t octets_of(uint64_t number)
{
	return 14 + (uint32_t)(number * 131 % (FRAME_MAX - 13));
}

static void arrived(struct rte_mbuf *m, uint64_t number)
{
	struct rte_mbuf *want = packet(octets_of(number), number);

	assert_int_equal(m->nb_segs, 1);
	assert_int_equal(m->pkt_len, want->pkt_len);
	assert_int_equal(m->data_len, want->pkt_len);
	assert_memory_equal(rte_pktmbuf_mtod(m, void *), rte_pktmbuf_mtod(want, void *),
			    m->pkt_len);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(want);
}

// Bursts of any length, until the counters of the ring have wrapped.
TEST(packets_arrive_in_order)
{
	for (int from_client = 0; from_client < 2; from_client++) {
		struct drb_rng rng = drb_rng_seed(1, (uint64_t)from_client);
		uint64_t sent = 0, got = 0;
		uint32_t refused = 0;
		begin_ring(from_client);
		while (got < 40000) {
			struct rte_mbuf *burst[SIZE];
			uint32_t count = (uint32_t)(drb_rng_next(&rng) % SIZE);
			for (uint32_t i = 0; i < count; i++)
				burst[i] = packet(octets_of(sent + i), sent + i);
			uint32_t taken = drb_memif_send(&sending, &marking, burst, count, &outcome);
			rte_pktmbuf_free_bulk(burst + taken, count - taken);
			sent += taken;
			refused += count - taken;
			uint32_t in_ring = drb_doorbell_packets(&receiving);
			assert_true(in_ring >= sent - got);
			count = drb_memif_receive(&receiving, &marking, test_pool, burst,
						  (uint32_t)(drb_rng_next(&rng) % SIZE));
			for (uint32_t i = 0; i < count; i++)
				arrived(burst[i], got++);
		}
		assert_true(refused > 0);
		assert_int_equal(outcome.lost, 0);
		end_ring();
	}
}

// A client sends in its first buffers while the server keeps up, so that the others take no memory.
TEST(first_buffers_are_used_again)
{
	struct rte_mbuf *burst[2];

	begin_ring(true);
	for (uint64_t n = 0; n < 3 * SIZE; n++) {
		for (uint64_t i = 0; i < 2; i++)
			burst[i] = packet(200, n + i);
		assert_int_equal(drb_memif_send(&sending, &marking, burst, 2, &outcome), 2);
		for (uint16_t i = 0; i < 2; i++) {
			const uint16_t at = (uint16_t)(sending.next - 2 + i) % SIZE;
			assert_int_equal(sending.ring->desc[at].offset, RING_OCTETS + i * BUFFER);
		}
		assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, 2), 2);
		rte_pktmbuf_free_bulk(burst, 2);
	}
	end_ring();
}

// A frame that is longer than any forwarded frame is shortened, to a length that is still too long.
TEST(long_frames_are_shortened)
{
	struct rte_mbuf *m = packet(FRAME_MAX + 150, 1);

	begin_ring(true);
	assert_int_equal(drb_memif_send(&sending, &marking, &m, 1, &outcome), 1);
	assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, &m, 1), 1);
	assert_int_equal(m->pkt_len, FRAME_MAX + 1);
	rte_pktmbuf_free(m);
	end_ring();
}

// Sends a packet whose checksum is unfinished or not; returns the packet that arrives.
static struct rte_mbuf *pass_marked(bool unfinished, const struct drb_memif_packets *at_tx,
				    const struct drb_memif_packets *at_rx)
{
	struct rte_mbuf *m = packet(200, 5);

	if (unfinished)
		drb_mark_unfinished(m, 38, DRB_TCP_CHECKSUM);
	begin_ring(true);
	assert_int_equal(drb_memif_send(&sending, at_tx, &m, 1, &outcome), 1);
	assert_int_equal(drb_memif_receive(&receiving, at_rx, test_pool, &m, 1), 1);
	return m;
}

TEST(marks_travel_where_both_know_them)
{
	const struct drb_memif_packets plain = {.frame_max = FRAME_MAX, .buffer = BUFFER};

	for (int sender = 0; sender < 2; sender++) {
		for (int receiver = 0; receiver < 2; receiver++) {
			struct rte_mbuf *m = pass_marked(true, sender ? &marking : &plain,
							 receiver ? &marking : &plain);
			assert_int_equal(drb_is_unfinished(m), sender && receiver);
			if (sender && receiver) {
				assert_int_equal(m->l3_len, 38);
				assert_int_equal(m->l4_len, DRB_TCP_CHECKSUM);
			}
			rte_pktmbuf_free(m);
			end_ring();
		}
	}
	struct rte_mbuf *m = pass_marked(false, &marking, &marking);
	assert_false(drb_is_unfinished(m));
	rte_pktmbuf_free(m);
	end_ring();
}

// A mark is ignored if its field is not a checksum, or is outside of the frame.
TEST(marks_that_lie_are_none)
{
	static const struct {
		uint32_t start, field;
		bool marked;
	} said[] = {{38, DRB_TCP_CHECKSUM, true},
		    {192, DRB_UDP_CHECKSUM, true},
		    {193, DRB_UDP_CHECKSUM, false}, // field ends behind the frame
		    {511, DRB_TCP_CHECKSUM, false},
		    {DRB_ETHER_HEADER - 1, DRB_UDP_CHECKSUM, false},
		    {38, 8, false},
		    {38, 0, false}};

	for (size_t i = 0; i < ARRAY_SIZE(said); i++) {
		struct rte_mbuf *m = packet(200, 5);
		begin_ring(true);
		assert_int_equal(drb_memif_send(&sending, &marking, &m, 1, &outcome), 1);
		receiving.ring->desc[0].metadata = 0x80000000 | said[i].field << 16 | said[i].start;
		assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, &m, 1), 1);
		assert_int_equal(drb_is_unfinished(m), said[i].marked);
		rte_pktmbuf_free(m);
		end_ring();
	}
}

// Descriptors outside of the link's memory: such a packet has no bytes, and its neighbours arrive.
TEST(places_outside_are_not_read)
{
	static const struct drb_memif_desc bad[] = {
		{.region = REGION + 1, .length = 60, .offset = 0},
		{.region = UINT16_MAX, .length = 60, .offset = 0},
		{.region = REGION + 1, .length = 0, .offset = 0},
		{.region = REGION, .length = 60, .offset = MEMORY - 59},
		{.region = REGION, .length = 60, .offset = UINT32_MAX},
		{.region = REGION, .length = UINT32_MAX, .offset = 64},
		{.region = REGION, .length = MEMORY + 1, .offset = 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rte_mbuf *burst[3] = {packet(60, 1), packet(60, 1), packet(60, 1)};
		begin_ring(true);
		assert_int_equal(drb_memif_send(&sending, &marking, burst, 3, &outcome), 3);
		receiving.ring->desc[1] = bad[i];
		assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, 3), 3);
		assert_int_equal(burst[0]->pkt_len, 60);
		assert_int_equal(burst[1]->pkt_len, 0);
		assert_int_equal(burst[2]->pkt_len, 60);
		rte_pktmbuf_free_bulk(burst, 3);
		end_ring();
	}
}

// Buffers of a client that are outside of the link's memory or have no space: packets for them are
// lost.
TEST(places_outside_are_not_written)
{
	static const struct drb_memif_desc bad[] = {
		{.region = REGION + 1, .length = BUFFER, .offset = 0},
		{.region = REGION, .length = BUFFER, .offset = MEMORY - 59},
		{.region = REGION, .length = BUFFER, .offset = UINT32_MAX},
		{.region = REGION, .length = 0, .offset = 512},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rte_mbuf *burst[3] = {packet(60, 1), packet(60, 1), packet(60, 1)};
		begin_ring(false);
		assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, 0), 0);
		assert_int_equal(drb_memif_send(&sending, &marking, burst, 1, &outcome), 1);
		sending.ring->desc[1] = bad[i];
		assert_int_equal(drb_memif_send(&sending, &marking, burst + 1, 2, &outcome), 2);
		assert_int_equal(outcome.lost, 1);
		assert_int_equal(outcome.lost_octets, 60);
		assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, 3), 3);
		assert_int_equal(burst[0]->pkt_len, 60);
		assert_int_equal(burst[1]->pkt_len, 0);
		assert_int_equal(burst[2]->pkt_len, 60);
		rte_pktmbuf_free_bulk(burst, 3);
		end_ring();
	}
}

// An endless chain, and indices that claim more than the ring has.
TEST(endless_chains_end)
{
	struct rte_mbuf *burst[SIZE];

	begin_ring(true);
	for (uint32_t i = 0; i < SIZE; i++)
		receiving.ring->desc[i].flags = DRB_MEMIF_NEXT;
	receiving.ring->head = SIZE;
	assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, SIZE), 1);
	assert_int_equal(burst[0]->pkt_len, FRAME_MAX + 1);
	assert_int_equal(receiving.ring->tail, SIZE);
	rte_pktmbuf_free(burst[0]);
	receiving.ring->head = 40000;
	assert_int_equal(drb_memif_receive(&receiving, &marking, test_pool, burst, SIZE), 1);
	rte_pktmbuf_free(burst[0]);
	assert_int_equal(receiving.next, 2 * SIZE);
	sending.next = 30000; // the receiver claims to have taken more than was sent
	struct rte_mbuf *m = packet(60, 1);
	sending.ring->tail = 40000;
	uint32_t sent = drb_memif_send(&sending, &marking, &m, 1, &outcome);
	rte_pktmbuf_free_bulk(&m, 1 - sent);
	end_ring();
}

// Without buffers in the pool, packets stay in the ring.
TEST(no_buffers_no_loss)
{
	struct rte_mempool *small = rte_pktmbuf_pool_create("small", 2, 0, 0, 2048, SOCKET_ID_ANY);
	struct rte_mbuf *burst[4];

	assert_non_null(small);
	begin_ring(true);
	for (uint32_t i = 0; i < 4; i++)
		burst[i] = packet(octets_of(i), i);
	assert_int_equal(drb_memif_send(&sending, &marking, burst, 2, &outcome), 2);
	assert_int_equal(drb_memif_send(&sending, &marking, burst + 2, 2, &outcome), 2);
	for (uint32_t got = 0; got < 4;) {
		uint32_t n = drb_memif_receive(&receiving, &marking, small, burst, 4);
		assert_in_range(n, 1, 2);
		if (n == 2)
			assert_int_equal(
				drb_memif_receive(&receiving, &marking, small, burst + 2, 4), 0);
		for (uint32_t i = 0; i < n; i++)
			arrived(burst[i], got++);
	}
	rte_mempool_free(small);
	end_ring();
}

TEST_MAIN(setup_eal, free_eal)
