// SPDX-License-Identifier: BSD-3-Clause
// AF_XDP sockets: packets that are longer than a page are received and sent whole, and every buffer
// comes back.
#define EAL_MEMORY_MB "160"
#include "fixtures/unit.h"

#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include "common/cli/log.h"
#include "core/math/random.h"
#include "fixtures/packet_port.h"
#include "fixtures/xdp.h"
#include "switch/ports/port.h"
#include "switch/ports/xdp/steer.h"
#include "switch/ports/xdp/xsk_ring.h"

#define MTU 9000
#define FRAME_MAX (MTU + 22)
#define PACKETS 40

static uint8_t frame[65535];
static bool has_xdp; // otherwise the tests that need it are skipped

static bool begin_port(const char *name, uint32_t mtu, const char *driver)
{
	return may_start_port(
		(struct port_of){.mtu = mtu, .buffers = 6000, .name = name, .driver = driver});
}

// Free buffers of both pools.
static uint32_t free_buffers(void)
{
	return rte_mempool_avail_count(set.pool) +
	       (set.lent ? rte_mempool_avail_count(set.lent) : 0);
}

static void end_port(uint32_t buffers)
{
	assert_int_equal(free_buffers(), buffers);
	drb_ports_stop(&set);
}

static void draw_frame(struct drb_rng *rng, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		frame[i] = (uint8_t)drb_rng_next(rng);
	memcpy(frame, "\x02\0\0\0\0\0", 6); // to a host: other frames go to the kernel
	memcpy(frame + 12, "\x12\x34", 2);
}

// The longest frames of one, two and three parts, and frames just shorter and longer; also frames
// that are too long for each MTU.
TEST(long_frames_come_whole)
{
	static const uint32_t mtus[] = {1280, 1500, 3400, 3680, 3720, 7300, 7700, 9000};
	struct drb_rng rng = drb_rng_seed(7, 11);

	if (!has_xdp)
		skip();
	for (size_t m = 0; m < ARRAY_SIZE(mtus); m++) {
		const uint32_t max = mtus[m] + 22;
		assert_true(begin_port("d0", mtus[m], "af_xdp"));
		const uint32_t buffers = free_buffers();
		const uint32_t lengths[] = {14,      60,           max / 3, max / 3 + 9,
					    max / 2, max / 2 + 13, max - 1, max,
					    max + 1, max + 5000,   30000,   65000};
		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
			uint32_t length = lengths[i];
			draw_frame(&rng, length);
			come_in(frame, length);
			is_frame(next_packet(port->queue[0]), frame,
				 length > max ? max + 1 : length);
		}
		end_port(buffers);
	}
}

// The ring holds as many frames as it has descriptors while it is not read; further frames are
// counted.
TEST(the_ring_holds_what_it_says)
{
	struct rte_mbuf *got[32];
	struct drb_rng rng = drb_rng_seed(7, 12);
	uint32_t n = 0, burst;

	if (!has_xdp)
		skip();
	assert_true(begin_port("d0", MTU, "af_xdp"));
	const uint32_t buffers = free_buffers();
	const uint32_t places = drb_xsk_buffers(FRAME_MAX, set.count) - 64;
	assert_int_equal(places, 512); // a quarter of 4096, halved for packets of several parts
	draw_frame(&rng, FRAME_MAX);
	for (uint32_t i = 0; i < places / 3 + 10; i++)
		come_in(frame, FRAME_MAX);
	while ((burst = drb_port_receive(port->queue[0], got, 32)) > 0) {
		for (uint32_t i = 0; i < burst; i++)
			is_frame(got[i], frame, FRAME_MAX);
		n += burst;
	}
	assert_int_equal(n, places / 3);
	assert_int_equal(drb_port_losses(port->queue[0]).missed, 10);
	end_port(buffers);
}

// More packets wait than there are shared buffers: they do not block packets that arrive.
TEST(what_waits_is_kept_apart)
{
	static struct rte_mbuf *waiting[4000];
	struct drb_rng rng = drb_rng_seed(7, 15);
	uint32_t n = 0, apart = 0;

	if (!has_xdp)
		skip();
	assert_true(begin_port("d0", 1500, "af_xdp"));
	const uint32_t buffers = free_buffers();
	assert_true(set.lent->size < ARRAY_SIZE(waiting));
	for (; n < ARRAY_SIZE(waiting); n++) {
		draw_frame(&rng, 100);
		come_in(frame, 100);
		waiting[n] = next_packet(port->queue[0]);
		assert_int_equal(waiting[n]->data_len, 100);
		assert_memory_equal(rte_pktmbuf_mtod(waiting[n], uint8_t *), frame, 100);
		apart += waiting[n]->pool == set.pool;
		assert_true(n > 500 || apart == 0); // not needed yet
	}
	assert_int_equal(drb_port_losses(port->queue[0]).missed, 0);
	assert_true(apart > ARRAY_SIZE(waiting) / 2);
	rte_pktmbuf_free_bulk(waiting, n);
	end_port(buffers);
}

