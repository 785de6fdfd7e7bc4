// SPDX-License-Identifier: BSD-3-Clause
// A packet-socket port on a veth: frames are received byte for byte, in order and once, or count as
// missed. Frames that are sent are not received. A stopped port leaves nothing behind.
#include "fixtures/unit.h"

#include <net/if.h>
#include <time.h>

#include "core/links/hello.h"
#include "core/math/random.h"

#define EAL_LCORES "(0-1)@0"
#include "fixtures/packet_port.h"
#include "switch/ports/packet_socket/hello_outbox.h"
#include "switch/ports/packet_socket/tx_socket.h"

#define RING 4120 // frames of the port's receive ring, if a switch has few ports
#define BURST 64

// Frame n of a fixed sequence: random bytes, with n itself in them.
static uint32_t frame_of(uint32_t n, uint8_t frame[LONGEST])
{
	struct drb_rng r = drb_rng_seed(n, 7);
	uint32_t length = 60 + drb_rng_below(&r, LONGEST - 59);

	for (uint32_t i = 0; i < length; i++)
		frame[i] = (uint8_t)drb_rng_below(&r, 256);
	frame[0] = 2; // of a host that is not "inner"
	memcpy(frame + 14, &n, sizeof(n));
	memcpy(frame + 12, (const uint8_t[]){0x12, 0x34}, 2);
	return length;
}

// Receives frames first..end, in bursts of any size.
static void receive_frames(struct drb_port_queue *q, uint32_t first, uint32_t end)
{
	struct rte_mbuf *packets[BURST];
	uint8_t frame[LONGEST];

	for (uint32_t n = first; n < end;) {
		uint32_t most = 1 + n % BURST;
		wait_for_packets(q);
		uint32_t count = drb_port_receive(q, packets, most);
		assert_in_range(count, 1, most);
		for (uint32_t i = 0; i < count; i++, n++)
			is_frame(packets[i], frame, frame_of(n, frame));
	}
	assert_int_equal(drb_port_receive(q, packets, BURST), 0);
}

static void send_frames(uint32_t first, uint32_t end)
{
	uint8_t frame[LONGEST];

	for (uint32_t n = first; n < end; n++)
		come_in(frame, frame_of(n, frame));
}

// Several times around the ring.
TEST(frames_come_in)
{
	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t n = 0; n < 5 * RING; n += 300) {
		send_frames(n, n + 300);
		receive_frames(q, n, n + 300);
	}
	assert_int_equal(drb_port_losses(q).missed, 0);
	stop_port();
}

// The kernel removes the outer tag from the frame and reports it separately.
TEST(tags_stay)
{
	static const uint8_t tags[][8] = {
		{0x81, 0, 0x20, 0x05, 0x12, 0x34},             // 802.1Q
		{0x81, 0, 0, 0, 0x12, 0x34},                   // priority 0, no VLAN
		{0x88, 0xa8, 0xef, 0xff, 0x12, 0x34},          // 802.1ad
		{0x88, 0xa8, 0x00, 0x07, 0x81, 0, 0x60, 0x09}, // both
	};
	uint8_t frame[LONGEST];

	start_port((struct port_of){0});
	for (uint32_t n = 0; n < 4 * ARRAY_SIZE(tags); n++) {
		uint32_t length = frame_of(n, frame);
		if (n % 4 == 0)
			length = LONGEST; // with the tag longer than a frame of the ring
		memcpy(frame + 12, tags[n % ARRAY_SIZE(tags)], 8);
		come_in(frame, length);
		is_frame(next_packet(port->queue[0]), frame, length);
	}
	stop_port();
}

