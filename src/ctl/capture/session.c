// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/capture/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/cli/passing.h"
#include "core/counters.h"

#define RINGS_MAX 64

// Connects to the capture socket, which is in the same folder as the stats socket.
static int connect_beside(const char *socket_path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *slash = strrchr(socket_path, '/');
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%.*s/" DRB_CAPTURE_SOCKET,
		 (int)(slash ? slash - socket_path : 0), socket_path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	int error = -errno;
	close(fd);
	return error;
}

static bool readable(int fd, uint32_t timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, (int)timeout_ms) == 1;
}

// On Linux, a filter can also read data that are not in the packet, such as its direction, at
// addresses below 0 (SKF_AD_OFF). The switch has only the packet.
static bool asks_the_kernel(const struct bpf_program *program)
{
	for (uint32_t i = 0; i < program->bf_len; i++) {
		const struct bpf_insn *insn = &program->bf_insns[i];
		if (BPF_CLASS(insn->code) == BPF_LD && BPF_MODE(insn->code) == BPF_ABS &&
		    (int32_t)insn->k < 0)
			return true;
	}
	return false;
}

void session_compile(const char *filter, struct bpf_program *program)
{
	pcap_t *ethernet = pcap_open_dead(DLT_EN10MB, DRB_CAPTURE_BYTES);

	if (!ethernet)
		drb_die("out of memory");
	if (pcap_compile(ethernet, program, filter, 1, PCAP_NETMASK_UNKNOWN) < 0)
		drb_die("filter '%s': %s", filter, pcap_geterr(ethernet));
	if (asks_the_kernel(program))
		drb_die("filter '%s': inbound, outbound and interfaces are known to the kernel "
			"alone; name a port, such as s1-0.u0, for its packets",
			filter);
	if (program->bf_len > DRB_CAPTURE_INSNS)
		drb_die("filter '%s': more than %d instructions", filter, DRB_CAPTURE_INSNS);
	pcap_close(ethernet);
}

static int send_request(int fd, uint64_t ports, const struct session_filter *filter)
{
	uint32_t insns = filter->program->bf_len;
	struct {
		struct drb_capture_request head;
		struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
	} request = {.head = {.version = DRB_CAPTURE_VERSION,
			      .snap = filter->snap,
			      .ports = ports,
			      .insns = insns}};
	size_t size = sizeof(request.head) + insns * sizeof(request.insn[0]);

	if (insns)
		memcpy(request.insn, filter->program->bf_insns, insns * sizeof(request.insn[0]));
	return send(fd, &request, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -errno;
}

// Receives the descriptor of the memory with the rings. Returns it, or a negative errno.
static int take_rings(int fd, uint32_t *count)
{
	struct drb_capture_reply reply;
	int rings;
	ssize_t size = drb_take_passed(fd, &reply, sizeof(reply), &rings, 0);

	if (size <= 0)
		return size < 0 ? (int)size : -ECONNRESET;
	*count = reply.rings;
	if (size == sizeof(reply) && rings >= 0 && reply.version == DRB_CAPTURE_VERSION &&
	    reply.rings >= 1 && reply.rings <= RINGS_MAX)
		return rings;
	if (rings >= 0)
		close(rings);
	return -EPROTO;
}

static int map_rings(struct session *s, uint32_t timeout_ms)
{
	struct stat file;

	if (!readable(s->fd, timeout_ms))
		return -ETIMEDOUT;
	int fd = take_rings(s->fd, &s->count);
	if (fd < 0)
		return fd;
	size_t size = s->count * sizeof(*s->rings);
	const int seals = fcntl(fd, F_GET_SEALS);
	const bool sealed = seals >= 0 && (seals & DRB_CAPTURE_SEALS) == DRB_CAPTURE_SEALS;
	if (sealed && fstat(fd, &file) == 0 && (size_t)file.st_size >= size)
		s->rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (s->rings == MAP_FAILED)
		s->rings = NULL;
	return s->rings ? 0 : -EPROTO;
}

// Returns a bit for each port to capture at; 0: there is no such port.
static uint64_t capture_ports(const struct session *s, const char *port)
{
	uint64_t ports = 0;

	for (uint32_t i = 0; i < s->all.port_count && i < DRB_CAPTURE_PORTS; i++) {
		if (!port || strcmp(port, s->all.ports[i].name) == 0)
			ports |= UINT64_C(1) << i;
	}
	return ports;
}

static void say_why(const struct drb_telemetry *t, const char *name, int rc)
{
	char text[DRB_TELEMETRY_TEXT_MAX];

	drb_telemetry_explain(rc, t->version, text);
	drb_error("%s: %s", name, text);
}

static int capture_command(struct drb_telemetry *t, const char *name)
{
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc = drb_order(t, DRB_CMD_CAPTURE, NULL, &done, text);

	if (rc < 0)
		say_why(t, name, rc);
	else if (!done)
		drb_error("%s: %s", name, text);
	return rc < 0 ? rc : done ? 0 : -EBUSY;
}

// A switch closes the connection if the reader's messages have another version.
static void say_refused(const struct session *s, int rc)
{
	const struct drb_switch_info *info = &s->all.info;

	if ((rc == -EPROTO || rc == -ECONNRESET) && strcmp(info->version, DRB_VERSION) != 0)
		drb_error("%s: cannot begin to capture: the switch is of version %s, this program "
			  "of " DRB_VERSION,
			  info->name, info->version);
	else
		drb_error("%s: cannot begin to capture: %s", info->name, strerror(-rc));
}

static int session_begin(struct session *s, struct drb_telemetry *t, const char *socket_path,
			 const struct session_filter *filter)
{
	uint64_t ports = capture_ports(s, filter->port);

	if (!ports) {
		drb_error("%s has no port '%s'", s->all.info.name, filter->port);
		return -ENOENT;
	}
	int rc = capture_command(t, s->all.info.name);
	if (rc < 0)
		return rc;
	s->fd = connect_beside(socket_path);
	rc = s->fd < 0 ? s->fd : send_request(s->fd, ports, filter);
	if (rc == 0)
		rc = map_rings(s, t->timeout_ms);
	if (rc < 0)
		say_refused(s, rc);
	return rc;
}

int session_open(struct session *s, const struct ctl *ctl, const struct drb_switch_socket *at,
		 const struct session_filter *filter)
{
	struct drb_telemetry t;

	*s = (struct session){.fd = -1};
	int rc = drb_telemetry_open(&t, at->path, ctl->timeout_ms);
	if (rc == 0)
		rc = drb_read_all(&t, &s->all);
	if (rc < 0) {
		ctl_say_why(ctl, at->instance, rc, t.version);
		return rc;
	}
	rc = session_begin(s, &t, at->path, filter);
	drb_telemetry_close(&t);
	if (rc < 0)
		session_close(s);
	return rc;
}

static struct drb_capture_slot *first_of(struct drb_capture_ring *r)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	return atomic_load_explicit(&r->tail, memory_order_acquire) == head
		       ? NULL
		       : &r->slot[head % DRB_CAPTURE_SLOTS];
}