// Packets sent to the neighbour come back unchanged, each in a separate frame.
static void cross_a_link(const char *driver)
{
	static uint8_t sent[PACKETS][FRAME_MAX];
	struct rte_mbuf *packets[PACKETS], *got[PACKETS];
	struct drb_rng rng = drb_rng_seed(7, 13);
	struct drb_send_result result;
	uint32_t length[PACKETS];

	assert_true(begin_port("u0", MTU, driver));
	const uint32_t buffers = free_buffers();
	for (uint32_t turn = 0; turn < 30; turn++) {
		for (uint32_t i = 0; i < PACKETS; i++) {
			uint32_t longest = turn % 2 == 0 ? FRAME_MAX : 200;
			length[i] = 60 + drb_rng_below(&rng, longest - 59);
			draw_frame(&rng, length[i]);
			memcpy(sent[i], frame, length[i]);
			packets[i] = rte_pktmbuf_alloc(set.pool);
			memcpy(rte_pktmbuf_append(packets[i], (uint16_t)length[i]), frame,
			       length[i]);
		}
		assert_int_equal(drb_port_send(port->queue[0], packets, PACKETS, &result), PACKETS);
		assert_int_equal(result.gso_packets, 0);
		for (ssize_t n; (n = recv(outer, frame, sizeof(frame), MSG_DONTWAIT)) > 0;)
			come_in(frame, (uint32_t)n);
		for (uint32_t i = 0, burst; i < PACKETS; i += burst) {
			burst = drb_port_receive(port->queue[0], got, 7);
			if (burst == 0)
				wait_for_packets(port->queue[0]);
			for (uint32_t k = 0; k < burst; k++)
				is_frame(got[k], sent[i + k], length[i + k]);
		}
	}
	end_port(buffers);
}

TEST(packets_cross_links)
{
	if (!has_xdp)
		skip();
	cross_a_link("af_xdp");
}

TEST(as_they_do_over_packet_sockets)
{
	cross_a_link("af_packet");
}

static struct rte_mbuf *packet_of(struct rte_mempool *pool, uint32_t length)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)length), frame, length);
	return m;
}

static void comes_out(uint32_t length)
{
	static uint8_t out[sizeof(frame)];

	assert_int_equal(recv(outer, out, sizeof(out), 0), length);
	assert_memory_equal(out, frame, length);
}