TEST(long_frames_are_cut)
{
	uint8_t frame[VETH_MTU] = {2, [12] = 0x12, 0x34};

	start_port((struct port_of){0});
	for (uint32_t i = 14; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	come_in(frame, LONGEST);
	is_frame(next_packet(port->queue[0]), frame, LONGEST);
	come_in(frame, sizeof(frame));
	// This is too long to be forwarded.
	is_frame(next_packet(port->queue[0]), frame, port->frame_max + 1);
	stop_port();
}

// With a larger MTU these frames are whole in buffers of any size. The ring holds as many.
TEST(jumbo_frames)
{
	static const uint32_t mtus[] = {3400, 6000, 9000};
	uint8_t frame[VETH_MTU] = {2, [12] = 0x12, 0x34};

	for (uint32_t i = 14; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < ARRAY_SIZE(mtus); i++) {
		uint32_t whole = drb_frame_max(mtus[i]) < sizeof(frame) ? drb_frame_max(mtus[i])
									: sizeof(frame);
		start_port((struct port_of){.mtu = mtus[i]});
		// More than once around the ring.
		for (uint32_t n = 0; n < RING + 100; n++) {
			frame[20] = (uint8_t)n;
			come_in(frame, whole);
			is_frame(next_packet(port->queue[0]), frame, whole);
		}
		come_in(frame, sizeof(frame));
		is_frame(next_packet(port->queue[0]), frame,
			 whole < sizeof(frame) ? port->frame_max + 1 : whole);
		stop_port();
	}
}

// Frames that find the ring full are lost and counted; frames in it are not lost.
static void fills_ring(uint32_t ring)
{
	struct drb_port_queue *q = port->queue[0];

	send_frames(0, 2 * ring);
	receive_frames(q, 0, ring);
	assert_int_equal(drb_port_losses(q).missed, ring);
	send_frames(5, 10);
	receive_frames(q, 5, 10);
	assert_int_equal(drb_port_losses(q).missed, ring); // so far
}

// The more ports a switch has, the shorter is the ring of each.
TEST(full_ring)
{
	static const struct {
		uint32_t arity, ring;
	} of[] = {{2, RING}, {4, 2080}, {6, 1400}, {8, 1040}, {32, 280}};

	for (uint32_t i = 0; i < ARRAY_SIZE(of); i++) {
		start_port((struct port_of){.arity = of[i].arity});
		fills_ring(of[i].ring);
		stop_port();
	}
}

// A rate's ring holds what arrives while the switch has no CPU, at most as much as without one.
TEST(ring_by_rate)
{
	static const struct {
		const char *name, *rate;
		uint32_t ring;
	} of[] = {
		{"d0", "500pps", 240},                        // 151, and 64 at once
		{"u0", "500pps", 160},   {"u0", "20pps", 40}, // a block
		{"u0", "1Mbit", 480},                         // of 84 bytes on the wire
		{"u0", "100Mbit", 1040}, {"d0", "100Mbit", RING},
	};

	for (uint32_t i = 0; i < ARRAY_SIZE(of); i++) {
		start_port((struct port_of){.name = of[i].name, .rate = of[i].rate});
		fills_ring(of[i].ring);
		stop_port();
	}
}

// Without buffers nothing is lost: frames stay in the ring.
TEST(no_buffers)
{
	struct rte_mbuf *packets[BURST];
	uint8_t frame[LONGEST];

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	uint32_t all = set.pool->size;
	struct rte_mbuf **taken = calloc(all, sizeof(*taken));
	for (uint32_t i = 0; i < all; i++)
		assert_non_null(taken[i] = rte_pktmbuf_alloc(set.pool));
	send_frames(0, 100);
	assert_int_equal(drb_port_receive(q, packets, BURST), 0);
	for (uint32_t i = 0; i < 10; i++)
		rte_pktmbuf_free(taken[i]);
	uint32_t count = drb_port_receive(q, packets, BURST);
	assert_in_range(count, 1, 10);
	for (uint32_t n = 0; n < count; n++)
		is_frame(packets[n], frame, frame_of(n, frame));
	for (uint32_t i = 10; i < all; i++)
		rte_pktmbuf_free(taken[i]);
	receive_frames(q, count, 100);
	free(taken);
	stop_port();
}

// Frames arrive whole and once at the other end, and not at this one.
TEST(frames_go_out)
{
	uint8_t frame[LONGEST], got[LONGEST + 1];
	struct rte_mbuf *none;

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	for (uint32_t n = 0; n < 200; n++) {
		uint32_t length = frame_of(n, frame);
		goes_out(q, frame, length);
		assert_int_equal(recv(outer, got, sizeof(got), 0), length);
		assert_memory_equal(got, frame, length);
	}
	assert_int_equal(drb_port_receive(q, &none, 1), 0);
	stop_port();
}

// A hello without news arrives at its own socket alone and wakes no worker; one with news at both.
TEST(hellos_apart)
{
	static const struct {
		uint8_t flags;
		bool comes_in;
	} of[] = {
		{DRB_HELLO_HEARS | DRB_HELLO_RESTS, false},
		{DRB_HELLO_NO_ALTERNATE | DRB_HELLO_DRAINED, false},
		{DRB_HELLO_NEWS, true},
		{DRB_HELLO_HEARS | DRB_HELLO_RESTS | DRB_HELLO_NEWS, true},
	};
	const struct timespec wait = {.tv_nsec = 20000000};
	uint8_t frame[200] = {1, [12] = DRB_ETHERTYPE_HELLO >> 8, DRB_ETHERTYPE_HELLO & 0xff};
	struct drb_hello_taken got[2];

	for (uint32_t i = 0; i < ARRAY_SIZE(of); i++) {
		start_port((struct port_of){.name = "u0"});
		nanosleep(&wait, NULL); // the kernel begins to read its clock for it
		frame[drb_hello_flags_at] = of[i].flags;
		come_in(frame, sizeof(frame));
		if (of[i].comes_in)
			is_frame(next_packet(port->queue[0]), frame, sizeof(frame));
		nanosleep(&wait, NULL);
		assert_true(port->kind->hello->is_empty(port->queue[0]));
		come_in(frame, sizeof(frame));
		for (uint32_t n = 0; n < 2; n++) {
			assert_true(port->kind->hello->read(port, &got[n]));
			assert_int_equal(got[n].length, sizeof(frame));
			assert_memory_equal(got[n].octets, frame, sizeof(frame));
		}
		assert_in_range(got[0].waited_ns, 20000000, 10000000000);
		assert_true(got[1].waited_ns < got[0].waited_ns - 10000000);
		assert_false(port->kind->hello->read(port, &got[0]));
		stop_port();
	}
}

// Hellos that are longer than their ring's frames arrive whole and in order among short ones, also
// after the ring was full, and after the interface was down.
TEST(long_hellos_apart)
{
	enum { SHORT = 60, LONG = 1400, ROOM = 32, MORE = 8 };
	uint8_t frame[LONG] = {1, [12] = DRB_ETHERTYPE_HELLO >> 8, DRB_ETHERTYPE_HELLO & 0xff};
	struct drb_hello_taken got;

	start_port((struct port_of){.name = "u0"});
	struct pollfd fd = {.fd = port->kind->hello->fd(port), .events = POLLIN};
	for (uint32_t turn = 0; turn < 3; turn++) {
		assert_int_equal(poll(&fd, 1, 0), turn == 1);
		for (uint32_t n = 0; n < ROOM + MORE; n++) {
			frame[30] = (uint8_t)n;
			come_in(frame, n % 3 == 0 ? LONG : SHORT);
		}
		for (uint32_t n = 0; n < ROOM; n++) {
			const uint32_t length = n % 3 == 0 ? LONG : SHORT;
			frame[30] = (uint8_t)n;
			assert_true(poll(&fd, 1, WAIT_MS) && port->kind->hello->read(port, &got));
			assert_true(got.length == length && got.lost == (turn == 1 && n == 0));
			assert_memory_equal(got.octets, frame, length);
		}
		assert_false(port->kind->hello->read(port, &got));
		assert_int_equal(system("ip link set inner down && ip link set inner up"), 0);
		assert_true(becomes_running("inner") && becomes_running("outer"));
		assert_true(poll(&fd, 1, 0) == 1 && fd.revents == POLLERR); // it was down
		// The first time the error stays, and the next long hello reports it.
		assert_true(turn == 0 || recv(fd.fd, frame, 1, 0) < 0);
	}
	stop_port();
}

// If the kernel has no space for a long hello, that one is lost and later ones are not.
TEST(long_hellos_without_room)
{
	enum { LONG = 1400 };
	uint8_t frame[LONG] = {1, [12] = DRB_ETHERTYPE_HELLO >> 8, DRB_ETHERTYPE_HELLO & 0xff};
	struct drb_hello_taken got;
	const int least = 1;

	start_port((struct port_of){.name = "u0"});
	const int fd = port->kind->hello->fd(port);
	assert_int_equal(port->kind->interface->rings(port) % 65536, 16384);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)), 0);
	for (uint8_t turn = 0; turn < 2; turn++) {
		frame[30] = turn;
		for (uint32_t n = 0; n < 8; n++)
			come_in(frame, LONG);
		for (uint32_t n = 0; n < 8; n++) {
			assert_true(port->kind->hello->read(port, &got));
			assert_true(got.length == (n == 0 ? LONG : 0) && got.lost == (n > 0));
			assert_true(n > 0 || got.octets[30] == turn);
		}
		assert_false(port->kind->hello->read(port, &got));
	}
	stop_port();
}

