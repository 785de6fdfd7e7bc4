// SPDX-License-Identifier: BSD-3-Clause
// Bundles: what is put into one comes out of it, packet by packet and in order, by way of each kind of kernel
// interface; one that contradicts itself is a frame like any other, and so is one from a host.
#define EAL_MEMORY_MB "160"
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "fixtures/packet_port.h"
#include "fixtures/xdp.h"
#include "switch/ports/bundle.h"
#include "switch/ports/packet_socket/rx_bundle.h"
#include "switch/ports/unfinished.h"

#define FRAME_MAX 1522
#define SLOT 1536
#define ROOM (DRB_BUNDLE_MTU + DRB_ETHER_HEADER)

static struct rte_mbuf *packet[DRB_BUNDLE_PACKETS];
static uint8_t octets[ROOM];

// Packets of lengths up to `longest`, every third with an unfinished checksum where it has room for one.
static void draw_packets(struct drb_rng *rng, uint32_t count, uint32_t longest)
{
	uint8_t frame[FRAME_MAX];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t length =
			DRB_ETHER_HEADER + drb_rng_below(rng, longest - DRB_ETHER_HEADER + 1);
		for (uint32_t k = 0; k < length; k++)
			frame[k] = (uint8_t)drb_rng_next(rng);
		frame[0] = 2;
		frame[12] = 0x12; // of no kind that anybody looks into
		packet[i] = mbuf_of(frame, length);
		assert_non_null(packet[i]);
		if (i % 3 == 0 && length > 60)
			drb_mark_unfinished(packet[i], 34, DRB_UDP_CHECKSUM);
	}
}

static void free_packets(uint32_t count)
{
	rte_pktmbuf_free_bulk(packet, count);
	memset(packet, 0, sizeof(packet));
}

// The bundle of the first packets, as a kernel would carry it. Its octets.
static uint32_t make_bundle(uint32_t count)
{
	uint32_t end = sizeof(struct drb_bundle_head);

	memset(octets, 0xee, sizeof(octets));
	drb_bundle_write((struct drb_bundle_head *)octets, packet, count, SLOT);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = drb_bundle_place(end, SLOT, packet[i]->data_len);
		assert_true(at + packet[i]->data_len <= ROOM);
		assert_true(at / SLOT == (at + packet[i]->data_len - 1) / SLOT);
		memcpy(octets + at, rte_pktmbuf_mtod(packet[i], void *), packet[i]->data_len);
		end = at + packet[i]->data_len;
	}
	return end;
}

static void same(struct rte_mbuf *m, const struct rte_mbuf *want)
{
	assert_int_equal(drb_is_unfinished(m), drb_is_unfinished(want));
	if (drb_is_unfinished(want)) {
		assert_int_equal(m->l3_len, want->l3_len);
		assert_int_equal(m->l4_len, want->l4_len);
	}
	is_frame(m, rte_pktmbuf_mtod(want, uint8_t *), want->data_len);
}

static void open_in_slots(uint32_t length, uint32_t count)
{
	struct rte_mbuf *slots[DRB_BUNDLE_SLOTS], *got[DRB_BUNDLE_PACKETS];
	const uint32_t used = (length + SLOT - 1) / SLOT;

	assert_int_equal(rte_pktmbuf_alloc_bulk(test_pool, slots, used), 0);
	for (uint32_t i = 0; i < used; i++)
		memcpy(rte_pktmbuf_mtod(slots[i], void *), octets + i * SLOT,
		       i + 1 < used ? SLOT : length - i * SLOT);
	assert_int_equal(drb_bundle_open(slots, used, test_pool, got), count);
	for (uint32_t i = 0; i < count; i++)
		same(got[i], packet[i]);
}

