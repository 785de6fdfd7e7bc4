// SPDX-License-Identifier: BSD-3-Clause
// The doorbell of memif links: learned from what the control channel says, rung once for whoever
// sleeps, never missed.
#include "fixtures/unit.h"

#include <pthread.h>
#include <signal.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/memif_channel.h"
#include "switch/datapath/idle.h"

// How many events the epoll set has now.
static int events_of(int epoll_fd)
{
	struct epoll_event events[4];

	return epoll_wait(epoll_fd, events, 4, 0);
}

TEST_WITH(learned_from_the_channel, begin, end)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	uint64_t one = 1;

	assert_int_equal(drb_memif_link_watch(link_, 0, epoll_fd), 0);
	connect_client();
	// A client sends by the ring that is from the client. The other one is empty when all its
	// buffers wait for packets.
	assert_int_equal(link_->tx[0].empty, 0);
	assert_int_equal(link_->rx[0].empty, 1024);
	ring[0]->head = 11;
	ring[1]->head = 12;
	assert_int_equal(link_->tx[0].ring->head, 11);
	assert_int_equal(link_->rx[0].ring->head, 12);
	assert_null(link_->rx[1].ring);
	// The peer rings.
	assert_int_equal(events_of(epoll_fd), 0);
	assert_int_equal(write(bell[1], &one, sizeof(one)), sizeof(one));
	assert_int_equal(events_of(epoll_fd), 1);
	assert_int_equal(events_of(epoll_fd), 0);
	assert_int_equal(write(bell[1], &one, sizeof(one)), sizeof(one));
	assert_int_equal(events_of(epoll_fd), 1);
	// Down: nothing rings here, even if the peer goes on.
	assert_true(connected);
	drb_memif_talk_over(link_, &talk);
	assert_false(connected);
	assert_null(link_->rx[0].ring);
	assert_null(link_->tx[0].ring);
	assert_int_equal(write(bell[1], &one, sizeof(one)), sizeof(one));
	assert_int_equal(events_of(epoll_fd), 0);
	// And up again.
	connect_client();
	assert_int_equal(write(bell[1], &one, sizeof(one)), sizeof(one));
	assert_int_equal(events_of(epoll_fd), 1);
	drb_memif_link_watch(link_, 0, -1);
	close(epoll_fd);
}

// What was sent and not taken, also when the counters of the ring wrap, and whatever the peer writes.
TEST_WITH(holds_what_was_not_taken, begin, end)
{
	assert_int_equal(drb_doorbell_packets(&link_->tx[0]), 0); // no link
	connect_client();
	for (uint32_t sent = 0; sent < 140000; sent += 7) {
		uint32_t taken = sent - (sent % 1000 < sent ? sent % 1000 : 0);
		// From the client the sender moves the head; the other way the client lends 1024
		// buffers, of which the sender fills some.
		ring[0]->head = (uint16_t)sent;
		ring[0]->tail = (uint16_t)taken;
		ring[1]->head = (uint16_t)(taken + 1024);
		ring[1]->tail = (uint16_t)sent;
		assert_int_equal(drb_doorbell_packets(&link_->tx[0]), sent - taken);
		assert_int_equal(drb_doorbell_packets(&link_->rx[0]), sent - taken);
		assert_int_equal(drb_doorbell_silent(&link_->rx[0]), sent == taken);
	}
	ring[0]->head = (uint16_t)(ring[0]->tail - 1);
	assert_int_equal(drb_doorbell_packets(&link_->tx[0]), 1024);
}

// The other end's first message, with this name.
static void hear_name(int type, const char *name)
{
	char text[MESSAGE] = {(char)type};

	strncpy(text + (type == HELLO ? HELLO_NAME : INIT_NAME), name, DRB_MEMIF_NAME_LEN);
	assert_int_equal(hear_text(text, -1), MESSAGE);
}

// What the other end takes is what its name says, if that is one of ours, from the time on that the link is up.
TEST_WITH(names_tell_what_is_taken, begin, end)
{
	static const struct {
		int type;
		const char *name;
		bool takes;
	} said[] = {
		{HELLO, "drbswitch +u", true},
		{INIT, "drbswitch +u", true},
		{HELLO, "drbswitch +?u~", true}, // a later one's
		{HELLO, "drbswitch +", false},
		{HELLO, "drbswitch +x", false},
		{HELLO, "DPDK 22.11.11", false},
		{HELLO, "drbswitch 0.1 u", false},
		{INIT, "", false},
		{INIT, "drbswitch +0123456789012345678901u", false}, // behind the name
	};

	for (size_t i = 0; i < ARRAY_SIZE(said); i++) {
		link_->server = said[i].type == INIT;
		hear_name(said[i].type, said[i].name);
		assert_false(drb_memif_takes(&link_->tx[0], DRB_MEMIF_TAKES_UNFINISHED));
		if (link_->server)
			assert_int_equal(hear(CONNECT), MESSAGE);
		else
			connect_client();
		if (drb_memif_takes(&link_->tx[0], DRB_MEMIF_TAKES_UNFINISHED) != said[i].takes)
			fail_msg("\"%s\" is taken for what it is not", said[i].name);
		drb_memif_talk_over(link_, &talk);
		assert_false(drb_memif_takes(&link_->tx[0], DRB_MEMIF_TAKES_UNFINISHED));
	}
}

