// SPDX-License-Identifier: BSD-3-Clause
// A hostile client of a memif link, by the driver that opens it: any messages in any order on its control channel, any
// octets in the memory that it shares, packets both ways meanwhile. Nothing outside of that memory is touched, by the
// driver or by us; no descriptor stays open, and an end of the channel takes the link down. Input: messages, each
// behind an octet that chooses what happens (enum does).
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include "common/cli/log.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"
#include "switch/ports/unfinished.h"

#define QUEUES 2
#define MESSAGE 128 // octets of every message of the protocol
#define REGION_OCTETS 65536
#define GUARD (4 * REGION_OCTETS) // octets behind shared memory that nobody may touch
#define COOKIE 0x3E31F20
#define BURST 8
#define FRAME_MAX 1514
#define FDS_MAX 1024

enum does { SAYS, SAYS_WITH_MEMORY, SAYS_WITH_SHORT, SAYS_WITH_BELL, WRITES, COMES_AGAIN, DOES };

static int passed[3]; // a region, one too short for a ring, a bell
static uint8_t *shared;
static struct drb_memif_link *link_;
static atomic_bool connected;
static uint16_t device;
static struct sockaddr_un server = {.sun_family = AF_UNIX};

int LLVMFuzzerInitialize(int *argc, char ***argv);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);

// Whoever maps a file has nothing behind it that could be taken for more of it.
static struct {
	_Atomic(void *) at;
} guarded[4 * DRB_MEMIF_REGIONS];

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (at || fd < 0 || flags != MAP_SHARED)
		return __real_mmap64(at, size, protection, flags, fd, offset);
	uint8_t *room =
		__real_mmap64(NULL, size + GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return room;
	void *to = __real_mmap64(room, size, protection, MAP_SHARED | MAP_FIXED, fd, offset);
	if (to == MAP_FAILED) {
		__real_munmap(room, size + GUARD);
		return to;
	}
	for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
		void *none = NULL;
		if (atomic_compare_exchange_strong(&guarded[i].at, &none, to))
			return to;
	}
	abort();
}

int __wrap_munmap(void *at, size_t size)
{
	for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
		void *this = at;
		if (atomic_compare_exchange_strong(&guarded[i].at, &this, NULL))
			return __real_munmap(at, size + GUARD);
	}
	return __real_munmap(at, size);
}

static uint32_t open_descriptors(void)
{
	uint32_t count = 0;

	for (int fd = 0; fd < FDS_MAX; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void make_memory(void)
{
	passed[0] = memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[1] = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	passed[2] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	require(ftruncate(passed[0], REGION_OCTETS) == 0 && ftruncate(passed[1], 70) == 0);
	for (int i = 0; i < 2; i++)
		require(fcntl(passed[i], F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	shared = __real_mmap64(NULL, REGION_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, passed[0],
			       0);
	require(shared != MAP_FAILED);
}

static void start_server(void)
{
	const struct rte_eth_conf conf = {0};
	char args[256];

	snprintf(server.sun_path, sizeof(server.sun_path), "%s/memif", test_runtime);
	snprintf(args, sizeof(args), "role=server,socket=%s,socket-abstract=no", server.sun_path);
	link_ = drb_memif_link_new(&(struct drb_memif_link){
		.port = "u0", .server = true, .queues = QUEUES, .connected = &connected});
	require(link_);
	drb_memif_enter(link_);
	require(rte_vdev_init("net_memif0", args) == 0 &&
		rte_eth_dev_get_port_by_name("net_memif0", &device) == 0 &&
		rte_eth_dev_configure(device, QUEUES, QUEUES, &conf) == 0);
	for (uint16_t q = 0; q < QUEUES; q++)
		require(rte_eth_rx_queue_setup(device, q, 512, SOCKET_ID_ANY, NULL, test_pool) ==
				0 &&
			rte_eth_tx_queue_setup(device, q, 512, SOCKET_ID_ANY, NULL) == 0);
	require(rte_eth_dev_start(device) == 0);
	drb_memif_leave();
}

static void say_nothing(enum drb_log_level level, const char *fmt, const char *text)
{
	(void)level;
	(void)fmt;
	(void)text;
}

static void remove_server(void)
{
	unlink(server.sun_path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	drb_log_set_sink(say_nothing);
	signal(SIGPIPE, SIG_IGN);
	require(start_eal() == 0 && rte_log_set_level_pattern("pmd.net.memif", RTE_LOG_CRIT) == 0);
	make_memory();
	start_server();
	atexit(remove_server);
	return 0;
}

// Returns when the driver has done what it does about the messages: it holds its lock while it does.
static void wait_for_driver(int fd)
{
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	int unread = 1;

	while (ioctl(fd, SIOCOUTQ, &unread) == 0 && unread > 0)
		poll(&answer, 1, 1);
	drb_memif_enter(link_);
	drb_memif_leave();
}

// Connects, and is greeted. libFuzzer's clock interrupts calls.
static int come(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), rc;
	uint8_t hello[MESSAGE];

	require(fd >= 0);
	do
		rc = connect(fd, (struct sockaddr *)&server, sizeof(server));
	while (rc < 0 && errno == EINTR);
	require(rc == 0);
	do
		rc = (int)recv(fd, hello, sizeof(hello), 0);
	while (rc < 0 && errno == EINTR);
	require(rc == MESSAGE);
	return fd;
}

// Says what it is about, as the protocol has it: whole messages, whose descriptors go along.
static void say(int fd, enum does how, const uint8_t **data, size_t *size)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	uint8_t text[MESSAGE] = {0};
	struct iovec part = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	for (uint8_t n = take(data, size), i = 0; i < n; i++)
		text[i % MESSAGE] = take(data, size);
	if (how != SAYS) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		*CMSG_FIRSTHDR(&msg) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
							.cmsg_level = SOL_SOCKET,
							.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), &passed[how - SAYS_WITH_MEMORY],
		       sizeof(int));
	}
	sendmsg(fd, &msg, MSG_NOSIGNAL);
	wait_for_driver(fd);
	while (recv(fd, text, sizeof(text), MSG_DONTWAIT) > 0)
		;
}