// All frames of a flow go to the same one of two workers. Neither receives frames of workers.
TEST(workers_share)
{
	enum { FLOWS = 64, EACH = 10 };
	uint32_t owner[FLOWS], seen[FLOWS] = {0}, of_worker[2] = {0};
	struct rte_mbuf *m;

	start_port((struct port_of){.workers = 2});
	for (uint32_t n = 0; n < FLOWS * EACH; n++) {
		// UDP over IPv4, each flow from its own port.
		uint8_t frame[60] = {2, [12] = 8, [14] = 0x45, [17] = 46, [23] = 17, [39] = 26};
		memcpy(frame + 26, (const uint8_t[]){10, 0, 0, 1, 10, 0, 0, 2}, 8);
		frame[35] = (uint8_t)(n % FLOWS);
		come_in(frame, sizeof(frame));
	}
	for (uint32_t n = 0; n < 2; n++) {
		while (drb_port_receive(port->queue[n], &m, 1) == 1) {
			uint8_t flow = *rte_pktmbuf_mtod_offset(m, uint8_t *, 35);
			owner[flow] = seen[flow]++ == 0 ? n : owner[flow];
			assert_int_equal(owner[flow], n);
			of_worker[n]++;
			rte_pktmbuf_free(m);
		}
	}
	for (uint32_t f = 0; f < FLOWS; f++)
		assert_int_equal(seen[f], EACH);
	assert_true(of_worker[0] > 0 && of_worker[1] > 0);
	for (uint32_t n = 0; n < 2; n++) {
		uint8_t frame[LONGEST];
		goes_out(port->queue[n], frame, frame_of(n, frame));
		assert_true(recv(outer, frame, sizeof(frame), 0) > 0);
	}
	for (uint32_t n = 0; n < 2; n++)
		assert_int_equal(drb_port_receive(port->queue[n], &m, 1), 0);
	stop_port();
}

