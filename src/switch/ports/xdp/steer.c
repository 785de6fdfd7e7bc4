// SPDX-License-Identifier: BSD-3-Clause
// Programs reach the driver of DPDK as files: ours is one in memory, so that it need not be
// installed. The driver attaches a program in a way that outlives the process, which then bars the
// next one from the interface, and keeps the maps to itself; so its calls of libbpf are linked to
// those here (ld --wrap).
#include "switch/ports/xdp/steer.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/cli/log.h"
#include "switch/ports/xdp/steer_maps.h"
#include "steer_object.h" // steer_object[]: steer.bpf.c as compiled

_Static_assert(STEER_QUEUES_MAX >= DRB_WORKERS_MAX, "every worker has a queue");

struct attached {
	int interface;             // index; 0: free
	int link;                  // the program leaves with this descriptor
	int counts;                // the map; -1: not a program that counts
	struct bpf_object *object; // owned; NULL: the driver's
};

static struct drb_addr_plan plan;
static char path[32]; // of the program; "": not made
static struct attached attached[DRB_PORTS_MAX];
// The one the driver loaded last. It attaches one before it loads the next, and closes none.
static const struct bpf_object *loaded;

int __real_bpf_object__load(struct bpf_object *object);
int __wrap_bpf_object__load(struct bpf_object *object);
int __wrap_bpf_xdp_attach(int interface, int program, __u32 flags,
			  const struct bpf_xdp_attach_opts *opts);
int __real_bpf_xdp_detach(int interface, __u32 flags, const struct bpf_xdp_attach_opts *opts);
int __wrap_bpf_xdp_detach(int interface, __u32 flags, const struct bpf_xdp_attach_opts *opts);

static struct attached *find(int interface)
{
	for (size_t i = 0; i < DRB_PORTS_MAX; i++) {
		if (attached[i].interface == interface)
			return &attached[i];
	}
	return NULL;
}

int __wrap_bpf_object__load(struct bpf_object *object)
{
	loaded = object;
	return __real_bpf_object__load(object);
}

// The map of that name in an object; -1 if it has none of such values.
static int map_of(const struct bpf_object *object, const char *name, uint32_t value)
{
	const struct bpf_map *map = object ? bpf_object__find_map_by_name(object, name) : NULL;

	return map && bpf_map__value_size(map) == value ? bpf_map__fd(map) : -1;
}

// By a link, which leaves with this process. own: the object, if it is not the driver's.
static int attach(int interface, int program, const struct bpf_object *object,
		  struct bpf_object *own)
{
	int plan_map = map_of(object, STEER_PLAN, sizeof(plan));
	struct attached *a = find(0);
	const uint32_t zero = 0;

	if (!a)
		return -ENOSPC;
	if (plan_map >= 0 && bpf_map_update_elem(plan_map, &zero, &plan, BPF_ANY) < 0)
		return -errno;
	int link = bpf_link_create(program, interface, BPF_XDP, NULL);
	if (link < 0)
		return link;
	*a = (struct attached){interface, link,
			       map_of(object, STEER_COUNTS, sizeof(struct steer_counts)), own};
	return 0;
}

int __wrap_bpf_xdp_attach(int interface, int program, __u32 flags,
			  const struct bpf_xdp_attach_opts *opts)
{
	(void)flags; // "unless there is another": a link never takes the place of one
	(void)opts;
	return attach(interface, program, loaded, NULL);
}

static void detach(struct attached *a)
{
	close(a->link);
	bpf_object__close(a->object);
	*a = (struct attached){0};
}

int __wrap_bpf_xdp_detach(int interface, __u32 flags, const struct bpf_xdp_attach_opts *opts)
{
	struct attached *a = find(interface);

	if (!a) // the driver's own program
		return __real_bpf_xdp_detach(interface, flags, opts);
	detach(a);
	return 0;
}

// The program of an object that a port wants: the first, unless it is of ours.
static struct bpf_program *program_of(struct bpf_object *object, const struct drb_port_setup *port)
{
	struct bpf_program *program = bpf_object__next_program(object, NULL);

