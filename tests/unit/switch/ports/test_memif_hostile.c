// SPDX-License-Identifier: BSD-3-Clause
// A memif neighbour passes descriptors, sizes and messages that are meant to do harm.
#include "fixtures/unit.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <linux/memfd.h>

#include "fixtures/memif_channel.h"
#include "common/cli/passing.h"
#include "switch/ports/memif/memif_port.h"

#define PAGE 4096u
#define HUGE_PAGE (2u << 20)
#define MEMORY (16u * PAGE)

static int begin_greeted(void **state)
{
	return begin_server(state) == 0 && !hear_init() ? 0 : -1;
}

static void begin_again(void)
{
	end_channel(NULL);
	assert_int_equal(begin_greeted(NULL), 0);
}

// Asserts that memory is refused for this reason, and that nothing is left of it.
static void refuses(uint64_t size, int fd, const char *why)
{
	const int before = next_fd();
	const char *said = hear_region(0, size, fd);

	assert_non_null(said);
	assert_int_equal(channel.memory.count, 0);
	assert_int_equal(next_fd(), before);
	if (!strstr(said, why))
		fail_msg("\"%s\" does not say \"%s\"", said, why);
	if (fd >= 0)
		close(fd);
}

// Memory that could end this process is refused: its owner may still cut it, or it is shorter than
// the owner says.
TEST_WITH(memory_that_may_go_is_refused, begin_greeted, end_channel)
{
	const uint64_t size = HUGE_PAGE;

	refuses(size, memory_of(size, 0, 0), "sealed");
	refuses(size, memory_of(size, MFD_HUGETLB | MFD_HUGE_2MB, F_SEAL_SHRINK), "sealed");
	refuses(size, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "sealed");
	refuses(size, eventfd(0, EFD_CLOEXEC), "sealed");
	refuses(size, -1, "sealed");
	refuses(size, memory_of(size, 0, F_SEAL_SHRINK | F_SEAL_WRITE), "written");
	for (int shift = 0; shift < 64; shift++) {
		if (UINT64_C(1) << shift != size)
			refuses(UINT64_C(1) << shift, memory_of(size, 0, F_SEAL_SHRINK), "as long");
	}
	refuses(0, memory_of(0, 0, F_SEAL_SHRINK), "as long");
	refuses(UINT64_MAX, memory_of(size, 0, F_SEAL_SHRINK), "as long");
}

// A peer may give no more memory than the rings of this link can need, in one region or in many.
// Holes that its owner punches later do no harm.
TEST_WITH(memory_is_bounded, begin_greeted, end_channel)
{
	const uint64_t most = drb_memif_memory_most(QUEUES), each = 1024 * (16 + 2048) + 128;
	int all = memory_of(most, 0, F_SEAL_SHRINK), page = memory_of(1, 0, F_SEAL_SHRINK);
	uint16_t count;

	assert_in_range(most, 4 * each, 4 * (each + 2 * PAGE));
	refuses(most + 1, memory_of(most + 1, 0, F_SEAL_SHRINK), "more memory");
	refuses(UINT64_C(1) << 40, memory_of(UINT64_C(1) << 40, 0, F_SEAL_SHRINK), "more memory");
	assert_null(hear_region(0, most, all));
	assert_non_null(hear_region(1, 1, page));
	volatile uint8_t *octet = channel.memory.region[0].at;
	*octet = 1;
	assert_int_equal(fallocate(all, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), 0);
	assert_int_equal(*octet, 0);
	begin_again();
	// A region of one byte takes a page. The number of regions is limited to DRB_MEMIF_REGIONS.
	for (count = 0; !hear_region(count, 1, page); count++)
		;
	assert_int_equal(count, DRB_MEMIF_REGIONS);
	begin_again();
	assert_non_null(hear_region(DRB_MEMIF_REGIONS, 1, page));
	assert_non_null(hear_region(1, 1, page));
	close(all);
	close(page);
}

