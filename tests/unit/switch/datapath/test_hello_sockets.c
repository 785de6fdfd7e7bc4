// SPDX-License-Identifier: BSD-3-Clause
// Hellos arrive at separate sockets, and workers get copies of those with news. The tests check
// when worker 0 reads which socket. The sockets are real, and the test sets the time.
#include "fixtures/unit.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixtures/hello_switch.h"
#include "switch/datapath/capture.h"
#include "switch/ports/port_kind.h"

#define AT_ONCE 16 // most hellos read from a socket at a time

static struct drb_port_kind kind; // of the ports: of a virtual device, with sockets
static int here[PORTS], far[PORTS];
static uint32_t reads;
static bool others_lost; // hellos were dropped because the socket was full; reported with the next
			 // one that is read

static int fd_of(const struct drb_port *port)
{
	return here[port - port_set.port];
}

static bool read_hello(const struct drb_port *port, struct drb_hello_taken *hello)
{
	const ssize_t length =
		recv(fd_of(port), hello->octets, sizeof(hello->octets), MSG_DONTWAIT);

	reads++;
	hello->length = length > 0 ? (uint32_t)length : 0;
	hello->waited_ns = 0;
	hello->lost = others_lost && length >= 0;
	others_lost &= length < 0;
	return length >= 0;
}

static bool is_empty(const struct drb_port_queue *q)
{
	(void)q;
	return true;
}

static void begin_with_sockets(uint32_t workers)
{
	static const struct drb_hello_ops ops = {
		.fd = fd_of, .read = read_hello, .is_empty = is_empty};
	char more[40];

	kind = drb_vdev_port;
	kind.hello = &ops;
	for (uint32_t i = 0; i < PORTS; i++) {
		int ends[2];
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
		here[i] = ends[0];
		far[i] = ends[1];
		port_set.port[i].kind = &kind;
	}
	snprintf(more, sizeof(more), "process: {workers: %u}\n", workers);
	begin(2, 5, more);
	turn(1000);
	reads = 0;
}

static void end_with_sockets(void)
{
	end();
	for (uint32_t i = 0; i < PORTS; i++) {
		port_set.port[i].kind = &drb_vdev_port;
		close(here[i]);
		close(far[i]);
	}
}

static uint32_t encode(uint32_t port, uint8_t flags, uint8_t *frame)
{
	struct drb_hello h = neighbour_of(port);

	h.flags |= flags;
	return drb_hello_encode(&h, frame);
}

// The next hello of the neighbour arrives at the socket.
static void comes(uint32_t port)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];
	const uint32_t len = encode(port, 0, frame);

	assert_int_equal(send(far[port], frame, len, 0), len);
}

// Worker `by` gets a copy of the next hello, because it has news. in_socket: the socket has space
// for it.
static void news_come(struct drb_worker *by, uint32_t port, bool in_socket)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];
	const uint32_t len = encode(port, DRB_HELLO_DRAINED, frame);
	struct rte_mbuf *m = mbuf_of(frame, len);

	if (in_socket)
		assert_int_equal(send(far[port], frame, len, 0), len);
	by->egress.now_ns = w->egress.now_ns;
	drb_forward_burst(by, port, &m, 1);
}

static bool is_kicked(void)
{
	struct pollfd kick = {.fd = w->idle.kick_fd, .events = POLLIN};

	return poll(&kick, 1, 0) > 0;
}

// Another worker gets the copy of a hello with news. Worker 0 then reads the socket at once, even
// if it has just read it, and is awake for the next hellos.
TEST(news_by_another_worker)
{
	struct drb_worker *other = &all.worker[1];

	begin_with_sockets(2);
	comes(3);
	turn(1005);
	assert_int_equal(state_of(3), DRB_LINK_UP);
	assert_false(drb_hellos_waiting(w) || is_kicked());
	comes(3); // before the hellos with news
	for (uint32_t n = 0; n < 300; n++)
		news_come(other, 3, n < 3);
	assert_true(drb_hellos_waiting(w) && is_kicked());
	assert_true(rte_ring_empty(w->hello_io.ring)); // which is for hellos without a socket
	assert_int_equal(other->drop[DRB_DROP_hellos_waiting], 0);
	turn(1006);
	assert_int_equal(state_of(3), DRB_LINK_DRAINED_BY_NEIGHBOUR);
	assert_int_equal(w->idle.woken_ns, w->egress.now_ns);
	assert_false(drb_hellos_waiting(w));
	nothing_counted();
	end_with_sockets();
}