// Where the driver puts its name, in whichever message is this end's first, ours stands.
TEST_WITH(ours_is_told, begin, end)
{
	char text[MESSAGE];

	assert_int_equal(say(HELLO, -1, 0x4141, 0x4141, 0x4141, 0), MESSAGE);
	assert_int_equal(read(pair[1], text, sizeof(text)), MESSAGE);
	assert_string_equal(text + HELLO_NAME, "drbswitch +u");
	assert_int_equal(say(INIT, -1, 0x4141, 0x4141, 0x4141, 0), MESSAGE);
	assert_int_equal(read(pair[1], text, sizeof(text)), MESSAGE);
	assert_string_equal(text + INIT_NAME, "drbswitch +u");
	assert_int_equal(text[2], 0x41);
}

TEST_WITH(server_has_the_other_ends, begin, end)
{
	link_->server = true;
	assert_int_equal(hear(INIT), MESSAGE);
	assert_int_equal(say_region(region), MESSAGE);
	assert_int_equal(say_ring(true, bell[0], 0, 0), MESSAGE);
	assert_int_equal(hear(CONNECTED), -1); // is for clients
	assert_null(link_->owner);
	assert_int_equal(hear(CONNECT), MESSAGE);
	assert_non_null(link_->rx[0].ring);
	assert_null(link_->tx[0].ring);
	assert_null(link_->rx[1].ring);
}

TEST_WITH(another_channel_changes_nothing, begin, end)
{
	struct drb_memif_talk other = {.stage = DRB_MEMIF_GREETED};
	const uint16_t joined[MESSAGE / 2] = {CONNECTED};
	char text[MESSAGE];
	struct iovec part = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	connect_client();
	const struct drb_memif_ring *before = link_->rx[0].ring;
	assert_int_equal(write(pair[1], joined, sizeof(joined)), MESSAGE);
	drb_memif_listen(link_, &other);
	assert_int_equal(recvmsg(pair[0], &msg, 0), MESSAGE);
	drb_memif_talk_over(link_, &other);
	assert_true(connected);
	assert_ptr_equal(link_->rx[0].ring, before);
	assert_non_null(link_->tx[0].ring);
}

// Who has gone is not told by sending: DPDK's server would not survive it.
TEST_WITH(gone_is_read, begin, end)
{
	char text[MESSAGE];

	close(pair[1]);
	assert_int_equal(say(CONNECT, -1, 0, 0, 0, 0), MESSAGE);
	assert_int_equal(read(pair[0], text, sizeof(text)), 0);
	drb_memif_listen(NULL, NULL); // others are told
	assert_int_equal(say(CONNECT, -1, 0, 0, 0, 0), -1);
	assert_int_equal(errno, EPIPE);
	pair[1] = dup(pair[0]);
}

TEST_WITH(bad_rings_are_refused, begin, end)
{
	assert_int_equal(say_ring(true, bell[0], 0, 0), -1); // of a region not named
	assert_int_equal(errno, EPROTO);
	assert_non_null(strstr(drb_msg_last(), "port u0: there is no memif link: "));
	assert_int_equal(say_region(-1), -1);
	assert_int_equal(say_region(bell[0]), -1); // no memory
	assert_int_equal(say(REGION, region, DRB_MEMIF_REGIONS, 0, 1, 0), -1);
	assert_int_equal(say(REGION, region, 1, 0, 1, 0), -1);
	assert_int_equal(say_region(region), MESSAGE);
	assert_int_equal(say_region(region), -1); // twice
	assert_int_equal(say_ring(true, -1, 0, 0), -1);
	assert_int_equal(say_ring(true, bell[0], 1, 0), -1); // before the first one
	assert_int_equal(say_ring(true, bell[0], 2, 0), -1); // of no worker
	assert_int_equal(say_ring(true, bell[0], 0, 65536), -1);
	assert_int_equal(say_ring(true, bell[0], 0, 65536 - 64), -1);
	assert_int_equal(say_ring(true, bell[0], 0, 65536 - RING_AT + 64),
			 -1); // its end is outside
	assert_int_equal(say_ring(true, bell[0], 0, UINT32_MAX - 63), -1);
	assert_int_equal(say_ring(true, bell[0], 0, 32), -1);
	assert_int_equal(say_ring(true, bell[0], 0, 4096), -1); // no ring there
	assert_int_equal(say_ring(true, bell[0], 0, 0), MESSAGE);
	assert_int_equal(say_ring(true, bell[0], 0, 0), -1); // twice
}