	if (strcmp(port->xdp, DRB_XDP_STEER) == 0)
		program = bpf_object__find_program_by_name(object, STEER_PROGRAM);
	else if (strcmp(port->xdp, DRB_XDP_ALL) == 0)
		program = bpf_object__find_program_by_name(object, STEER_ALL_PROGRAM);
	return program;
}

// Loads one program and none of the others.
static int load(struct bpf_object *object, struct bpf_program *program)
{
	struct bpf_program *other = NULL;

	while ((other = bpf_object__next_program(object, other)))
		bpf_program__set_autoload(other, other == program);
	bpf_program__set_type(program, BPF_PROG_TYPE_XDP);
	bpf_program__set_flags(program, bpf_program__flags(program) | BPF_F_XDP_HAS_FRAGS);
	return __real_bpf_object__load(object);
}

int drb_steer_attach(const struct drb_port_setup *port, int socket)
{
	const bool ours =
		strcmp(port->xdp, DRB_XDP_STEER) == 0 || strcmp(port->xdp, DRB_XDP_ALL) == 0;
	struct bpf_object *object =
		ours ? bpf_object__open_mem(steer_object, sizeof(steer_object), NULL)
		     : bpf_object__open_file(port->xdp, NULL);
	struct bpf_program *program = object ? program_of(object, port) : NULL;
	const uint32_t zero = 0;
	int rc = program ? load(object, program) : -EINVAL;
	int sockets = rc == 0 ? bpf_object__find_map_fd_by_name(object, STEER_SOCKETS) : -1;

	if (rc == 0 && bpf_map_update_elem(sockets, &zero, &socket, BPF_ANY) < 0)
		rc = -errno;
	// What counts nothing has no counters, though its object may have maps of them.
	if (rc == 0)
		rc = attach((int)if_nametoindex(port->interface), bpf_program__fd(program),
			    strcmp(port->xdp, DRB_XDP_ALL) == 0 ? NULL : object, object);
	if (rc < 0)
		bpf_object__close(object);
	return rc;
}

void drb_steer_detach(const struct drb_port_setup *port)
{
	int index = (int)if_nametoindex(port->interface);
	struct attached *a = index > 0 ? find(index) : NULL;

	if (a)
		detach(a);
}

// Writes the program to a file in memory, once.
static int make_file(void)
{
	int fd = memfd_create("drb_steer", MFD_CLOEXEC);
	ssize_t written = fd < 0 ? -1 : write(fd, steer_object, sizeof(steer_object));

	if (written != (ssize_t)sizeof(steer_object)) {
		drb_error("cannot write the steering program to memory: %s", strerror(errno));
		return -errno;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return 0;
}

int drb_steer_init(const struct drb_setup *setup)
{
	plan = setup->addr;
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_setup *p = &setup->ports[i];
		if (p->driver == DRB_DRIVER_AF_XDP && strcmp(p->xdp, DRB_XDP_STEER) == 0)
			return *path ? 0 : make_file();
	}
	return 0;
}

const char *drb_steer_program(const struct drb_port_setup *port)
{
	if (strcmp(port->xdp, DRB_XDP_STEER) == 0)
		return path;
	return strcmp(port->xdp, DRB_XDP_ALL) == 0 ? NULL : port->xdp;
}

bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts)
{
	const uint32_t zero = 0;
	int index = (int)if_nametoindex(interface), cpus = libbpf_num_possible_cpus();
	const struct attached *a = index > 0 ? find(index) : NULL;

	if (!a || a->counts < 0 || cpus < 0)
		return false;
	struct steer_counts *per_cpu = calloc((size_t)cpus, sizeof(*per_cpu));
	bool read = per_cpu && bpf_map_lookup_elem(a->counts, &zero, per_cpu) == 0;
	*counts = (struct drb_xdp_counters){0};
	for (int cpu = 0; read && cpu < cpus; cpu++) {
		counts->xdp_seen += per_cpu[cpu].seen;
		counts->xdp_redirected += per_cpu[cpu].redirected;
		counts->xdp_passed += per_cpu[cpu].passed;
	}
	free(per_cpu);
	return read;
}