static void packets_come_apart_again(void **state)
{
	struct rte_mbuf *got[DRB_BUNDLE_PACKETS];
	struct drb_rng rng = drb_rng_seed(7, 1);

	(void)state;
	assert_int_equal(drb_bundle_slot(FRAME_MAX), SLOT);
	for (uint32_t n = 0; n < 300; n++) {
		uint32_t longest = n % 3 == 0 ? 100 : n % 3 == 1 ? FRAME_MAX : 800;
		draw_packets(&rng, DRB_BUNDLE_PACKETS, longest);
		uint32_t count = drb_bundle_count(packet, DRB_BUNDLE_PACKETS, SLOT,
						  4000 + drb_rng_below(&rng, ROOM - 4000));
		assert_in_range(count, 1, DRB_BUNDLE_PACKETS);
		uint32_t length = make_bundle(count);
		assert_int_equal(drb_bundle_check((struct drb_bundle_head *)octets, length, SLOT),
				 count);
		assert_int_equal(drb_bundle_copy(octets, SLOT, test_pool, got), count);
		for (uint32_t i = 0; i < count; i++)
			same(got[i], packet[i]);
		open_in_slots(length, count);
		free_packets(DRB_BUNDLE_PACKETS);
		assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
	}
}

// A mark that the receiver does not take keeps its packet out of bundles: there it would cost all others.
static void odd_marks_go_alone(void **state)
{
	static const uint32_t marks[][2] = {
		{34, DRB_UDP_CHECKSUM}, {0, DRB_UDP_CHECKSUM}, {34, 8}, {93, DRB_UDP_CHECKSUM}};
	struct drb_rng rng = drb_rng_seed(7, 5);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		draw_packets(&rng, 4, 100);
		packet[2]->data_len = packet[2]->pkt_len = 100;
		drb_mark_unfinished(packet[2], marks[i][0], marks[i][1]);
		uint32_t count = drb_bundle_count(packet, 4, SLOT, ROOM), end = make_bundle(count);
		assert_int_equal(count, i > 0 ? 2 : 4);
		assert_int_equal(drb_bundle_check((struct drb_bundle_head *)octets, end, SLOT),
				 count);
		assert_int_equal(drb_bundle_count(packet + 2, 2, SLOT, ROOM), i > 0 ? 0 : 2);
		free_packets(4);
	}
}

// 64 short ones are a bundle of few octets, and 41 long ones the longest.
static void limits(void **state)
{
	struct drb_rng rng = drb_rng_seed(7, 2);

	(void)state;
	draw_packets(&rng, DRB_BUNDLE_PACKETS, 60);
	assert_int_equal(drb_bundle_count(packet, 64, SLOT, ROOM), 64);
	assert_true(make_bundle(64) < 4 * SLOT);
	assert_int_equal(drb_bundle_count(packet, 64, SLOT, sizeof(struct drb_bundle_head)), 0);
	free_packets(64);
	for (uint32_t i = 0; i < 64; i++) {
		static const uint8_t frame[1514] = {2};
		packet[i] = mbuf_of(frame, sizeof(frame));
	}
	assert_int_equal(drb_bundle_count(packet, 64, SLOT, ROOM), 41);
	free_packets(64);
}

// What a neighbour says is hostile input, too.
static void lies_are_no_bundles(void **state)
{
	struct drb_bundle_head *head = (struct drb_bundle_head *)octets;
	struct drb_rng rng = drb_rng_seed(7, 3);

	(void)state;
	draw_packets(&rng, 8, FRAME_MAX);
	const uint32_t length = make_bundle(8);
	assert_int_equal(drb_bundle_check(head, length, SLOT), 8);
	assert_int_equal(drb_bundle_check(head, length - 1, SLOT), 0);
	assert_int_equal(drb_bundle_check(head, length + 1, SLOT), 0);
	assert_int_equal(drb_bundle_check(head, length, SLOT + 8), 0);
#define LIE(member, value)                                                                         \
	do {                                                                                       \
		struct drb_bundle_head lie = *head;                                                \
		lie.member = value;                                                                \
		assert_int_equal(drb_bundle_check(&lie, length, SLOT), 0);                         \
	} while (0)
	LIE(destination[5], 0x0f);
	LIE(type[1], 0xb5);
	LIE(version, 2);
	LIE(count, 0);
	LIE(count, 7);
	LIE(count, 65);
	LIE(count, 255);
	LIE(packet[1].length[0], 0xff); // longer than a slot
	LIE(packet[1].start[0], 0x80);  // behind its end
	LIE(packet[1].start[1], 3);     // in its Ethernet header
	LIE(packet[1].field, 7);        // no checksum of TCP or UDP is there
	LIE(packet[1].zero, 1);
#undef LIE
	memcpy(head->packet[1].length, (const uint8_t[]){0, DRB_ETHER_HEADER - 1}, 2);
	assert_int_equal(drb_bundle_check(head, length, SLOT), 0);
	free_packets(8);
}

