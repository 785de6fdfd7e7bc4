// SPDX-License-Identifier: BSD-3-Clause
// A memif neighbour that passes descriptors to do harm by.
#include "fixtures/unit.h"

#include "fixtures/memif_channel.h"

// What could end this process: memory that its owner may take away.
static void memory_that_shrinks_is_refused(void **state)
{
	int loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(loose, 65536), 0);
	assert_int_equal(say_region(loose), -1);
	assert_int_equal(say_region(file), -1);
	assert_null(talk.memory.region[0].at);
	assert_int_equal(fcntl(loose, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(say_region(loose), MESSAGE);
	close(loose);
	close(file);
}

// A peer that passes descriptors with what has no use for them has none left open here.
static void descriptors_of_no_use_are_closed(void **state)
{
	static const int types[] = {HELLO, CONNECTED, REGION};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
	char text[MESSAGE];
	struct iovec part = {text, sizeof(text)};
	const int both[] = {region, bell[0]};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct msghdr msg = {.msg_iov = &part,
				     .msg_iovlen = 1,
				     .msg_control = control,
				     .msg_controllen = sizeof(control)};
		const int before = dup(region);
		close(before);
		memset(text, 0, sizeof(text));
		text[0] = (char)types[i];
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
		const int after = dup(region);
		close(after);
		assert_int_equal(after, before);
	}
}

// Nor does a peer keep who rings: one whose bell blocks writers, and is full.
static void full_bells_keep_nobody(void **state)
{
	const uint64_t most = UINT64_MAX - 1;
	int blocking = eventfd(0, EFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(blocking, &most, sizeof(most)), sizeof(most));
	assert_int_equal(say_region(region), MESSAGE);
	assert_int_equal(say_ring(true, blocking, 0, 0), MESSAGE);
	assert_int_equal(say_ring(false, bell[1], 0, RING_AT), MESSAGE);
	assert_int_equal(say(CONNECT, -1, 0, 0, 0, 0), MESSAGE);
	assert_int_equal(hear(CONNECTED), MESSAGE);
	ring[0]->flags = 0;
	drb_doorbell_ring(&link_->tx[0]);
	close(blocking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory_that_shrinks_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(descriptors_of_no_use_are_closed, begin, end),
		cmocka_unit_test_setup_teardown(full_bells_keep_nobody, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