// Sends by the ring of the socket; the kernel says when it needs a wake-up, as with a driver that
// shares its memory.
TEST(sockets_send)
{
	static const uint32_t lengths[] = {60, 3007, 3008, 3009, 6016, 6017, FRAME_MAX};
	struct drb_send_result result = {0};
	struct drb_rng rng = drb_rng_seed(7, 14);
	struct rte_mempool *other;
	const char *step;
	struct drb_xsk x;

	if (!has_xdp)
		skip();
	assert_true(begin_port("d1", MTU, "none"));
	other = rte_pktmbuf_pool_create("other", 63, 0, 0, 10240, SOCKET_ID_ANY);
	assert_non_null(other);
	const uint32_t buffers = free_buffers();
	const struct drb_xsk_use use = {.interface = "inner",
					.lent = set.pool,
					.packets = set.pool,
					.frame_max = FRAME_MAX,
					.sockets = 4,
					.copy = true,
					.sends = true};
	assert_int_equal(drb_xsk_open(&x, &use, &step), 0);
	for (size_t i = 0; i < 4 * ARRAY_SIZE(lengths); i++) {
		uint32_t length = lengths[i / 4];
		draw_frame(&rng, length);
		struct rte_mbuf *m = packet_of(i % 4 == 3 ? other : set.pool, length);
		assert_int_equal(drb_xsk_send(&x, &m, 1, &result), 1);
		assert_int_equal(result.lost, 0);
		comes_out(length);
	}
	// Packets beyond the ring's size wait; only the one that is too long is lost.
	struct rte_mbuf *many[100];
	for (uint32_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = packet_of(set.pool, i == 5 ? FRAME_MAX + 1 : FRAME_MAX);
	uint32_t done = drb_xsk_send(&x, many, ARRAY_SIZE(many), &result);
	assert_in_range(done, 60, 70);
	assert_int_equal(result.lost, 1);
	assert_int_equal(result.lost_octets, FRAME_MAX + 1);
	for (uint32_t i = 1; i < done; i++)
		comes_out(FRAME_MAX);
	rte_pktmbuf_free_bulk(many + done, ARRAY_SIZE(many) - done);
	drb_xsk_close(&x);
	assert_int_equal(rte_mempool_avail_count(other), 63);
	end_port(buffers);
	rte_mempool_free(other);
}

#ifdef DRB_BPF
// A socket that got too few buffers takes each one that becomes free, although no frame arrives.
TEST(a_starved_socket_gets_buffers_later)
{
	static const uint32_t flags = 0;
	static uint64_t places[32];
	struct rte_mempool *lent = rte_pktmbuf_pool_create("lent", 31, 0, 0, 2048, SOCKET_ID_ANY);
	struct rte_mbuf *taken[31], *none[1];
	uint32_t index[4] = {0};
	struct drb_xsk x = {.fd = -1,
			    .fill = {.producer = &index[0],
				     .consumer = &index[1],
				     .flags = &flags,
				     .entry = places,
				     .size = 32},
			    .rx = {.producer = &index[2],
				   .consumer = &index[3],
				   .flags = &flags,
				   .entry = places,
				   .size = 32},
			    .pool = lent,
			    .packets = lent};

	assert_non_null(lent);
	x.memory = STAILQ_FIRST(&lent->mem_list)->addr;
	assert_int_equal(rte_pktmbuf_alloc_bulk(lent, taken, 31), 0);
	drb_xsk_fill(&x);
	for (uint32_t n = 0; n < 31; n++) {
		assert_int_equal(x.lent, n);
		assert_int_equal(index[0], n);
		rte_pktmbuf_free(taken[n]);
		assert_int_equal(drb_xsk_receive(&x, none, 1), 0);
		assert_ptr_equal(drb_xsk_buffer(&x, places[n]), taken[n]);
	}
	rte_mempool_free(lent);
}
#endif

// One line names the port, the obstacle, and the cure.
TEST(another_has_the_interface)
{
	struct drb_port_setup taken;
	const char *said, *step;
	struct drb_xsk x;

	if (!has_xdp)
		skip();
	struct rte_mempool *other =
		rte_pktmbuf_pool_create("other", 4095, 0, 0, 4096, SOCKET_ID_ANY);
	assert_non_null(other);
	const struct drb_xsk_use use = {.interface = "inner",
					.lent = other,
					.packets = other,
					.frame_max = 1522,
					.sockets = 4};
	assert_int_equal(drb_xsk_open(&x, &use, &step), 0);
	assert_false(begin_port("d0", 1500, "af_xdp"));
	said = drb_msg_last();
	assert_non_null(strstr(said, "port d0: cannot bind an AF_XDP socket at \"inner\": "));
	assert_non_null(strstr(said, "another socket has its queue"));
	drb_xsk_close(&x);
	rte_mempool_free(other);
	taken = setup.ports[0];
	// A foreign program.
	assert_int_equal(drb_steer_attach(&taken, &setup.addr, NULL, 0), 0);
	assert_false(begin_port("d0", 1500, "af_xdp"));
	said = drb_msg_last();
	assert_non_null(strstr(said, "port d0: cannot attach an XDP program to \"inner\": "));
	assert_non_null(strstr(said, "ip link set dev inner xdp off"));
	drb_steer_detach(&taken);
	assert_true(begin_port("d0", 1500, "af_xdp"));
	drb_ports_stop(&set);
}

// A queue of the interface "tap": frames written to it are received there. -1: not possible here.
static int open_tap(void)
{
	struct ifreq request = {.ifr_name = "tap",
				.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, TUNSETIFF, &request) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void is_written(const int tap[2], uint32_t length)
{
	static uint8_t out[sizeof(frame)];
	struct pollfd readable[2] = {{tap[0], POLLIN, 0}, {tap[1], POLLIN, 0}};

	assert_true(poll(readable, 2, WAIT_MS) > 0);
	assert_int_equal(read(tap[readable[0].revents ? 0 : 1], out, sizeof(out)), length);
	assert_memory_equal(out, frame, length);
}

// Any interface may be a port, with a worker for each of its queues.
TEST(workers_share_queues)
{
	const int tap[2] = {open_tap(), open_tap()};
	struct drb_rng rng = drb_rng_seed(7, 15);
	struct drb_send_result result;

	if (!has_xdp)
		skip();
	if (tap[0] < 0 || tap[1] < 0)
		skip();
	assert_int_equal(system("ip link set tap addrgenmode none && ip link set tap mtu 9000 up"),
			 0);
	for (uint32_t mtu = 1500; mtu <= MTU; mtu += MTU - 1500) {
		start_port((struct port_of){.workers = 2,
					    .mtu = mtu,
					    .buffers = 6000,
					    .driver = "af_xdp",
					    .interface = "tap"});
		const uint32_t buffers = free_buffers();
		assert_int_equal(port->rx_queues, 2);
		assert_int_equal(port->kind->mtu(port), MTU);
		for (uint32_t n = 0; n < 20; n++) {
			uint32_t length = n % 4 < 2 ? 60 : mtu + 14;
			struct drb_port_queue *q = port->queue[n % 2];
			draw_frame(&rng, length);
			assert_int_equal(write(tap[q->rx], frame, length), length);
			struct rte_mbuf *m = next_packet(q);
			assert_int_equal(m->data_len, length);
			assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), frame, length);
			assert_int_equal(drb_port_send(q, &m, 1, &result), 1);
			assert_int_equal(result.lost, 0);
			is_written(tap, length);
		}
		end_port(buffers - 2); // the last packet of each is in its ring
	}
	close(tap[0]);
	close(tap[1]);
}

int main(void)
{
	if (!make_veth() ||
	    system("ip link set inner mtu 65535 && ip link set outer mtu 65535") != 0) {
		printf("1..0 # SKIP there may be no veth pair here: %s\n", strerror(errno));
		return 0;
	}
	has_xdp = may_use_xdp();
	return test_all(setup_eal, free_eal);
}