static bool becomes(bool up)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	for (uint32_t ms = 0; ms < WAIT_MS && port->kind->carrier(port) != up; ms += 10)
		nanosleep(&pause, NULL);
	return port->kind->carrier(port) == up;
}

static void take_error(int fd)
{
	socklen_t size = sizeof(int);
	int error = 0;

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size), 0);
	assert_int_equal(error, ENETDOWN);
}

TEST(what_the_kernel_says)
{
	const uint8_t wanted[6] = {2, 0, 0, 0, 0xab, 0xcd};
	uint8_t mac[6];

	assert_int_equal(system("ip link set inner address 02:00:00:00:ab:cd"), 0);
	start_port((struct port_of){0});
	assert_true(port->kind->mac(port, mac));
	assert_memory_equal(mac, wanted, sizeof(mac));
	assert_true(becomes(true));
	assert_string_equal(drb_port_state(port), "up");
	assert_int_equal(system("ip link set outer down"), 0);
	assert_true(becomes(false));
	assert_string_equal(drb_port_state(port), "down");
	assert_int_equal(system("ip link set inner down && ip link set inner up && "
				"ip link set outer up"),
			 0);
	assert_true(becomes_running("inner") && becomes_running("outer"));
	assert_true(becomes(true));
	// An error can be read from both sockets (datapath/idle.c); then the port continues.
	take_error(outer);
	take_error(port->queue[0]->fd);
	send_frames(0, 3);
	receive_frames(port->queue[0], 0, 3);
	stop_port();
}