// Rings without packets at each page, whose descriptors lend memory that there is.
static void fill_shared(void)
{
	const uint32_t cookie = COOKIE;

	for (uint32_t at = 0; at < REGION_OCTETS; at += sizeof(struct drb_memif_desc)) {
		struct drb_memif_desc d = {.length = 256,
					   .offset = at * 16 % (REGION_OCTETS - 256)};
		memcpy(shared + at, &d, sizeof(d));
	}
	for (uint32_t at = 0; at < REGION_OCTETS; at += 4096) {
		memset(shared + at, 0, sizeof(struct drb_memif_ring));
		memcpy(shared + at, &cookie, sizeof(cookie));
	}
}

static void write_some(const uint8_t **data, size_t *size)
{
	uint32_t at = take(data, size);

	at |= (uint32_t)take(data, size) << 8;
	for (uint8_t n = take(data, size) % 32; n > 0; n--)
		shared[at++ % REGION_OCTETS] = take(data, size);
}

// As a worker does, which rests while the driver is at work.
static void use_rings(void)
{
	uint8_t frame[FRAME_MAX] = {0};
	struct rte_mbuf *burst[BURST];

	drb_memif_enter(link_);
	const struct drb_memif_packets p = {
		.frame_max = FRAME_MAX,
		.buffer = DRB_MEMIF_BUFFER,
		.marked = drb_memif_takes(&link_->tx[0], DRB_MEMIF_TAKES_UNFINISHED)};
	for (uint32_t q = 0; q < QUEUES; q++) {
		struct drb_send_result result = {0};
		require(link_->owner || (!link_->rx[q].ring && !link_->tx[q].ring));
		drb_doorbell_arm(&link_->rx[q]);
		(void)drb_doorbell_silent(&link_->rx[q]);
		drb_doorbell_disarm(&link_->rx[q]);
		uint32_t count = drb_memif_receive(&link_->rx[q], &p, test_pool, burst, BURST);
		rte_pktmbuf_free_bulk(burst, count);
		for (uint32_t i = 0; i < BURST; i++)
			require((burst[i] = mbuf_of(frame, FRAME_MAX - i * 200)));
		count = drb_memif_send(&link_->tx[q], &p, burst, BURST, &result);
		rte_pktmbuf_free_bulk(burst + count, BURST - count);
		drb_doorbell_ring(&link_->tx[q]);
	}
	require(rte_mempool_in_use_count(test_pool) == 0);
	drb_memif_leave();
}

// The channel ends: the driver finds that out by itself.
static void go(int fd, uint32_t descriptors)
{
	close(fd);
	for (uint32_t waits = 0; open_descriptors() > descriptors; waits++) {
		require(waits < 100000);
		usleep(100);
	}
	drb_memif_enter(link_);
	require(!link_->owner && !connected);
	drb_memif_leave();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint32_t descriptors = open_descriptors();
	int fd = come();

	fill_shared();
	while (size > 0) {
		enum does next = take(&data, &size) % DOES;
		if (next == WRITES) {
			write_some(&data, &size);
		} else if (next == COMES_AGAIN) {
			go(fd, descriptors);
			fd = come();
		} else {
			say(fd, next, &data, &size);
		}
		use_rings();
	}
	go(fd, descriptors);
	return 0;
}
