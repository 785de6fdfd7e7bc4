// SPDX-License-Identifier: BSD-3-Clause
// Any messages of any order on a memif link's control channel: what is learned of rings can be
// used, no descriptor stays open, and an end of the channel takes the link down. Input: whether
// this end is the server, then messages, each with a byte that chooses the descriptor that comes
// along.
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "switch/ports/memif/doorbell.h"

#define MESSAGE 128 // octets of every message of the protocol
#define REGION_SIZE 16384
#define COOKIE 0x3E31F20

static int passed[3], pair[2]; // passed: a region, one too short for a ring, a bell
static struct drb_memif_link *link_;

int LLVMFuzzerInitialize(int *argc, char ***argv);

// The next descriptor that is free.
static int next(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const uint32_t cookie = COOKIE;

	(void)argc;
	(void)argv;
	require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	passed[0] = memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[1] = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[2] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	require(ftruncate(passed[0], REGION_SIZE) == 0 && ftruncate(passed[1], 70) == 0);
	for (int i = 0; i < 2; i++)
		require(fcntl(passed[i], F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	for (off_t at = 0; at < REGION_SIZE; at += 128)
		require(pwrite(passed[0], &cookie, sizeof(cookie), at) == sizeof(cookie));
	require(pwrite(passed[1], &cookie, sizeof(cookie), 0) == sizeof(cookie));
	return 0;
}

static void send_message(const uint8_t *text, size_t size, unsigned choice)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {(void *)(uintptr_t)text, size};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	if (choice % 4 < 3) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
		*head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
					 .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(head), &passed[choice % 4], sizeof(int));
	}
	require(sendmsg(pair[1], &msg, 0) == (ssize_t)size);
}

// As the driver does, which keeps what descriptor comes with a message. Returns it.
static int receive_message(struct drb_memif_talk *talk)
{
	char text[MESSAGE], control[CMSG_SPACE(sizeof(int))];
	struct iovec part = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	int fd = -1;

	drb_memif_listen(link_, talk);
	ssize_t size = recvmsg(pair[0], &msg, 0);
	drb_memif_listen(NULL, NULL);
	require(size > 0 || (size < 0 && errno == EPROTO));
	struct cmsghdr *head = size > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (head)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

static void use_rings(void)
{
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++) {
		require(link_->owner || (!link_->rx[q].ring && !link_->tx[q].ring));
		drb_doorbell_arm(&link_->rx[q]);
		(void)drb_doorbell_silent(&link_->rx[q]);
		drb_doorbell_disarm(&link_->rx[q]);
		drb_doorbell_ring(&link_->tx[q]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drb_memif_talk talk = {0};
	bool connected = true;
	const int free_fd = next(); // libFuzzer opens some between inputs
	int kept[64];
	uint32_t count = 0;

	link_ = drb_memif_link_new(take(&data, &size) & 1, 2048, &connected);
	require(link_);
	while (size > 1 && count < 64) {
		unsigned choice = take(&data, &size);
		size_t length = size < MESSAGE ? size : MESSAGE;
		send_message(data, length, choice);
		data += length;
		size -= length;
		int fd = receive_message(&talk);
		if (fd >= 0)
			kept[count++] = fd;
		use_rings();
	}
	drb_memif_talk_over(link_, &talk);
	require(!link_->owner && !connected);
	use_rings();
	while (count > 0)
		close(kept[--count]);
	require(next() == free_fd);
	drb_memif_link_free(link_);
	return 0;
}