// The number of users that need "inner" to accept frames for any MAC.
static bool promiscuity_is(int users)
{
	char command[96];

	snprintf(command, sizeof(command), "ip -d link show inner | grep -q 'promiscuity %d'",
		 users);
	return system(command) == 0;
}

// The port accepts frames for other MACs while it is open; afterwards the interface is as before.
TEST(promiscuous_meanwhile)
{
	assert_true(promiscuity_is(0));
	start_port((struct port_of){.workers = 2});
	assert_true(promiscuity_is(2));
	stop_port();
	assert_true(promiscuity_is(0));
}

TEST(failed_start)
{
	int before = descriptors();

	start_port((struct port_of){.workers = 2});
	stop_port();
	assert_int_equal(descriptors(), before);
	snprintf(setup.ports[0].interface, sizeof(setup.ports[0].interface), "nowhere");
	assert_int_equal(drb_ports_check("none", &setup), -EINVAL);
	// The interface disappears after the check.
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), -ENODEV);
	assert_null(rte_mempool_lookup("packets"));
	assert_int_equal(descriptors(), before);
}

#define MANY 34 // ports of a switch of F(2,17)

// All ports of a switch with this driver; the interfaces are m0 and so on.
static struct drb_setup setup_of_many(const char *driver)
{
	static const char head[] = "fabric: {layers: 2, arity: 17}\nswitch: {layer: 1, label: 0}\n";
	char text[8192];
	int used = snprintf(text, sizeof(text), "%slink: {driver: %s, queue: 10}\nports:\n", head,
			    driver);

	for (int i = 0; i < MANY; i++)
		used += snprintf(
			text + used, sizeof(text) - (size_t)used, "  - {name: %c%d, %s%d}\n",
			i < MANY / 2 ? 'd' : 'u', i % (MANY / 2),
			strcmp(driver, "vdev") == 0 ? "device: net_null" : "interface: m", i);
	return setup_of(text);
}

// More ports than DPDK can have devices.
TEST(many_ports)
{
	assert_int_equal(system("for i in $(seq 0 33); do ip link add m$i type veth peer name n$i "
				"&& ip link set n$i up && "
				"ip link set m$i up || exit; done"),
			 0);
	setup = setup_of_many("vdev");
	assert_int_equal(drb_ports_check("none", &setup), -EINVAL);
	setup = setup_of_many("af_packet");
	assert_int_equal(drb_ports_check("none", &setup), 0);
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), 0);
	assert_int_equal(set.count, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		port = &set.port[i];
		assert_true(port->kind->carrier(port));
		assert_true(port->queue[0]->fd >= 0);
	}
	stop_port();
}

TEST(gone)
{
	struct rte_mbuf *m;
	struct drb_send_result result;

	start_port((struct port_of){0});
	struct drb_port_queue *q = port->queue[0];
	assert_int_equal(system("ip link del inner"), 0);
	assert_true(becomes(false));
	assert_string_equal(drb_port_state(port), "gone");
	assert_int_equal(drb_port_receive(q, &m, 1), 0);
	uint8_t frame[LONGEST];
	uint32_t length = frame_of(1, frame);
	m = mbuf_of(frame, length);
	assert_int_equal(drb_port_send(q, &m, 1, &result), 1);
	assert_int_equal(result.lost, 1);
	assert_int_equal(result.lost_octets, length);
	stop_port();
}

TEST_MAIN_VETH(setup_eal, free_eal)