TEST_WITH(rings_once_for_who_asks, begin, end)
{
	uint64_t count;

	connect_client();
	struct drb_doorbell *b = &link_->tx[0];
	drb_doorbell_ring(b);
	assert_int_equal(read(bell[0], &count, sizeof(count)), -1); // it is awake
	ring[0]->flags = 0;
	drb_doorbell_ring(b);
	assert_int_equal(ring[0]->flags, DRB_MEMIF_AWAKE); // it has been asked for once
	drb_doorbell_ring(b);
	assert_int_equal(read(bell[0], &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	// It fell asleep again.
	ring[0]->flags = 0;
	drb_doorbell_ring(b);
	assert_int_equal(read(bell[0], &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
}

#define ROUNDS 200000
#define ROUNDS_MIN 500 // however slow the machine is
#define ROUNDS_S 3
#define LOST_MS 30000

static struct drb_worker sleeper;
static struct {
	atomic_uint seen; // packets
	atomic_bool done, lost;
	uint32_t slept; // times
} race;

// As drb_worker_run(): looks, asks, sleeps.
static void *sleep_and_look(void *unused)
{
	struct epoll_event event;

	(void)unused;
	while (!atomic_load(&race.done)) {
		uint16_t head = atomic_load_explicit(&ring[1]->head, memory_order_acquire);
		if (head != ring[1]->tail) {
			atomic_store_explicit(&ring[1]->tail, head, memory_order_relaxed);
			atomic_fetch_add_explicit(&race.seen, 1, memory_order_release);
			// So that the next packet comes before, while and after it asks.
			for (volatile uint32_t pause = 0; pause < head * 7u % 512; pause++)
				;
			continue;
		}
		if (!drb_idle_arm(&sleeper))
			continue;
		race.slept++;
		if (epoll_wait(sleeper.epoll_fd, &event, 1, LOST_MS) == 0)
			atomic_store(&race.lost, true);
		drb_idle_disarm(&sleeper);
		if (atomic_load(&race.lost))
			break;
	}
	return NULL;
}

static bool time_is_up(time_t began, uint32_t round)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return round >= ROUNDS_MIN && now.tv_sec - began >= ROUNDS_S;
}

// Each packet is sent when the one before was seen, while the sleeper is on its way to sleep: had
// it missed one, it would sleep for ever.
TEST_WITH(no_wake_up_is_lost, begin, end)
{
	struct drb_memif_port own = {.link = link_};
	struct drb_port port = {.kind = &drb_memif_port, .own = &own};
	struct drb_port_queue queue = {
		.kind = &drb_memif_port, .port = &port, .doorbell = true, .fd = -1};
	struct drb_doorbell sender;
	struct timespec began;
	pthread_t thread;
	uint32_t round;

	connect_client();
	sleeper.ports = 1;
	sleeper.port[0].queue = &queue;
	sleeper.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	assert_int_equal(drb_memif_link_watch(link_, 0, sleeper.epoll_fd), 0);
	link_->rx[0].empty = 0;
	sender = (struct drb_doorbell){.ring = ring[1], .fd = bell[1]};
	assert_int_equal(pthread_create(&thread, NULL, sleep_and_look, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (round = 1; round <= ROUNDS && !time_is_up(began.tv_sec, round); round++) {
		atomic_store_explicit(&ring[1]->head, (uint16_t)round, memory_order_release);
		drb_doorbell_ring(&sender);
		for (uint32_t looks = 0;
		     atomic_load_explicit(&race.seen, memory_order_acquire) < round &&
		     !atomic_load(&race.lost);
		     looks++) {
			if (looks > 10000)
				sched_yield();
		}
		if (atomic_load(&race.lost))
			break;
		for (volatile uint32_t pause = 0; pause < round % 128; pause++)
			;
	}
	atomic_store(&race.done, true);
	uint64_t one = 1;
	assert_int_equal(write(bell[1], &one, sizeof(one)), sizeof(one));
	pthread_join(thread, NULL);
	drb_memif_link_watch(link_, 0, -1);
	close(sleeper.epoll_fd);
	assert_false(atomic_load(&race.lost));
	print_message("# %u packets, asleep %u times\n", round - 1, race.slept);
	assert_true(race.slept > 0);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	return test_all(NULL, NULL);
}
