// SPDX-License-Identifier: BSD-3-Clause
// Interfaces of packet-socket ports are deleted and made again many times, with one worker and with
// several. Frames pass in both directions as before, by the same descriptors, and nothing leaks.
#include "fixtures/unit.h"

#include <net/if.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define EAL_LCORES "(0-1)@0"
#include "fixtures/packet_port.h"
#include "core/links/hello.h"
#include "core/packet/wire.h"
#include "switch/ports/packet_socket/tx_socket.h"

#define FLOWS 32
#define HELLO 100 // octets

static uint32_t changes; // changes that workers made

// Returns the number of mappings of sockets.
static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int count = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "socket:") != NULL;
	fclose(maps);
	return count;
}

static bool stuck;                // a worker is
static int outcome;               // result that bound() received
static int while_it_waits;        // descriptors that were open in post()
static bool in_work;              // within run()
static struct drb_change *posted; // waits while gets_stuck, to be made later

static void make_change(struct drb_change *c)
{
	for (uint32_t n = 0; n < port->workers; n++)
		c->make(NULL, n, c->context);
	changes++;
	// No socket may be closed yet. The kernel takes 15 ms or more for that, and packets wait.
	assert_int_equal(descriptors(), while_it_waits);
	c->done(c->context, 0);
}

static bool gets_stuck; // a worker gets stuck after a change was posted

static void post(void *unused, struct drb_change *c)
{
	(void)unused;
	assert_true(c->sockets);
	while_it_waits = descriptors();
	if (stuck)
		c->done(c->context, -ETIMEDOUT);
	else if (gets_stuck)
		posted = c;
	else
		make_change(c);
}

static void bound(void *unused, struct drb_port *of, int rc)
{
	(void)unused;
	assert_ptr_equal(of, port);
	outcome = rc;
}

static int open_socket(void)
{
	assert_true(in_work);
	return drb_packet_socket();
}

static void run(void *unused, void (*work)(void *task), void (*done)(void *task), void *task)
{
	(void)unused;
	in_work = true;
	work(task);
	in_work = false;
	done(task);
}

static const struct drb_port_users users = {NULL, post, bound, open_socket, run};

// Rebinds the port, and returns the result.
static int rebind(void)
{
	outcome = -EINPROGRESS;
	const int rc = port->kind->interface->rebind(port);
	return rc == -EINPROGRESS ? outcome : rc;
}

static void make_again(void)
{
	close(outer);
	assert_true(make_pair());
}

static void hello_comes_in(void)
{
	uint8_t hello[HELLO] = {1, [12] = DRB_ETHERTYPE_HELLO >> 8, DRB_ETHERTYPE_HELLO & 0xff};

	hello[drb_hello_flags_at] = DRB_HELLO_HEARS;
	assert_int_equal(send(outer, hello, sizeof(hello), 0), sizeof(hello));
}

// Takes one hello from the socket for hellos. passes_frames() asserts that rings receive none.
static void takes_hello(void)
{
	struct pollfd fd = {.fd = port->kind->hello->fd(port), .events = POLLIN};
	struct drb_hello_taken got;

	assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
	assert_true(port->kind->hello->read(port, &got));
	assert_int_equal(got.length, HELLO);
	assert_int_equal(got.octets[12] << 8 | got.octets[13], DRB_ETHERTYPE_HELLO);
	assert_false(port->kind->hello->read(port, &got));
}

// Receives a hello, and a frame of each flow by any worker. Then each worker sends a frame.
static void passes_frames(void)
{
	uint8_t frame[60] = {2, [12] = 8, [14] = 0x45, [17] = 46, [23] = 17, [39] = 26}, got[128];
	struct pollfd fds[DRB_WORKERS_MAX];
	struct drb_send_result result;
	struct rte_mbuf *m;
	uint32_t seen = 0;

	if (port->kind->hello->fd(port) >= 0) {
		assert_int_equal(port->kind->hello->interface(port), if_nametoindex("inner"));
		hello_comes_in();
	}
	memcpy(frame + 26, (const uint8_t[]){10, 0, 0, 1, 10, 0, 0, 2}, 8);
	for (uint8_t f = 0; f < FLOWS; f++) {
		frame[35] = f;
		assert_int_equal(send(outer, frame, sizeof(frame), 0), sizeof(frame));
	}
	for (uint32_t n = 0; n < port->workers; n++)
		fds[n] = (struct pollfd){.fd = port->queue[n]->fd, .events = POLLIN};
	while (seen < FLOWS) {
		assert_true(poll(fds, port->workers, WAIT_MS) > 0);
		for (uint32_t n = 0; n < port->workers; n++) {
			while (drb_port_receive(port->queue[n], &m, 1) == 1) {
				assert_int_equal(m->pkt_len, sizeof(frame));
				rte_pktmbuf_free(m);
				seen++;
			}
			if (fds[n].revents & POLLERR)
				getsockopt(fds[n].fd, SOL_SOCKET, SO_ERROR, got,
					   &(socklen_t){sizeof(int)});
		}
	}
	assert_int_equal(seen, FLOWS);
	if (port->kind->hello->fd(port) >= 0)
		takes_hello();
	for (uint32_t n = 0; n < port->workers; n++) {
		ssize_t length = -1;
		while (drb_port_receive(port->queue[n], &m, 1) == 1) {
			assert_int_not_equal(m->pkt_len, HELLO);
			rte_pktmbuf_free(m);
		}
		// The kernel drops packets until it sees the carrier of the new interface, which
		// takes up to a second. It may send packets of its own then.
		for (uint32_t ms = 0; length != sizeof(frame) && ms < WAIT_MS; ms += 10) {
			struct pollfd readable = {.fd = outer, .events = POLLIN};
			m = mbuf_of(frame, sizeof(frame));
			assert_int_equal(drb_port_send(port->queue[n], &m, 1, &result), 1);
			poll(&readable, 1, 10);
			length = recv(outer, got, sizeof(got), 0);
		}
		assert_int_equal(length, sizeof(frame));
		assert_memory_equal(got, frame, sizeof(frame));
	}
}

