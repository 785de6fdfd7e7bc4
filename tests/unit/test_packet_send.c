// SPDX-License-Identifier: BSD-3-Clause
// What is handed to a socket arrives whole, once and in order, or stays with the caller; every
// buffer is somewhere. A socket pair stands for the packet socket: it takes the same calls.
#include "unit.h"

#include <sys/socket.h>

#include "switch/packet_send.h"
#include "switch_eal.h"

#define COUNT 300

static int pair[2];
static struct rte_mbuf *packet[COUNT];
static struct drb_packet_lost lost;

static int make(void **state)
{
	(void)state;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		return -1;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint8_t frame[64 + COUNT];
		memset(frame, (int)i, sizeof(frame));
		packet[i] = mbuf_of(frame, 64 + i);
		if (!packet[i])
			return -1;
	}
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	close(pair[0]);
	return close(pair[1]);
}

// Reads packets first..end as they were sent; nothing else is there.
static void arrived(uint32_t first, uint32_t end)
{
	uint8_t got[2048], want[64 + COUNT];

	for (uint32_t i = first; i < end; i++) {
		memset(want, (int)i, sizeof(want));
		assert_int_equal(recv(pair[1], got, sizeof(got), MSG_DONTWAIT), 64 + i);
		assert_memory_equal(got, want, 64 + i);
	}
	assert_int_equal(recv(pair[1], got, sizeof(got), MSG_DONTWAIT), -1);
}

static void bursts_arrive(void **state)
{
	const uint32_t burst[] = {1, 2, 63, 64, 65, 64 + COUNT - 259};
	uint32_t sent = 0;

	(void)state;
	for (uint32_t b = 0; b < ARRAY_SIZE(burst); b++) {
		assert_int_equal(drb_packet_send(pair[0], packet + sent, burst[b], &lost),
				 burst[b]);
		assert_int_equal(lost.packets, 0);
		arrived(sent, sent + burst[b]);
		sent += burst[b];
	}
	assert_int_equal(sent, COUNT);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
}

// A socket that is full takes what fits; the rest goes when there is room again.
static void full_sockets_refuse(void **state)
{
	int room = 16384;
	uint32_t sent = 0, turns = 0;

	(void)state;
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
	while (sent < COUNT) {
		uint32_t n = drb_packet_send(pair[0], packet + sent, COUNT - sent, &lost);
		assert_in_range(n, 1, COUNT - sent);
		assert_int_equal(rte_mempool_in_use_count(test_pool), COUNT - sent - n);
		if (sent + n < COUNT)
			assert_int_equal(drb_packet_send(pair[0], packet + sent + n, 1, &lost), 0);
		arrived(sent, sent + n);
		sent += n;
		turns++;
	}
	assert_true(turns > 2);
}

// What cannot be sent at all is counted and in nobody's way.
static void dead_sockets_take_all(void **state)
{
	(void)state;
	close(pair[1]);
	assert_int_equal(drb_packet_send(pair[0], packet, COUNT, &lost), COUNT);
	assert_int_equal(lost.packets, COUNT);
	assert_int_equal(lost.octets, 64 * COUNT + COUNT * (COUNT - 1) / 2);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
	pair[1] = dup(pair[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bursts_arrive, make, unmake),
		cmocka_unit_test_setup_teardown(full_sockets_refuse, make, unmake),
		cmocka_unit_test_setup_teardown(dead_sockets_take_all, make, unmake),
	};
	return cmocka_run_group_tests(tests, setup_eal, free_eal);
}
