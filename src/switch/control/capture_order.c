// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/capture_order.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <pcap/bpf.h>

#include "common/cli/log.h"
#include "common/telemetry/telemetry_client.h"
#include "switch/datapath/capture.h"

#define REQUEST_WITHIN_S 5
#define AGAIN_NS 100000000 // between tries to park workers

struct request {
	struct drb_capture_request head;
	struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
};

// The capture that goes on. Written by telemetry's thread before the capture's thread begins, and by main
// after all have ended; then the capture's thread's.
static struct {
	struct drb_workers *workers;
	int fd;                      // listens for the reader, then the connection to it
	struct sockaddr_un address;  // where it listens
	atomic_bool stopping;        // by main, before it shuts fd down
	pthread_t thread;            // joinable while `started`
	bool started;                // the thread was started and not joined
	atomic_bool ended;           // by the thread: it has nothing left to do
	struct drb_capture *capture; // of each worker
	void *memory;
	size_t size;
} one = {.fd = -1};

// The connection takes the place of the socket that listened, whose name is gone. False: nobody came.
static bool meet_reader(void)
{
	const struct timeval within = {.tv_sec = REQUEST_WITHIN_S};
	int fd = accept4(one.fd, NULL, NULL, SOCK_CLOEXEC);

	unlink(one.address.sun_path);
	bool met = fd >= 0 &&
		   setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &within, sizeof(within)) == 0 &&
		   dup3(fd, one.fd, O_CLOEXEC) >= 0;
	if (fd >= 0)
		close(fd);
	return met && !atomic_load(&one.stopping);
}

// Takes a whole and valid request. False: there is none.
static bool take_request(int fd, struct request *request)
{
	ssize_t size = recv(fd, request, sizeof(*request), 0);
	const struct drb_capture_request *head = &request->head;

	return size >= (ssize_t)sizeof(*head) && head->version == DRB_CAPTURE_VERSION &&
	       head->insns <= DRB_CAPTURE_INSNS &&
	       size == (ssize_t)(sizeof(*head) + head->insns * sizeof(request->insn[0])) &&
	       head->snap >= 1 && head->snap <= DRB_CAPTURE_BYTES &&
	       (head->insns == 0 ||
		bpf_validate((const struct bpf_insn *)(const void *)request->insn,
			     (int)head->insns));
}

static bool give(int fd, int memory, uint32_t rings)
{
	struct drb_capture_reply reply = {DRB_CAPTURE_VERSION, rings};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec data = {&reply, sizeof(reply)};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &memory, sizeof(int));
	return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(reply);
}

