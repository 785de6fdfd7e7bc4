// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/capture_order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pcap/bpf.h>

#include "common/cli/log.h"
#include "common/telemetry/telemetry_client.h"
#include "switch/datapath/capture.h"

// For the reader to connect, then to ask.
static const struct timeval request_within = {.tv_sec = 5};
// Between tries to end a capture.
static const struct timeval try_every = {.tv_usec = 100000};

struct request {
	struct drb_capture_request head;
	struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
};

// What workers use. Freed when none does.
struct rings {
	size_t size;
	struct drb_capture_ring *memory;
	struct drb_capture of[]; // each worker
};

// The capture that goes on.
static struct {
	struct event_base *base;
	struct drb_workers *workers;
	struct sockaddr_un address; // where its reader is waited for
	int fd;                     // listens there, then the connection; -1: neither
	struct event *event;        // of fd, or of the next try to end; NULL: there is no capture
	struct rings *rings;        // NULL: no worker captures
} one = {.fd = -1};

// This is called once when the reader says something, or has said nothing for so long (NULL: for ever). False: it is
// not.
static bool expect(event_callback_fn call, const struct timeval *within)
{
	if (one.event)
		event_free(one.event);
	one.event = event_new(one.base, one.fd, EV_READ, call, NULL);
	return one.event && event_add(one.event, within) == 0;
}

static void close_connection(void)
{
	if (one.event)
		event_free(one.event);
	one.event = NULL;
	if (one.fd >= 0)
		close(one.fd);
	one.fd = -1;
}

// Takes a whole and valid request. False: there is none.
static bool take_request(int fd, struct request *request)
{
	ssize_t size = recv(fd, request, sizeof(*request), MSG_DONTWAIT);
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
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(reply);
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

static void free_rings(struct rings *rings)
{
	if (rings->memory)
		munmap(rings->memory, rings->size);
	free(rings);
}

// In the memory of this descriptor. NULL: there is no memory.
static struct rings *new_rings(const struct request *request, uint32_t workers, int *memory)
{
	struct rings *rings = calloc(1, sizeof(*rings) + workers * sizeof(rings->of[0]));

	if (!rings)
		return NULL;
	rings->size = workers * sizeof(struct drb_capture_ring);
	*memory = make_memory(rings->size);
	void *at = *memory < 0 ? MAP_FAILED
			       : mmap(NULL, rings->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				      *memory, 0);
	if (at == MAP_FAILED) {
		free_rings(rings);
		return NULL;
	}
	rings->memory = at;
	for (uint32_t n = 0; n < workers; n++) {
		struct drb_capture *c = &rings->of[n];
		c->ring = &rings->memory[n];
		c->ports = request->head.ports;
		c->snap = request->head.snap;
		c->insns = request->head.insns;
		memcpy(c->insn, request->insn, sizeof(c->insn));
	}
	return rings;
}

// A change of workers: they capture, or end that.
static void capture(struct drb_worker *w, void *rings)
{
	w->capture = rings ? &((struct rings *)rings)->of[w->number] : NULL;
}

// A worker that is stuck may be writing to a ring, which stays until it goes on or ends.
static void end(int fd, short events, void *again)
{
	(void)fd, (void)events;
	close_connection();
	if (!one.rings)
		return;
	int rc = drb_workers_apply(one.workers, capture, NULL);
	if (rc == -ETIMEDOUT) {
		if (!again)
			drb_warn("capture: its reader is gone, but " DRB_APPLY_FAILED);
		one.event = evtimer_new(one.base, end, &one);
		if (one.event)
			evtimer_add(one.event, &try_every);
		return;
	}
	if (rc == 0)
		free_rings(one.rings);
	one.rings = NULL;
}

// What the reader sends means nothing, until it closes the connection.
static void wait_for_end(int fd, short events, void *unused)
{
	char byte;

	(void)unused;
	if ((events && recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) == 0) ||
	    !expect(wait_for_end, NULL))
		end(-1, 0, NULL);
}

// False: nobody captures.
static bool begin_capture(const struct request *request)
{
	int memory = -1;
	bool given = false;

	one.rings = new_rings(request, one.workers->count, &memory);
	if (one.rings && drb_workers_apply(one.workers, capture, one.rings) == -ETIMEDOUT) {
		free_rings(one.rings);
		one.rings = NULL;
	}
	if (one.rings)
		given = give(one.fd, memory, one.workers->count);
	if (memory >= 0)
		close(memory);
	return given;
}

static void hear_request(int fd, short events, void *unused)
{
	struct request *request = calloc(1, sizeof(*request));

	(void)unused;
	if ((events & EV_READ) && request && take_request(fd, request) && begin_capture(request))
		wait_for_end(fd, 0, NULL);
	else
		end(-1, 0, NULL);
	free(request);
}

// The connection takes the place of the socket that listened, whose name is gone.
static void meet_reader(int fd, short events, void *unused)
{
	(void)events, (void)unused;
	one.fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); // -1 if nobody came
	close(fd);
	unlink(one.address.sun_path);
	if (one.fd < 0 || !expect(hear_request, &request_within))
		end(-1, 0, NULL);
}

static int listen_for_reader(const char *instance)
{
	one.address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(one.address.sun_path, sizeof(one.address.sun_path),
		 "%s/dpdk/%s/" DRB_CAPTURE_SOCKET, drb_telemetry_runtime(), instance);
	unlink(one.address.sun_path); // of a switch that was killed
	one.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (one.fd < 0 || bind(one.fd, (struct sockaddr *)&one.address, sizeof(one.address)) < 0 ||
	    listen(one.fd, 1) < 0)
		return -errno;
	return expect(meet_reader, &request_within) ? 0 : -ENOMEM;
}

int drb_capture_order(const char *instance, char *text, size_t size)
{
	if (drb_workers_stuck(one.workers) >= 0) {
		snprintf(text, size, "%s", DRB_APPLY_FAILED);
		return -ETIMEDOUT;
	}
	if (one.event || one.rings) {
		snprintf(text, size, "another capture of this switch goes on: end that first");
		return -EBUSY;
	}
	int rc = listen_for_reader(instance);
	if (rc < 0) {
		snprintf(text, size, "cannot wait for who wants packets at %s: %s",
			 one.address.sun_path, strerror(-rc));
		close_connection();
		return rc;
	}
	snprintf(text, size, "waits");
	return 0;
}

void drb_capture_begin(struct event_base *base, struct drb_workers *workers)
{
	one.base = base;
	one.workers = workers;
}

void drb_capture_end(void)
{
	if (one.fd >= 0 && *one.address.sun_path)
		unlink(one.address.sun_path);
	end(-1, 0, NULL);
}
