// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/xdp/steer.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "switch/ports/xdp/steer_maps.h"
#include "steer_object.h" // steer_object[]: steer.bpf.c as compiled

_Static_assert(STEER_QUEUES_MAX >= DRB_WORKERS_MAX, "every worker has a queue");

struct attached {
	int interface; // index; 0: free
	int link;      // the program leaves with this descriptor, however this process ends
	int counts;    // the map; -1: not a program that counts
	struct bpf_object *object; // owned
};

static struct drb_addr_plan plan;
static struct attached attached[DRB_PORTS_MAX];

static struct attached *find(int interface)
{
	for (size_t i = 0; i < DRB_PORTS_MAX; i++) {
		if (attached[i].interface == interface)
			return &attached[i];
	}
	return NULL;
}

// The map of that name in an object; -1 if it has none of such values.
static int map_of(const struct bpf_object *object, const char *name, uint32_t value)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return map && bpf_map__value_size(map) == value ? bpf_map__fd(map) : -1;
}

static int attach(int interface, int program, struct bpf_object *object, bool counts)
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
	*a = (struct attached){
		interface, link,
		counts ? map_of(object, STEER_COUNTS, sizeof(struct steer_counts)) : -1, object};
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

// Loads one program of an object and none of the others; NULL, and *rc is why.
static struct bpf_program *load(struct bpf_object *object, const struct drb_port_setup *port,
				uint32_t flags, int *rc)
{
	struct bpf_program *program = program_of(object, port), *other = NULL;

	*rc = -EINVAL;
	if (!program)
		return NULL;
	while ((other = bpf_object__next_program(object, other)))
		bpf_program__set_autoload(other, other == program);
	bpf_program__set_type(program, BPF_PROG_TYPE_XDP);
	bpf_program__set_flags(program, bpf_program__flags(program) | flags);
	*rc = bpf_object__load(object);
	return *rc == 0 ? program : NULL;
}

static struct bpf_object *open_object(const struct drb_port_setup *port)
{
	if (strcmp(port->xdp, DRB_XDP_STEER) == 0 || strcmp(port->xdp, DRB_XDP_ALL) == 0)
		return bpf_object__open_mem(steer_object, sizeof(steer_object), NULL);
	return bpf_object__open_file(port->xdp, NULL);
}

static int give_sockets(const struct bpf_object *object, const int *sockets, uint32_t count)
{
	int map = bpf_object__find_map_fd_by_name(object, STEER_SOCKETS), rc = 0;

	for (uint32_t queue = 0; rc == 0 && queue < count; queue++)
		rc = bpf_map_update_elem(map, &queue, &sockets[queue], BPF_ANY);
	return rc;
}

int drb_steer_attach(const struct drb_port_setup *port, const int *sockets, uint32_t count)
{
	// Kernels before 5.18 know no programs for frames in parts.
	static const uint32_t flags[] = {BPF_F_XDP_HAS_FRAGS, 0};
	struct bpf_object *object = NULL;
	struct bpf_program *program = NULL;
	int rc = -EINVAL;

	for (size_t i = 0; !program && i < sizeof(flags) / sizeof(flags[0]); i++) {
		bpf_object__close(object);
		object = open_object(port);
		program = object ? load(object, port, flags[i], &rc) : NULL;
	}
	if (program)
		rc = give_sockets(object, sockets, count);
	// What counts nothing has no counters, though its object has maps of them.
	if (rc == 0)
		rc = attach((int)if_nametoindex(port->interface), bpf_program__fd(program), object,
			    strcmp(port->xdp, DRB_XDP_ALL) != 0);
	if (rc < 0)
		bpf_object__close(object);
	return rc;
}

void drb_steer_detach(const struct drb_port_setup *port)
{
	int index = (int)if_nametoindex(port->interface);
	struct attached *a = index > 0 ? find(index) : NULL;

	if (!a)
		return;
	close(a->link);
	bpf_object__close(a->object);
	*a = (struct attached){0};
}

void drb_steer_init(const struct drb_setup *setup)
{
	plan = setup->addr;
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