// A port of a switch to another, or to a host, at the inner end. False where this driver cannot be had.
static bool begin_port(const char *driver, const char *name)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none, xdp: all}\nprocess: {workers: 1}\n"
		 "ports:\n  - {name: %s, driver: %s, interface: inner}\n",
		 name, driver);
	setup = setup_of(text);
	if (drb_ports_start(&set, "none", &setup, 12000) < 0)
		return false;
	port = &set.port[name[0] == 'u' ? 2 : 0];
	return true;
}

// What comes out at the outer end goes in there again. How many frames that was.
static uint32_t reflect(void)
{
	static uint8_t frame[ROOM + 4];
	struct pollfd readable = {.fd = outer, .events = POLLIN};
	uint32_t frames = 0;

	assert_int_equal(poll(&readable, 1, WAIT_MS), 1);
	for (ssize_t n; (n = recv(outer, frame, sizeof(frame), MSG_DONTWAIT)) > 0; frames++)
		come_in(frame, (uint32_t)n);
	return frames;
}

static void receive_all(struct drb_port_queue *q, uint32_t count, uint32_t at_once)
{
	struct rte_mbuf *got[DRB_BUNDLE_PACKETS];

	for (uint32_t n = 0, burst; n < count; n += burst) {
		burst = drb_port_receive(q, got, at_once);
		if (burst == 0)
			wait_for_packets(q);
		for (uint32_t i = 0; i < burst; i++)
			same(got[i], packet[n + i]);
	}
	assert_int_equal(drb_port_receive(q, got, 1), 0);
}

// Sends copies of the packets. How many went in bundles.
static uint32_t send_all(struct drb_port_queue *q, uint32_t count)
{
	struct rte_mbuf *copies[DRB_BUNDLE_PACKETS];
	struct drb_send_result result;

	for (uint32_t i = 0; i < count; i++) {
		copies[i] = rte_pktmbuf_copy(packet[i], set.pool, 0, UINT32_MAX);
		assert_non_null(copies[i]);
		if (drb_is_unfinished(packet[i]))
			drb_mark_unfinished(copies[i], packet[i]->l3_len, packet[i]->l4_len);
	}
	assert_int_equal(drb_port_send(q, copies, count, &result), count);
	assert_int_equal(result.lost, 0);
	return result.bundled;
}

static void end_port(uint32_t buffers)
{
	assert_int_equal(rte_mempool_avail_count(set.pool), buffers);
	drb_ports_stop(&set);
}

static struct rte_mbuf *elsewhere[1 << 15];

// Takes all buffers away. How many.
static uint32_t take_all(void)
{
	uint32_t taken = 0;

	while ((elsewhere[taken] = rte_pktmbuf_alloc(set.pool)))
		assert_true(++taken < ARRAY_SIZE(elsewhere) / 2); // starve() takes more
	return taken;
}

// All buffers are elsewhere while more comes than the socket has: it receives again once they are back.
static void starve(struct drb_port_queue *q)
{
	struct rte_mbuf *m;
	uint8_t frame[60] = {2, [12] = 0x12};
	uint32_t taken = take_all();

	for (uint32_t n = 0; n < 2500; n++) {
		come_in(frame, sizeof(frame));
		while (drb_port_receive(q, &m, 1) == 1)
			elsewhere[taken++] = m;
	}
	assert_true(q->kind->missed(q) > 0);
	rte_pktmbuf_free_bulk(elsewhere, taken);
	assert_int_equal(drb_port_receive(q, &m, 1), 0);
	come_in(frame, sizeof(frame));
	is_frame(next_packet(q), frame, sizeof(frame));
}

