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
#include "common/cli/passing.h"
#include "common/telemetry/telemetry_client.h"
#include "switch/control/switch.h"
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
struct drb_capture_rings {
	size_t size;
	struct drb_capture_ring *memory;
	struct drb_capture of[]; // each worker
};

// This is called once when the reader says something, or has said nothing for so long (NULL: for ever). False: it is
// not.
static bool expect(struct drb_switch *s, event_callback_fn call, const struct timeval *within)
{
	struct drb_capture_order *o = &s->capture;

	if (o->event)
		event_free(o->event);
	o->event = event_new(s->base, o->fd, EV_READ, call, s);
	return o->event &&
	       event_priority_set(o->event, event_base_get_npriorities(s->base) - 1) == 0 &&
	       event_add(o->event, within) == 0;
}

static void close_connection(struct drb_capture_order *o)
{
	if (o->event)
		event_free(o->event);
	o->event = NULL;
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

// Takes a whole and valid request. False: there is no->
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
	const struct drb_capture_reply reply = {DRB_CAPTURE_VERSION, rings};

	return drb_pass(fd, &reply, sizeof(reply), memory, MSG_DONTWAIT) == 0;
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

static void free_rings(struct drb_capture_rings *rings)
{
	if (rings->memory)
		munmap(rings->memory, rings->size);
	free(rings);
}

// In the memory of this descriptor. NULL: there is no memory.
static struct drb_capture_rings *new_rings(const struct request *request, uint32_t workers,
					   int *memory)
{
	struct drb_capture_rings *rings =
		calloc(1, sizeof(*rings) + workers * sizeof(rings->of[0]));

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
	w->capture = rings ? &((struct drb_capture_rings *)rings)->of[w->number] : NULL;
}

// A worker that is stuck may be writing to a ring, which stays until it goes on or ends.
static void end(struct drb_switch *s, bool again);

static void try_again(int fd, short events, void *s)
{
	(void)fd, (void)events;
	end(s, true);
}

static void end(struct drb_switch *s, bool again)
{
	struct drb_capture_order *o = &s->capture;

	int rc = o->rings ? drb_workers_apply(&s->workers, capture, NULL) : 0;
	// Not before: to the reader it means that no worker counts any more.
	close_connection(o);
	if (!o->rings)
		return;
	if (rc == -ETIMEDOUT) {
		if (!again)
			drb_warn("capture: its reader is gone, but " DRB_APPLY_FAILED);
		o->event = evtimer_new(s->base, try_again, s);
		if (o->event)
			evtimer_add(o->event, &try_every);
		return;
	}
	if (rc == 0)
		free_rings(o->rings);
	o->rings = NULL;
}

// What the reader sends means nothing, until it closes the connection.
static void wait_for_end(int fd, short events, void *s)
{
	char byte;

	if ((events && recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) == 0) ||
	    !expect(s, wait_for_end, NULL))
		end(s, false);
}

// False: nobody captures.
static bool begin_capture(struct drb_switch *s, const struct request *request)
{
	struct drb_capture_order *o = &s->capture;
	bool given = false;
	int memory = -1;

	o->rings = new_rings(request, s->workers.count, &memory);
	if (o->rings && drb_workers_apply(&s->workers, capture, o->rings) == -ETIMEDOUT) {
		free_rings(o->rings);
		o->rings = NULL;
	}
	if (o->rings)
		given = give(o->fd, memory, s->workers.count);
	if (memory >= 0)
		close(memory);
	return given;
}

static void hear_request(int fd, short events, void *s)
{
	struct request *request = calloc(1, sizeof(*request));

	if ((events & EV_READ) && request && take_request(fd, request) && begin_capture(s, request))
		wait_for_end(fd, 0, s);
	else
		end(s, false);
	free(request);
}

// The connection takes the place of the socket that listened, whose name is gone.
static void meet_reader(int fd, short events, void *s)
{
	struct drb_capture_order *o = &((struct drb_switch *)s)->capture;

	(void)events;
	o->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); // -1 if nobody came
	close(fd);
	unlink(o->address.sun_path);
	if (o->fd < 0 || !expect(s, hear_request, &request_within))
		end(s, false);
}

static int listen_for_reader(struct drb_switch *s)
{
	struct drb_capture_order *o = &s->capture;

	o->address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(o->address.sun_path, sizeof(o->address.sun_path), "%s/dpdk/%s/" DRB_CAPTURE_SOCKET,
		 drb_telemetry_runtime(), s->setup.instance);
	unlink(o->address.sun_path); // of a switch that was killed
	o->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (o->fd < 0 || bind(o->fd, (struct sockaddr *)&o->address, sizeof(o->address)) < 0 ||
	    listen(o->fd, 1) < 0)
		return -errno;
	return expect(s, meet_reader, &request_within) ? 0 : -ENOMEM;
}

int drb_capture_begin(struct drb_switch *s, char *text, size_t size)
{
	struct drb_capture_order *o = &s->capture;

	if (drb_workers_stuck(&s->workers) >= 0) {
		snprintf(text, size, "%s", DRB_APPLY_FAILED);
		return -ETIMEDOUT;
	}
	if (o->event || o->rings) {
		snprintf(text, size, "another capture of this switch is running: end it first");
		return -EBUSY;
	}
	int rc = listen_for_reader(s);
	if (rc < 0) {
		snprintf(text, size, "cannot listen for the capture reader at %s: %s",
			 o->address.sun_path, strerror(-rc));
		close_connection(o);
		return rc;
	}
	snprintf(text, size, "waits");
	return 0;
}

int drb_capture_open(struct drb_switch *s)
{
	s->capture.fd = -1;
	return 0;
}

void drb_capture_close(struct drb_switch *s)
{
	if (s->capture.fd >= 0)
		unlink(s->capture.address.sun_path);
	end(s, false);
}
