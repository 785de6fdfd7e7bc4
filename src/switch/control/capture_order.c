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
#include "switch/control/stats_socket.h"
#include "switch/control/switch.h"
#include "switch/datapath/capture.h"
#include "switch/datapath/changes.h"

// The reader has this time to connect, and again to send its request.
static const struct timeval request_within = {.tv_sec = 5};

struct request {
	struct drb_capture_request head;
	struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
};

// The rings that workers write to. Freed when no worker uses them any more.
struct drb_capture_rings {
	struct drb_switch *s;
	struct drb_change begin, end; // all workers start to capture; all workers stop
	int to_give;                  // descriptor of the memory, to be passed to the reader
	size_t size;
	struct drb_capture_ring *memory;
	struct drb_capture of[]; // by worker
};

// Has the event loop run `call` once: when the reader sends something, or after this time (NULL: no
// limit). False: no memory for the event.
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

// Receives a request. False: it is missing, incomplete or not valid.
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

// Makes memory with a fixed size: if the reader could truncate it, workers would die of SIGBUS.
// Returns a descriptor, or -1.
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

// *memory becomes the descriptor of the rings' memory, or -1. NULL: out of memory.
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

static void set_capture(struct drb_worker *w, uint32_t n, void *rings)
{
	w->capture = &((struct drb_capture_rings *)rings)->of[n];
}

static void clear_capture(struct drb_worker *w, uint32_t n, void *rings)
{
	(void)n, (void)rings;
	w->capture = NULL;
}

// The closed connection tells the reader that no worker changes the rings or their counters now.
static void has_ended(void *rings, int rc)
{
	struct drb_capture_rings *r = rings;

	(void)rc; // always 0, because the change waits for stuck workers
	close_connection(&r->s->capture);
	r->s->capture.rings = NULL;
	free_rings(r);
}

// Ends the capture. A stuck worker may be writing to its ring, so the rings stay until it runs
// again or has ended.
static void capture_end(struct drb_switch *s)
{
	struct drb_capture_order *o = &s->capture;

	if (!o->rings) {
		close_connection(o);
		return;
	}
	if (o->event)
		event_free(o->event);
	o->event = NULL;
	o->rings->end = (struct drb_change){
		.make = clear_capture, .done = has_ended, .context = o->rings, .patient = true};
	drb_change_post(&s->workers, &o->rings->end);
}

// Ignores what the reader sends, until the reader closes the connection.
static void wait_for_end(int fd, short events, void *s)
{
	char byte;

	if ((events && recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) == 0) ||
	    !expect(s, wait_for_end, NULL))
		capture_end(s);
}

static void has_begun(void *rings, int rc)
{
	struct drb_capture_rings *r = rings;
	struct drb_switch *s = r->s;
	const bool given = rc == 0 && give(s->capture.fd, r->to_give, s->workers.count);

	close(r->to_give);
	if (rc < 0) {
		s->capture.rings = NULL;
		free_rings(r);
	}
	if (given)
		wait_for_end(s->capture.fd, 0, s);
	else
		capture_end(s);
}

// False: out of memory, and no worker captures.
static bool begin_capture(struct drb_switch *s, const struct request *request)
{
	struct drb_capture_order *o = &s->capture;
	int memory = -1;

	o->rings = new_rings(request, s->workers.count, &memory);
	if (!o->rings) {
		if (memory >= 0)
			close(memory);
		return false;
	}
	o->rings->s = s;
	o->rings->to_give = memory;
	o->rings->begin =
		(struct drb_change){.make = set_capture, .done = has_begun, .context = o->rings};
	drb_change_post(&s->workers, &o->rings->begin);
	return true;
}

static void hear_request(int fd, short events, void *s)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!(events & EV_READ) || !request || !take_request(fd, request) ||
	    !begin_capture(s, request))
		capture_end(s);
	free(request);
}

// Replaces the listening socket by the connection and removes the socket's name, because one reader
// is enough.
static void meet_reader(int fd, short events, void *s)
{
	const struct drb_operators *operators = &((struct drb_switch *)s)->operators;
	struct drb_capture_order *o = &((struct drb_switch *)s)->capture;

	(void)events;
	o->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); // -1: none came in time
	close(fd);
	unlink(o->address.sun_path);
	if (o->fd < 0 || !drb_operators_include(operators, o->fd) ||
	    !expect(s, hear_request, &request_within))
		capture_end(s);
}

static int listen_for_reader(struct drb_switch *s)
{
	struct drb_capture_order *o = &s->capture;

	o->address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(o->address.sun_path, sizeof(o->address.sun_path), "%s/dpdk/%s/" DRB_CAPTURE_SOCKET,
		 drb_telemetry_runtime(), s->setup.instance);
	o->fd = drb_stats_listen(&o->address, &s->operators);
	if (o->fd < 0)
		return o->fd;
	return expect(s, meet_reader, &request_within) ? 0 : -ENOMEM;
}

int drb_capture_begin(struct drb_switch *s, char *text, size_t size)
{
	struct drb_capture_order *o = &s->capture;

	if (drb_workers_stuck(&s->workers) >= 0) {
		snprintf(text, size, "%s", DRB_CHANGE_FAILED);
		return -ETIMEDOUT;
	}
	if (o->fd >= 0 || o->rings) {
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

bool drb_capture_runs(const struct drb_switch *s)
{
	return s->capture.rings;
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
	capture_end(s);
}
