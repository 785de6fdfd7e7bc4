// SPDX-License-Identifier: BSD-3-Clause
// Any bytes at any time in the memory that a memif neighbour shares. Nothing outside of it is read
// or written, no buffer is lost, and a packet's mark is within the packet. Input: which end this
// is, and whether marks are agreed upon. Then changes to the ring (offset, value), each followed by
// a burst to send and one to receive.
#include "fuzz.h"

#include "core/packet/wire.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"
#include "switch/ports/unfinished.h"

#define SIZE 8
#define BUFFER 128
#define FRAME_MAX 300
#define BURST 8
#define RING_OCTETS (sizeof(struct drb_memif_ring) + SIZE * sizeof(struct drb_memif_desc))

ONCE(require(start_eal() == 0))

// Rings in region 0, buffers in region 1: an access one byte beyond either is an error.
static struct drb_doorbell make_end(const struct drb_memif_memory *memory, bool from_client)
{
	struct drb_doorbell end = {.ring = (struct drb_memif_ring *)memory->region[0].at,
				   .memory = memory,
				   .size = SIZE,
				   .empty = from_client ? 0 : SIZE};

	for (uint32_t i = 0; i < SIZE; i++)
		end.ring->desc[i] = (struct drb_memif_desc){
			.region = 1, .length = BUFFER, .offset = i * BUFFER};
	return end;
}

static void send_some(struct drb_doorbell *tx, const struct drb_memif_packets *p, uint8_t choice)
{
	uint8_t frame[FRAME_MAX] = {choice};
	struct rte_mbuf *burst[BURST];
	struct drb_send_result result = {0};
	uint32_t count = choice % BURST, length = choice * 7u % FRAME_MAX;

	for (uint32_t i = 0; i < count; i++) {
		burst[i] = mbuf_of(frame, length);
		require(burst[i]);
		if (choice & 0x80)
			drb_mark_unfinished(burst[i], length, DRB_UDP_CHECKSUM);
	}
	uint32_t done = drb_memif_send(tx, p, burst, count, &result);
	require(done <= count && result.lost <= done && result.lost_octets == result.lost * length);
	rte_pktmbuf_free_bulk(burst + done, count - done);
}

static void receive_some(struct drb_doorbell *rx, const struct drb_memif_packets *p)
{
	struct rte_mbuf *burst[BURST];
	uint32_t count = drb_memif_receive(rx, p, test_pool, burst, BURST);

	require(count <= BURST);
	for (uint32_t i = 0; i < count; i++) {
		const struct rte_mbuf *m = burst[i];
		require(m->nb_segs == 1 && m->data_len == m->pkt_len &&
			m->pkt_len <= FRAME_MAX + 1);
		require(!drb_is_unfinished(m) ||
			(p->marked && m->l3_len + m->l4_len + 2u <= m->data_len));
	}
	drb_finish_checksums(burst, count);
	rte_pktmbuf_free_bulk(burst, count);
	require(rte_mempool_in_use_count(test_pool) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drb_memif_memory memory = {0};
	uint8_t kind = take(&data, &size);
	const struct drb_memif_packets p = {
		.frame_max = FRAME_MAX, .buffer = BUFFER, .marked = kind & 1};

	memory.region[0].size = RING_OCTETS;
	memory.region[1].size = SIZE * BUFFER;
	memory.count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		memory.region[i].at = aligned_alloc(64, memory.region[i].size);
		require(memory.region[i].at);
		memset(memory.region[i].at, 0, memory.region[i].size);
	}
	struct drb_doorbell tx = make_end(&memory, kind & 2), rx = tx;
	while (size > 0) {
		uint32_t at = take(&data, &size);
		memory.region[0].at[at % RING_OCTETS] = take(&data, &size);
		send_some(&tx, &p, take(&data, &size));
		receive_some(&rx, &p);
	}
	for (uint32_t i = 0; i < 2; i++)
		free(memory.region[i].at);
	return 0;
}
