// SPDX-License-Identifier: BSD-3-Clause
// The events that wake a sleeping worker. Its sockets are polled one by one or, after a quiet
// second, as a set.
#include "fixtures/unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "switch/datapath/idle.h"
#include "switch/ports/port.h"

#define PORTS 3
#define SECOND UINT64_C(1000000000)

static struct drb_worker w;
static struct drb_port_queue queue[PORTS];
static int far[PORTS]; // the other ends of the ports' sockets
static const struct timespec long_time = {.tv_sec = 60}, no_time = {0};

static void connect_port(uint32_t i)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	far[i] = ends[1];
	if (queue[i].fd > 0) { // as ports do when their interface returns
		assert_true(dup2(ends[0], queue[i].fd) >= 0);
		close(ends[0]);
	} else {
		queue[i].fd = ends[0];
	}
}

static void begin(void)
{
	memset(&w, 0, sizeof(w));
	w.egress.ports = PORTS;
	w.owner = &w;
	w.egress.now_ns = 100 * SECOND;
	for (uint32_t i = 0; i < PORTS; i++) {
		queue[i] = (struct drb_port_queue){0};
		connect_port(i);
		w.port[i].queue = &queue[i];
		w.hello_io.port[i].fd = -1;
	}
	assert_int_equal(drb_idle_init(&w), 0);
	drb_idle_pause(&w); // quiet from now on
}

static void end(void)
{
	drb_idle_free(&w);
	for (uint32_t i = 0; i < PORTS; i++) {
		close(queue[i].fd);
		close(far[i]);
	}
}

static void packet_comes(uint32_t i)
{
	assert_int_equal(send(far[i], "p", 1, 0), 1);
}

static void packet_is_received(uint32_t i)
{
	char packet;

	assert_int_equal(recv(queue[i].fd, &packet, 1, 0), 1);
}

// A sleep without packets, a second later.
static void quiet_second(void)
{
	w.egress.now_ns += SECOND;
	drb_idle_wait(&w, &no_time);
}

// A missed wake-up would last a minute, and the test would fail by its time limit.
static void wakes_by_each_port(void)
{
	for (uint32_t i = 0; i < PORTS; i++) {
		packet_comes(i);
		drb_idle_wait(&w, &long_time);
		assert_int_equal(w.idle.woken_ns, w.egress.now_ns);
		packet_is_received(i);
	}
}

TEST(busy_ports_are_polled)
{
	begin();
	for (int turn = 0; turn < 100; turn++) {
		w.egress.now_ns += SECOND / 2;
		wakes_by_each_port();
		assert_false(w.idle.all_in_set);
	}
	end();
}

TEST(quiet_ports_are_in_the_set)
{
	begin();
	for (uint32_t i = 0; i < PORTS; i++) {
		quiet_second();
		assert_true(w.idle.all_in_set);
		packet_comes(i);
		drb_idle_wait(&w, &long_time);
		// This changes at the next sleep, so that the packet is not delayed.
		assert_true(w.idle.all_in_set);
		packet_is_received(i);
		drb_idle_wait(&w, &no_time);
		assert_false(w.idle.all_in_set);
	}
	wakes_by_each_port();
	end();
}

TEST(a_set_does_not_keep_a_socket_that_went)
{
	begin();
	quiet_second();
	assert_true(w.idle.all_in_set);
	drb_idle_pause(&w);
	for (uint32_t i = 0; i < PORTS; i++) {
		close(far[i]);
		connect_port(i);
	}
	wakes_by_each_port();
	quiet_second();
	assert_true(w.idle.all_in_set);
	packet_comes(PORTS - 1);
	drb_idle_wait(&w, &long_time);
	assert_int_equal(w.idle.woken_ns, w.egress.now_ns);
	end();
}

// Port 1 has a socket of hellos, ends[0], and ends[1] is its other end.
static void begin_with_hellos(int ends[2])
{
	begin();
	drb_idle_free(&w);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	w.hello_io.port[1].fd = ends[0];
	assert_int_equal(drb_idle_init(&w), 0);
}

static void end_with_hellos(const int ends[2])
{
	end();
	close(ends[0]);
	close(ends[1]);
}

// A hello wakes a forwarding worker by its own socket. A worker at rest reads the socket without
// being woken.
TEST(hellos_wake_who_forwards)
{
	int ends[2];

	begin_with_hellos(ends);
	assert_int_equal(send(ends[1], "h", 1, 0), 1);
	drb_idle_wait(&w, &long_time);
	assert_int_equal(w.hello_io.readable, 2);
	assert_true(w.idle.hellos_tell);
	w.hello_io.readable = 0;
	quiet_second();
	drb_idle_wait(&w, &no_time);
	assert_true(w.idle.all_in_set && !w.idle.hellos_tell);
	assert_int_equal(w.hello_io.readable, 0);
	w.idle.woken_ns = w.egress.now_ns; // a packet came, or too many hellos
	drb_idle_wait(&w, &long_time);
	assert_int_equal(w.hello_io.readable, 2);
	end_with_hellos(ends);
}

// An interface that was down leaves an error at its socket, which is not read: it wakes the worker
// only once.
TEST(an_error_of_hellos_wakes_once)
{
	const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
	int ends[2];

	begin_with_hellos(ends);
	assert_int_equal(send(ends[0], "lost", 4, 0), 4);
	assert_int_equal(connect(ends[1], &nobody, sizeof(nobody)), 0);
	drb_idle_wait(&w, &long_time);
	assert_int_equal(w.hello_io.readable, 2);
	w.hello_io.readable = 0;
	drb_idle_wait(&w, &no_time);
	assert_int_equal(w.hello_io.readable, 0);
	end_with_hellos(ends);
}

// The same at a port's own socket, polled or in the set: otherwise the worker would never sleep.
TEST(an_error_of_a_port_wakes_once)
{
	const struct sockaddr nobody = {.sa_family = AF_UNSPEC};

	begin();
	for (uint32_t i = 0; i < 2; i++) {
		if (i == 1)
			quiet_second();
		assert_int_equal(w.idle.all_in_set, i == 1);
		assert_int_equal(send(queue[i].fd, "lost", 4, 0), 4);
		assert_int_equal(connect(far[i], &nobody, sizeof(nobody)), 0);
		drb_idle_wait(&w, &long_time);
		const uint64_t woken_ns = w.idle.woken_ns;
		assert_int_equal(woken_ns, w.egress.now_ns);
		for (uint32_t turn = 0; turn < 3; turn++) {
			w.egress.now_ns++;
			drb_idle_wait(&w, &no_time);
		}
		assert_int_equal(w.idle.woken_ns, woken_ns);
	}
	end();
}

TEST_MAIN(NULL, NULL)