// A ring is refused if it is not whole and within its region, or lacks the cookie of a ring.
TEST_WITH(bad_rings_are_refused, begin_greeted, end_channel)
{
	int memory = memory_of(MEMORY, 0, F_SEAL_SHRINK), bell = eventfd(0, EFD_CLOEXEC);
	const uint32_t cookie = DRB_MEMIF_COOKIE;
	struct drb_memif_message m = {.type = DRB_MEMIF_RING};

	assert_non_null(hear_ring(true, 0, 0, bell)); // of a region not named
	assert_null(hear_region(0, MEMORY, memory));
	for (uint32_t at = 0; at < MEMORY; at += 64)
		assert_int_equal(pwrite(memory, &cookie, sizeof(cookie), at), sizeof(cookie));
	assert_int_equal(pwrite(memory, "none", 4, PAGE), 4);
	assert_non_null(hear_ring(true, 0, 0, -1));
	assert_non_null(hear_ring(true, 1, 0, bell));      // before the first one
	assert_non_null(hear_ring(true, QUEUES, 0, bell)); // of no worker
	assert_non_null(hear_ring(true, UINT16_MAX, 0, bell));
	assert_non_null(hear_ring(true, 0, MEMORY, bell));
	assert_non_null(hear_ring(true, 0, MEMORY - 64, bell));
	assert_non_null(hear_ring(true, 0, MEMORY - RING_OCTETS + 64, bell)); // its end is outside
	assert_non_null(hear_ring(true, 0, UINT32_MAX - 63, bell));
	assert_non_null(hear_ring(true, 0, 32, bell));
	assert_non_null(hear_ring(true, 0, PAGE, bell)); // no ring there
	for (uint32_t log2_size = DRB_MEMIF_LOG2_RING + 1; log2_size < 256; log2_size++) {
		m.ring.log2_size = (uint8_t)log2_size;
		assert_non_null(hear(&m, bell));
	}
	assert_null(hear_ring(true, 0, 0, bell));
	assert_non_null(hear_ring(true, 0, 0, bell));                // twice
	assert_null(hear_ring(true, 1, MEMORY - RING_OCTETS, bell)); // up to the last octet
	assert_non_null(hear_type(DRB_MEMIF_CONNECT));               // no ring to send to
	assert_null(hear_ring(false, 0, RING_OCTETS, bell));
	assert_null(hear_type(DRB_MEMIF_CONNECT));
	assert_int_equal(answer.message.type, DRB_MEMIF_CONNECTED);
	for (int type = 0; type < 12; type++) // no message may follow
		assert_non_null(hear_type((enum drb_memif_type)type));
	close(memory);
	close(bell);
}

TEST_WITH(channels_that_end_early_leave_nothing, begin_greeted, end_channel)
{
	int memory = memory_of(MEMORY, 0, F_SEAL_SHRINK), bell = eventfd(0, EFD_CLOEXEC);
	const uint32_t cookie = DRB_MEMIF_COOKIE;
	const int before = next_fd();

	assert_int_equal(pwrite(memory, &cookie, sizeof(cookie), 0), sizeof(cookie));
	for (int i = 0; i < 3; i++) {
		assert_null(hear_region(0, MEMORY, memory));
		assert_null(hear_ring(true, 0, 0, bell));
		begin_again();
		assert_int_equal(next_fd(), before);
	}
	close(memory);
	close(bell);
}

// Messages out of turn, and messages of unknown types, are refused at each stage of a server and of
// a client.
TEST(turns_are_kept)
{
	for (int type = 0; type < 12; type++) {
		assert_int_equal(begin_server(NULL), 0);
		if (type != DRB_MEMIF_INIT)
			assert_non_null(hear_type((enum drb_memif_type)type));
		begin_again();
		assert_non_null(hear_type((enum drb_memif_type)type));
		end_channel(NULL);

		struct drb_memif_message greeting = hello("");
		assert_int_equal(begin_client(NULL), 0);
		if (type != DRB_MEMIF_HELLO)
			assert_non_null(hear_type((enum drb_memif_type)type));
		assert_null(hear(&greeting, -1));
		greeting.type = (uint16_t)type;
		assert_int_equal(hear(&greeting, -1) == NULL, type == DRB_MEMIF_ACK);
		end_channel(NULL);

		assert_int_equal(begin_client(NULL), 0);
		join_as_client();
		assert_non_null(hear(&greeting, -1));
		end_channel(NULL);
	}
}

// A client refuses acknowledgements of messages that it has not sent, and CONNECTED before it has
// sent CONNECT.
TEST_WITH(acknowledgements_are_counted, begin_client, end_channel)
{
	struct drb_memif_message greeting = hello("");

	assert_null(hear(&greeting, -1));
	assert_non_null(hear_type(DRB_MEMIF_CONNECTED));
	while (answer.message.type != DRB_MEMIF_CONNECT)
		assert_null(hear_type(DRB_MEMIF_ACK));
	assert_non_null(hear_type(DRB_MEMIF_ACK));
	assert_null(hear_type(DRB_MEMIF_CONNECTED));
}

TEST_WITH(messages_are_whole, begin_server, end_channel)
{
	struct drb_memif_message m = {.type = DRB_MEMIF_INIT};

	m.init.version = DRB_MEMIF_VERSION;
	memset(m.init.name, 'n', sizeof(m.init.name));
	for (size_t size = 0; size < sizeof(m); size++)
		assert_non_null(drb_memif_channel_hear(&channel, &m, size, -1, &answer));
	assert_null(drb_memif_channel_hear(&channel, &m, sizeof(m), -1, &answer));
}