// If a neighbour sends news endlessly, the switch reads only the socket of that port more often,
// and only AT_ONCE hellos in a turn.
TEST(news_without_end)
{
	begin_with_sockets(1);
	for (uint32_t n = 0; n < 2 * AT_ONCE; n++)
		news_come(w, 2, true);
	turn(1001);
	assert_int_equal(reads, AT_ONCE);
	assert_int_equal(state_of(2), DRB_LINK_DRAINED_BY_NEIGHBOUR);
	news_come(w, 2, true);
	turn(1002);
	assert_int_equal(reads, 2 * AT_ONCE);
	turn(1003);
	assert_int_equal(reads, 2 * AT_ONCE);
	turn(1005);
	assert_int_equal(reads, 2 * AT_ONCE + PORTS + 1); // one hello was left
	end_with_sockets();
}

// While workers do not report hellos, a socket is read before its neighbour counts as dead.
TEST(nobody_dies_unread)
{
	begin_with_sockets(1);
	w->idle.hellos_tell = false;
	for (uint32_t i = 0; i < PORTS; i++)
		comes(i);
	for (uint64_t ms = 1005; ms <= 1305; ms += 5)
		turn(ms);
	turn(1322);
	for (uint32_t i = 0; i < 3; i++)
		comes(i);
	assert_int_equal(w->liveness.due_ns, 1325 * MS + 1);
	assert_true(w->hello_io.look_ns > 1326 * MS);
	turn(1326);
	for (uint32_t i = 0; i < PORTS; i++)
		assert_int_equal(state_of(i), i < 3 ? DRB_LINK_UP : DRB_LINK_DOWN);
	end_with_sockets();
}

// If fewer packets arrived than the neighbour has sent, the link lost the others, unless this
// switch did.
TEST(what_a_socket_loses_is_no_loss_of_the_link)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];

	for (int ours = 0; ours < 2; ours++) {
		begin_with_sockets(1);
		for (uint32_t n = 1; n < 20; n++) {
			struct drb_hello h = neighbour_of(3);
			h.sent = n < 10 ? n : n + 5;
			const uint32_t len = drb_hello_encode(&h, frame);
			assert_int_equal(send(far[3], frame, len, 0), len);
			others_lost = ours && n == 10;
			w->port[3].queue->kind = &kind;
			turn(1000 + 100 * n);
		}
		const struct drb_link_loss *loss = &w->liveness.port[3].link.loss;
		assert_true(loss->counts && drb_loss_is_suspect(loss) == !ours);
		end_with_sockets();
	}
}

static unsigned interface_of(const struct drb_port *port)
{
	(void)port;
	return 1;
}

// The number of hellos that ports send individually in the next turn.
static uint32_t sent_apart(uint64_t ms)
{
	struct drb_hello last;
	uint32_t frames = 0;

	turn(ms);
	for (uint32_t i = 0; i < PORTS; i++)
		frames += empty(i, &last);
	return frames;
}

// The common socket is not drained: once it is full, each port sends its own hellos, for a minute.
// While there is a capture, each port does, too: the capture sees what ports send.
TEST(a_full_socket_silences_nobody)
{
	static const struct drb_hello_ops together = {
		.fd = fd_of, .read = read_hello, .interface = interface_of, .is_empty = is_empty};
	static struct drb_capture_ring ring;
	struct drb_capture capture = {.ring = &ring, .ports = 1, .snap = 64};
	uint8_t frame[DRB_HELLO_LEN_MAX];
	uint64_t ms = 2000;
	int ends[2];

	begin_with_sockets(1);
	sent_apart(ms);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	kind.hello = &together;
	w->hello_io.out_fd = ends[0];
	do
		assert_true((ms += 100) < 200000);
	while (sent_apart(ms) == 0);
	for (uint64_t end = ms + 59800; ms < end;)
		assert_int_equal(sent_apart(ms += 100), PORTS);
	while (recv(ends[1], frame, sizeof(frame), 0) > 0)
		;
	assert_int_equal(sent_apart(ms += 100), 0);
	for (uint32_t i = 0; i < PORTS; i++)
		assert_true(recv(ends[1], frame, sizeof(frame), 0) >= DRB_HELLO_LEN_MIN);
	w->capture = &capture;
	assert_int_equal(sent_apart(ms += 100), PORTS);
	assert_int_equal(atomic_load(&ring.matched[0]), 1);
	w->capture = NULL;
	assert_int_equal(sent_apart(ms += 100), 0);
	end_with_sockets();
	close(ends[1]);
}

TEST_MAIN(setup_rings, free_eal)
