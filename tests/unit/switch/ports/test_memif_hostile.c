// SPDX-License-Identifier: BSD-3-Clause
// A memif neighbour that passes descriptors, sizes and messages to do harm by.
#include "fixtures/unit.h"

#include <linux/memfd.h>
#include <sys/uio.h>

#include "fixtures/memif_channel.h"

#define PAGE 4096u
#define HUGE_PAGE (2u << 20)

static int begin_server(void **state)
{
	int rc = begin(state);

	link_->server = true;
	return rc == 0 && hear(INIT) == MESSAGE ? 0 : -1;
}

// The next descriptor that is free.
static int next_fd(void)
{
	int fd = dup(region);

	close(fd);
	return fd;
}

static int memory_of(uint64_t size, unsigned flags, int seals)
{
	int fd = memfd_create("memory", flags | MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static ssize_t hear_region(uint16_t index, uint64_t size, int fd)
{
	char text[MESSAGE] = {REGION};

	memcpy(text + 2, &index, sizeof(index));
	memcpy(text + 4, &size, sizeof(size));
	return hear_text(text, fd);
}

// Memory that is refused leaves nothing behind, and is named.
static void refuses(uint64_t size, int fd, const char *why)
{
	const int before = next_fd();

	assert_int_equal(hear_region(0, size, fd), -1);
	assert_int_equal(talk.memory.count, 0);
	assert_int_equal(next_fd(), before);
	assert_non_null(strstr(drb_msg_last(), "port u0: "));
	if (!strstr(drb_msg_last(), why))
		fail_msg("\"%s\" does not say \"%s\"", drb_msg_last(), why);
	if (fd >= 0)
		close(fd);
}

// What could end this process: memory that its owner may take away, and what it only says that there is.
TEST_WITH(memory_that_may_go_is_refused, begin_server, end)
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

// As much as the rings of this link can need, however it comes, and what its owner does to it then stays within that.
TEST_WITH(memory_is_bounded, begin_server, end)
{
	const uint64_t most = drb_memif_memory_most(2), each = 1024 * (16 + 2048) + 128;
	int all = memory_of(most, 0, F_SEAL_SHRINK), page = memory_of(1, 0, F_SEAL_SHRINK);
	uint16_t count;

	assert_in_range(most, 4 * each, 4 * (each + 2 * PAGE));
	refuses(most + 1, memory_of(most + 1, 0, F_SEAL_SHRINK), "more memory");
	refuses(UINT64_C(1) << 40, memory_of(UINT64_C(1) << 40, 0, F_SEAL_SHRINK), "more memory");
	assert_int_equal(hear_region(0, most, all), MESSAGE);
	assert_int_equal(hear_region(1, 1, page), -1);
	volatile uint8_t *octet = talk.memory.region[0].at;
	*octet = 1;
	assert_int_equal(fallocate(all, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), 0);
	assert_int_equal(*octet, 0);
	drb_memif_talk_over(link_, &talk);
	// An octet takes a page: no more regions than the link may have pages, or than there can be.
	assert_int_equal(hear(INIT), MESSAGE);
	for (count = 0; hear_region(count, 1, page) == MESSAGE; count++)
		;
	assert_int_equal(count, DRB_MEMIF_REGIONS);
	close(all);
	close(page);
}

// The driver would keep the descriptors of regions that it did not map.
TEST_WITH(talks_that_end_early_leave_nothing, begin_server, end)
{
	const int before = next_fd();

	for (int i = 0; i < 3; i++) {
		assert_int_equal(hear_region(0, REGION_OCTETS, region), MESSAGE);
		drb_memif_talk_over(link_, &talk);
		assert_int_equal(next_fd(), before);
		assert_int_equal(hear(INIT), MESSAGE);
	}
}

// What is not its turn to say, and what there is not.
TEST_WITH(turns_are_kept, begin_server, end)
{
	for (int type = 0; type < 10; type++) {
		bool known = type == ACK || type == CONNECT || type == DISCONNECT;
		drb_memif_talk_over(link_, &talk);
		assert_int_equal(hear(type),
				 type == INIT || type == ACK || type == DISCONNECT ? MESSAGE : -1);
		drb_memif_talk_over(link_, &talk);
		assert_int_equal(hear(INIT), MESSAGE);
		assert_int_equal(hear(type), known ? MESSAGE : -1);
		if (type != CONNECT)
			continue;
		assert_int_equal(hear(CONNECT), -1);
		assert_int_equal(hear_region(0, REGION_OCTETS, region), -1);
	}
	link_->server = false;
	for (int type = 0; type < 10; type++) {
		bool known = type == ACK || type == CONNECTED || type == DISCONNECT;
		drb_memif_talk_over(link_, &talk);
		assert_int_equal(hear(HELLO), MESSAGE);
		assert_int_equal(hear(type), known ? MESSAGE : -1);
	}
}

// The driver would copy a name until it ends; a message that is cut off has none.
TEST_WITH(messages_are_whole, begin_server, end)
{
	const int before = next_fd();
	char text[MESSAGE];
	struct iovec part = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	drb_memif_talk_over(link_, &talk);
	memset(text, 'n', sizeof(text));
	text[0] = INIT;
	text[1] = 0;
	assert_int_equal(write(pair[1], text, sizeof(text)), MESSAGE);
	assert_int_equal(recvmsg(pair[0], &msg, 0), MESSAGE);
	assert_int_equal(text[MESSAGE - 1], '\0');
	drb_memif_talk_over(link_, &talk);
	assert_int_equal(write(pair[1], text, MESSAGE - 1), MESSAGE - 1);
	assert_int_equal(recvmsg(pair[0], &msg, 0), -1);
	assert_int_equal(next_fd(), before);
}

// A peer that passes descriptors with what has no use for them has none left open here.
TEST_WITH(descriptors_of_no_use_are_closed, begin_server, end)
{
	static const int types[] = {ACK, REGION, CONNECT};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
	char text[MESSAGE];
	struct iovec part = {text, sizeof(text)};
	const int both[] = {region, bell[0]};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct msghdr msg = {.msg_iov = &part,
				     .msg_iovlen = 1,
				     .msg_control = control,
				     .msg_controllen = sizeof(control)};
		const int before = next_fd();
		memset(text, 0, sizeof(text));
		text[0] = (char)types[i];
		text[6] = REGION_OCTETS >> 16;
		memset(control, 0, sizeof(control));
		*CMSG_FIRSTHDR(&msg) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(both)),
							.cmsg_level = SOL_SOCKET,
							.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), both, sizeof(both));
		drb_memif_listen(NULL, NULL);
		assert_int_equal(sendmsg(pair[1], &msg, 0), MESSAGE);
		drb_memif_listen(link_, &talk);
		assert_int_equal(recvmsg(pair[0], &msg, 0), MESSAGE);
		if (types[i] == REGION) // the driver's
			close(before);
		assert_int_equal(next_fd(), before);
	}
}

// Nor does a peer keep who rings: one whose bell blocks writers, and is full.
TEST_WITH(full_bells_keep_nobody, begin, end)
{
	const uint64_t most = UINT64_MAX - 1;
	int blocking = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(write(blocking, &most, sizeof(most)), sizeof(most));
	assert_int_equal(hear(HELLO), MESSAGE);
	assert_int_equal(say_region(region), MESSAGE);
	assert_int_equal(say_ring(true, blocking, 0, 0), MESSAGE);
	assert_int_equal(say_ring(false, bell[1], 0, RING_AT), MESSAGE);
	assert_int_equal(say(CONNECT, -1, 0, 0, 0, 0), MESSAGE);
	assert_int_equal(hear(CONNECTED), MESSAGE);
	ring[0]->flags = 0;
	drb_doorbell_ring(&link_->tx[0]);
	close(blocking);
}

// Nor one that reads nothing of what the driver answers.
TEST_WITH(unread_answers_keep_nobody, begin, end)
{
	alarm(30);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(say(ACK, -1, 0, 0, 0, 0), MESSAGE);
	alarm(0);
}

TEST_MAIN(NULL, NULL)