// Descriptors that come with a message that needs none are closed.
TEST_WITH(descriptors_of_no_use_are_closed, begin_server, end_channel)
{
	struct drb_memif_message m = {.type = DRB_MEMIF_INIT};
	const int before = next_fd();

	m.init.version = DRB_MEMIF_VERSION;
	assert_null(hear(&m, 0));
	assert_int_equal(next_fd(), before);
	m.type = DRB_MEMIF_DISCONNECT;
	assert_non_null(hear(&m, 0));
	assert_non_null(drb_memif_channel_hear(&channel, &m, 1, dup(0), &answer));
	assert_int_equal(next_fd(), before);
}

// A descriptor that comes with an empty message, which the kernel passes like any other, is closed.
TEST(descriptors_with_nothing_are_closed)
{
	struct drb_memif_message m;
	int ends[2], passed;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	const int before = next_fd();
	assert_int_equal(drb_pass(ends[0], NULL, 0, 0, 0), 0); // descriptor 0
	assert_int_equal(drb_take_passed(ends[1], &m, sizeof(m), &passed, MSG_DONTWAIT), 0);
	assert_int_equal(passed, -1);
	assert_int_equal(next_fd(), before);
	close(ends[0]);
	close(ends[1]);
}

// A worker without a ring to send to gets no ring to receive from, because its packets would keep
// the worker awake.
TEST_WITH(a_ring_alone_wakes_nobody, begin_greeted, end_channel)
{
	int memory = memory_of(MEMORY, 0, F_SEAL_SHRINK), bell = eventfd(0, EFD_CLOEXEC);
	const struct drb_memif_ring waiting = {.cookie = DRB_MEMIF_COOKIE, .head = 1};
	struct drb_memif_port own = {.channel = &channel};
	struct drb_port port = {.own = &own, .queue = {&own.queue[0].base, &own.queue[1].base}};

	assert_int_equal(pwrite(memory, &waiting, sizeof(waiting), 0), sizeof(waiting));
	assert_null(hear_region(0, MEMORY, memory));
	assert_null(hear_ring(false, 0, 0, bell));
	for (uint16_t n = 0; n < QUEUES; n++)
		assert_null(hear_ring(true, n, 0, bell));
	assert_null(hear_type(DRB_MEMIF_CONNECT));
	for (uint32_t n = 0; n < QUEUES; n++) {
		drb_memif_port_change(n, &port);
		assert_int_equal(own.queue[n].base.connected, n == 0);
		assert_int_equal(drb_memif_port.wake->is_silent(port.queue[n]), n > 0);
	}
	close(memory);
	close(bell);
}

// Only an eventfd is taken as a bell: writes to other files make them grow, or wait.
TEST_WITH(bells_are_eventfds, begin_greeted, end_channel)
{
	int memory = memory_of(MEMORY, 0, F_SEAL_SHRINK), file = memory_of(0, 0, 0), ends[2];
	const uint32_t cookie = DRB_MEMIF_COOKIE;

	assert_int_equal(pwrite(memory, &cookie, sizeof(cookie), 0), sizeof(cookie));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_null(hear_region(0, MEMORY, memory));
	const int before = next_fd();
	assert_non_null(hear_ring(false, 0, 0, file));
	assert_non_null(hear_ring(false, 0, 0, ends[1]));
	assert_int_equal(next_fd(), before);
	close(memory);
	close(file);
	close(ends[0]);
	close(ends[1]);
}

// A peer cannot stop the worker that rings by a full bell without O_NONBLOCK. The peer is still
// woken.
TEST_WITH(full_bells_keep_nobody, begin_greeted, end_channel)
{
	int memory = memory_of(MEMORY, 0, F_SEAL_SHRINK), bell = eventfd(0, EFD_CLOEXEC);
	const uint32_t cookie = DRB_MEMIF_COOKIE;
	const uint64_t most = UINT64_MAX - 1;

	assert_int_equal(pwrite(memory, &cookie, sizeof(cookie), 0), sizeof(cookie));
	assert_int_equal(write(bell, &most, sizeof(most)), sizeof(most));
	assert_null(hear_region(0, MEMORY, memory));
	assert_null(hear_ring(false, 0, 0, bell));
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int set = epoll_create1(EPOLL_CLOEXEC);

	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, bell, &event), 0);
	assert_int_equal(epoll_wait(set, &event, 1, 0), 1);
	assert_int_equal(drb_doorbell_open(1), 0);
	alarm(30);
	struct drb_doorbell tx = *drb_memif_channel_tx(&channel, 0);
	for (int i = 0; i < 1000; i++) { // more than the kernel has room for without a fetch
		drb_doorbell_ring(&tx);
		assert_int_equal(epoll_wait(set, &event, 1, 0), 1);
	}
	alarm(0);
	close(set);
	close(memory);
	close(bell);
}

TEST_MAIN(NULL, NULL)