static void lose_and_take_again(const char *name, uint32_t workers)
{
	start_port((struct port_of){.workers = workers, .name = name, .users = &users});
	const int before = descriptors(), mapped = mappings();
	passes_frames();
	for (uint32_t round = 0; round < 5; round++) {
		assert_true(port->kind->interface->is_bound(port));
		assert_int_equal(system("ip link del inner"), 0);
		assert_false(port->kind->interface->is_bound(port));
		assert_false(port->kind->carrier(port));
		assert_string_equal(drb_port_state(port), "gone");
		assert_int_equal(rebind(), -ENODEV);
		make_again();
		// A new interface of the same name does not belong to the port yet.
		assert_false(port->kind->interface->is_bound(port));
		assert_false(port->kind->carrier(port));
		assert_int_equal(rebind(), 0);
		assert_int_equal(changes, workers > 1);
		changes = 0;
		assert_true(port->kind->interface->is_bound(port));
		passes_frames();
	}
	assert_int_equal(descriptors(), before);
	assert_int_equal(mappings(), mapped);
	stop_port();
}

TEST(one_worker)
{
	lose_and_take_again("d0", 1);
}

TEST(two_workers)
{
	lose_and_take_again("d0", 2);
}

TEST(hellos_of_one_worker)
{
	lose_and_take_again("u0", 1);
}

TEST(hellos_of_two_workers)
{
	lose_and_take_again("u0", 2);
}

// A port stays unbound, without a leak, while a worker is stuck. Afterwards it binds to the new
// interface.
TEST(stuck_worker)
{
	start_port((struct port_of){.workers = 2, .users = &users});
	const int before = descriptors(), mapped = mappings();
	assert_int_equal(system("ip link del inner"), 0);
	make_again();
	stuck = true;
	assert_int_equal(rebind(), -ETIMEDOUT);
	stuck = false;
	assert_false(port->kind->interface->is_bound(port));
	assert_int_equal(descriptors(), before);
	assert_int_equal(mappings(), mapped);
	assert_int_equal(rebind(), 0);
	passes_frames();
	stop_port();
}

static ino_t first_socket(void)
{
	struct stat st;

	assert_int_equal(fstat(port->queue[0]->fd, &st), 0);
	return st.st_ino;
}

// Whichever step of a rebind fails, nothing is changed, and the next try begins anew.
TEST(too_few_descriptors)
{
	struct rlimit limit, few;
	uint32_t failed = 0;

	start_port((struct port_of){.workers = 2, .name = "u0", .users = &users});
	const int before = descriptors(), mapped = mappings();
	assert_int_equal(system("ip link del inner"), 0);
	make_again();
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	for (int rc = -1; rc < 0; failed += rc < 0) {
		const ino_t socket = first_socket();
		few.rlim_cur = 3 + failed;
		setrlimit(RLIMIT_NOFILE, &few);
		rc = rebind();
		setrlimit(RLIMIT_NOFILE, &limit);
		assert_int_equal(descriptors(), before);
		assert_int_equal(mappings(), mapped);
		assert_int_equal(port->kind->interface->is_bound(port), rc == 0);
		assert_int_equal(first_socket() == socket, rc < 0);
	}
	assert_true(failed > 5); // two sockets of each worker, and a spare
	changes = 0;
	passes_frames();
	stop_port();
}

// A worker may get stuck between the post of a change and making it. Once it makes the change, the
// port is bound to its interface.
TEST(worker_gets_stuck)
{
	start_port((struct port_of){.workers = 2, .name = "u0", .users = &users});
	assert_int_equal(system("ip link del inner"), 0);
	make_again();
	gets_stuck = true;
	assert_int_equal(rebind(), -EINPROGRESS);
	gets_stuck = false;
	assert_non_null(posted);
	make_change(posted);
	assert_int_equal(outcome, 0);
	assert_true(port->kind->interface->is_bound(port));
	passes_frames();
	stop_port();
}

// An interface that moves to another namespace and back may keep its index.
TEST(moved_away_and_back)
{
	start_port((struct port_of){.users = &users});
	passes_frames();
	if (system("ip netns add rebind-away 2>/dev/null") != 0) {
		stop_port();
		skip();
	}
	assert_int_equal(
		system("ip link set inner netns rebind-away && "
		       "ip -n rebind-away link set inner netns $$ && "
		       "ip link set inner addrgenmode none up; ip netns delete rebind-away"),
		0);
	assert_false(port->kind->interface->is_bound(port));
	assert_int_equal(rebind(), 0);
	passes_frames();
	stop_port();
}

TEST_MAIN_VETH(setup_eal, free_eal)