// Memory whose size nobody can change any more: a reader that cut it would have workers die of SIGBUS.
static int make_memory(size_t size)
{
	int fd = memfd_create("drb-capture", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, (off_t)size) < 0 ||
			fcntl(fd, F_ADD_SEALS, DRB_CAPTURE_SEALS | F_SEAL_SEAL) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

// The rings, and for each worker what it is to capture. The descriptor of the rings' memory; -1: there is none.
static int prepare(const struct request *request)
{
	uint32_t workers = one.workers->count;

	one.size = workers * sizeof(struct drb_capture_ring);
	one.capture = calloc(workers, sizeof(*one.capture));
	int fd = make_memory(one.size);
	if (fd >= 0 && one.capture) {
		one.memory = mmap(NULL, one.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (fd >= 0 && (!one.memory || one.memory == MAP_FAILED)) {
		close(fd);
		return -1;
	}
	for (uint32_t n = 0; fd >= 0 && n < workers; n++) {
		struct drb_capture *c = &one.capture[n];
		c->ring = (struct drb_capture_ring *)one.memory + n;
		c->ports = request->head.ports;
		c->snap = request->head.snap;
		c->insns = request->head.insns;
		memcpy(c->insn, request->insn, sizeof(c->insn));
	}
	return fd;
}

static void give_workers(bool on)
{
	for (uint32_t n = 0; n < one.workers->count; n++)
		one.workers->worker[n].capture = on ? &one.capture[n] : NULL;
	drb_workers_unpark(one.workers);
}

// False: a worker is stuck, so none captures.
static bool begin_capture(void)
{
	if (drb_workers_park(one.workers) < 0)
		return false;
	give_workers(true);
	return true;
}

// A worker that is stuck may be writing to a ring, which stays until it goes on or ends.
static void end_capture(void)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};

	if (drb_workers_park(one.workers) < 0) {
		drb_warn("capture: its reader is gone, but " DRB_PARK_FAILED);
		shutdown(one.fd, SHUT_RDWR); // the reader does not wait
		do
			nanosleep(&pause, NULL);
		while (drb_workers_park(one.workers) < 0);
	}
	give_workers(false);
}

// Until the reader, or drb_capture_stop(), closes the connection; what it sends means nothing.
static void wait_for_end(void)
{
	struct pollfd p = {.fd = one.fd, .events = POLLIN};
	char byte;

	for (;;) {
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return;
		if (p.revents && recv(one.fd, &byte, sizeof(byte), MSG_DONTWAIT) <= 0)
			return;
	}
}

static void *run(void *unused)
{
	struct request *request = calloc(1, sizeof(*request));
	int memory = -1;

	(void)unused;
	if (request && meet_reader() && take_request(one.fd, request))
		memory = prepare(request);
	if (memory >= 0 && begin_capture()) {
		if (give(one.fd, memory, one.workers->count))
			wait_for_end();
		end_capture();
	}
	if (memory >= 0)
		close(memory);
	shutdown(one.fd, SHUT_RDWR); // the reader sees that nothing more comes
	free(request);
	if (one.memory && one.memory != MAP_FAILED)
		munmap(one.memory, one.size);
	free(one.capture);
	one.memory = NULL;
	one.capture = NULL;
	atomic_store(&one.ended, true);
	return NULL;
}

static int listen_for_reader(const char *instance)
{
	const struct timeval within = {.tv_sec = REQUEST_WITHIN_S};

	one.address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(one.address.sun_path, sizeof(one.address.sun_path),
		 "%s/dpdk/%s/" DRB_CAPTURE_SOCKET, drb_telemetry_runtime(), instance);
	unlink(one.address.sun_path); // of a switch that was killed
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &within, sizeof(within)) < 0 ||
	    bind(fd, (struct sockaddr *)&one.address, sizeof(one.address)) < 0 ||
	    listen(fd, 1) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static void join(void)
{
	pthread_join(one.thread, NULL);
	close(one.fd);
	one.started = false;
}

int drb_capture_order(struct drb_workers *workers, const char *instance, char *text, size_t size)
{
	if (drb_workers_stuck(workers) >= 0) {
		snprintf(text, size, "%s", DRB_PARK_FAILED);
		return -ETIMEDOUT;
	}
	if (one.started && !atomic_load(&one.ended)) {
		snprintf(text, size, "another capture of this switch goes on: end that first");
		return -EBUSY;
	}
	if (one.started)
		join();
	int fd = listen_for_reader(instance);
	if (fd < 0) {
		snprintf(text, size, "cannot wait for who wants packets at %s: %s",
			 one.address.sun_path, strerror(-fd));
		return fd;
	}
	one.workers = workers;
	one.fd = fd;
	atomic_store(&one.ended, false);
	int rc = -pthread_create(&one.thread, NULL, run, NULL);
	one.started = rc == 0;
	if (rc < 0)
		close(fd);
	snprintf(text, size, "%s", rc < 0 ? strerror(-rc) : "waits");
	return rc;
}

void drb_capture_stop(void)
{
	if (!one.started)
		return;
	atomic_store(&one.stopping, true);
	shutdown(one.fd, SHUT_RDWR);
	join();
}