// A bundle for some of whose packets there is no buffer: they are lost and counted, each.
static void run_short(struct drb_port_queue *q, struct drb_rng *rng)
{
	struct rte_mbuf *got[DRB_BUNDLE_PACKETS];
	const uint32_t left = 20, taken = take_all() - left;
	const uint64_t missed = q->kind->missed(q);

	draw_packets(rng, DRB_BUNDLE_PACKETS, 100);
	const uint32_t length = make_bundle(DRB_BUNDLE_PACKETS);
	rte_pktmbuf_free_bulk(elsewhere + taken, left);
	come_in(octets, length);
	wait_for_packets(q);
	const uint32_t count = drb_port_receive(q, got, DRB_BUNDLE_PACKETS);
	assert_in_range(count, 1, DRB_BUNDLE_PACKETS - 1);
	assert_int_equal(q->kind->missed(q) - missed, DRB_BUNDLE_PACKETS - count);
	rte_pktmbuf_free_bulk(got, count);
	rte_pktmbuf_free_bulk(elsewhere, taken);
	free_packets(DRB_BUNDLE_PACKETS);
}

static void cross(const char *driver)
{
	struct drb_rng rng = drb_rng_seed(7, 4);

	assert_true(begin_port(driver, "u0"));
	struct drb_port_queue *q = port->queue[0];
	const uint32_t buffers = rte_mempool_avail_count(set.pool);
	assert_int_equal(port->kind->bundle_mtu(port), DRB_BUNDLE_MTU);
	draw_packets(&rng, 20, 60);
	assert_int_equal(send_all(q, 20), 0); // nobody has said that they come
	assert_int_equal(reflect(), 20);
	receive_all(q, 20, 32);
	free_packets(20);
	port->kind->set_bundle_mtu(port, 20000);
	for (uint32_t n = 0; n < 60; n++) {
		uint32_t count = 2 + drb_rng_below(&rng, 39);
		draw_packets(&rng, count, n % 3 == 0 ? 60 : n % 3 == 1 ? 1500 : 400);
		assert_in_range(send_all(q, count), count - 1, count); // the last may be left over
		assert_true(reflect() <= 1 + count / 12);
		receive_all(q, count, 1 + drb_rng_below(&rng, 40));
		free_packets(count);
	}
	// A lie is one frame, which no switch forwards.
	for (uint32_t longest = 60; longest <= 1500; longest += 1440) {
		struct rte_mbuf *m;
		draw_packets(&rng, 20, longest);
		uint32_t length = make_bundle(20);
		octets[14]++; // version
		come_in(octets, length);
		m = next_packet(q);
		assert_true(drb_bundle_is(rte_pktmbuf_mtod(m, uint8_t *)));
		assert_int_equal(m->pkt_len, length <= FRAME_MAX ? length : FRAME_MAX + 1);
		rte_pktmbuf_free(m);
		assert_int_equal(drb_port_receive(q, &m, 1), 0);
		free_packets(20);
	}
	run_short(q, &rng);
	if (strcmp(driver, "af_xdp") == 0)
		starve(q);
	end_port(buffers);
}

static void they_cross_packet_sockets(void **state)
{
	(void)state;
	cross("af_packet");
}

static void they_cross_xdp_sockets(void **state)
{
	(void)state;
	if (!may_use_xdp())
		skip();
	cross("af_xdp");
}

static void none_come_from_hosts(void **state)
{
	struct drb_rng rng = drb_rng_seed(7, 5);

	(void)state;
	assert_true(begin_port("af_packet", "d0"));
	const uint32_t buffers = rte_mempool_avail_count(set.pool);
	assert_int_equal(port->kind->bundle_mtu(port), 0);
	draw_packets(&rng, 10, 60);
	uint32_t length = make_bundle(10);
	come_in(octets, length);
	is_frame(next_packet(port->queue[0]), octets, length);
	free_packets(10);
	end_port(buffers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_come_apart_again),
		cmocka_unit_test(limits),
		cmocka_unit_test(odd_marks_go_alone),
		cmocka_unit_test(lies_are_no_bundles),
		cmocka_unit_test(they_cross_packet_sockets),
		cmocka_unit_test(they_cross_xdp_sockets),
		cmocka_unit_test(none_come_from_hosts),
	};

	if (!make_veth() ||
	    system("ip link set inner mtu 65535 && ip link set outer mtu 65535") != 0) {
		printf("1..0 # SKIP there may be no veth pair here: %s\n", strerror(errno));
		return 0;
	}
	return cmocka_run_group_tests_name("bundle", tests, setup_eal, free_eal);
}
