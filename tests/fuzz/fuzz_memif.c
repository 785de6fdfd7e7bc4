// SPDX-License-Identifier: BSD-3-Clause
// A hostile neighbour on a memif link. It sends any messages in any order on the control channel,
// and writes any bytes to the shared memory, while packets pass in both directions. The rings that
// this end uses are within that memory. The end of a channel leaves no descriptor and no packet.
// Input: which end this is; then messages, each after a byte that chooses the action (enum does).
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/switch_eal.h"
#include "switch/ports/memif/channel.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"

#define QUEUES 2
#define REGION_OCTETS 65536
#define BURST 8
#define FRAME_MAX 1514
#define FDS_MAX 256

enum does {
	SAYS,
	SAYS_WITH_MEMORY,
	SAYS_WITH_SHORT,
	SAYS_WITH_BELL,
	WRITES,
	COMES_AGAIN,
	ACKNOWLEDGES,
	DOES
};

static int passed[3]; // a region, one too short for a ring, a doorbell
static uint8_t *shared;
static struct drb_memif_channel channel;
static struct drb_memif_answer answer;

static void make_memory(void)
{
	passed[0] = memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[1] = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[2] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	require(ftruncate(passed[0], REGION_OCTETS) == 0 && ftruncate(passed[1], 70) == 0);
	for (int i = 0; i < 2; i++)
		require(fcntl(passed[i], F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	shared = mmap(NULL, REGION_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, passed[0], 0);
	require(shared != MAP_FAILED);
}

ONCE(require(start_eal() == 0); make_memory())

static uint32_t open_descriptors(void)
{
	uint32_t count = 0;

	for (int fd = 0; fd < FDS_MAX; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

// Makes a ring without packets at each page; its descriptors refer to existing memory.
static void fill_shared(void)
{
	const uint32_t cookie = DRB_MEMIF_COOKIE;

	for (uint32_t at = 0; at < REGION_OCTETS; at += sizeof(struct drb_memif_desc)) {
		struct drb_memif_desc d = {.length = 256,
					   .offset = at * 16 % (REGION_OCTETS - 256)};
		memcpy(shared + at, &d, sizeof(d));
	}
	for (uint32_t at = 0; at < REGION_OCTETS; at += 4096) {
		memset(shared + at, 0, sizeof(struct drb_memif_ring));
		memcpy(shared + at, &cookie, sizeof(cookie));
	}
}

// Writes to the bytes that the other end may write: those of a server are `shared`.
static void write_some(const uint8_t **data, size_t *size)
{
	uint8_t *to = channel.server ? shared : channel.memory.region[0].at;
	uint32_t at = take(data, size);

	at |= (uint32_t)take(data, size) << 8;
	// A client without a greeting has no memory.
	for (uint8_t n = take(data, size) % 32; to && n > 0; n--)
		to[at++ % REGION_OCTETS] = take(data, size);
}

static void say(enum does how, const uint8_t **data, size_t *size)
{
	uint8_t text[sizeof(struct drb_memif_message)] = {0};
	size_t length = sizeof(text);

	if (how == ACKNOWLEDGES)
		text[0] = DRB_MEMIF_ACK;
	for (uint8_t n = how == ACKNOWLEDGES ? 0 : take(data, size), i = 0; i < n; i++)
		text[i % sizeof(text)] = take(data, size);
	if (text[0] == 0xff)
		length = text[1] % (sizeof(text) + 1); // cut off
	const bool has_fd = how >= SAYS_WITH_MEMORY && how <= SAYS_WITH_BELL;
	drb_memif_channel_hear(&channel, text, length,
			       has_fd ? dup(passed[how - SAYS_WITH_MEMORY]) : -1, &answer);
}

// Regions are as long as their files, and each ring is entirely within one region.
static void are_within(void)
{
	const struct drb_memif_memory *memory = &channel.memory;

	require(memory->total <= drb_memif_memory_most(QUEUES));
	for (uint32_t i = 0; i < 2 * QUEUES; i++) {
		const struct drb_doorbell *b = &channel.bell[i % 2][i / 2];
		const uint8_t *at = (const uint8_t *)b->ring;
		bool found = !at;
		for (uint32_t r = 0; !found && r < memory->count; r++) {
			const uint8_t *from = memory->region[r].at,
				      *end = from + memory->region[r].size;
			found = at >= from && at < end &&
				(size_t)(end - at) >=
					sizeof(*b->ring) + b->size * sizeof(b->ring->desc[0]);
		}
		require(found);
		require(!at || (b->size > 0 && b->size <= 1u << DRB_MEMIF_LOG2_RING));
	}
}

// Uses the rings like a worker with a link that is up.
static void use_rings(void)
{
	const struct drb_memif_packets p = {
		.frame_max = FRAME_MAX, .buffer = DRB_MEMIF_BUFFER, .marked = channel.takes};
	uint8_t frame[FRAME_MAX] = {0};
	struct rte_mbuf *burst[BURST];

	for (uint32_t q = 0; q < QUEUES; q++) {
		struct drb_doorbell rx = *drb_memif_channel_rx(&channel, q),
				    tx = *drb_memif_channel_tx(&channel, q);
		struct drb_send_result result = {0};
		drb_doorbell_arm(&rx);
		(void)drb_doorbell_silent(&rx);
		drb_doorbell_disarm(&rx);
		uint32_t count = drb_memif_receive(&rx, &p, test_pool, burst, BURST);
		rte_pktmbuf_free_bulk(burst, count);
		for (uint32_t i = 0; i < BURST; i++)
			require((burst[i] = mbuf_of(frame, FRAME_MAX - i * 200)));
		count = drb_memif_send(&tx, &p, burst, BURST, &result);
		rte_pktmbuf_free_bulk(burst + count, BURST - count);
		drb_doorbell_ring(&tx);
	}
	require(rte_mempool_in_use_count(test_pool) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool rings = drb_doorbell_open(1) == 0;
	const uint32_t descriptors = open_descriptors();
	const bool server = take(&data, &size) & 1;

	require(rings);
	fill_shared();
	drb_memif_channel_begin(&channel, server, QUEUES, DRB_MEMIF_LOG2_RING, &answer);
	while (size > 0) {
		enum does next = take(&data, &size) % DOES;
		if (next == WRITES) {
			write_some(&data, &size);
		} else if (next == COMES_AGAIN) {
			drb_memif_channel_end(&channel);
			require(open_descriptors() == descriptors);
			drb_memif_channel_begin(&channel, server, QUEUES, DRB_MEMIF_LOG2_RING,
						&answer);
		} else {
			say(next, &data, &size);
		}
		are_within();
		use_rings();
	}
	drb_memif_channel_end(&channel);
	require(open_descriptors() == descriptors);
	return 0;
}