bool session_next(struct session *s, struct drb_capture_slot *packet)
{
	struct drb_capture_ring *from = NULL;
	const struct drb_capture_slot *oldest = NULL;

	for (uint32_t n = 0; n < s->count; n++) {
		const struct drb_capture_slot *slot = first_of(&s->rings[n]);
		if (slot && (!oldest || slot->time_ns < oldest->time_ns)) {
			oldest = slot;
			from = &s->rings[n];
		}
	}
	if (!from)
		return false;
	memcpy(packet, oldest, offsetof(struct drb_capture_slot, bytes));
	if (packet->captured > DRB_CAPTURE_BYTES)
		packet->captured = DRB_CAPTURE_BYTES;
	memcpy(packet->bytes, oldest->bytes, packet->captured);
	atomic_fetch_add_explicit(&from->head, 1, memory_order_release);
	return true;
}

bool session_goes_on(const struct session *s)
{
	return !readable(s->fd, 0); // the switch sends no more, so only its end is readable
}

void session_count(const struct session *s, uint32_t port, uint64_t *matched, uint64_t *lost)
{
	*matched = *lost = 0;
	for (uint32_t n = 0; n < s->count; n++) {
		*matched += atomic_load(&s->rings[n].matched[port]);
		*lost += atomic_load(&s->rings[n].lost[port]);
	}
}

void session_end(struct session *s)
{
	// The switch closes its end of the connection when its workers have stopped writing. A
	// switch with a stuck worker does not close it, so the wait has a limit and happens once.
	if (s->fd >= 0 && !s->ends && shutdown(s->fd, SHUT_WR) == 0)
		readable(s->fd, 1000);
	s->ends = true;
}

void session_close(struct session *s)
{
	if (s->rings)
		munmap(s->rings, s->count * sizeof(*s->rings));
	if (s->fd >= 0)
		close(s->fd);
	drb_switch_all_free(&s->all);
	*s = (struct session){.fd = -1};
}

const char *session_way(const struct session *s, const struct drb_capture_slot *packet)
{
	static const char *const ways[] = {"", "default", "redirected", "down", "detour"};

	if (drb_capture_is_drop(packet->kind))
		return packet->reason < s->all.drop_name_count ? s->all.drop_names[packet->reason]
							       : DRB_UNKNOWN_TEXT;
	return packet->kind == DRB_CAPTURE_OUT && packet->way < sizeof(ways) / sizeof(ways[0])
		       ? ways[packet->way]
		       : "";
}
